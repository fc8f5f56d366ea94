"""A configuration as TOML again, whole, with where each value comes from."""

import json
from collections.abc import Iterator
from pathlib import Path

from ataxxd.serve.config.fields import DEFAULT, Origin
from ataxxd.serve.config.lines import Key
from ataxxd.serve.config.loading import Loaded
from ataxxd.serve.config.model import Section


def as_toml(loaded: Loaded) -> Iterator[str]:
    """The lines of the configuration in effect; what is not set is a comment.

    Whoever shows them leaves passwords out of addresses; see `ataxxd.sanitize`.
    """
    config = loaded.config
    for name in type(config).model_fields:
        value = getattr(config, name)
        if isinstance(value, Section):
            yield f"[{name}]"
            yield from _values(value, (name,), loaded.origins)
        else:
            for index, section in enumerate(value):
                yield f"[[{name}]]"
                yield from _values(section, (name, index), loaded.origins)


def _values(section: Section, way: Key, origins: dict[Key, Origin]) -> Iterator[str]:
    for name in type(section).model_fields:
        value = getattr(section, name)
        origin = origins.get((*way, name), DEFAULT)
        if value is None:
            yield f"# {name} is not set"
        else:
            text = str(value) if isinstance(value, Path) else value
            yield f"{name} = {json.dumps(text, ensure_ascii=False)}  # {origin}"
    yield ""
