"""The asyncio client: programs that challenge, and take challenges or decline them."""

import asyncio

import pytest

from ataxxd.errors import UsageError
from ataxxd.node.errors import (
    ChallengeDeclined,
    NobodyCame,
    NoSuchPlayer,
)
from ataxxd_protocol import grouped
from tests.e2e.programs import Programs, play_first

REVERSI = "reversi/standard"


async def test_a_challenge_is_taken_and_played(programs: Programs) -> None:
    ann, bob = [await programs.open(name) for name in ("ann", "bob")]

    async def take_one() -> str:
        async with bob.challenges("bobbot", rulesets=[REVERSI]) as post:
            async for challenge in post:
                assert challenge.challenger == ann.id
                assert (challenge.ruleset, challenge.text) == (REVERSI, "A quick one?")
                assert "5m each" in challenge.terms
                asked = f"by {grouped(ann.id)}: {challenge.name}, {REVERSI}"
                assert repr(challenge) == f"<Challenge {asked}>"
                async with challenge.taken() as game:
                    cards = await ann.players(seconds=0.3)
                    while [each.free for each in cards] != [0]:
                        # a card is put up again once a second at most
                        cards = await ann.players(seconds=0.3)
                    (card,) = cards
                    assert (card.name, card.free, card.playing) == ("bobbot", 0, 1)
                    await play_first(game)
                return game.name
        raise AssertionError("no challenge came")

    taking = asyncio.create_task(take_one())
    while not (cards := await ann.players(seconds=0.3)):
        pass
    assert (cards[0].author, cards[0].rulesets, cards[0].free) == (bob.id, (REVERSI,), 1)
    async with ann.challenge("bobbot", ruleset=REVERSI, clock="5m", text="A quick one?") as game:
        assert game.opponent == bob.id
        await play_first(game)
    assert await taking == game.name
    assert game.outcome is not None
    assert not await ann.players(seconds=0.3)


async def test_what_a_program_does_not_take_is_declined_with_the_reason(programs: Programs) -> None:
    ann, bob = [await programs.open(name) for name in ("ann", "bob")]
    async with bob.challenges("bobbot", rulesets=[REVERSI]) as post:

        async def refuse_one() -> None:
            await (await anext(post)).decline("I would rather sleep.")

        refusing = asyncio.create_task(refuse_one())
        with pytest.raises(ChallengeDeclined, match="I would rather sleep"):
            async with ann.challenge("bobbot", ruleset=REVERSI):
                pass
        await refusing
        with pytest.raises(ChallengeDeclined, match="does not play ataxx/uai"):
            async with ann.challenge(bob.id, ruleset="ataxx/uai"):
                pass
        async with asyncio.TaskGroup() as group:

            async def wait_for_it() -> None:
                async with ann.challenge("bobbot", ruleset=REVERSI, name="first"):
                    pass

            waiting = group.create_task(wait_for_it())
            held = await anext(post)
            assert held.name == "first"
            eve = await programs.open("eve")
            with pytest.raises(ChallengeDeclined, match="1 at a time already"):
                async with eve.challenge("bobbot", ruleset=REVERSI):
                    pass
            async with held.taken():
                await waiting
    assert ann.unfinished() == ["first"], "what was declined is forgotten"
    with pytest.raises(NoSuchPlayer):
        async with ann.challenge("bobbot", ruleset=REVERSI):
            pass
    with pytest.raises(UsageError, match="our own node"):
        async with ann.challenge(ann.id, ruleset=REVERSI):
            pass


async def test_a_challenge_that_nobody_takes_ends(programs: Programs) -> None:
    ann, bob = [await programs.open(name) for name in ("ann", "bob")]
    async with bob.challenges("bobbot"):
        with pytest.raises(NobodyCame):
            async with ann.challenge("bobbot", ruleset=REVERSI, expires_s=1.0):
                pass
