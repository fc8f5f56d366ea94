"""PNG and GIF of drawings; needs ``ataxxd[pictures]``."""

import io
from collections.abc import Sequence
from importlib.util import find_spec

_NEEDED = {"resvg_py": "resvg-py", "PIL": "pillow"}


def missing() -> tuple[str, ...]:
    """The packages that PNG and GIF need and that are not installed."""
    return tuple(name for module, name in _NEEDED.items() if find_spec(module) is None)


def png(svg: str) -> bytes:
    """A drawing as PNG, as large as it says."""
    import resvg_py  # noqa: PLC0415 - an extra

    return bytes(resvg_py.svg_to_bytes(svg_string=svg, skip_system_fonts=True))


def gif(drawings: Sequence[str], *, pause_ms: int = 800) -> bytes:
    """Drawings one after the other as a GIF without end; the last one stays four times as long.

    Args:
        drawings: SVG, all of one size; at least one.
        pause_ms: how long each is shown.
    """
    from PIL import Image  # noqa: PLC0415 - an extra

    # One palette for all, or colours would flicker from frame to frame.
    frames = [Image.open(io.BytesIO(png(each))).convert("RGB") for each in drawings]
    palette = frames[-1].quantize(128, dither=Image.Dither.NONE)
    first, *rest = (each.quantize(palette=palette, dither=Image.Dither.NONE) for each in frames)
    written = io.BytesIO()
    first.save(
        written,
        "GIF",
        save_all=True,
        append_images=rest,
        duration=[*[pause_ms] * (len(frames) - 1), 4 * pause_ms],
        loop=0,
        optimize=False,
    )
    return written.getvalue()
