"""Rematches between real processes on Mosquitto, asked for at terminals."""

import re
import shutil
import signal
import sqlite3
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from ataxxd.errors import ExitCode
from ataxxd.session.record import Standing, verify_record
from tests.brokers import Mosquitto
from tests.e2e.namespaces import own_network
from tests.e2e.terminals import TerminalProgram, in_terminal

OVER = "Type rematch for another game"


class Seats:
    """Terminals of one test; each name is a node of its own, with a record."""

    def __init__(
        self, stack: ExitStack, folder: Path, broker: str | None, prefix: tuple[str, ...] = ()
    ) -> None:
        self._stack, self._folder, self._broker = stack, folder, broker
        self._program = (*prefix, sys.executable, "-m", "ataxxd")

    def open(self, name: str, *arguments: str) -> TerminalProgram:
        """Run a command of a node in a new terminal."""
        environment = {"ATAXXD_HOME": str(self._folder / name)}
        if self._broker is not None:
            environment["ATAXXD_BROKER"] = self._broker
        return self._stack.enter_context(
            in_terminal(arguments, environment=environment, program=self._program)
        )

    def sit(self, *options: str) -> tuple[TerminalProgram, TerminalProgram]:
        """A host and a guest whose game has begun; both may have options of their own."""
        host = self.open("host", "host", "ourgame", "--transcript", self.path("host"), *options)
        host.read_until("Waiting for a guest")
        guest = self.open("guest", "join", "ourgame", "--transcript", self.path("guest"))
        guest.read_until("Type a move")
        return host, guest

    def forget_who_starts_the_broker(self, name: str) -> None:
        """Make a node's journal as programs wrote it that did not keep this."""
        with closing(sqlite3.connect(self._folder / name / "journal.db")) as journal, journal:
            journal.execute("UPDATE games SET settings = json_remove(settings, '$.starts_broker')")

    def home(self, name: str) -> Path:
        return self._folder / name

    def path(self, name: str) -> str:
        return str(self._folder / f"{name}.json")

    def record(self, name: str) -> bytes:
        return (self._folder / f"{name}.json").read_bytes()


@pytest.fixture
def seats(mosquitto: Mosquitto, tmp_path: Path) -> Iterator[Seats]:
    with ExitStack() as stack:
        yield Seats(stack, tmp_path, mosquitto.url)


@pytest.fixture
async def lonely(tmp_path: Path) -> AsyncIterator[Seats]:
    """Seats without any configured broker, alone in their network."""
    async with own_network() as prefix:
        if prefix is None:
            pytest.skip("no network namespace can be made, and port 1883 is taken")
        program, *options = prefix or ("",)
        with ExitStack() as stack:
            yield Seats(
                stack,
                tmp_path,
                None,
                (str(shutil.which(program)), *options) if program else (),
            )


def end_by_abort(host: TerminalProgram, guest: TerminalProgram) -> None:
    """End a game in which the host has made no move."""
    host.read_until("Type a move")
    host.type(b"abort\n")
    for each in (host, guest):
        each.read_until(OVER)


@pytest.mark.gate
async def test_who_asks_hosts_the_next_game_and_both_records_hold(seats: Seats) -> None:
    host, guest = seats.sit()
    end_by_abort(host, guest)
    guest.type(b"rematch\n")
    at = guest.read_until("You have asked for a rematch")
    guest.type(b"a7-b6\n")
    guest.read_until("You have asked for a rematch; it begins when your opponent agrees.", at)
    host.read_until("Your opponent would like a rematch")
    host.type(b"rematch\n")
    host.read_until("A new game begins; you play Blue.")
    at = guest.read_until("A new game begins; you play Red.")
    guest.type(b"a7-b6\n")
    host.read_until("Red plays b6")
    host.type(b"resign\n")
    guest.read_until(OVER, at)
    for each in (host, guest):
        each.type(b"quit\n")
        assert each.wait() == ExitCode.OK
        signed = "Both players have signed this result."
        assert f"Game 1: No result: the game was aborted. {signed}" in each.text
        assert f"Game 2: Red wins: Blue resigned. {signed}" in each.text
    for command in ("archive", "ratings"):
        listed = seats.open("guest", command)
        assert listed.wait() == ExitCode.OK
        assert "unnamed (" in listed.text
        assert max(len(line.rstrip()) for line in listed.text.splitlines()) <= 80
    assert seats.record("host") == seats.record("guest")
    assert seats.record("host-2") == seats.record("guest-2")
    first, second = (verify_record(seats.record(name)) for name in ("host", "host-2"))
    assert second.standing is Standing.AGREED
    assert second.ledger.offer.rematch_of == first.ledger.game


