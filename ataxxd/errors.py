"""The exception tree and the exit codes of the program.

    AtaxxdError
    ├── UsageError            wrong arguments or options
    ├── ConfigError           configuration, key or journal files that cannot be used
    ├── TransportError        the broker (see ataxxd.transport.base)
    ├── GameError             a game that cannot be found, joined or continued
    ├── ProtocolError         a message that breaks the protocol
    │   ├── LocalProtocolError    our side would break it: nothing was sent
    │   └── RemoteProtocolError   their side broke it: nothing was changed
    ├── VerificationError     a record that is not valid
    └── EngineError           an external engine that hangs, ends or answers wrongly

Rule errors (``ataxxd.rules.RulesError``) are ``ValueError`` and stand apart: the
rules know nothing of programs and exit codes.

Every message says what happened, why, and what to do next. This module imports
no other module of the package.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum


class ExitCode(IntEnum):
    """Exit codes of the command line; documented in docs/reference/exit-codes.md."""

    OK = 0
    FAILURE = 1
    USAGE = 2
    NO_BROKER = 3
    NO_SUCH_GAME = 4
    SEAT_TAKEN = 5
    OPPONENT_GONE = 6
    CHEATING_PROVED = 7
    VERIFICATION_FAILED = 8
    INCOMPATIBLE = 9
    STORAGE = 10
    BROKER_REFUSED = 11
    NAME_IN_USE = 12
    ENGINE_FAILED = 13
    NOT_SHOWN = 14
    OTHER_HOST = 15
    INTERRUPTED = 130


class AtaxxdError(Exception):
    """Base class of all errors that the program reports without a traceback."""

    exit_code: ExitCode = ExitCode.FAILURE


class UsageError(AtaxxdError):
    """Wrong arguments or options."""

    exit_code = ExitCode.USAGE


class ConfigError(AtaxxdError):
    """Configuration that cannot be used."""

    exit_code = ExitCode.USAGE


class StorageError(AtaxxdError):
    """A key file, journal or transcript that cannot be read or written."""

    exit_code = ExitCode.STORAGE


@contextmanager
def storage_errors(what: object, done: str, remedy: str = "") -> Iterator[None]:
    """Turn an `OSError` in the block into a text such as ``FILE cannot be read: …``.

    Args:
        what: the file or folder.
        done: what cannot be done to it: ``read``, ``written`` or ``made``.
        remedy: what to do, as a sentence.

    Raises:
        StorageError: in place of an `OSError`.
    """
    try:
        yield
    except OSError as error:
        told = f"{what} cannot be {done}: {error.strerror}. {remedy}"
        raise StorageError(told.rstrip()) from None


class TransportError(AtaxxdError):
    """The broker cannot be reached or does not do what is needed."""

    exit_code = ExitCode.NO_BROKER


class GameError(AtaxxdError):
    """A game that cannot be found, joined or continued."""

    exit_code = ExitCode.NO_SUCH_GAME


class ProtocolError(AtaxxdError):
    """A message that breaks the protocol.

    Attributes:
        code: the protocol's code, such as ``move/illegal``.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class LocalProtocolError(ProtocolError):
    """Our side asked for something the protocol forbids; nothing has changed or been sent."""


class RemoteProtocolError(ProtocolError):
    """The other side broke the protocol; nothing has changed on our side."""


class VerificationError(AtaxxdError):
    """A record or evidence file is not valid."""

    exit_code = ExitCode.VERIFICATION_FAILED


class EngineError(AtaxxdError):
    """An external engine hangs, ends, or does not answer with a legal move."""

    exit_code = ExitCode.ENGINE_FAILED
