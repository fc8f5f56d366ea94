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


@pytest.mark.parametrize("endless", ENDLESS, ids=["perft", "search"])
def test_another_thread_runs_meanwhile_and_its_interrupt_ends_the_call(
    endless: Callable[[], object], no_switching: None
) -> None:
    gate = threading.Event()

    def interrupt() -> None:
        gate.wait()  # until the main thread is in the native call and has released the GIL
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()

    def run() -> None:
        gate.set()
        endless()

    with pytest.raises(KeyboardInterrupt):
        run()
    thread.join()


class Told(Exception):
    """Raised by a handler of the test."""


def test_any_exception_of_a_signal_handler_ends_the_call() -> None:
    def handler(signum: int, frame: object) -> None:
        raise Told

    usual = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        with pytest.raises(Told):
            START.perft(12)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, usual)
