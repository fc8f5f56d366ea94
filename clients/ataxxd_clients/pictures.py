"""Pictures of games as files: SVG of `ataxxd.rules.svg`, and PNG and GIF made of it.

PNG and GIF need ``ataxxd[pictures]``.
"""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec

from ataxxd.extras import installing
from ataxxd.rules import Position, svg
from ataxxd.rules.notation.game import GameRecord
from ataxxd_clients.labels import ends

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


class PictureError(Exception):
    """A picture that cannot be made here; the message says why, and what would help."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of picture.

    Attributes:
        name: what it is called; its files end in it, after a dot.
        title: one line for menus.
        extra: whether it needs packages that a plain installation leaves out.
    """

    name: str
    title: str
    extra: bool = True

    @property
    def suffix(self) -> str:
        """Of its files."""
        return f".{self.name}"


KINDS = (
    Kind("svg", "a picture of the position", extra=False),
    Kind("png", "the same in pixels"),
    Kind("gif", "the whole game, moving"),
)


def available() -> tuple[Kind, ...]:
    """The kinds that can be made here."""
    return tuple(kind for kind in KINDS if not (kind.extra and missing()))


def kind_of(name: str) -> Kind | None:
    """The kind of a name, or of a file's name by its suffix; None when it is no picture."""
    return next(
        (kind for kind in KINDS if name.lower() == kind.name or name.lower().endswith(kind.suffix)),
        None,
    )


def picture(
    game: GameRecord,
    kind: Kind,
    *,
    ply: int | None = None,
    at: Position | None = None,
    width: int = 480,
    pause_ms: int = 800,
    flipped: bool = False,
) -> bytes:
    """A picture of a game as a file.

    Args:
        game: the game.
        kind: an SVG or PNG shows one position, a GIF all of them.
        ply: after how many moves; after all of them when None. A GIF ends there.
        at: the position instead, which may stand in no game.
        width: in pixels.
        pause_ms: how long a GIF shows each position.
        flipped: turn the board round.

    Raises:
        PictureError: it needs what is not installed, or the game has no such ply.
    """
    if kind.extra and (needed := missing()):
        msg = (
            f"A picture as {kind.name.upper()} needs {' and '.join(needed)}, which a plain "
            f"installation leaves out: {installing('pictures')}. SVG needs nothing."
        )
        raise PictureError(msg)
    shots = scenes(game)
    if ply is not None and not 0 <= ply < len(shots):
        msg = f"There is no position after {ply} moves: the game has {len(game.moves)}."
        raise PictureError(msg)
    shots = shots if ply is None else shots[: ply + 1]
    if at is not None and at != shots[-1][0] and kind.name != "gif":
        shots = [*shots, next(((found, by) for found, by in shots if found == at), (at, ()))]
    if kind.name == "gif":
        every = [svg.board(found, marked=by, width=width, flipped=flipped) for found, by in shots]
        return gif(every, pause_ms=pause_ms)
    found, by = shots[-1]
    drawn = svg.board(found, marked=by, width=width, flipped=flipped)
    return drawn.encode() if kind.name == "svg" else png(drawn)


def scenes(game: GameRecord) -> list[tuple[Position, tuple[str, ...]]]:
    """The positions of a game from its start, each with the squares of the move that led to it."""
    marked = ((), *map(ends, game.moves))
    return list(zip(game.positions, marked, strict=True))
