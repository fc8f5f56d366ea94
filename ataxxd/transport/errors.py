"""What can go wrong with a broker, in words that say what to do next.

TransportError (ataxxd.errors)
├── BrokerUnreachable      nothing answers, or not in time
├── BrokerRefused          it answers and says no: credentials, TLS, protocol
├── SubscriptionRefused    it does not let us read a topic
├── OutboxFull             too much is waiting for its acknowledgement
├── PayloadTooLarge        longer than any node would accept
├── TransportClosed        used before it was opened or after it was closed
└── PortInUse              the embedded broker cannot listen there
BrokerUrlError (ConfigError) is an address that cannot be read.
"""

from ataxxd.errors import ConfigError, ExitCode, TransportError


class BrokerUrlError(ConfigError):
    """A broker address that cannot be understood."""


class BrokerUnreachable(TransportError):
    """Nothing answers at the broker's address, or not in time."""

    exit_code = ExitCode.NO_BROKER


class BrokerRefused(TransportError):
    """The broker is there and does not accept us: credentials, TLS or protocol."""

    exit_code = ExitCode.BROKER_REFUSED


class SubscriptionRefused(TransportError):
    """The broker does not let us read a topic."""

    exit_code = ExitCode.BROKER_REFUSED


class OutboxFull(TransportError):
    """Too many messages wait for the broker's acknowledgement."""


class PayloadTooLarge(TransportError):
    """A payload longer than other nodes accept."""

    exit_code = ExitCode.FAILURE


class TransportClosed(TransportError):
    """The transport is not open."""

    exit_code = ExitCode.FAILURE


class PortInUse(TransportError):
    """Another program listens where the embedded broker should."""
