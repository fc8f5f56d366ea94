"""A game as a file: in every notation that can express it, as a picture, and signed.

Pictures are SVG from `ataxxd.rules.svg`, or PNG and GIF made from it, which need
``ataxxd[pictures]``.
"""

import io
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from ataxxd.extras import install_command
from ataxxd.node.game import Game
from ataxxd.rules import Position, RulesError, svg
from ataxxd.rules.notation import FORMATS, format_named, format_of_file
from ataxxd.rules.notation.game import GameRecord, UnwritableError
from ataxxd_clients.labels import end_squares
from ataxxd_clients.text.commands import CommandError

_NEEDED = {"resvg_py": "resvg-py", "PIL": "pillow"}


def missing_packages() -> tuple[str, ...]:
    """The packages for PNG and GIF that are not installed."""
    return tuple(name for module, name in _NEEDED.items() if find_spec(module) is None)


def svg_to_png(svg: str) -> bytes:
    """Convert a drawing to PNG in its own size."""
    import resvg_py  # noqa: PLC0415 - an extra

    return bytes(resvg_py.svg_to_bytes(svg_string=svg, skip_system_fonts=True))


def make_gif(drawings: Sequence[str], *, pause_ms: int) -> bytes:
    """Make a looping GIF of drawings; the last one is shown four times as long.

    Args:
        drawings: at least one SVG, all of the same size.
        pause_ms: how long each is shown, in milliseconds.
    """
    from PIL import Image  # noqa: PLC0415 - an extra

    # One palette for all, or colours would flicker from frame to frame.
    frames = [Image.open(io.BytesIO(svg_to_png(each))).convert("RGB") for each in drawings]
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


@dataclass(frozen=True, slots=True)
class Export:
    """A way to write a game.

    Attributes:
        name: its name.
        title: one line for menus.
        suffix: the suffix of its files.
        extra: whether it needs packages that are not installed by default.
    """

    name: str
    title: str
    suffix: str
    extra: bool = False


KINDS = (
    Export("svg", "a picture of the position", ".svg"),
    Export("png", "the same in pixels", ".png", extra=True),
    Export("gif", "the whole game, moving", ".gif", extra=True),
)
"""The kinds of pictures."""


def available_pictures() -> tuple[Export, ...]:
    """The kinds of picture that can be made here."""
    return tuple(kind for kind in KINDS if not (kind.extra and missing_packages()))


def picture_kind(name: str) -> Export | None:
    """The kind of picture by its name or a file's suffix; None if it is not a picture."""
    return next(
        (kind for kind in KINDS if name.lower() == kind.name or name.lower().endswith(kind.suffix)),
        None,
    )


