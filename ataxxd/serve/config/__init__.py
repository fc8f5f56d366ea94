"""The configuration of a node that serves: one TOML file, the environment and options.

`ataxxd.serve.config.model` says what there is; here it is read: the file, then the environment,
then options, each over the last. Nothing here knows of a node that runs.

Below the file are the variables of all commands, such as ``ATAXXD_HOME``: they say what a person's
commands mean when nothing else does, and what a file says is said for this one node.

Each value keeps the place it comes from, which every fault names, and which `as_toml` shows. On
which line of the file, tomllib does not say. But it can tell whether some lines are whole TOML by
themselves, and what they hold: so a file is cut into its statements, one key or header each, and
there is no second TOML parser. Each statement is read once more for every line of it.
"""

import json
import os
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias, get_args, get_origin

from platformdirs import user_config_path
from pydantic import BaseModel, SecretStr, ValidationError
from pydantic.fields import FieldInfo

from ataxxd.errors import ConfigError
from ataxxd.notify import destination
from ataxxd.serve.config.model import Config, Section
from ataxxd.wording import counted
from ataxxd_protocol.faults import JSON_KINDS, explained, no_such

Key: TypeAlias = tuple[str | int, ...]
"""The way to a value: ``("tables", 0, "name")``."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value comes from.

    Attributes:
        name: the file, the variable or the option.
        line: in the file, from 1; 0 elsewhere.
    """

    name: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.name}, line {self.line}" if self.line else self.name


DEFAULT = Origin("default")


def as_key(way: Key) -> str:
    """The way to a value as people write it: ``[broker] port``, ``[[tables]] 2: clock``."""
    if not way:
        return ""
    section, *rest = way
    if rest and isinstance(rest[0], int):
        head = f"[[{section}]] {rest[0] + 1}"
        return f"{head}: {_dotted(rest[1:])}" if rest[1:] else head
    return f"[{section}] {_dotted(rest)}".rstrip()


def _dotted(names: list[str | int]) -> str:
    return ".".join(str(name + 1) if isinstance(name, int) else name for name in names)


def field_at(way: Key) -> FieldInfo | None:
    """The field of `Config` that a way leads to; None where there is none."""
    model: type[BaseModel] | None = Config
    field: FieldInfo | None = None
    for step in way:
        if isinstance(step, int):
            continue
        if model is None or (field := model.model_fields.get(step)) is None:
            return None
        model = section_of(field)
    return field


def section_of(field: FieldInfo) -> type[BaseModel] | None:
    """The model of a field that is a section, or several; None for a value."""
    for kind in kinds_of(field):
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            return kind
    return None


def kinds_of(field: FieldInfo) -> list[object]:
    """The plain types that a field's value is made of."""
    return list(_leaves(field.annotation))


def _leaves(annotation: Any) -> Iterator[object]:
    if get_origin(annotation) is None:
        yield annotation
    for inner in get_args(annotation):
        yield from _leaves(inner)


# What TOML calls the kinds of values.
_KINDS = {**JSON_KINDS, "object": "a section"}
_PAST = 1 << 31
"""What stands on no line comes after the file."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong.

    Attributes:
        where: the file and line, the variable or the option.
        key: such as ``[broker] port``; empty where it is the file itself.
        text: what is wrong and what to do.
    """

    where: Origin
    key: str
    text: str

    def __str__(self) -> str:
        return ": ".join(part for part in (str(self.where), self.key, self.text) if part)


class ConfigFaults(ConfigError):
    """A configuration that cannot be used.

    Attributes:
        faults: all that is wrong with it.
    """

    def __init__(self, faults: list[Fault]) -> None:
        """These are wrong, at least one."""
        faults = sorted(faults, key=lambda fault: fault.where.line or _PAST)
        lines = "\n".join(f"  {fault}" for fault in faults)
        super().__init__(f"The configuration has {counted(len(faults), 'fault')}:\n{lines}")
        self.faults = faults


def faults_of(error: ValidationError, place: Callable[[Key], Origin]) -> list[Fault]:
    """What pydantic found, in the order of the places.

    Args:
        error: what it found.
        place: where a value, or what would hold it, stands.
    """
    found: dict[tuple[Origin, str], Fault] = {}
    for detail in error.errors(include_url=False):
        way = tuple(detail["loc"])
        if detail["type"] != "extra_forbidden":
            while way and not isinstance(way[-1], int) and field_at(way) is None:
                way = way[:-1]  # a branch of a union, which people do not write
        fault = Fault(place(way), as_key(way), _explained({**detail}, way))
        found.setdefault((fault.where, fault.key), fault)
    return list(found.values())


