"""``--ascii``: letters in place of signs, on a terminal that could show more."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from ataxxd.errors import ExitCode
from tests.brokers import Mosquitto
from tests.e2e.terminals import TerminalProgram, in_terminal
from tests.e2e.test_waiting_in_the_terminal import on_screen

QUIT = b"\x11"


@pytest.mark.parametrize(
    ("words", "begun", "keys"),
    [
        (["play", "--tui"], "F1 is help", QUIT),
        (["play"], "Red:", b"quit\r"),
        (["study"], "Move 0 of 0", QUIT),
    ],
    ids=["play --tui", "play", "study"],
)
def test_pieces_are_letters_where_it_is_asked_for_and_signs_elsewhere(
    words: list[str], begun: str, keys: bytes, tmp_path: Path
) -> None:
    for more, ascii_only in ((["--ascii"], True), ([], False)):
        with in_terminal([*words, *more], environment={"ATAXXD_HOME": str(tmp_path)}) as terminal:
            terminal.read_until(begun)
            terminal.type(keys)
            assert terminal.wait() == ExitCode.OK
            assert terminal.text.isascii() is ascii_only


def test_a_network_game_keeps_to_letters_and_resume_can_ask_for_them(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    with ExitStack() as stack:

        def seat(name: str, *words: str) -> TerminalProgram:
            environment = {"ATAXXD_HOME": str(tmp_path / name), "ATAXXD_BROKER": mosquitto.url}
            return stack.enter_context(in_terminal(words, size=(120, 40), environment=environment))

        def leave(*players: TerminalProgram) -> None:
            for each in players:
                each.type(QUIT)
                assert each.wait() == ExitCode.OK

        host = seat("host", "host", "ourgame", "--tui", "--ascii")
        host.read_until("Withdraw")
        assert on_screen(host).isascii()
        guest = seat("guest", "join", "ourgame", "--tui")
        for each in (host, guest):
            each.read_until("F1 is help")
        onlookers = [seat("first", "watch", "ourgame", "--tui", "--ascii")]
        onlookers[0].read_until("F1 is help")
        onlookers.append(seat("second", "watch", "ourgame", "--ascii"))
        onlookers[1].read_until("Watching")
        host.type(b"a7-b6\r")
        for each in (guest, onlookers[0]):
            each.read_until("Red plays b6.")
        onlookers[1].read_until("Red played b6.")
        leave(host, guest, onlookers[0])
        for each in (host, *onlookers):
            assert on_screen(each).isascii()
        assert not on_screen(guest).isascii()

        host = seat("host", "resume", "ourgame")
        guest = seat("guest", "resume", "ourgame", "--ascii")
        for each in (host, guest):
            each.read_until("F1 is help")
        leave(host, guest)
        for each in (host, guest):
            assert on_screen(each).isascii()
