"""The program's own list of public brokers: each can stand in a link and be used by any page."""

from ataxxd.cli.connect import public_brokers, websocket_address


def test_the_programs_own_list_has_websockets_with_tls_only() -> None:
    brokers = public_brokers(None)
    assert len(brokers) > 1
    for broker in brokers:
        assert broker.startswith("wss://")
        assert websocket_address(broker).startswith("wss://")
