"""What offline play leaves behind, and games of two machines."""

import asyncio
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from ataxxd.cli.files import check_transcript
from ataxxd.cli.notations import check_words, print_game, write_game
from ataxxd.cli.screen import look_on
from ataxxd.errors import UsageError
from ataxxd.node.local_game import LocalGame
from ataxxd.rules.notation.formats import Format, format_of_file, own_format
from ataxxd.rules.notation.game import GameRecord
from ataxxd_clients.text.console import Output


def offline_format(transcript: Path | None, beginning: GameRecord) -> Format | None:
    """The notation of an offline game's transcript: by its suffix, else the game's own.

    Args:
        transcript: the file; None when none is wanted.
        beginning: the game as far as it is known before it is played.

    Raises:
        UsageError: the game cannot be written in it.
        StorageError: the file cannot be written.
    """
    if transcript is None:
        return None
    if transcript.suffix.lower() == ".json":
        raise UsageError(
            f"--transcript {transcript}: only a network game has a signed record. Name a file with "
            "another suffix, such as .pdn or .pgn."
        )
    game = beginning.start.game
    form = format_of_file(transcript.name) or own_format(game)
    if form is None:
        raise UsageError(f"--transcript {transcript}: no notation is known for games of {game}.")
    check_words(transcript, form, beginning)
    check_transcript(transcript)
    return form


@contextmanager
def keeping(game: LocalGame, transcript: Path | None, notation: Format | None) -> Iterator[None]:
    """Let no bot think on after the end, whatever ends it, and write the game's transcript.

    Raises:
        StorageError: it cannot be written.
    """
    try:
        yield
    finally:
        game.rest()
        if transcript is not None and notation is not None:
            write_game(transcript, notation.write(game.record))


def play_out(game: LocalGame, output: TextIO | None) -> int:
    """Let two machines play to the end, then print the transcript of the game.

    Args:
        game: the game; both its seats are automatic.
        output: where to; None for nowhere.

    Returns:
        The exit code.
    """
    code = asyncio.run(look_on(game, Output(io.StringIO(), sys.stderr)))
    if output is not None:
        print_game(game.record, output)
    return code
