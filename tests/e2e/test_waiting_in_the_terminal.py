"""A host at the terminal UI waits in sight: the invitation, its picture, then the board."""

import base64
import re
import signal
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from ataxxd.errors import ExitCode
from tests.brokers import Mosquitto
from tests.e2e.terminals import TerminalProgram, in_terminal
from tests.e2e.test_terminal_ui import assert_restored

QUIT = b"\x11"


def host_at(
    stack: ExitStack, folder: Path, broker: str, size: tuple[int, int], *more: str
) -> TerminalProgram:
    environment = {"ATAXXD_HOME": str(folder / "host"), "ATAXXD_BROKER": broker}
    words = ["host", "ourgame", "--tui", *more]
    return stack.enter_context(in_terminal(words, size=size, environment=environment))


def on_screen(terminal: TerminalProgram) -> str:
    """What has been written since the terminal was taken over last."""
    return terminal.output.decode(errors="replace").rpartition("\x1b[?1049h")[2]


@pytest.mark.parametrize(("size", "pictured"), [((60, 18), False), ((120, 40), True)])
def test_the_invitation_is_in_sight_until_somebody_joins(
    size: tuple[int, int], pictured: bool, mosquitto: Mosquitto, tmp_path: Path
) -> None:
    with ExitStack() as stack:
        host = host_at(stack, tmp_path, mosquitto.url, size)
        host.read_until("Withdraw")
        assert ("▀▄" in on_screen(host)) is pictured
        assert b"\x1b]2;ataxxd: waiting for a guest\x07" in host.output
        environment = {"ATAXXD_HOME": str(tmp_path / "guest"), "ATAXXD_BROKER": mosquitto.url}
        guest = stack.enter_context(
            in_terminal(["join", "ourgame", "--tui"], environment=environment)
        )
        host.read_until("has joined.")
        host.read_until("F1 is help")
        assert b"\x07" in re.sub(rb"\x1b\][^\x07]*\x07", b"", host.output)  # not of a title
        host.type(b"a7-b6\r")
        guest.read_until("Red plays b6.")
        for each in (host, guest):
            each.type(QUIT)
            assert each.wait() == ExitCode.OK
            assert_restored(each)


def test_a_link_is_in_sight_and_copied(
    make_mosquitto: Callable[..., Mosquitto], tmp_path: Path
) -> None:
    broker = make_mosquitto(websockets=True)
    linked = ("--link", "--page", "http://127.0.0.1/")
    with ExitStack() as stack:
        host = host_at(stack, tmp_path, broker.websocket_url, (200, 40), *linked)
        host.read_until("Or types:")
        found = re.search(r"In a browser, or on a phone: (\S+)", host.text)
        assert found is not None
        assert found[1] in on_screen(host)
        host.type(b"c")
        host.read_until("Copied, if")
        copied = base64.b64encode(found[1].encode())
        assert b"\x1b]52;c;" + copied in host.output.rpartition(b"\x1b[?1049h")[2]
        host.type(QUIT)
        assert host.wait() == ExitCode.OK


def test_whoever_leaves_while_waiting_withdraws_the_offer(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    with ExitStack() as stack:
        host = host_at(stack, tmp_path, mosquitto.url, (80, 24))
        host.read_until("Others can watch:")
        host.type(QUIT)
        host.read_until("The offer is withdrawn.")
        assert host.wait() == ExitCode.OK
        assert_restored(host)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_waiting_leaves_the_terminal_as_it_was(
    number: signal.Signals, mosquitto: Mosquitto, tmp_path: Path
) -> None:
    with ExitStack() as stack:
        host = host_at(stack, tmp_path, mosquitto.url, (80, 24))
        host.read_until("Others can watch:")
        host.signal(number)
        assert host.wait() in (ExitCode.INTERRUPTED, ExitCode.OK)
        assert_restored(host)


def test_a_broker_that_is_killed_is_told_and_the_terminal_is_given_back(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    with ExitStack() as stack:
        host = host_at(stack, tmp_path, mosquitto.url, (80, 24))
        host.read_until("Others can watch:")
        mosquitto.kill()
        host.read_until("Connection lost")
        mosquitto.restart()
        host.read_until("Connected again")
        environment = {"ATAXXD_HOME": str(tmp_path / "guest"), "ATAXXD_BROKER": mosquitto.url}
        guest = stack.enter_context(
            in_terminal(["join", "ourgame", "--tui"], environment=environment)
        )
        for each in (host, guest):
            each.read_until("F1 is help")
        mosquitto.kill()
        for each in (host, guest):
            each.read_until("No connection:")
            each.type(QUIT)
            assert each.wait() == ExitCode.OK
            assert_restored(each)