async def test_what_was_played_is_told_by_numbers_and_found_by_one_name(seats: Seats) -> None:
    host = seats.open("host", "host", "ourgame")
    host.read_until("Waiting for a guest")
    people = [host, seats.open("guest", "join", "ourgame")]
    at = [each.read_until("Type a move") for each in people]
    for red in (0, 1):
        people[red].type(b"resign\n")
        at = [each.read_until(OVER, heard) for each, heard in zip(people, at, strict=True)]
        people[red].type(b"rematch\n")
        people[1 - red].read_until("would like a rematch", at[1 - red])
        people[1 - red].type(b"rematch\n")
        begun = "A new game begins"
        at = [each.read_until(begun, heard) for each, heard in zip(people, at, strict=True)]
    _, guest = people
    guest.type(b"quit\n")
    assert guest.wait() == ExitCode.OK
    assert "Game 1: Blue wins: Red resigned." in guest.text
    assert "Game 2: Blue wins: Red resigned." in guest.text
    # The command works in a terminal whose default is another home, too.
    kept = f"Find them with: ataxxd archive ourgame --home {seats.home('guest')}"
    assert " ".join(guest.text.split()).count(f"The records are kept. {kept}") == 1
    command = f"ataxxd resume ourgame --home {seats.home('guest')}"
    assert f"Game 3 is saved. Continue with: {command}" in " ".join(guest.text.split())


async def test_a_game_before_the_one_that_is_left_has_a_number(seats: Seats) -> None:
    host, guest = seats.sit()
    end_by_abort(host, guest)
    host.type(b"rematch\n")
    guest.read_until("Your opponent would like a rematch")
    guest.type(b"rematch\n")
    host.read_until("A new game begins")
    host.type(b"quit\n")
    assert host.wait() == ExitCode.OK
    assert "Game 1: No result: the game was aborted." in host.text
    assert "Game 2 is saved. Continue with: ataxxd resume" in " ".join(host.text.split())


async def test_whoever_looks_on_sees_the_rematch_too(seats: Seats) -> None:
    host, guest = seats.sit()
    lines = seats.open("lines", "watch", "ourgame", "--json", "--transcript", seats.path("seen"))
    board = seats.open("board", "watch", "ourgame")
    ui = seats.open("ui", "watch", "ourgame", "--tui")
    lines.read_until('"event": "start"')
    # Nobody has moved yet.
    board.read_until("a  b  c  d  e  f  g", board.read_until("Red is "))
    ui.read_until("F1 is help")
    end_by_abort(host, guest)
    for each in (lines, board, ui):
        each.read_until("Both players stay")
    host.type(b"say good game\n")
    for each in (guest, lines, board, ui):
        each.read_until("good game")
    # By the side that the board shows: the host of a rematch is whoever asked for it.
    board.read_until("Red: good game")
    guest.type(b"rematch\n")
    host.read_until("Your opponent would like a rematch")
    host.type(b"rematch\n")
    guest.read_until("A new game begins; you play Red.")
    guest.type(b"a7-b6\n")
    at = lines.read_until('"event": "rematch"')
    lines.read_until('"event": "move"', lines.read_until('"event": "start"', at))
    board.read_until("Red played b6", board.read_until("A rematch begins."))
    ui.read_until("plays b6", ui.read_until("A new game begins."))
    host.type(b"resign\n")
    guest.read_until(" resigned.")
    for each in (host, guest):
        each.type(b"quit\n")
        assert each.wait() == ExitCode.OK
    for each in (lines, board):
        assert each.wait() == ExitCode.OK
    assert seats.record("seen") == seats.record("host")
    assert seats.record("seen-2") == seats.record("host-2")


async def test_two_who_ask_at_once_get_one_game(seats: Seats) -> None:
    host, guest = seats.sit()
    end_by_abort(host, guest)
    for each in (host, guest):
        each.type(b"rematch\n")
    host.read_until("A new game begins; you play Blue.")
    guest.read_until("A new game begins; you play Red.")
    guest.type(b"resign\n")
    for each in (host, guest):
        each.read_until(" resigned.")
        each.type(b"quit\n")
        assert each.wait() == ExitCode.OK
    assert seats.record("host-2") == seats.record("guest-2")


async def test_whoever_comes_back_sees_names_terms_clocks_and_the_last_move(
    seats: Seats,
) -> None:
    named = seats.open("guest", "id", "--name", "Barbara")
    named.read_until("Nicknames are in lower case.")
    named.read_until("barbara, shown as barbara (")
    named.wait()
    host, guest = seats.sit("--clock", "10m+5s")
    host.read_until("barbara (")
    host.type(b"a7-b6\n")
    guest.read_until("Red plays b6")
    guest.type(b"a1-a2\n")
    host.read_until("Blue plays a2")
    host.signal(signal.SIGKILL)
    assert host.wait() == -signal.SIGKILL
    back = seats.open("host", "resume")
    back.read_until("Terms: 10m each and 5s a move")
    back.read_until("Last: Blue a2")
    red, blue = re.findall(r"^.* (?:Red|Blue) +\d.*\d:\d\d\r?$", back.text, re.MULTILINE)[:2]
    assert len(red) == len(blue)
    listed = seats.open("guest", "games")
    assert listed.wait() == ExitCode.OK
    (row,) = (line.rstrip() for line in listed.text.splitlines() if "ourgame" in line)
    assert len(row) <= 80
    for each in (back, guest):
        each.type(b"quit\n")
        assert each.wait() == ExitCode.OK


