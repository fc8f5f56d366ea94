"""MQTT topic names and filters: what is well formed, and what matches what.

Source: MQTT 3.1.1, section 4.7. Knows nothing of the game's own topic layout.
"""

MAX_TOPIC_BYTES = 65_535


def check_topic(topic: str) -> None:
    """Raises ``ValueError`` unless `topic` can be published to."""
    _check_text(topic, "topic")
    if "+" in topic or "#" in topic:
        raise ValueError(
            f"{topic!r} cannot be published to: + and # are wildcards; name one exact topic."
        )


def check_pattern(pattern: str) -> None:
    """Raises ``ValueError`` unless `pattern` is a topic filter that can be subscribed to."""
    _check_text(pattern, "pattern")
    levels = pattern.split("/")
    for index, level in enumerate(levels):
        if "#" in level and (level != "#" or index != len(levels) - 1):
            raise ValueError(f"{pattern!r} is no topic filter: # must be the whole last level.")
        if "+" in level and level != "+":
            raise ValueError(f"{pattern!r} is no topic filter: + must be a whole level.")


def matches(pattern: str, topic: str) -> bool:
    """Whether a message on `topic` is asked for by `pattern`; both well formed.

    Wildcards at the first level do not match topics that begin with ``$``.
    """
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
