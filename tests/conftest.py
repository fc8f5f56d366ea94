"""Fixtures that any test may ask for."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.brokers import Certificates, Mosquitto, find_mosquitto


@pytest.fixture
def make_mosquitto(tmp_path: Path) -> Iterator[Callable[..., Mosquitto]]:
    """Makes and starts a Mosquitto as described; all are stopped after the test.

    The options are those of :class:`tests.brokers.Mosquitto`.
    """
    if find_mosquitto() is None:
        if os.environ.get("CI"):
            pytest.fail("Mosquitto is not installed, and CI must have it (apt install mosquitto)")
        pytest.skip("Mosquitto is not installed (apt install mosquitto)")
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
