"""Reading the configuration: the file, then the environment, then options, each over the last.

Below the file are the variables of all commands, such as ``ATAXXD_HOME``: they say what a person's
commands mean when nothing else does, and what a file says is said for this one node.
"""

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from platformdirs import user_config_path
from pydantic import ValidationError

from ataxxd.errors import ConfigError
from ataxxd.serve.config.faults import ConfigFaults, Fault, faults_of, unknown
from ataxxd.serve.config.fields import Origin, field_at, kinds_of
from ataxxd.serve.config.lines import Key, lines_of
from ataxxd.serve.config.model import Config

FILE_VARIABLE = "ATAXXD_CONFIG"
_PREFIX, _BETWEEN = "ATAXXD_", "__"
_OF_ALL_COMMANDS = {"ATAXXD_HOME": ("node", "home"), "ATAXXD_BROKER": ("broker", "url")}
_LARGEST = 1 << 20


@dataclass(frozen=True, slots=True)
class Loaded:
    """A configuration, and where it comes from.

    Attributes:
        config: what is configured.
        path: the file.
        origins: where each value that is not a default comes from.
    """

    config: Config
    path: Path
    origins: dict[Key, Origin]


@dataclass(slots=True)
class _Values:
    """Values as they are gathered, before they are checked."""

    tree: dict[str, Any] = field(default_factory=dict)
    origins: dict[Key, Origin] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)

    def put(self, key: str, text: str, origin: Origin) -> None:
        """Set one value of a section, given as text, over what is there."""
        section, _, name = key.partition(".")
        if section not in Config.model_fields or not name:
            what = unknown(section, Config.model_fields, "section")
            self.faults.append(Fault(origin, "", what))
            return
        where = (section, name)
        if section in ("tables", "bots"):
            what = f"[[{section}]] stand in the file; nothing else can set them."
            self.faults.append(Fault(origin, "", what))
            return
        self.tree.setdefault(section, {})
        if isinstance(self.tree[section], dict):
            self.tree[section][name] = _value(where, text)
        self.origins[where] = origin

    def says(self, way: Key) -> bool:
        """Whether a value of a section is given; an embedded broker needs no address."""
        section = self.tree.get(str(way[0]), {})
        if not isinstance(section, dict):
            return True  # a fault, which is told
        return way[1] in section or (way[0] == "broker" and bool(section.get("embedded")))

    def place(self, way: Key) -> Origin:
        """Where a value, or what would hold it, comes from."""
        while way:
            if way in self.origins:
                return self.origins[way]
            way = way[:-1]
        return self.origins[()]


def usual_path() -> Path:
    """Where the file is when nobody says: a service must not mean other things elsewhere."""
    if named := os.environ.get(FILE_VARIABLE):
        return Path(named)
    return user_config_path("ataxxd") / "ataxxd.toml"


def load(
    path: Path | None = None,
    environment: Mapping[str, str] = os.environ,
    options: Sequence[tuple[str, str, str]] = (),
) -> Loaded:
    """Read and check a configuration.

    Args:
        path: the file; `usual_path` when None.
        environment: its variables ``ATAXXD_SECTION__KEY`` go over the file; ``ATAXXD_HOME`` and
            ``ATAXXD_BROKER`` are for what nothing else says.
        options: key, value and the option's name, such as ``("broker.url", "…", "--broker")``;
            they go over both.

    Raises:
        ConfigFaults: something is wrong with it; all of it is told.
        ConfigError: the file cannot be read.
    """
    chosen = usual_path() if path is None else path
    values = _Values()
    _read(chosen, values)
    for variable, text in sorted(environment.items()):
        if variable.startswith(_PREFIX) and _BETWEEN in variable:
            key = variable.removeprefix(_PREFIX).lower().replace(_BETWEEN, ".", 1)
            values.put(key, text, Origin(variable))
    for key, text, option in options:
        values.put(key, text, Origin(option))
    for variable, way in _OF_ALL_COMMANDS.items():
        if (text := environment.get(variable, "")) and not values.says(way):
            values.put(".".join(way), text, Origin(variable))
    try:
        config = Config.model_validate(values.tree)
    except ValidationError as error:
        raise ConfigFaults(values.faults + faults_of(error, values.place)) from None
    if values.faults:
        raise ConfigFaults(values.faults)
    return Loaded(config, chosen, values.origins)


def split_option(text: str) -> tuple[str, str, str]:
    """``--set SECTION.KEY=VALUE``, for `load`.

    Raises:
        ConfigError: it is not of this form.
    """
    key, equals, value = text.partition("=")
    if not equals or "." not in key:
        raise ConfigError(
            f"--set {text}: write the section, the key and the value, as in --set search.threads=2"
        )
    return key.strip(), value.strip(), f"--set {key.strip()}"


def _read(path: Path, values: _Values) -> None:
    name = str(path)
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST + 1)
    except OSError as error:
        raise ConfigError(
            f"The configuration {path} cannot be read: {error.strerror}. Name another with "
            f"--config FILE or {FILE_VARIABLE}; docs/how-to/serve.md begins with one."
        ) from None
    if len(data) > _LARGEST:
        raise ConfigError(f"{path} is larger than a mebibyte: this is no configuration.")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        fault = Fault(Origin(name, line), "", "this is no UTF-8 text. Save the file as UTF-8.")
        raise ConfigFaults([fault]) from None
    try:
        values.tree = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigFaults([_unreadable(name, text, str(error))]) from None
    values.origins = {way: Origin(name, line) for way, line in lines_of(text).items()}
    values.origins[()] = Origin(name)


def _unreadable(name: str, text: str, said: str) -> Fault:
    """What tomllib says of a text that it cannot read, with the place in front."""
    found = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", said)
    reason = said if found is None else said[: found.start()]
    lines = text.count("\n") + 1
    line = int(found[1]) if found is not None and found[1] else lines
    return Fault(
        Origin(name, line),
        "",
        f'this is no TOML: {reason}. Text stands in quotes, as in name = "club"; see toml.io.',
    )


def _value(way: Key, text: str) -> object:
    """A value that is given as text: as it is where text is wanted, else read as TOML."""
    wanted = field_at(way)
    if wanted is None or not {int, bool} & set(kinds_of(wanted)):
        return text
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
