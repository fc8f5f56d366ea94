"""Searches are told to stop until they end, as the first word may come too early to be heard."""

import asyncio
import threading

import pytest

from ataxxd.engines.search_thread import StoppableCall, end_threads


class Deaf:
    """A search that forgets what it was told before it began, as an engine's does."""

    def __init__(self) -> None:
        self.asked = threading.Event()
        self._told = threading.Event()
        self.begun = False

    def __call__(self) -> str:
        """Think until told to stop, but not before that was said once too early."""
        self.asked.set()
        self._told.wait()
        self._told.clear()
        self.begun = True
        self._told.wait()
        return "what it has"

    def stop(self) -> None:
        """Tell it to stop."""
        self._told.set()


def test_a_thread_that_did_not_hear_the_first_word_ends() -> None:
    searches = [Deaf(), Deaf()]
    threads = [threading.Thread(target=search) for search in searches]
    for thread in threads:
        thread.start()
    end_threads(threads, *(search.stop for search in searches))
    assert all(search.begun for search in searches)
    assert not any(thread.is_alive() for thread in threads)


def test_threads_that_never_began_have_ended() -> None:
    told: list[None] = []
    end_threads([threading.Thread(target=Deaf())], lambda: told.append(None))
    assert not told


async def test_a_thought_that_did_not_hear_the_first_word_is_answered() -> None:
    search = Deaf()
    thought = StoppableCall(search, search.stop)
    await asyncio.to_thread(search.asked.wait)
    thought.stop()
    assert await thought.result() == "what it has"


async def test_a_thought_that_is_stopped_before_its_thread_begins_is_answered() -> None:
    search = Deaf()
    thought = StoppableCall(search, search.stop)
    thought.stop()
    thought.stop()
    assert await thought.result() == "what it has"


async def test_who_waits_for_an_answer_no_longer_has_ended_the_thought() -> None:
    search = Deaf()
    waiting = asyncio.create_task(StoppableCall(search, search.stop).result())
    await asyncio.to_thread(search.asked.wait)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert search.begun


async def test_a_search_that_fails_says_so() -> None:
    def fail() -> None:
        raise ValueError("no such move")

    with pytest.raises(ValueError, match="no such move"):
        await StoppableCall(fail, lambda: None).result()
