"""Topic names and filters, MQTT 3.1.1 section 4.7."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ataxxd.transport.topics import PatternIndex, check_pattern, check_topic, matches


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
        ("$share/group/a/+", "a/b"),
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
        ("$share/group/a/+", "group/a/b"),
        ("$share/group", "group"),
        ("$share//a", "a"),
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


PART = st.sampled_from(["a", "b", "", "$x"])
PATTERN = st.lists(st.one_of(PART, st.just("+")), min_size=1, max_size=4).flatmap(
    lambda parts: st.sampled_from(
        [
            *("/".join(parts), "/".join([*parts, "#"])),
            *(f"$share/{group}/{'/'.join([*parts, 'b'])}" for group in ("one", "two")),
        ]
    )
)


@given(st.lists(PATTERN), st.lists(PART, min_size=1, max_size=5).map("/".join))
def test_an_index_finds_what_comparing_with_every_pattern_finds(
    patterns: list[str], topic: str
) -> None:
    index: PatternIndex[int] = PatternIndex()
    for number, pattern in enumerate(patterns):
        index.add(pattern, number)
    assert set(index.matching(topic)) == {
        number for number, pattern in enumerate(patterns) if matches(pattern, topic)
    }
    for number, pattern in enumerate(patterns):
        index.discard(pattern, number)
        assert number not in index.matching(topic)
    assert index.matching(topic) == ()
    assert index._root.below == {}, "nothing is left of what was taken out"


def test_an_index_remembers_no_answer_longer_than_its_filters() -> None:
    index: PatternIndex[str] = PatternIndex()
    index.add("a/+", "one")
    assert index.matching("a/b") == index.matching("a/b") == ("one",)
    index.add("a/b", "two")
    assert sorted(index.matching("a/b")) == ["one", "two"]
    index.discard("a/+", "one")
    assert index.matching("a/b") == ("two",)
    for number in range(5000):
        assert not index.matching(f"a/{number}")
    assert index.matching("a/b") == ("two",)
