"""``ataxxd play``: offline games, and network games by the options of the old checkers program."""

import asyncio
import io
import sys
from collections.abc import Coroutine, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

from ataxxd.cli.commands.play import Color, HostOptions, JoinOptions, PlayOptions
from ataxxd.cli.files import (
    STANDARD,
    check_distinct_files,
    check_transcript,
    check_transcript_format,
    open_text_file,
    print_game,
    write_game,
)
from ataxxd.cli.game_options import choose_ruleset, read_beginning, split_state
from ataxxd.cli.options import (
    PlayerOptions,
    SearchOptions,
    SeatOptions,
    StartOptions,
    TermsOptions,
    ViewOptions,
    read_thinking,
)
from ataxxd.cli.output import print_message
from ataxxd.cli.screen import (
    has_ended,
    play_offline,
    print_game_live,
    show_in_browser,
    show_tui,
    terminal_of,
)
from ataxxd.cli.signals import run_until_stopped
from ataxxd.engines.external import ExternalEngine
from ataxxd.engines.registry import ALIASES, KNOWN_BOTS, canonical_name, kind_of
from ataxxd.errors import StorageError, UsageError
from ataxxd.node.home import Home
from ataxxd.node.level_games import LevelGames
from ataxxd.node.local_game import LocalGame
from ataxxd.node.players import (
    AUTO,
    HUMAN,
    add_engine,
    bot_for,
    check_one_strength,
    check_ours_thinks,
    is_player,
)
from ataxxd.rules import Side
from ataxxd.rules.notation import Format, format_of_file, own_format
from ataxxd.rules.notation.game import GameRecord
from ataxxd.session.events import Seat
from ataxxd.wording import did_you_mean
from ataxxd_clients.text.console import Output
from ataxxd_clients.text.games import line_language
from ataxxd_clients.text.session import SessionOptions


def offline_format(transcript: Path | None, beginning: GameRecord) -> Format | None:
    """The format of an offline game's transcript: by its suffix, or else the usual one.

    Args:
        transcript: the file; None for no transcript.
        beginning: the start of the game, and the moves already made.

    Raises:
        UsageError: the game cannot be written in this format.
        StorageError: the file cannot be written.
    """
    if transcript is None:
        return None
    game = beginning.start.game
    usual = own_format(game)
    if usual is not None and transcript.suffix.lower() == ".json":
        raise UsageError(
            f"--transcript {transcript}: only a network game has a signed record. Name a file "
            f"ending in {usual.suffixes[-1]}."
        )
    form = format_of_file(transcript.name) or usual
    if form is None:
        raise UsageError(f"--transcript {transcript}: no notation is known for games of {game}.")
    check_transcript_format(transcript, form, beginning)
    check_transcript(transcript)
    return form


@contextmanager
def keeping(game: LocalGame, transcript: Path | None, notation: Format | None) -> Iterator[None]:
    """At the end of the block, stop the bots and write the game's transcript, also after an error.

    Raises:
        StorageError: the transcript cannot be written.
    """
    try:
        yield
    finally:
        game.stop_pondering()
        if transcript is not None and notation is not None:
            write_game(transcript, notation.write(game.record))


def play_out(game: LocalGame, output: TextIO | None) -> int:
    """Let two machines play to the end, then print the transcript of the game.

    Args:
        game: the game; both its seats are automatic.
        output: where to print it; None to print nothing.

    Returns:
        The exit code.
    """
    code = asyncio.run(print_game_live(game, Output(io.StringIO(), sys.stderr)))
    if output is not None:
        print_game(game.record, output)
    return code


# The assignment of checkers lets NUM be any number that is not negative.
_ANY_LEVEL = frozenset({"checkers"})
# Its specification has IN and OUT; that of Ataxx has scripts, which are read in turn.
_IN_AND_OUT = frozenset({"loa"})


