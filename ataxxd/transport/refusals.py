"""Why a connection failed or was lost, in words with a remedy.

Translates what the system, OpenSSL and the broker report into our errors. Knows nothing of the MQTT
client.
"""

import ssl

from ataxxd.connection_errors import explain_connection_error
from ataxxd.errors import TransportError
from ataxxd.transport.address import DEFAULT_PORTS, BrokerAddress
from ataxxd.transport.base import BrokerRefused, BrokerUnreachable


def connection_error(
    cause: BaseException | None, answer: str | None, address: BrokerAddress, timeout: float
) -> TransportError:
    """The error to raise after a failed attempt to connect.

    Args:
        cause: the error, if possible the system's own; None if the broker hung up without an
            answer.
        answer: the broker's refusal in its CONNACK, if it gave one.
        address: the address tried.
        timeout: the time limit in seconds.
    """
    if answer is not None:
        return _refusal_error(answer, address)
    if cause is None:
        scheme = "ws" if address.websocket else "mqtt"
        want = f"does it want TLS ({scheme}s://)"
        if address.tls:
            want = "does it want a client certificate (?cert=FILE&key=FILE)"
        return BrokerRefused(
            f"{address} closed the connection before answering. Is an MQTT broker there, is the"
            f" port right, and {want}?"
        )
    if isinstance(cause, ssl.SSLCertVerificationError):
        return _certificate_error(cause, address)
    hung_up = isinstance(cause, ConnectionError) and not isinstance(cause, ConnectionRefusedError)
    if address.websocket and "ebsocket" in type(cause).__name__:
        return BrokerRefused(
            f"{address} is not an MQTT websocket. Check the port and the path; many brokers use "
            "/mqtt."
        )
    if isinstance(cause, ssl.SSLError) or (address.tls and hung_up):
        plain = "ws" if address.websocket else "mqtt"
        return BrokerRefused(
            f"{address} does not speak TLS with us ({explain_connection_error(cause)}). Check the"
            f" port, use {plain}:// if the broker has no TLS, or give the client certificate that"
            " it wants (?cert=FILE&key=FILE)."
        )
    if isinstance(cause, TimeoutError) or "timed out" in str(cause):
        return BrokerUnreachable(
            f"{address} did not answer in time ({timeout:g} s). Check the address, the network"
            " and any firewall."
        )
    remedy = "Check the address, the network and that a broker runs there."
    if address.host in ("127.0.0.1", "localhost") and address.scheme == "mqtt":
        port = "" if address.port == DEFAULT_PORTS["mqtt"] else f" --port {address.port}"
        remedy = f"Check the port, or start a broker there: ataxxd broker{port}"
    why = explain_connection_error(cause)
    return BrokerUnreachable(f"No broker answers at {address}: {why}. {remedy}")


def explain_loss(cause: BaseException | None) -> str:
    """Why an established connection was lost, in words for people."""
    text = str(cause)
    if "Keep alive" in text:
        return "the broker no longer answers"
    if cause is None or "Unspecified" in text:
        return "the broker closed the connection"
    return f"the connection broke: {explain_connection_error(cause)}"


def _refusal_error(answer: str, address: BrokerAddress) -> TransportError:
    words = answer.lower()
    if "user" in words or "password" in words or "authori" in words:
        who = f'the user "{address.user}"' if address.user else "a client without a user"
        return BrokerRefused(
            f"{address} does not let in {who}: wrong password, or not allowed. Give the right ones"
            f" as {address.scheme}://USER:PASSWORD@HOST, or ask whoever runs the broker."
        )
    if "unavailable" in words:
        return BrokerUnreachable(f"{address} says that it is unavailable. Try again later.")
    return BrokerRefused(
        f"{address} refused the connection: {answer}. It must accept MQTT 3.1.1 clients."
    )


# OpenSSL: X509_V_ERR_CERT_NOT_YET_VALID and the like, in x509_vfy.h.
_NOT_YET_VALID, _EXPIRED = 9, 10
_OTHER_HOST, _OTHER_ADDRESS = 62, 64


def _certificate_error(
    error: ssl.SSLCertVerificationError, address: BrokerAddress
) -> TransportError:
    if error.verify_code in (_OTHER_HOST, _OTHER_ADDRESS):
        return BrokerRefused(
            f"The certificate of {address} was not made for {address.host}. Use the name that it"
            " was made for, or ask whoever runs the broker."
        )
    if error.verify_code == _EXPIRED:
        return BrokerRefused(
            f"The certificate of {address} has expired, if this machine's clock is right: ask"
            " whoever runs the broker to renew it."
        )
    if error.verify_code == _NOT_YET_VALID:
        return BrokerRefused(
            f"The certificate of {address} is not valid yet: is this machine's clock right?"
        )
    remedy = (
        f"Is {address.ca} the authority that signed it?"
        if address.ca is not None
        else "If the broker has its own authority, give its certificate with ?ca=FILE."
    )
    return BrokerRefused(
        f"The certificate of {address} is not trusted: {error.verify_message}. {remedy}"
    )