def picture(
    game: GameRecord,
    kind: Export,
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
        ply: the number of moves before the position shown, or at which a GIF ends; all if None.
        at: a position to show instead, which need not be of the game.
        width: the width in pixels.
        pause_ms: how long a GIF shows each position, in milliseconds.
        flipped: turn the board round.

    Raises:
        CommandError: it needs packages that are not installed, or the game has no such ply.
    """
    if kind.extra and (needed := missing_packages()):
        raise CommandError(
            f"A picture as {kind.name.upper()} needs {' and '.join(needed)}, which a plain "
            f"installation leaves out: `{install_command('pictures')}`. SVG needs nothing."
        )
    shots = scenes(game)
    if ply is not None and not 0 <= ply < len(shots):
        raise CommandError(
            f"There is no position after {ply} moves: the game has {len(game.moves)}."
        )
    shots = shots if ply is None else shots[: ply + 1]
    if at is not None and at != shots[-1][0] and kind.name != "gif":
        shots = [*shots, next(((found, by) for found, by in shots if found == at), (at, ()))]
    if kind.name == "gif":
        every = [svg.board(found, marked=by, width=width, flipped=flipped) for found, by in shots]
        return make_gif(every, pause_ms=pause_ms)
    found, by = shots[-1]
    drawn = svg.board(found, marked=by, width=width, flipped=flipped)
    return drawn.encode() if kind.name == "svg" else svg_to_png(drawn)


def scenes(game: GameRecord) -> list[tuple[Position, tuple[str, ...]]]:
    """The positions of a game from its start, each with the squares of the move that led to it."""
    marked = ((), *map(end_squares, game.moves))
    return list(zip(game.positions, marked, strict=True))


SIGNED = "record"
"""What the signed record is called among the notations."""

_SIGNED_SUFFIX = ".json"


_RECORD = Export(SIGNED, "the signed record, which anybody can verify", _SIGNED_SUFFIX)


def formats_for(game: GameRecord) -> tuple[Export, ...]:
    """The ways to write an unsigned game."""
    notations = [Export(each.name, each.title, each.suffixes[0]) for each in FORMATS]
    return (
        *(each for each in notations if _can_be_written(game, each.name)),
        *available_pictures(),
    )


def available_exports(game: Game) -> tuple[Export, ...]:
    """The ways to write the game so far."""
    signed = () if game.broker is None else (_RECORD,)
    return (*formats_for(game.record), *signed)


def find_export(name: str) -> Export | None:
    """The way with a name, or for a file's suffix; None if there is none."""
    if name.lower() == SIGNED or name.lower().endswith(_SIGNED_SUFFIX):
        return _RECORD
    form = format_named(name) or format_of_file(name)
    if form is not None:
        return Export(form.name, form.title, form.suffixes[0])
    return picture_kind(name)


def game_bytes(game: GameRecord, name: str, *, at: Position | None = None) -> bytes:
    """A game as a file.

    Args:
        game: the game.
        name: the name of one of `formats_for` the game.
        at: the position that a picture shows; the last one if None.

    Raises:
        CommandError: it cannot be written that way; the message says why.
    """
    form, kind = format_named(name), picture_kind(name)
    try:
        if form is not None:
            return form.write(game).encode()
        if kind is not None:
            return picture(game, kind, at=at)
    except RulesError as error:
        raise CommandError(f"This game cannot be written as {name}: {error}") from None
    raise CommandError(
        f"A game cannot be written as {name!r} here, but as {_list_names(formats_for(game))}."
    )


def export_game(game: Game, name: str) -> bytes:
    """The game as a file.

    Args:
        game: the game.
        name: the name of one of its `available_exports`.

    Raises:
        CommandError: it cannot be written that way; the message says why.
    """
    signed = game.signed_record if name == SIGNED else None
    return game_bytes(game.record, name) if signed is None else signed


def _list_names(every: tuple[Export, ...]) -> str:
    return ", ".join(f"{each.suffix} ({each.name})" for each in every)


def _can_be_written(game: GameRecord, name: str) -> bool:
    form = format_named(name)
    try:
        return form is not None and bool(form.write(game))
    except UnwritableError:
        return False


def save(table: Game, name: str) -> Path:
    """Write the game at a table to a new file.

    Args:
        table: the table.
        name: the name of the file, whose suffix sets the notation.

    Returns:
        The path of the file.

    Raises:
        CommandError: it cannot be written, or already exists; nothing has changed.
    """
    content = export_game(table, _notation(table, name))
    try:
        # This fails for the home of an unknown user.
        path = Path(name).expanduser().absolute()
    except RuntimeError as error:
        raise CommandError(str(error)) from None
    try:
        file = path.open("xb")
    except FileExistsError:
        raise CommandError(f"{path} already exists. Choose another name.") from None
    except (OSError, ValueError) as error:
        raise CommandError(_explain_error(path, error)) from None
    try:
        with file:
            file.write(content)
    except OSError as error:
        with suppress(OSError):
            path.unlink()
        raise CommandError(_explain_error(path, error)) from None
    return path


def proposed_name(table: Game) -> str:
    """A name for a new file with the game: for its signed record, if there is one."""
    first, *_ = available_exports(table)
    suffix = first.suffix if table.broker is None else _SIGNED_SUFFIX
    game = table.position.game
    number = 1
    while Path(name := f"{game}{number}{suffix}").exists():
        number += 1
    return name


def _notation(table: Game, name: str) -> str:
    export = find_export(Path(name).suffix)
    if export is None:
        known = ", ".join(f"{each.suffix} ({each.title})" for each in available_exports(table))
        raise CommandError(
            f"{name} has no ending that names a notation. This game can be saved as {known}."
        )
    return export.name


def _explain_error(path: Path, error: OSError | ValueError) -> str:
    reason = error.strerror if isinstance(error, OSError) else error
    return f"{path} cannot be written: {reason}. Choose another place."


def study_bytes(game: GameRecord, name: str, *, at: Position | None = None) -> tuple[Export, bytes]:
    """Write a game in the notation with a name, or for a file's suffix.

    Args:
        game: the game.
        name: the name of a notation, a kind of picture or a file.
        at: the position that a picture shows; the last one if None.

    Raises:
        CommandError: there is no such notation, or it cannot express the game; the text says which
            can.
    """
    export = find_export(name)
    if export is None:
        can = _list_names(formats_for(game))
        raise CommandError(f"{name} does not name a notation. This game can be written as {can}.")
    if export.name == SIGNED:
        raise CommandError(
            "A signed record cannot be made of a game that is studied: only its players can sign "
            "it. Choose another notation."
        )
    return export, game_bytes(game, export.name, at=at)
