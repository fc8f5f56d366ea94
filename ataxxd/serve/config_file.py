"""How a configuration is read: the file, the environment and options, each overriding the last.

The file overrides the variables of all commands, such as ``ATAXXD_HOME``: those are a person's
defaults for every command, while a file is written for this one node.

Each value keeps its origin, which every fault names, and which `as_toml` shows.
"""

import json
import os
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args, get_origin

from platformdirs import user_config_path
from pydantic import BaseModel, SecretStr, ValidationError
from pydantic.fields import FieldInfo

from ataxxd.errors import ConfigError
from ataxxd.notify import parse_destination
from ataxxd.serve.config import Config, Section
from ataxxd.toml_lines import Key, explain_toml_error, key_lines
from ataxxd.wording import format_count
from ataxxd_protocol.faults import JSON_KINDS, explain_fault, unknown_name_text


@dataclass(frozen=True, slots=True)
class Origin:
    """The source of a value.

    Attributes:
        name: the file, the environment variable or the option.
        line: the line of the file, from 1; 0 if it is not from a file.
    """

    name: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.name}, line {self.line}" if self.line else self.name


DEFAULT = Origin("default")


def format_key(key_path: Key) -> str:
    """A key as people write it: ``[broker] port``, ``[[tables]] 2: clock``."""
    if not key_path:
        return ""
    section, *rest = key_path
    if rest and isinstance(rest[0], int):
        head = f"[[{section}]] {rest[0] + 1}"
        return f"{head}: {_dotted(rest[1:])}" if rest[1:] else head
    return f"[{section}] {_dotted(rest)}".rstrip()


def _dotted(names: list[str | int]) -> str:
    return ".".join(str(name + 1) if isinstance(name, int) else name for name in names)


def field_of(key_path: Key) -> FieldInfo | None:
    """The field of `Config` for a key; None if there is none."""
    model: type[BaseModel] | None = Config
    field: FieldInfo | None = None
    for step in key_path:
        if isinstance(step, int):
            continue
        if model is None or (field := model.model_fields.get(step)) is None:
            return None
        model = section_of(field)
    return field


def section_of(field: FieldInfo) -> type[BaseModel] | None:
    """The model of a field that holds a section or a list of sections; None for other fields."""
    for kind in value_types(field):
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            return kind
    return None


def value_types(field: FieldInfo) -> list[object]:
    """The types in a field's annotation, without unions and generics."""
    return list(_flatten_type(field.annotation))


def _flatten_type(annotation: Any) -> Iterator[object]:
    if get_origin(annotation) is None:
        yield annotation
    for inner in get_args(annotation):
        yield from _flatten_type(inner)


# What TOML calls the kinds of values.
_KINDS = {**JSON_KINDS, "object": "a section"}
_OVER_MAX = 1 << 31
"""A line number past the end of any file: faults without a line are sorted last."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault in a configuration.

    Attributes:
        origin: the file and line, the variable or the option.
        key: the key, such as ``[broker] port``; empty if the fault concerns the whole file.
        text: what is wrong and what to do.
    """

    origin: Origin
    key: str
    text: str

    def __str__(self) -> str:
        return ": ".join(part for part in (str(self.origin), self.key, self.text) if part)


class ConfigFaults(ConfigError):
    """The configuration has faults.

    Attributes:
        faults: all its faults, in the order of the file.
    """

    def __init__(self, faults: list[Fault]) -> None:
        """Report `faults`, at least one."""
        faults = sorted(faults, key=lambda fault: fault.origin.line or _OVER_MAX)
        lines = "\n".join(f"  {fault}" for fault in faults)
        super().__init__(f"The configuration has {format_count(len(faults), 'fault')}:\n{lines}")
        self.faults = faults


def faults_of(error: ValidationError, origin_of: Callable[[Key], Origin]) -> list[Fault]:
    """The faults that pydantic found, at most one for each key.

    Args:
        error: the error that pydantic raised.
        origin_of: returns the origin of a key, or of the section that lacks it.
    """
    found: dict[tuple[Origin, str], Fault] = {}
    for detail in error.errors(include_url=False):
        key_path = tuple(detail["loc"])
        if detail["type"] != "extra_forbidden":
            while key_path and not isinstance(key_path[-1], int) and field_of(key_path) is None:
                key_path = key_path[:-1]  # the branch of a union, which is not part of the key
        fault = Fault(origin_of(key_path), format_key(key_path), _explain({**detail}, key_path))
        found.setdefault((fault.origin, fault.key), fault)
    return list(found.values())


def describe_unknown(name: str, known: Iterable[str], what: str) -> str:
    """A sentence that says that there is no such name, and which one may have been meant."""
    return _sentence(unknown_name_text(name, [*known], what))


def _explain(detail: dict[str, Any], key_path: Key) -> str:
    kind = detail["type"]
    if kind == "extra_forbidden":
        holder = field_of(key_path[:-1])
        model = Config if holder is None else section_of(holder)
        assert model is not None
        return describe_unknown(
            str(key_path[-1]), model.model_fields, "key" if len(key_path) > 1 else "section"
        )
    if (field := field_of(key_path)) is not None and SecretStr in value_types(field):
        detail = {**detail, "input": "..."}
    text = explain_fault(detail, kinds=_KINDS)
    key = next((step for step in reversed(key_path) if isinstance(step, str)), "")
    if key_path in (("tables",), ("bots",)):
        return f"{_sentence(text)} Write [[{key}]], with two brackets."
    if kind == "missing":
        return f"{_sentence(text)} Add {key}{_example(key_path)}."
    if kind in ("value_error", "literal_error") or not (example := _example(key_path)):
        return _sentence(text)
    return f"{_sentence(text)} Write, for instance: {key}{example}"