def unknown(name: str, known: Iterable[str], what: str) -> str:
    """That there is no such name, and which one may have been meant."""
    return _sentence(no_such(name, [*known], what))


def _explained(detail: dict[str, Any], way: Key) -> str:
    kind = detail["type"]
    if kind == "extra_forbidden":
        holder = field_at(way[:-1])
        model = Config if holder is None else section_of(holder)
        assert model is not None
        return unknown(str(way[-1]), model.model_fields, "key" if len(way) > 1 else "section")
    if (field := field_at(way)) is not None and SecretStr in kinds_of(field):
        detail = {**detail, "input": "..."}
    text = explained(detail, kinds=_KINDS)
    key = next((step for step in reversed(way) if isinstance(step, str)), "")
    if way in (("tables",), ("bots",)):
        return f"{_sentence(text)} Write [[{key}]], with two brackets."
    if kind == "missing":
        return f"{_sentence(text)} Add {key}{_such_as(way)}."
    if kind in ("value_error", "literal_error") or not (example := _such_as(way)):
        return _sentence(text)
    return f"{_sentence(text)} Write, for instance: {key}{example}"


def _such_as(way: Key) -> str:
    field = field_at(way)
    return f" = {field.examples[0]}" if field is not None and field.examples else ""


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?")) else text + "."


FILE_VARIABLE = "ATAXXD_CONFIG"
_PREFIX, _BETWEEN = "ATAXXD_", "__"
_OF_ALL_COMMANDS = {
    "ATAXXD_HOME": ("node", "home"),
    "ATAXXD_BROKER": ("broker", "url"),
    "ATAXXD_NOTIFY": ("notify", "to"),
}
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
        environment: its variables ``ATAXXD_SECTION__KEY`` go over the file; ``ATAXXD_HOME``,
            ``ATAXXD_BROKER`` and ``ATAXXD_NOTIFY`` are for what nothing else says.
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
        raise ConfigError(f"{path} is larger than a mebibyte: this is not a configuration.")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        fault = Fault(Origin(name, line), "", "this is not UTF-8 text. Save the file as UTF-8.")
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
        f'this is not TOML: {reason}. Text needs quotes, as in name = "club"; see toml.io.',
    )


def _value(way: Key, text: str) -> object:
    """A value given as text: as it is where text is wanted, lines of a list, else read as TOML."""
    wanted = field_at(way)
    if wanted is not None and get_origin(wanted.annotation) is tuple:
        return [line.strip() for line in text.splitlines() if line.strip()]
    if wanted is None or not {int, bool} & set(kinds_of(wanted)):
        return text
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


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
    for name, known in type(section).model_fields.items():
        value = getattr(section, name)
        origin = origins.get((*way, name), DEFAULT)
        if value is None:
            yield f"# {name} is not set"
        elif value and SecretStr in kinds_of(known):
            shown = ", ".join(destination(each.get_secret_value()).shown for each in value)
            yield f"# {name} may hold secrets and is not shown: {shown}  # {origin}"
        else:
            text = str(value) if isinstance(value, Path) else value
            yield f"{name} = {json.dumps(text, ensure_ascii=False)}  # {origin}"
    yield ""


def lines_of(text: str) -> dict[Key, int]:
    """The line, from 1, of every section and key of a TOML text that tomllib can read."""
    found: dict[Key, int] = {}
    arrays: Counter[Key] = Counter()
    section: Key = ()
    for number, statement in _statements(text):
        values = tomllib.loads(statement)
        if statement.lstrip().startswith("["):
            section = _section(values, arrays)
            found.setdefault(section, number)
        else:
            for key in _keys(values):
                found.setdefault(section + key, number)
    return found


def _statements(text: str) -> Iterator[tuple[int, str]]:
    lines = text.replace("\r\n", "\n").split("\n")
    first = 0
    while first < len(lines):
        past = first + 1
        while not _is_whole("\n".join(lines[first:past])) and past < len(lines):
            past += 1
        yield first + 1, "\n".join(lines[first:past])
        first = past


def _is_whole(text: str) -> bool:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


def _section(values: dict[str, Any], arrays: "Counter[Key]") -> Key:
    """The way to the section that a header alone, read as TOML, opens."""
    way: Key = ()
    while values:
        ((name, inner),) = values.items()
        way += (name,)
        if isinstance(inner, list):
            arrays[way] += 1
            return (*way, arrays[way] - 1)
        if arrays[way]:
            way += (arrays[way] - 1,)
        values = inner
    return way


def _keys(value: object, way: Key = ()) -> Iterator[Key]:
    if way:
        yield way
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _keys(inner, (*way, name))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _keys(inner, (*way, index))
