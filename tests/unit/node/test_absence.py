"""When people are told that a player is gone, and back, in simulated time."""

import asyncio

import pytest

from ataxxd.node.presence import GONE_S, RETURN_S, AbsenceReporter, PlayerPresence
from ataxxd_protocol import signed
from ataxxd_protocol.messages import Status
from tests.chaos.loop import VirtualLoop, run_virtually
from tests.conformance.games import HOST_KEY

SOON, LATER = GONE_S / 2, GONE_S * 2
# What our own connection does.
GOES, RETURNS = "goes", "returns"


def told_of(*heard: tuple[str, float]) -> list[tuple[float, str]]:
    """What is told, and when, of a player that is heard to say this, so long before the next."""
    told: list[tuple[float, str]] = []

    async def story() -> None:
        now = asyncio.get_running_loop().time
        listener = PlayerPresence()

        def tell(away: str) -> bool:
            told.append((now(), away))
            return True

        absence = AbsenceReporter(listener, tell)
        for epoch, (state, pause) in enumerate(heard):
            fields = {"game": "0" * 64, "from": HOST_KEY.node, "epoch": epoch, "state": state}
            if state == GOES:
                absence.on_disconnected()
            elif state == RETURNS:
                absence.on_connected()
            else:
                assert listener.update(signed(Status.model_validate(fields), HOST_KEY))
                absence.update()
            await asyncio.sleep(pause)
        absence.close()
        await asyncio.sleep(LATER)

    run_virtually(story(), VirtualLoop())
    return told


@pytest.mark.parametrize(
    ("heard", "told"),
    [
        # A page is loaded anew.
        ((("lost", SOON), ("online", LATER)), []),
        ((("lost", LATER), ("online", 0)), [(GONE_S, "has lost the connection"), (LATER, "")]),
        # A connection that is lost again and again is lost since the first time.
        ((("lost", SOON), ("lost", LATER)), [(GONE_S, "has lost the connection")]),
        ((("left", LATER), ("online", 0)), [(0, "has left"), (LATER, "")]),
        ((("lost", SOON), ("left", LATER)), [(SOON, "has left")]),
        ((("lost", SOON), ("online", SOON), ("lost", SOON)), []),
        # Nobody listens any more.
        ((("lost", SOON),), []),
        # The broker goes and takes everybody's connection, and both are back.
        ((("lost", SOON), (GOES, 60), (RETURNS, SOON), ("online", LATER)), []),
        # It says so of the others only when it is back.
        (((GOES, 60), (RETURNS, SOON), ("lost", LATER), ("online", LATER)), []),
        # We are back, and the other player is not.
        (
            (("lost", SOON), (GOES, 60), (RETURNS, 60)),
            [(SOON + 60 + RETURN_S, "has lost the connection")],
        ),
        # It was away before we were.
        (
            (("lost", LATER), (GOES, 60), (RETURNS, SOON), ("online", 0)),
            [(GONE_S, "has lost the connection"), (LATER + 60 + SOON, "")],
        ),
    ],
)
def test_a_connection_that_is_back_soon_is_no_news_and_a_goodbye_is_at_once(
    heard: tuple[tuple[str, float], ...], told: list[tuple[float, str]]
) -> None:
    assert told_of(*heard) == told


def test_what_nobody_was_told_is_not_taken_back() -> None:
    listener = PlayerPresence()
    absence = AbsenceReporter(listener, lambda _: False)
    fields = {"game": "0" * 64, "from": HOST_KEY.node, "epoch": 1, "state": "left"}
    listener.update(signed(Status.model_validate(fields), HOST_KEY))
    absence.update()
    assert listener.reported == ""
