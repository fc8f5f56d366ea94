"""Fixtures that any test may ask for."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.brokers import BrokerProcess, Mosquitto
from tests.certificates import Certificates


def require(broker: type[BrokerProcess]) -> None:
    """Skip the test where the broker is not installed; CI must have all of them."""
    if (words := broker.missing()) is not None:
        if os.environ.get("CI"):
            pytest.fail(f"{words}, and CI must have it: make brokers")
        pytest.skip(words)


@pytest.fixture
def make_mosquitto(tmp_path: Path) -> Iterator[Callable[..., Mosquitto]]:
    """Makes and starts a Mosquitto as described; all are stopped after the test.

    The options are those of :class:`tests.brokers.Mosquitto`.
    """
    require(Mosquitto)
    with ExitStack() as running:
        count = 0

        def make(**options: Any) -> Mosquitto:
            nonlocal count
            count += 1
            return running.enter_context(Mosquitto(tmp_path / f"mosquitto{count}", **options))

        yield make


@pytest.fixture
def mosquitto(make_mosquitto: Callable[..., Mosquitto]) -> Mosquitto:
    """A running Mosquitto that lets everybody in, on a free port of 127.0.0.1."""
    return make_mosquitto()


@pytest.fixture
def certificates(tmp_path: Path) -> Certificates:
    """A certificate for 127.0.0.1 and the authority that signed it."""
    return Certificates.make(tmp_path / "certificates")
