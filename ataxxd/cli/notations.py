"""Games in files: any notation and our own signed records, read and written."""

import sys
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from ataxxd.errors import StorageError, UsageError, VerificationError
from ataxxd.node.home import write_atomically
from ataxxd.node.ledger_game import dated
from ataxxd.rules import RulesError, ruleset_info
from ataxxd.rules.notation.formats import FORMATS, Format, format_named, format_of_file, own_format
from ataxxd.rules.notation.game import GameRecord, UnwritableError
from ataxxd.rules.notation.pgn import write_pgn
from ataxxd.rules.notation.transcript import write_transcript
from ataxxd.sanitize import sanitized
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import Verdict, dump_record, verify_record
from ataxxd_clients.text.console import Output, OutputClosedError
from ataxxd_clients.text.games import line_language

RECORD = "record"
_RECORD_SUFFIX = ".json"
# A game of a thousand moves takes some kilobytes; this is no game.
_LARGEST = 64 << 20


def names() -> str:
    """What options call the formats."""
    return ", ".join((RECORD, *(each.name for each in FORMATS)))


def chosen_format(path: Path, name: str | None, option: str) -> Format | None:
    """The format that an option names or a file's suffix stands for; None for signed records.

    Raises:
        UsageError: neither names one.
    """
    if name == RECORD or (name is None and path.suffix.lower() == _RECORD_SUFFIX):
        return None
    found = format_of_file(path.name) if name is None else format_named(name)
    if found is not None:
        return found
    if name is not None:
        raise UsageError(f"{option} {name}: there is no such format; there are {names()}.")
    known = ", ".join(f"{each.suffixes[0]} ({each.name})" for each in FORMATS)
    raise UsageError(
        f"{path} does not tell its format; known are {_RECORD_SUFFIX} ({RECORD}), {known}. "
        f"Name it: {option} FORMAT"
    )


def read_game(
    path: Path, form: Format | None, ruleset: str | None = None, number: int | None = None
) -> GameRecord:
    """Read one game and check every move of it.

    Args:
        path: the file; ``-`` is standard input.
        form: its format; None for a signed record, which is verified.
        ruleset: what it is judged by where the file does not tell.
        number: which of the file's games, from 1; None for the only one.

    Raises:
        StorageError: the file cannot be read.
        UsageError: it holds no such game; says where it goes wrong.
        VerificationError: the signed record does not hold.
    """
    return game_in(_read(path), str(path), form, ruleset, number)


def game_in(
    data: bytes,
    name: str,
    form: Format | None,
    ruleset: str | None = None,
    number: int | None = None,
) -> GameRecord:
    """The game that a file of this name holds; see `read_game`."""
    if form is None:
        _check_number(name, 1, number)
        return dated(record_in(data, name).ledger)
    try:
        text = data.decode()
        _check_number(name, len(form.starts(text)), number)
        return form.read(form.game(text, number or 1), ruleset)
    except UnicodeDecodeError as error:
        raise UsageError(f"{name} is not a text file: byte {error.start} is not UTF-8.") from None
    except RulesError as error:
        raise UsageError(f"{name}, {error}") from None


def record_in(data: bytes, name: str) -> Verdict:
    """The signed record that a file of this name holds, verified.

    Raises:
        VerificationError: it does not hold.
    """
    try:
        return verify_record(data)
    except VerificationError as error:
        told = f"{name}: {error}"
        raise VerificationError(
            f"{told}{'' if told.endswith(('.', '?')) else '.'} A record holds only as its node "
            "wrote it: ask for it again, or export your own with `ataxxd archive --export DIR`."
        ) from None


def format_of_init(path: Path, game: str) -> Format | None:
    """The format of a game to begin with: by its suffix, else the game's own."""
    if path.suffix.lower() == _RECORD_SUFFIX:
        return None
    return format_of_file(path.name) or own_format(game)


def kept_text(ledger: Ledger, path: Path) -> bytes:
    """What a transcript of a network game holds: by its suffix, else as is usual.

    Checkers has the transcript of the old program, the other games the signed record.

    Raises:
        StorageError: that notation has no words for this game.
    """
    form = format_of_transcript(path, ledger.start.ruleset)
    if form is None:
        return dump_record(ledger)
    try:
        return form.write(dated(ledger)).encode()
    except UnwritableError as error:
        raise StorageError(f"{path} cannot be written: {error}") from None


def format_of_transcript(path: Path, ruleset: str) -> Format | None:
    """The format of a network game's transcript: by its suffix; None for the signed record.

    Where the line language tells games by their transcripts, these are what is usual.
    """
    if path.suffix.lower() == _RECORD_SUFFIX:
        return None
    if line_language(ruleset).tells_by_transcript:
        return format_of_file(path.name) or own_format(ruleset_info(ruleset).game)
    return format_of_file(path.name)


def check_words(transcript: Path, form: Format | None, game: GameRecord) -> None:
    """Check before a game that a notation has words for it as far as it is known.

    Args:
        transcript: the file, as the user named it.
        form: its format; None for the signed record, which has words for all.
        game: the start, and the moves made already.

    Raises:
        UsageError: it has none.
    """
    if form is None:
        return
    try:
        form.write(game)
    except UnwritableError as error:
        raise UsageError(f"--transcript {transcript}: {error}") from None


def check_network_words(transcript: Path | None, game: GameRecord) -> None:
    """Check before a network game that its transcript can be written.

    Raises:
        UsageError: its notation has no words for the game.
    """
    if transcript is not None:
        check_words(transcript, format_of_transcript(transcript, game.start.ruleset), game)


def write_game(path: Path, text: str) -> None:
    """Write a game to a file, whole or not at all; ``-`` is standard output.

    Raises:
        StorageError: it cannot be written.
    """
    if str(path) == "-":
        # A file gets what was asked for, a terminal what is fit to be shown.
        sys.stdout.write(sanitized(text) if sys.stdout.isatty() else text)
        sys.stdout.flush()
    else:
        write_atomically(path, text.encode())


def print_game(game: GameRecord, output: TextIO) -> None:
    """Print the transcript of a game of checkers, in PDN where it begins somewhere else."""
    try:
        text = write_transcript(game)
    except UnwritableError:
        text = write_pgn(game)
    speaker = Output(output, sys.stderr)
    # Nobody needs to be there to read it.
    with suppress(OutputClosedError):
        for line in text.splitlines():
            speaker.say(line)


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
    try:
        if str(path) == "-":
            return sys.stdin.buffer.read(_LARGEST)
        with path.open("rb") as file:
            return file.read(_LARGEST)
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror}.") from None
