"""What the tests of transports share."""

import pytest

from ataxxd.transport.mqtt import MqttTransport


@pytest.fixture(params=["client", "direct"])
def links(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test twice: over the links of the client library, and over direct ones."""
    monkeypatch.setattr(MqttTransport, "direct", request.param == "direct")
