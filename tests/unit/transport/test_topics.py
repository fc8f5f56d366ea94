"""Topic names and filters, MQTT 3.1.1 section 4.7."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ataxxd.transport.topics import check_pattern, check_topic, matches


@pytest.mark.parametrize(
    ("pattern", "topic"),
    [
        ("a/b", "a/b"),
        ("a/+", "a/b"),
        ("a/+/c", "a/b/c"),
        ("+/+", "/finance"),
        ("/+", "/finance"),
        ("sport/#", "sport"),
        ("sport/#", "sport/tennis/player1"),
        ("#", "a/b/c"),
        ("+", "a"),
        ("a//c", "a//c"),
        ("a/+/c", "a//c"),
        ("$SYS/#", "$SYS/broker"),
    ],
)
def test_these_match(pattern: str, topic: str) -> None:
    assert matches(pattern, topic)


@pytest.mark.parametrize(
    ("pattern", "topic"),
    [
        ("a/b", "a/c"),
        ("a/b", "a/b/c"),
        ("a/+", "a/b/c"),
        ("a/+", "a"),
        ("+", "/finance"),
        ("a/#", "ab"),
        ("a/b/#", "a"),
        ("#", "$SYS/broker"),
        ("+/broker", "$SYS/broker"),
        ("A", "a"),
    ],
)
def test_these_do_not_match(pattern: str, topic: str) -> None:
    assert not matches(pattern, topic)


LEVEL = st.text(st.characters(codec="utf-8", exclude_characters="/+#\0$"), max_size=4)
TOPIC = st.lists(LEVEL, min_size=1, max_size=5).map("/".join).filter(bool)


@given(TOPIC, st.data())
def test_any_level_may_be_replaced_by_a_wildcard(topic: str, data: st.DataObject) -> None:
    levels = topic.split("/")
    index = data.draw(st.integers(0, len(levels) - 1))
    assert matches("/".join([*levels[:index], "+", *levels[index + 1 :]]), topic)
    assert matches("/".join([*levels[:index], "#"]), topic)
    check_topic(topic)
    check_pattern(topic)


@pytest.mark.parametrize("bad", ["", "a/+", "#", "a\0b", "\ud800", "x" * 65_536])
def test_what_is_no_topic_is_explained(bad: str) -> None:
    with pytest.raises(ValueError, match=r"\."):
        check_topic(bad)


@pytest.mark.parametrize("bad", ["", "a#", "#/a", "a/b+", "+a/b", "a\0"])
def test_what_is_no_pattern_is_explained(bad: str) -> None:
    with pytest.raises(ValueError, match=r"\."):
        check_pattern(bad)
