"""Whether an engine has the options that a user sets; its protocol says nothing of the others."""

from collections.abc import Mapping, Sequence

from ataxxd.engines.external.process import EngineProcess
from ataxxd.errors import EngineError
from ataxxd.sanitize import sanitized


def checked_options(
    process: EngineProcess, wanted: Mapping[str, str], listed: Sequence[str]
) -> dict[str, str]:
    """The options as the engine spells them; one that lists none is believed to have them.

    Args:
        process: ended where it lacks one.
        wanted: names and values as the user wrote them; capitals make no difference.
        listed: the names that the engine says it has.

    Raises:
        EngineError: it lacks one; the message has those that it has.
    """
    own = {name.casefold(): name for name in listed}
    for name in wanted:
        if own and name.casefold() not in own:
            process.close()
            names = sanitized(", ".join(listed))[:400]
            raise EngineError(
                f"The engine {process.name} has no option {name!r}; it has {names}. "
                "Correct option.NAME=VALUE, or leave it out."
            )
    return {own.get(name.casefold(), name): value for name, value in wanted.items()}