def run(options: PlayOptions) -> int | Coroutine[Any, Any, int]:
    """Play offline, against the engine or someone beside you."""
    player1 = canonical_name(options.player1)
    player2 = options.player2
    if is_player(player2):
        player2 = canonical_name(player2)
    kind = choose_ruleset(options.game, options.ruleset).game
    state, files = split_state(options.arguments or [], kind)
    start = replace(options.start, position=_position(state, options.start.position))
    sources, output = _files(files, options.output, kind)
    _check_input(sources, options.view)
    thinking = read_thinking(options.search, options.seed, capped=kind in _ANY_LEVEL)
    check_ours_thinks(options.engine, thinking)
    level = thinking.level
    named = {"--player1": player1} | ({"--player2": player2} if is_player(player2) else {})
    check_one_strength(thinking, named)
    player1 = thinking.player(add_engine(player1, options.engine, options.engine_protocol))
    if is_player(player2):
        player2 = thinking.player(add_engine(player2, options.engine, options.engine_protocol))
        _check_offline(options.grace)
    else:
        if sources or output is not None:
            raise UsageError(
                f'"{player2}" is a network game, which reads standard input and writes standard '
                "output. Send files there: < IN > OUT"
            )
        return _play_over_network(options, start, player1, level)
    opening = read_beginning(options.game, options.ruleset, start)
    notation = offline_format(options.transcript, opening)
    first, second = (player2, player1) if options.white else (player1, player2)
    chosen = {
        Side.FIRST: bot_for(first, level, kind),
        Side.SECOND: bot_for(second, level, kind),
    }
    machine = bot_for(
        thinking.player(add_engine(AUTO, options.engine, options.engine_protocol)), level, kind
    )
    assert machine is not None
    table = LocalGame(
        opening.start,
        # A side that is human now may be handed to the engine later (`auto`).
        {side: bot or machine for side, bot in chosen.items()},
        seats={side: Seat.HUMAN if bot is None else Seat.AUTO for side, bot in chosen.items()},
        seed=options.seed,
    )
    check_distinct_files(
        reads=[
            *(
                ("standard input" if each == STANDARD else "IN", each)
                for each in sources or [STANDARD]
            ),
            ("--init", start.init),
        ],
        writes=[
            ("OUT" if options.output is None else "--output", output)
            if output is not None
            else ("standard output", STANDARD),
            ("--log", options.log),
            ("--transcript", options.transcript),
        ],
    )
    if start.init is not None:
        table.new(opening.start, opening.moves, opening.refused)
    old_program = line_language(opening.start.ruleset).tells_by_transcript
    for bot in chosen.values():
        if isinstance(bot, ExternalEngine):
            bot.start(print_message)
    with keeping(table, options.transcript, notation), ExitStack() as stack:
        if options.view.display or options.view.tui:
            _count(table, options.home)
        if options.view.display:
            return run_until_stopped(show_in_browser(table, log=_log(options.log, stack)))
        if options.view.tui:
            return run_until_stopped(
                show_tui(table, log=_log(options.log, stack), ascii_only=options.view.ascii_only)
            )
        # Inputs are opened first: if one is missing, nothing is written.
        readers = [
            sys.stdin if each == STANDARD else stack.enter_context(open_text_file(each, "r"))
            for each in sources or [STANDARD]
        ]
        writer = sys.stdout if output is None else stack.enter_context(open_text_file(output, "w"))
        seen = not sources and terminal_of(sys.stdin, writer, line=options.view.line) is not None
        if old_program and None not in chosen.values() and not seen:
            # Two machines: nobody has anything to type, and the transcript is the output.
            return play_out(table, None if options.transcript else writer)
        terminal = terminal_of(
            readers[0], writer, line=options.view.line, ascii_only=options.view.ascii_only
        )
        if terminal is not None:
            _count(table, options.home)
        return play_offline(
            table,
            inputs=readers,
            output=writer,
            errors=sys.stderr,
            options=SessionOptions(
                strict=options.view.strict,
                prompts=readers[0].isatty(),
                leaves_when_over=old_program and terminal is None,
            ),
            terminal=terminal,
            history=None if terminal is None else _history(options.home, kind),
            log=_log(options.log, stack),
        )


def _count(table: LocalGame, home: Path | None) -> None:
    """Record results against our engine's levels, if there can be a home."""
    with suppress(StorageError):
        table.count_results(LevelGames(Home(home).level_games))


def _check_offline(grace: str | None) -> None:
    if grace is not None:
        raise UsageError("--grace is for a network game: name it, with --player2 NAME.")


