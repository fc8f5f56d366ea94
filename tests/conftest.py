"""Fixtures that any test may ask for."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.brokers import BrokerProcess, Mosquitto
from tests.certificates import Certificates
from tests.other_brokers import KINDS
from tests.tiers import pytest_addoption, pytest_collection_modifyitems, pytest_report_header
from tests.time_limits import DEADLINE, pytest_exception_interact, pytest_timeout_set_timer

# A shell has what it starts in the background ignore Ctrl-C, and programs inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A test must not fail because the machine was busy; pytest's own timeout catches hangs.
settings.register_profile("ataxxd", deadline=None, suppress_health_check=[HealthCheck.too_slow])
# With ``ATAXXD_FUZZ`` set, for `make fuzz`, hypothesis runs for longer.
settings.register_profile("fuzz", settings.get_profile("ataxxd"), max_examples=1000)
settings.load_profile("fuzz" if "ATAXXD_FUZZ" in os.environ else "ataxxd")

__all__ = [
    "pytest_addoption",
    "pytest_collection_modifyitems",
    "pytest_exception_interact",
    "pytest_report_header",
    "pytest_timeout_set_timer",
]


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


@pytest.fixture(scope="session", params=KINDS)
def broker_of_a_kind(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[BrokerProcess]:
    """One broker of each kind, for all tests of the session that want it."""
    kind = KINDS[request.param]
    require(kind)
    with kind(tmp_path_factory.mktemp(request.param)) as broker:
        yield broker


@pytest.fixture
def broker(broker_of_a_kind: BrokerProcess) -> BrokerProcess:
    """Each kind of broker in turn, running, with what earlier tests left on it."""
    if not broker_of_a_kind.running:
        broker_of_a_kind.start()
    return broker_of_a_kind


@pytest.fixture
def patient_pilot(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have Textual's pilot wait for a screen as long as all else is waited for, not 30 seconds."""
    monkeypatch.setattr("textual.pilot.Pilot._wait_for_screen.__defaults__", (DEADLINE,))


@pytest.fixture
def certificates(tmp_path: Path) -> Certificates:
    """A certificate for 127.0.0.1 and the authority that signed it."""
    return Certificates.make(tmp_path / "certificates")