async def test_who_leaves_declines(seats: Seats) -> None:
    host, guest = seats.sit()
    end_by_abort(host, guest)
    host.type(b"rematch\n")
    guest.read_until("Your opponent would like a rematch")
    guest.type(b"quit\n")
    assert guest.wait() == ExitCode.OK
    at = host.read_until("Your opponent has left: there will be no rematch")
    at = host.read_until("Type quit to leave.", at)
    host.type(b"rematch\n")
    at = host.read_until("Your opponent has left, so there is no rematch. Leave, too,", at)
    host.read_until("and open another game: ataxxd host ", at)
    host.type(b"quit\n")
    assert host.wait() == ExitCode.OK
    again = seats.open("host", "resume")
    assert again.wait() == ExitCode.NO_SUCH_GAME


async def test_a_rematch_survives_the_death_of_its_host_and_goes_on_as_agreed(
    seats: Seats,
) -> None:
    host, guest = seats.sit()
    end_by_abort(host, guest)
    guest.type(b"rematch\n")
    host.read_until("Your opponent would like a rematch")
    host.type(b"rematch\n")
    guest.read_until("A new game begins")
    guest.type(b"a7-b6\n")
    host.read_until("Red plays b6")
    guest.signal(signal.SIGKILL)
    assert guest.wait() == -signal.SIGKILL
    host.read_until("has lost the connection")
    back = seats.open("guest", "resume")
    back.read_until('Continuing "ourgame" against unnamed (')
    host.read_until("Your opponent is back")
    host.type(b"a1-a2\n")
    back.read_until("Blue plays a2")
    back.type(b"resign\n")
    at = back.read_until(OVER)
    host.read_until(" resigned.")
    host.type(b"say Good game!\n")
    back.read_until("Blue: Good game!")
    back.type(b"say Once more?\n")
    host.read_until("Red: Once more?")
    # And a third game from there.
    back.type(b"rematch\n")
    host.read_until("Your opponent would like a rematch")
    host.type(b"rematch\n")
    back.read_until("A new game begins; you play Blue.", at)
    at = host.read_until("A new game begins; you play Red.")
    host.type(b"abort\n")
    for each in (back, host):
        each.read_until("the game was aborted")
        each.type(b"quit\n")
        assert each.wait() == ExitCode.OK
    for number in ("", "-2", "-3"):
        assert seats.record(f"host{number}") == seats.record(f"guest{number}")


async def test_who_ran_the_broker_runs_it_again_though_the_other_hosts_the_rematch(
    lonely: Seats,
) -> None:
    first, second = lonely.sit()
    end_by_abort(first, second)
    heard = seen = 0
    for first_has_red in (False, True):
        second.type(b"rematch\n")
        heard = first.read_until("Your opponent would like a rematch", heard)
        first.type(b"rematch\n")
        first.read_until("A new game begins", heard)
        seen = second.read_until("A new game begins", seen)
        first.signal(signal.SIGKILL)
        assert first.wait() == -signal.SIGKILL
        second.read_until("Connection lost", seen)
        if first_has_red:
            lonely.forget_who_starts_the_broker("host")
        first = lonely.open("host", "resume")
        first.read_until("the embedded one is started")
        first.read_until('Continuing "ourgame" against unnamed (')
        (first if first_has_red else second).type(b"resign\n")
        heard = first.read_until(OVER)
        seen = second.read_until(OVER, seen)
    for each in (first, second):
        each.type(b"quit\n")
        assert each.wait() == ExitCode.OK


async def test_a_machine_with_games_left_offers_the_next_one_and_a_person_agrees(
    seats: Seats,
) -> None:
    host = seats.open("host", "host", "ourgame", "--auto", "--level", "1", "--games", "2")
    host.read_until("Waiting for a guest")
    guest = seats.open("guest", "join", "ourgame")
    guest.read_until("Red plays")
    guest.type(b"resign\n")
    guest.read_until("Your opponent would like a rematch")
    guest.type(b"rematch\n")
    guest.read_until("A new game begins; you play Red.")
    guest.type(b"resign\n")
    assert host.wait() == ExitCode.OK
    guest.read_until("Your opponent has left")
    guest.type(b"quit\n")
    assert guest.wait() == ExitCode.OK
