"""Games in files: their formats, reading and writing."""

import os
import re
import shlex
import stat
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final, TextIO, TypeAlias

from ataxxd.errors import StorageError, UsageError, VerificationError, storage_errors
from ataxxd.node.command_lines import command_line
from ataxxd.node.home import check_writable, write_atomically
from ataxxd.node.ledger_game import format_game, make_dated_record
from ataxxd.node.names import known_names
from ataxxd.rules import RulesError, ruleset_info
from ataxxd.rules.notation import FORMATS, Format, format_named, format_of_file, own_format
from ataxxd.rules.notation.game import GameRecord, UnwritableError
from ataxxd.rules.notation.pgn import write_pgn
from ataxxd.rules.notation.transcript import write_transcript
from ataxxd.sanitize import sanitized
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import Verdict, verify_record
from ataxxd_clients.text.console import Output, OutputClosedError
from ataxxd_clients.text.games import line_language
from ataxxd_protocol.messages import NODE_PATTERN

STANDARD: Final = Path("-")
"""Standard input among what is read, standard output among what is written."""

Named: TypeAlias = tuple[str, Path | None]
"""What the user calls a file, such as ``--log``, and the file; None where there is none."""

_Identity: TypeAlias = tuple[int, int] | str


def check_transcript(path: Path | None) -> Path | None:
    """The absolute path of a file for the record, after checking that it can be written.

    Raises:
        StorageError: it cannot be written.
    """
    return None if path is None else check_writable(path, "--transcript")


def check_distinct_files(*, reads: Iterable[Named], writes: Iterable[Named]) -> None:
    """Check, before any file is opened for writing, that none is also read or written twice.

    A file is recognized under other names, through links, and as standard input or output.
    Terminals, pipes and devices hold nothing that could be lost, and are ignored.

    Raises:
        UsageError: a file would be overwritten that is also read, or be written twice.
    """
    sources = [(_label(named), _identity(named[1], sys.stdin)) for named in reads]
    taken: list[tuple[str, _Identity]] = []
    for named in writes:
        label, target = _label(named), _identity(named[1], sys.stdout)
        if target is None:
            continue
        for source, identity in sources:
            if identity == target:
                raise UsageError(
                    f"{label} would overwrite {source}: they are the same file. Name another file "
                    "to write to."
                )
        for other, identity in taken:
            if identity == target:
                raise UsageError(
                    f"{label} and {other} would both write to the same file. Name two files."
                )
        taken.append((label, target))


def open_text_file(path: Path, mode: str) -> TextIO:
    """Open a text file.

    Raises:
        StorageError: it cannot be opened.
    """
    with storage_errors(path, "read" if mode == "r" else "written"):
        return path.open(mode, encoding="utf-8")  # type: ignore[return-value]


def _label(named: Named) -> str:
    what, path = named
    return what if path is None or path == STANDARD else f"{what} {path}"


def _identity(path: Path | None, standard: TextIO) -> _Identity | None:
    """What identifies a file under any name; None if it is not a regular file."""
    if path is None:
        return None
    try:
        found = os.fstat(standard.fileno()) if path == STANDARD else path.stat()
    except (OSError, ValueError):
        # A file that does not exist yet may still be named twice.
        return None if path == STANDARD else os.path.realpath(path)
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None


FROM = "--from"
"""The option that names the format of a file that is read."""
RECORD = "record"
_RECORD_SUFFIX = ".json"
# The most bytes of a file: a game of a thousand moves takes only some kilobytes.
_LARGEST = 64 << 20


def format_names() -> str:
    """The names of the formats in options, as a list in words."""
    return ", ".join((RECORD, *(each.name for each in FORMATS)))


