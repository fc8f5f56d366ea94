"""Perft and search let other threads run, and let Ctrl-C through."""

import signal
import sys
import threading
from collections.abc import Callable, Iterator

import pytest

from ataxxd.rules import Engine, Position

START = Position.start("ataxx/uai")

ENDLESS: list[Callable[[], object]] = [
    lambda: START.perft(12),
    lambda: Engine().search(START, nodes=2**60),
]


@pytest.fixture
def no_switching() -> Iterator[None]:
    """Threads change only where one gives up the GIL by itself."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    yield
    sys.setswitchinterval(usual)


def interrupted(call: Callable[[], object], signum: signal.Signals) -> None:
    """Makes a call that another thread interrupts once it has released the GIL."""
    gate = threading.Event()

    def interrupt() -> None:
        gate.wait()
        signal.pthread_kill(threading.main_thread().ident or 0, signum)

    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        gate.set()
        call()
    finally:
        thread.join()


@pytest.mark.parametrize("endless", ENDLESS, ids=["perft", "search"])
def test_another_thread_runs_meanwhile_and_its_interrupt_ends_the_call(
    endless: Callable[[], object], no_switching: None
) -> None:
    # A shell's background jobs, and so their tests, begin with the signal ignored.
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            interrupted(endless, signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, usual)


@pytest.mark.parametrize("call", [lambda: Engine(4), Engine(4).clear], ids=["make", "clear"])
def test_another_thread_runs_while_a_table_is_made_or_cleared(
    call: Callable[[], object], no_switching: None
) -> None:
    ran: list[bool] = []
    gate = threading.Event()

    def run() -> None:
        gate.wait()
        ran.append(True)

    thread = threading.Thread(target=run)
    thread.start()
    gate.set()
    # It may take more than one call for it to wake up.
    while not ran:
        call()
    thread.join()


class Told(Exception):
    """Raised by a handler of the test."""


@pytest.mark.parametrize("endless", ENDLESS, ids=["perft", "search"])
def test_any_exception_of_a_signal_handler_ends_the_call(
    endless: Callable[[], object], no_switching: None
) -> None:
    def handler(signum: int, frame: object) -> None:
        raise Told

    usual = signal.signal(signal.SIGUSR1, handler)
    try:
        with pytest.raises(Told):
            interrupted(endless, signal.SIGUSR1)
    finally:
        signal.signal(signal.SIGUSR1, usual)
