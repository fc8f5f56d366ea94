"""A test whose time is up ends, whatever it hangs in; hooks beside those of pytest-timeout.

pytest-timeout raises an error once, wherever the main thread is. In the step of a task or in a
callback the event loop keeps it to itself, and the test waits on; and once anything has failed,
the clearing up has no limit at all. Either way one test would take the rest of a whole run.
"""

import signal
from collections.abc import Generator
from typing import Any

import pytest

# Seconds for whatever a test waits for. Only a hang takes so long: no test is about speed, and
# where thirty processes want each core, a second of computing takes half a minute.
DEADLINE = 300.0
# And for what is built or computed for it, which takes half a minute of a processor at most.
BUILT = 3 * DEADLINE

# Seconds until a test that did not end is told again: longer than a failure's report takes.
AGAIN = 5.0

_LIMIT = pytest.StashKey[Any]()


@pytest.hookimpl(wrapper=True)
def pytest_timeout_set_timer(
    item: pytest.Item, settings: Any
) -> Generator[None, bool | None, bool | None]:
    """Repeat the signal, until it comes while the loop is waiting."""
    done = yield
    item.stash[_LIMIT] = settings
    if settings.method == "signal":
        signal.setitimer(signal.ITIMER_REAL, settings.timeout, min(AGAIN, settings.timeout))
    return done


@pytest.hookimpl(trylast=True)
def pytest_exception_interact(node: pytest.Item | pytest.Collector) -> None:
    """Give the clearing up the time of a test, after pytest-timeout took the limit away."""
    limit = node.stash.get(_LIMIT, None)
    if limit is not None and limit.timeout:
        node.ihook.pytest_timeout_set_timer(item=node, settings=limit)
