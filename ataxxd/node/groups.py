"""Errors out of task groups as themselves, not as groups of one."""

from types import TracebackType


class _PlainErrors:
    """See `plain_errors`; a class, for every game is in four of them all the time."""

    __slots__ = ()

    def __enter__(self) -> None:
        """Nothing yet."""

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        """Raise the first error of a group instead of the group."""
        if isinstance(error, BaseExceptionGroup):
            while isinstance(error, BaseExceptionGroup):
                error = error.exceptions[0]
            raise error from error.__cause__


_PLAIN_ERRORS = _PlainErrors()


def plain_errors() -> _PlainErrors:
    """Raise the first error of a group of errors alone.

    Our task groups end with their first error; what the others raise while they are
    stopped says nothing new.
    """
    return _PLAIN_ERRORS
