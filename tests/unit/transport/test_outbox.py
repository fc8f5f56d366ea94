"""The outbox: order, bounds, and the newest of what is retained."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ataxxd.transport.base import OutboxFull
from ataxxd.transport.queues import Entry, Outbox
from ataxxd.transport.reconnecting import Backoff


def taken(outbox: Outbox) -> list[Entry]:
    entries = []
    while (entry := outbox.take()) is not None:
        entries.append(entry)
    return entries


def payloads(entries: list[Entry]) -> list[bytes]:
    return [entry.payload for entry in entries]


def test_entries_leave_in_order_and_only_a_window_of_them_flies() -> None:
    outbox = Outbox(window=2)
    for payload in (b"1", b"2", b"3"):
        outbox.add("t", payload, retain=False)
    flying = taken(outbox)
    assert payloads(flying) == [b"1", b"2"]
    assert outbox.acknowledge(flying[0])
    assert payloads(taken(outbox)) == [b"3"]


def test_what_was_in_flight_is_sent_again_first() -> None:
    outbox = Outbox(window=2)
    for payload in (b"1", b"2", b"3"):
        outbox.add("t", payload, retain=False)
    first, _ = taken(outbox)
    outbox.acknowledge(first)
    outbox.rewind()
    assert payloads(taken(outbox)) == [b"2", b"3"]


def test_an_acknowledgement_that_comes_twice_counts_once() -> None:
    outbox = Outbox()
    outbox.add("t", b"1", retain=False)
    (entry,) = taken(outbox)
    assert outbox.acknowledge(entry)
    assert not outbox.acknowledge(entry)
    assert len(outbox) == 0


def test_a_newer_retained_message_replaces_one_not_yet_sent_and_overtakes_nothing() -> None:
    outbox = Outbox()
    outbox.add("state", b"old", retain=True)
    outbox.add("log", b"move", retain=False)
    outbox.add("state", b"new", retain=True)
    assert payloads(taken(outbox)) == [b"move", b"new"]


def test_a_retained_message_in_flight_is_not_sent_again_when_a_newer_one_waits() -> None:
    outbox = Outbox()
    outbox.add("state", b"old", retain=True)
    taken(outbox)
    outbox.add("state", b"new", retain=True)
    outbox.rewind()
    assert payloads(taken(outbox)) == [b"new"]


def test_a_full_outbox_says_so_and_keeps_what_it_has() -> None:
    outbox = Outbox(limit=2)
    outbox.add("state", b"1", retain=True)
    outbox.add("log", b"2", retain=False)
    with pytest.raises(OutboxFull, match="2 messages wait"):
        outbox.add("log", b"3", retain=False)
    outbox.add("state", b"newer", retain=True)
    assert payloads(taken(outbox)) == [b"2", b"newer"]


ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.sampled_from("abc"), st.booleans()),
        st.tuples(st.just("take"), st.just(""), st.just(value=False)),
        st.tuples(st.just("acknowledge"), st.just(""), st.just(value=False)),
        st.tuples(st.just("rewind"), st.just(""), st.just(value=False)),
    ),
    max_size=60,
)


@given(ACTIONS)
def test_nothing_is_lost_but_superseded_retained_messages_and_nothing_overtakes(
    actions: list[tuple[str, str, bool]],
) -> None:
    outbox = Outbox(limit=1000, window=3)
    added: list[tuple[str, int, bool]] = []
    wire: list[int] = []  # numbers as they were sent since the last rewind
    flying: list[Entry] = []
    acknowledged: set[int] = set()
    for action, topic, retain in actions:
        if action == "add":
            number = len(added)
            added.append((topic, number, retain))
            outbox.add(topic, b"%d" % number, retain=retain)
        elif action == "take" and (entry := outbox.take()) is not None:
            flying.append(entry)
            wire.append(int(entry.payload))
        elif action == "acknowledge" and flying:
            entry = flying.pop(0)
            assert outbox.acknowledge(entry)
            acknowledged.add(int(entry.payload))
        elif action == "rewind":
            outbox.rewind()
            flying.clear()
            wire.clear()
        assert wire == sorted(wire)
        assert len(flying) <= 3
    outbox.rewind()
    while (entry := outbox.take()) is not None:
        acknowledged.add(int(entry.payload))
        outbox.acknowledge(entry)
    newest = {topic: number for topic, number, retain in added if retain}
    for topic, number, retain in added:
        assert number in acknowledged or (retain and newest[topic] > number)


def test_the_pauses_grow_up_to_a_ceiling_and_are_jittered_fully() -> None:
    asked: list[tuple[float, float]] = []

    def uniform(low: float, high: float) -> float:
        asked.append((low, high))
        return high

    backoff = Backoff(first=0.5, ceiling=4.0, uniform=uniform)
    assert [backoff.next() for _ in range(5)] == [0.5, 1.0, 2.0, 4.0, 4.0]
    backoff.reset()
    assert backoff.next() == 0.5
    assert all(low == 0.0 for low, _ in asked)


def test_very_many_failures_do_not_overflow_the_pause() -> None:
    backoff = Backoff(ceiling=30.0, uniform=lambda _, high: high)
    assert [backoff.next() for _ in range(5000)][-1] == 30.0


def test_a_player_is_back_within_five_seconds_of_its_broker() -> None:
    backoff = Backoff(uniform=lambda _, high: high)
    assert max(backoff.next() for _ in range(100)) == 5.0