def choose_format(path: Path, name: str | None, option: str) -> Format | None:
    """The format that an option names, or else the file's suffix; None for signed records.

    Raises:
        UsageError: neither names a format.
        StorageError: the file is to be read, and is not there; its name looks like a game's.
    """
    if name == RECORD or (name is None and path.suffix.lower() == _RECORD_SUFFIX):
        return None
    found = format_of_file(path.name) if name is None else format_named(name)
    if found is not None:
        return found
    if name is not None:
        raise UsageError(f"{option} {name}: there is no such format; there are {format_names()}.")
    if option == FROM and is_name_of_game(path):
        raise StorageError(missing_file_advice(path))
    if path.is_dir():
        raise UsageError(f"{path} is a folder. Name a file in it.")
    known = ", ".join(f"{each.suffixes[0]} ({each.name})" for each in FORMATS)
    raise UsageError(
        f"The name {path} does not tell its format; known endings are {_RECORD_SUFFIX} "
        f"({RECORD}), {known}. Name the format: {option} FORMAT"
    )


def is_name_of_record(path: Path) -> bool:
    """Whether a path ends as the files of games do, signed or in a notation."""
    return path.suffix.lower() == _RECORD_SUFFIX or format_of_file(path.name) is not None


def is_name_of_game(path: Path) -> bool:
    """Whether a path is probably a game's name: there is no such file, and it looks like one."""
    return not path.suffix and len(path.parts) == 1 and path != STANDARD and not path.exists()


def missing_file_advice(path: Path) -> str:
    """Advice for a person who gave the name of a game instead of a file."""
    return (
        f"There is no file {path}. If that is the name of a game of yours, write it to a file "
        f"first: {command_line(f'archive {shlex.quote(str(path))} --export FOLDER')}"
    )


def read_game(
    path: Path, form: Format | None, ruleset: str | None, number: int | None = None
) -> GameRecord:
    """Read one game and check every move of it.

    Args:
        path: the file; ``-`` is standard input.
        form: its format; None for a signed record, which is verified.
        ruleset: the ruleset if the file does not name one.
        number: which of the file's games, from 1; None for the only one.

    Raises:
        StorageError: the file cannot be read.
        UsageError: it does not contain such a game; the text says where the error is.
        VerificationError: the signed record is not valid.
    """
    return parse_game(_read(path), str(path), form, ruleset, number)


def parse_game(
    data: bytes,
    name: str,
    form: Format | None,
    ruleset: str | None,
    number: int | None = None,
) -> GameRecord:
    """The game in a file's bytes; other arguments and errors are as for `read_game`."""
    if form is None:
        _check_number(name, 1, number)
        return make_dated_record(parse_record(data, name).ledger)
    try:
        text = data.decode()
        _check_number(name, len(form.starts(text)), number)
        return form.read(form.game(text, number or 1), ruleset)
    except UnicodeDecodeError as error:
        raise UsageError(f"{name} is not a text file: byte {error.start} is not UTF-8.") from None
    except RulesError as error:
        raise UsageError(f"{name}, {error}") from None


def parse_record(data: bytes, name: str) -> Verdict:
    """Verify the signed record in the bytes of the file `name`.

    Raises:
        VerificationError: it is not valid.
    """
    try:
        return verify_record(data)
    except VerificationError as error:
        told = f"{name}: {error}"
        raise VerificationError(
            f"{told}{'' if told.endswith(('.', '?')) else '.'} A record is valid only as its "
            "node wrote it: ask for it again, or export your own: `ataxxd archive --export DIR`."
        ) from None


def format_of_init(path: Path, game: str) -> Format | None:
    """The format of a file for ``--init``: by its suffix, or else the usual one of the game."""
    if path.suffix.lower() == _RECORD_SUFFIX:
        return None
    return format_of_file(path.name) or own_format(game)


def transcript_bytes(ledger: Ledger, path: Path) -> bytes:
    """The content of a network game's transcript, in the format of its suffix or the usual one.

    The usual one is the old program's transcript for checkers, and the signed record for others.

    Raises:
        StorageError: the game cannot be written in this format.
    """
    return format_game(format_of_transcript(path, ledger.start.ruleset), ledger, path)


def format_of_transcript(path: Path, ruleset: str) -> Format | None:
    """The format of a network game's transcript: by its suffix, or else the usual one.

    The usual one is the transcript for games whose line language has one; otherwise it is the
    signed record, for which this returns None.
    """
    if path.suffix.lower() == _RECORD_SUFFIX:
        return None
    if line_language(ruleset).tells_by_transcript:
        return format_of_file(path.name) or own_format(ruleset_info(ruleset).game)
    return format_of_file(path.name)


