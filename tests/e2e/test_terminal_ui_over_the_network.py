"""Two people and a spectator at boards in terminals, through Mosquitto."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from ataxxd.errors import ExitCode
from ataxxd.session.record import Standing, verify_record
from tests.brokers import Mosquitto
from tests.e2e.terminals import TerminalProgram, in_terminal
from tests.journals import let_time_pass

QUIT, F3 = b"\x11", b"\x1bOR"
FIRST_MOVES = {
    "ataxx": ("a7a5", "a1a3"),
    "checkers": ("11-15", "24-20"),
    "loa": ("b1-b3", "a2-c2"),
    "reversi": ("d3", "c5"),
}


class Seats:
    """Terminals of one test, each a node of its own."""

    def __init__(self, stack: ExitStack, folder: Path, broker: str) -> None:
        self._stack, self._folder, self._broker = stack, folder, broker

    def open(self, name: str, *arguments: str) -> TerminalProgram:
        environment = {"ATAXXD_HOME": str(self._folder / name), "ATAXXD_BROKER": self._broker}
        return self._stack.enter_context(in_terminal(arguments, environment=environment))


@pytest.mark.gate("loa")
@pytest.mark.parametrize("game", FIRST_MOVES)
async def test_two_people_play_and_talk_and_a_third_looks_on(
    game: str, mosquitto: Mosquitto, tmp_path: Path
) -> None:
    first, second = FIRST_MOVES[game]
    record = tmp_path / "record.json"
    with ExitStack() as stack:
        seats = Seats(stack, tmp_path, mosquitto.url)
        terms = ("--tui", "--game", game, "--clock", "10m", "--transcript", str(record))
        host = seats.open("host", "host", "ourgame", *terms)
        host.read_until("Waiting for a guest")
        guest = seats.open("guest", "join", "ourgame", "--tui")
        host.read_until("F1 is help")
        guest.read_until("F1 is help")
        watcher = seats.open("watcher", "watch", "ourgame", "--tui")
        watcher.read_until("You are watching. PgUp and PgDn step through the game. F1 is help.")
        for each in (host, guest, watcher):
            each.read_until("Connected:")
            each.read_until(mosquitto.url)
            each.read_until("Verified: 2 messages")

        host.type(f"{first}\r".encode())
        for each in (host, guest, watcher):
            each.read_until(f"plays {first}")
        guest.type(f"say Gut, mein Zug!\r{second}\r".encode())
        host.read_until("Gut, mein Zug!")
        guest.read_until("You: Gut, mein Zug!")
        for each in (host, guest, watcher):
            each.read_until(f"plays {second}")
        host.type(F3)
        guest.read_until("Type agree or refuse, or play on.")
        guest.type(b"refuse\r")
        host.read_until("I would rather not take the move back.")
        guest.read_until("Refused. You said: I would rather not take the move back.")
        host.type(b"takeback\r")
        host.read_until("You have asked for it already")
        guest.type(F3)
        host.read_until("Type agree or refuse, or play on.")
        host.type(b"agree\r")
        for each in (host, guest, watcher):
            each.read_until("Taken back")
        guest.type(b"resign\r")
        for each in (host, guest, watcher):
            each.read_until("resigned")
        watcher.type(f"export {tmp_path / 'Seen.json'}\r".encode())
        watcher.read_until("Saved:")
        for each in (host, guest, watcher):
            each.type(QUIT)
            assert each.wait() == ExitCode.OK
            assert each.settings == each.before
        assert "or type:" not in watcher.text, "nothing is asked of whoever looks on"
    verdict = verify_record(record.read_bytes())
    assert verdict.standing is Standing.AGREED
    assert verify_record((tmp_path / "Seen.json").read_bytes()).ledger.outcome is not None


async def test_everyone_sees_at_once_whose_flag_has_fallen(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    with ExitStack() as stack:
        seats = Seats(stack, tmp_path, mosquitto.url)
        host = seats.open("host", "host", "ourgame", "--tui", "--clock", "1h")
        host.read_until("Waiting for a guest")
        watcher = seats.open("watcher", "watch", "ourgame", "--tui")
        watcher.read_until("Verified: 0 messages")
        guest = seats.open("guest", "join", "ourgame", "--tui")
        for each in (guest, host, watcher):
            each.read_until("F1 is help")
        host.type(b"a7a5\r")
        guest.read_until("plays a7a5")
        guest.type(b"a1a3\r")
        for each in (host, watcher):
            each.read_until("plays a1a3")
        # The time of a player runs on while it is away, and its move comes too late.
        host.hang_up()
        let_time_pass(tmp_path / "host", hours=2)
        host = seats.open("host", "resume", "--tui")
        host.read_until("F1 is help")
        host.type(b"a5a6\r")
        host.read_until("You lost on time.")
        guest.read_until("Your opponent's time ran out: you win.")
        watcher.read_until("Red lost on time.")
        for each in (host, guest, watcher):
            each.read_until("The game is over.")
            each.type(QUIT)
            assert each.wait() == ExitCode.OK


async def test_a_game_is_resumed_in_another_view_than_it_began_in(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    with ExitStack() as stack:
        seats = Seats(stack, tmp_path, mosquitto.url)
        host = seats.open("host", "host", "ourgame")
        host.read_until("Waiting for a guest")
        guest = seats.open("guest", "join", "ourgame", "--tui")
        guest.read_until("F1 is help")
        host.read_until("Turn 1: Red")
        for each in (host, guest):
            each.hang_up()
        guest = seats.open("guest", "resume", "--line")
        guest.read_until('Continuing "ourgame" against')
        host = seats.open("host", "resume", "--tui")
        host.read_until("F1 is help")
        host.type(b"a7a5\r")
        guest.read_until("* Red moves a7-a5.")
        # That move may have waited at the broker already.
        assert "moves played" not in guest.text
        guest.type(b"a1-a3\n")
        host.read_until("plays a1a3")
        host.type(QUIT)
        host.read_until("ataxxd resume ourgame")
        assert host.wait() == ExitCode.OK


@pytest.mark.parametrize("views", [("--tui",), ()], ids=["board", "text"])
async def test_an_offered_draw_is_told_to_both_also_after_a_restart(
    views: tuple[str, ...], mosquitto: Mosquitto, tmp_path: Path
) -> None:
    waits = "Your offer of a draw waits for White's answer."
    begun = "F1 is help" if views else "Type a move"
    with ExitStack() as stack:
        seats = Seats(stack, tmp_path, mosquitto.url)
        host = seats.open("host", "host", "ourgame", "--game", "checkers", *views)
        host.read_until("ataxxd join ourgame")
        guest = seats.open("guest", "join", "ourgame")
        guest.read_until("Type a move")
        host.read_until(begun)
        host.type(b"draw\r")
        host.read_until(waits)
        guest.read_until("Black offers a draw. Type accept or reject.")
        assert "Black offers a draw" not in host.text
        for each in (host, guest):
            each.hang_up()
        host = seats.open("host", "resume")
        host.read_until(waits, host.read_until(begun))
        guest = seats.open("guest", "resume", "--tui")
        guest.read_until("Black offers a draw. Type accept or reject.")
        guest.type(b"reject\r")
        host.read_until("White rejects the draw; Black must move.")