def _play_over_network(
    options: PlayOptions, start: StartOptions, player1: str, level: int | None
) -> Coroutine[Any, Any, int]:
    """Host the game that ``--player2`` names, or join it."""
    from ataxxd.cli.host import run_host  # not offline
    from ataxxd.cli.join import run_join  # not offline

    name = options.player2
    if options.log is not None:
        raise UsageError(
            "--log records the input of offline games; for a network game, use --transcript."
        )
    if "@" in name:
        for option, value in (("--init", start.init), ("--grace", options.grace)):
            if value is not None:
                raise UsageError(
                    f"{option} is the host's: who joins takes the game as it is offered."
                )
    _check_input_lasts(
        name, typed=player1 == HUMAN and not (options.view.display or options.view.tui)
    )
    search = SearchOptions(level=None if level is None else str(level))
    player = PlayerOptions(player=player1, search=search, seed=options.seed)
    seat = SeatOptions(player, options.transcript, options.view)
    home, broker = options.home, options.broker
    if "@" in name:
        return run_join(JoinOptions(name=name, home=home, broker=broker, seat=seat))
    return run_host(
        HostOptions(
            name=name,
            home=home,
            broker=broker,
            game=options.game,
            ruleset=options.ruleset,
            seat=seat,
            color=Color.SECOND if options.white else Color.FIRST,
            start=start,
            terms=TermsOptions() if options.grace is None else TermsOptions(grace=options.grace),
        )
    )


def _check_input_lasts(name: str, *, typed: bool) -> None:
    """Refuse a network game whose moves are to be typed if the input has ended.

    Otherwise, remark on a hosted game's name that looks like a computer player's.
    """
    at = "@" in name
    hint = did_you_mean(kind_of(name), map(kind_of, KNOWN_BOTS), ALIASES)
    if at:
        # NAME@BROKER may have any name; only auto@... may be meant as a level.
        hint = " A level is a number: auto@3." if kind_of(name) == AUTO else ""
    if typed and has_ended(sys.stdin):
        hint = hint or f" The computer players are {', '.join(KNOWN_BOTS)}."
        raise UsageError(
            f'"{name}" is a network game, but standard input has ended, so nobody can move '
            f"for you. Let the engine play: --player1 auto.{hint}"
        )
    if hint:
        print_message(f'"{name}" is taken as the name of a network game.{hint}')


def _position(state: str | None, position: str | None) -> str | None:
    if state is not None and position is not None:
        raise UsageError(f"{state!r} and --position both say where the game begins.")
    return position if state is None else state


def _files(words: list[str], output: Path | None, game: str) -> tuple[list[Path], Path | None]:
    """The files to read, one after the other, and the one to write to.

    Raises:
        UsageError: it is not clear that one is to be written to.
    """
    files = [Path(word) for word in words]
    if game in _IN_AND_OUT and output is None and len(files) > 1:
        if len(files) > 2:
            raise UsageError(f"{files[2]} is one word too many after IN and OUT.")
        sources, output = files[:1], files[1]
        if output.suffix == ".in" and output.exists():
            raise UsageError(
                f"{output} already exists, and looks like a script. To overwrite it, say: "
                f"--output {output}"
            )
    else:
        sources = files
    return sources, None if output == STANDARD else output


def _check_input(sources: list[Path], view: ViewOptions) -> None:
    """Refuse ways to show the game that exclude each other, and files that are not there."""
    if view.display and (sources or view.line):
        raise UsageError(
            f"--display is played in the browser: leave out {'IN' if sources else '--line'}."
        )
    view.check()
    if view.tui and sources:
        raise UsageError("--tui is played by hand: leave IN away, or play without it.")
    if sources.count(STANDARD) > 1:
        raise UsageError(f"{STANDARD} is standard input, which is read only once: write it once.")
    for each in sources:
        if each != STANDARD and not each.exists():
            hint = f" To write to it, say: --output {each}" if each is not sources[0] else ""
            raise StorageError(f"{each} cannot be read: there is no such file.{hint}")


def _history(home: Path | None, game: str) -> Path | None:
    """The file for typed lines; None if there can be no home, which offline play does not need."""
    try:
        return Home(home).input_history(game)
    except StorageError:
        return None


def _log(path: Path | None, stack: ExitStack) -> TextIO | None:
    return None if path is None else stack.enter_context(open_text_file(path, "w"))
