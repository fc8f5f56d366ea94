"""MQTT topic names and filters: what is well formed, and what matches what.

Source: MQTT 3.1.1, section 4.7. Knows nothing of the game's own topic layout.
"""

import sys
from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any, Generic, TypeVar

MAX_TOPIC_BYTES = 65_535
_SHARED = "$share/"


def check_topic(topic: str) -> None:
    """Raise ``ValueError`` unless `topic` can be published to."""
    _check_text(topic, "topic")
    if "+" in topic or "#" in topic:
        raise ValueError(
            f"{topic!r} cannot be published to: + and # are wildcards; name one exact topic."
        )


def check_pattern(pattern: str) -> None:
    """Raise ``ValueError`` unless `pattern` is a topic filter that can be subscribed to."""
    _check_text(pattern, "pattern")
    levels = pattern.split("/")
    for index, level in enumerate(levels):
        if "#" in level and (level != "#" or index != len(levels) - 1):
            raise ValueError(f"{pattern!r} is not a topic filter: # must be the whole last level.")
        if "+" in level and level != "+":
            raise ValueError(f"{pattern!r} is not a topic filter: + must be a whole level.")


def shared(group: str, pattern: str) -> str:
    """The filter that delivers each message under `pattern` to one member of `group` only.

    It needs a broker with shared subscriptions; see MQTT 5, section 4.8.2.
    """
    return f"{_SHARED}{group}/{pattern}"


def unshared(pattern: str) -> tuple[str | None, str]:
    """The group of a filter, or None if it is not shared, and the plain filter."""
    if not pattern.startswith(_SHARED):
        return None, pattern
    group, _, inner = pattern.removeprefix(_SHARED).partition("/")
    return (group, inner) if group and inner else (None, pattern)


def matches(pattern: str, topic: str) -> bool:
    """Whether `pattern`, shared or not, matches `topic`; both must be well formed.

    Wildcards at the first level do not match topics that begin with ``$``.
    """
    _, pattern = unshared(pattern)
    if pattern == topic:
        return True
    if topic.startswith("$") and pattern[:1] in ("+", "#"):
        return False
    wanted = pattern.split("/")
    levels = topic.split("/")
    for index, level in enumerate(wanted):
        if level == "#":
            return True  # also for "a/#" and the topic "a", as section 4.7.1.2 wants
        if index == len(levels) or level not in ("+", levels[index]):
            return False
    return len(wanted) == len(levels)


V = TypeVar("V")
# The most look-ups that an index caches: a flood repeats the same few topics.
_MAX_REMEMBERED = 2048
_NO_LEVELS: Mapping[Any, Any] = MappingProxyType({})


class _Level(Generic[V]):
    """A level in the tree of patterns: its next levels and its values, mostly only one of the two.

    With a thousand games there are ten thousand levels, nearly all with a single value.
    """

    __slots__ = ("_below", "_values")

    def __init__(self) -> None:
        self._below: dict[str, _Level[V]] | None = None
        # A set that keeps its order: a dict from the second value on.
        self._values: tuple[V, ...] | dict[V, None] = ()

    @property
    def below(self) -> Mapping[str, "_Level[V]"]:
        """The next levels."""
        return _NO_LEVELS if self._below is None else self._below

    @property
    def values(self) -> Collection[V]:
        """The values stored here."""
        return self._values

    def descend(self, part: str) -> "_Level[V]":
        """The next level of a name, made if need be."""
        if self._below is None:
            self._below = {}
        level = self._below.get(part)
        if level is None:
            # Interned, since all games use the same few words, and many patterns the same name.
            level = self._below[sys.intern(part)] = _Level()
        return level

    def drop(self, part: str) -> None:
        """Forget a next level."""
        if self._below is not None:
            del self._below[part]
            self._below = self._below or None

    def put(self, value: V) -> None:
        """Store a value here, once."""
        if not self._values:
            self._values = (value,)
        elif value not in self._values:
            if isinstance(self._values, tuple):
                self._values = dict.fromkeys(self._values)
            self._values[value] = None

    def take(self, value: V) -> None:
        """Take a value away, if it is here."""
        if isinstance(self._values, dict):
            self._values.pop(value, None)
            self._values = self._values or ()
        elif value in self._values:
            self._values = ()


class PatternIndex(Generic[V]):
    """A map from topic filters to values; look-up by topic does not slow down with their number.

    It does slow down with the number of groups with shared subscriptions.
    """

    def __init__(self) -> None:
        """Create an empty index."""
        self._root: _Level[V] = _Level()
        self._answers: dict[str, tuple[V, ...]] = {}

    def add(self, pattern: str, value: V) -> None:
        """Add a value under a pattern; adding it again has no effect."""
        self._answers.clear()
        level = self._root
        for part in pattern.split("/"):
            level = level.descend(part)
        level.put(value)

    def discard(self, pattern: str, value: V) -> None:
        """Remove a value from a pattern, if it is there."""
        self._answers.clear()
        path = [self._root]
        parts = pattern.split("/")
        for part in parts:
            below = path[-1].below.get(part)
            if below is None:
                return
            path.append(below)
        path[-1].take(value)
        for above, part in zip(reversed(path[:-1]), reversed(parts), strict=True):
            level = above.below[part]
            if level.values or level.below:
                return
            above.drop(part)

    def matching(self, topic: str) -> tuple[V, ...]:
        """The values whose patterns match a topic, each once."""
        answer = self._answers.get(topic)
        if answer is None:
            if len(self._answers) >= _MAX_REMEMBERED:
                self._answers.clear()
            answer = self._answers[topic] = self._matching(topic)
        return answer

    def _matching(self, topic: str) -> tuple[V, ...]:
        found: dict[V, None] = {}
        parts, system = topic.split("/"), topic.startswith("$")
        roots = [self._root]
        if (sharing := self._root.below.get(_SHARED[:-1])) is not None:
            # Below each sharing group's name, filters are stored as at the root.
            roots += [level for name, level in sharing.below.items() if name]
        for root in roots:
            for level in _levels(root, parts, system=system):
                found.update(dict.fromkeys(level.values))
        return tuple(found)


def _levels(root: _Level[V], parts: list[str], *, system: bool) -> list[_Level[V]]:
    """The levels at which matching filters end; must be fast, since floods come through here."""
    found: list[_Level[V]] = []
    here, wild = [root], not system
    for part in parts:
        further: list[_Level[V]] = []
        for level in here:
            below = level.below
            if wild and (rest := below.get("#")) is not None:
                found.append(rest)
            if (exact := below.get(part)) is not None:
                further.append(exact)
            if wild and (any_part := below.get("+")) is not None:
                further.append(any_part)
        if not further:
            return found
        here, wild = further, True
    # Also at the end of the topic, as section 4.7.1.2 wants.
    found += [rest for level in here if (rest := level.below.get("#")) is not None]
    return found + here


def _check_text(text: str, kind: str) -> None:
    if not text:
        raise ValueError(f"An empty {kind} is not allowed in MQTT.")
    if "\0" in text:
        raise ValueError(f"{text!r} holds a NUL character, which MQTT forbids in a {kind}.")
    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:
        raise ValueError(f"{text!r} cannot be written as UTF-8: {error.reason}.") from None
    if size > MAX_TOPIC_BYTES:
        raise ValueError(f"A {kind} of {size} bytes is too long; MQTT allows {MAX_TOPIC_BYTES}.")