def check_transcript_format(transcript: Path, form: Format | None, game: GameRecord) -> None:
    """Check before a game that what is known of it can be written in a format.

    Args:
        transcript: the file, as the user named it.
        form: its format; None for the signed record, which can hold every game.
        game: the start, and the moves already made.

    Raises:
        UsageError: it cannot be written.
    """
    if form is None:
        return
    try:
        form.write(game)
    except UnwritableError as error:
        usual = own_format(game.start.game)
        other = f" Name a file ending in {usual.suffixes[-1]}." if usual not in (None, form) else ""
        raise UsageError(f"--transcript {transcript}: {error}{other}") from None


def check_network_transcript(transcript: Path | None, game: GameRecord) -> None:
    """Check before a network game that its transcript can be written.

    Raises:
        UsageError: the game cannot be written in its format.
    """
    if transcript is not None:
        check_transcript_format(
            transcript, format_of_transcript(transcript, game.start.ruleset), game
        )


def write_game(path: Path, text: str) -> None:
    """Write a game to a file, completely or not at all; ``-`` is standard output.

    Raises:
        StorageError: it cannot be written.
    """
    if str(path) == "-":
        # A file gets the exact text, a terminal only what is safe to show.
        sys.stdout.write(sanitized(text) if sys.stdout.isatty() else text)
        sys.stdout.flush()
    else:
        write_atomically(path, text.encode())


def print_game(game: GameRecord, output: TextIO) -> None:
    """Print the transcript of a game of checkers; in PDN if it has another start position."""
    try:
        text = write_transcript(game)
    except UnwritableError:
        text = write_pgn(game)
    speaker = Output(output, sys.stderr)
    # It does not matter if nobody reads it.
    with suppress(OutputClosedError):
        for line in text.splitlines():
            speaker.print_line(line)


def _check_number(name: str, games: int, number: int | None) -> None:
    if games > 1 and number is None:
        raise UsageError(
            f"{name} holds {games} games, and one is wanted: convert, analyse, picture and study "
            f"take it with --number, from 1 to {games}."
        )
    if number is not None and number > games:
        held = "only one game" if games == 1 else f"only {games} games"
        raise UsageError(f"--number {number}: {name} holds {held}.")


def _read(path: Path) -> bytes:
    with storage_errors(path, "read"):
        if str(path) == "-":
            return sys.stdin.buffer.read(_LARGEST)
        with path.open("rb") as file:
            return file.read(_LARGEST)


class LocalGameFiles:
    """Reads and writes games in files, in all formats and as signed records.

    Args:
        ruleset: the ruleset of games whose files do not name one.
        home: the home with the known nicknames; the usual one if None.
    """

    def __init__(self, ruleset: str | None = None, home: Path | None = None) -> None:
        self._ruleset = ruleset
        self._home = home

    def read(self, data: bytes, name: str, form: str | None) -> GameRecord:
        """The game in the content of a file."""
        found = choose_format(Path(name), form, "the notation")
        return parse_game(data, name, found, self._ruleset)

    def open(self, path: str, form: str | None) -> GameRecord:
        """The game in a file on this machine."""
        file = Path(path).expanduser()
        if path == "-":
            raise UsageError("- is standard input, which is the keyboard now. Name a file.")
        return read_game(file, choose_format(file, form, f"open {path}"), self._ruleset)

    def player(self, name: str) -> str:
        """A player's name for people: a known nickname with the id, or the text as it is."""
        if not re.fullmatch(NODE_PATTERN, name):
            return name
        with known_names(self._home) as names:
            return names.display_name(name)

    def save(self, path: str, content: bytes, *, replace: bool) -> None:
        """Write a file on this machine, completely or not at all."""
        file = Path(path).expanduser()
        if file.exists() and not replace:
            raise UsageError(f"{path} already exists. Choose another name, or: replace {path}")
        write_atomically(file, content)
