"""Errors out of task groups as themselves, not as groups of one."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def plain_errors() -> Iterator[None]:
    """Raise the first error of a group of errors alone.

    Our task groups end with their first error; what the others raise while they are
    stopped says nothing new.
    """
    try:
        yield
    except BaseExceptionGroup as group:
        error: BaseException = group
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        raise error from error.__cause__
