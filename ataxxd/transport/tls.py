"""The TLS context for a broker address; verification is always on."""

import ssl

from ataxxd.transport.address import BrokerAddress
from ataxxd.transport.errors import BrokerUrlError


def tls_context(address: BrokerAddress) -> ssl.SSLContext:
    """A context that trusts `address.ca`, or the system's authorities, and checks the host name.

    Reads files, so call it where blocking for a moment is no harm.

    Raises:
        BrokerUrlError: a file is missing or is not what it should be.
    """
    try:
        context = ssl.create_default_context(cafile=address.ca)
    except (OSError, ssl.SSLError) as error:
        raise _unusable("ca", str(address.ca), error) from None
    context.sslsocket_class = _TidySocket
    if address.cert is not None:
        try:
            context.load_cert_chain(address.cert, address.key, password=_no_passphrase)
        except (OSError, ssl.SSLError) as error:
            name = str(address.cert) + (f" with key {address.key}" if address.key else "")
            raise _unusable("cert", name, error) from None
    return context


class _TidySocket(ssl.SSLSocket):
    """Closes itself when the handshake fails; the MQTT client would leave it open."""

    def do_handshake(self, block: bool = False) -> None:
        try:
            super().do_handshake(block)
        except BaseException:
            self.close()
            raise


def _no_passphrase() -> str:
    # Without this OpenSSL would ask on the terminal, under a running game.
    return ""


def _unusable(option: str, name: str, error: Exception) -> BrokerUrlError:
    if isinstance(error, ssl.SSLError):
        why = "it is no PEM file of that kind, or key and certificate do not belong together"
    elif isinstance(error, OSError) and error.strerror:
        why = error.strerror.lower()
    else:
        why = str(error)
    return BrokerUrlError(
        f"The {option} file {name} cannot be used: {why}."
        f" Give a readable PEM file with ?{option}=FILE in the broker address."
    )