def _example(key_path: Key) -> str:
    field = field_of(key_path)
    return f" = {field.examples[0]}" if field is not None and field.examples else ""


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?")) else text + "."


FILE_VARIABLE = "ATAXXD_CONFIG"
_PREFIX, _SEPARATOR = "ATAXXD_", "__"
_PLAIN_VARIABLES = {
    "ATAXXD_HOME": ("node", "home"),
    "ATAXXD_BROKER": ("broker", "url"),
    "ATAXXD_NOTIFY": ("notify", "to"),
}
_MAX_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class LoadedConfig:
    """A configuration, and the origin of its values.

    Attributes:
        config: the configuration.
        path: the file.
        origins: the origin of each value that is not a default.
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
            what = describe_unknown(section, Config.model_fields, "section")
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

    def has(self, key_path: Key) -> bool:
        """Whether a value of a section is given; an embedded broker needs no address."""
        section = self.tree.get(str(key_path[0]), {})
        if not isinstance(section, dict):
            return True  # a fault, which is reported elsewhere
        return key_path[1] in section or (key_path[0] == "broker" and bool(section.get("embedded")))

    def origin_of(self, key_path: Key) -> Origin:
        """Where a value, or what would hold it, comes from."""
        while key_path:
            if key_path in self.origins:
                return self.origins[key_path]
            key_path = key_path[:-1]
        return self.origins[()]


def default_path() -> Path:
    """The path of the file if none is named; never one in the working directory."""
    if named := os.environ.get(FILE_VARIABLE):
        return Path(named)
    return user_config_path("ataxxd") / "ataxxd.toml"


def load_config(
    path: Path | None = None,
    environment: Mapping[str, str] = os.environ,
    options: Sequence[tuple[str, str, str]] = (),
) -> LoadedConfig:
    """Read and check a configuration.

    Args:
        path: the file; `default_path` if None.
        environment: variables ``ATAXXD_SECTION__KEY`` override the file; ``ATAXXD_HOME``,
            ``ATAXXD_BROKER`` and ``ATAXXD_NOTIFY`` apply only where nothing else is set.
        options: key, value and the option's name, such as ``("broker.url", "…", "--broker")``;
            they override both.

    Raises:
        ConfigFaults: it has faults; all are reported.
        ConfigError: the file cannot be read.
    """
    chosen = default_path() if path is None else path
    values = _Values()
    _read(chosen, values)
    for variable, text in sorted(environment.items()):
        if variable.startswith(_PREFIX) and _SEPARATOR in variable:
            key = variable.removeprefix(_PREFIX).lower().replace(_SEPARATOR, ".", 1)
            values.put(key, text, Origin(variable))
    for key, text, option in options:
        values.put(key, text, Origin(option))
    for variable, key_path in _PLAIN_VARIABLES.items():
        if (text := environment.get(variable, "")) and not values.has(key_path):
            values.put(".".join(key_path), text, Origin(variable))
    try:
        config = Config.model_validate(values.tree)
    except ValidationError as error:
        raise ConfigFaults(values.faults + faults_of(error, values.origin_of)) from None
    if values.faults:
        raise ConfigFaults(values.faults)
    return LoadedConfig(config, chosen, values.origins)


def split_option(text: str) -> tuple[str, str, str]:
    """Split ``--set SECTION.KEY=VALUE`` into key, value and option, as `load_config` takes them.

    Raises:
        ConfigError: the text is not of this form.
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
            data = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise ConfigError(
            f"The configuration {path} cannot be read: {error.strerror}. Name another with "
            f"--config FILE or {FILE_VARIABLE}; docs/how-to/serve.md begins with one."
        ) from None
    if len(data) > _MAX_BYTES:
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
        line, why = explain_toml_error(text, error)
        raise ConfigFaults([Fault(Origin(name, line), "", why)]) from None
    values.origins = {key_path: Origin(name, line) for key_path, line in key_lines(text).items()}
    values.origins[()] = Origin(name)


def _value(key_path: Key, text: str) -> object:
    """A value given as text: as it is where text is wanted, lines of a list, else read as TOML."""
    wanted = field_of(key_path)
    if wanted is not None and get_origin(wanted.annotation) is tuple:
        return [line.strip() for line in text.splitlines() if line.strip()]
    if wanted is None or not {int, bool} & set(value_types(wanted)):
        return text
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def as_toml(loaded: LoadedConfig) -> Iterator[str]:
    """The lines of the configuration in effect, as TOML; values that are not set are comments.

    The lines contain the passwords in addresses; remove them with `ataxxd.sanitize` before
    showing them.
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


def _values(section: Section, key_path: Key, origins: dict[Key, Origin]) -> Iterator[str]:
    for name, known in type(section).model_fields.items():
        value = getattr(section, name)
        origin = origins.get((*key_path, name), DEFAULT)
        if value is None:
            yield f"# {name} is not set"
        elif value and SecretStr in value_types(known):
            shown = ", ".join(parse_destination(each.get_secret_value()).shown for each in value)
            yield f"# {name} may hold secrets and is not shown: {shown}  # {origin}"
        else:
            text = str(value) if isinstance(value, Path) else value
            yield f"{name} = {json.dumps(text, ensure_ascii=False)}  # {origin}"
    yield ""
