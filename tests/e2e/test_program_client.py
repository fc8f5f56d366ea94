"""The asyncio client: programs that host, join, watch, talk, agree, leave and come back."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from typing import cast

import pytest

from ataxxd.client import (
    Asked,
    DrawAsked,
    DrawRefused,
    Moved,
    Notice,
    Over,
    Progress,
    RematchAsked,
    Said,
    TakenBack,
    WatchedGame,
    YourTurn,
    open_node,
)
from ataxxd.errors import GameError, LocalProtocolError, StorageError, TransportError, UsageError
from ataxxd.nicknames import player_name
from ataxxd.node.backup import back_up, restore
from ataxxd.node.errors import (
    NameInUse,
    NoSuchGame,
    SeatTaken,
)
from ataxxd.node.home import Home
from ataxxd.rules import IllegalMoveError, Outcome, Position, Side, UnknownRulesetError
from ataxxd.session.record import Standing, verify_record
from ataxxd_protocol import grouped
from tests.brokers import BrokerProcess
from tests.e2e.programs import Programs, next_of, play_first
from tests.time_limits import DEADLINE

REVERSI = "reversi/standard"


@pytest.mark.gate("rabbitmq")
async def test_two_programs_play_on_every_broker(broker: BrokerProcess, tmp_path: Path) -> None:
    async with (
        open_node(broker.url, home=tmp_path / "ann") as ann,
        open_node(broker.url, home=tmp_path / "bob") as bob,
        ann.host("ourgame", ruleset=REVERSI) as ours,
        bob.join(ours.invitation) as theirs,
    ):
        await asyncio.gather(play_first(ours), play_first(theirs))
    assert ours.outcome is not None
    assert ours.record == theirs.record
    assert ours.signed_record == theirs.signed_record
    assert verify_record(ours.signed_record).standing is Standing.AGREED


async def test_a_spectator_that_comes_late_hears_every_move(programs: Programs) -> None:
    ann, bob, eve = [await programs.open(name) for name in ("ann", "bob", "eve")]
    async with (
        ann.host("ourgame", ruleset=REVERSI) as ours,
        bob.join("ourgame") as theirs,
    ):
        async with asyncio.TaskGroup() as group:
            group.create_task(play_first(theirs))
            async for position in ours.my_turns():
                await ours.play(position.legal_moves[0])
        async with eve.watch("ourgame") as game:
            told = [event async for event in game.events()]
    assert [event.move for event in told if isinstance(event, Moved)] == list(ours.moves)
    assert any(isinstance(event, Over) for event in told)
    assert game.players == {Side.FIRST: ann.id, Side.SECOND: bob.id}
    assert game.signed_record == ours.signed_record


async def test_a_program_sees_what_is_offered_and_why_it_cannot_take_it(programs: Programs) -> None:
    ann, bob, eve = [await programs.open(name) for name in ("ann", "bob", "eve")]
    async with ann.host("ourgame", ruleset=REVERSI, guest=bob.id, clock="10m+5s") as game:
        assert game.invitation.startswith("ourgame#")
        nobody = game.opponent
        assert nobody is None
        (seen,) = await eve.games()
        assert (seen.name, seen.host, seen.progress) == ("ourgame", ann.id, Progress.OPEN)
        assert "10m each and 5s a move" in seen.terms
        assert seen.obstacle is not None
        assert seen.obstacle.startswith("the seat is kept for ")
        with pytest.raises(SeatTaken, match="kept for"):
            async with eve.join("ourgame"):
                pass
        async with bob.join("ourgame") as theirs:
            assert theirs.opponent == ann.id
            await game.begun()
            assert game.opponent == bob.id
            assert (game.side, theirs.side) == (Side.FIRST, Side.SECOND)
            left_ms = theirs.remaining_ms(Side.SECOND)
            assert left_ms == 600_000


async def test_a_program_reads_nicknames_as_people_do(programs: Programs) -> None:
    ann, bob, eve = [await programs.open(name) for name in ("ann", "bob", "eve")]
    ann.profile.names.set_nickname(ann.profile.key, "ana")
    async with ann.host("ourgame", ruleset=REVERSI) as ours, bob.join("ourgame") as theirs:
        await ours.begun()
        ana = player_name(ann.id, "ana")
        while not any(ana in listed.players for listed in await eve.games(seconds=0.3)):
            assert not theirs.outcome
        await ours.play("d3")
        async with eve.watch("ourgame") as game:
            await anext(aiter(game.events()))
            assert game.player(Side.FIRST) == ana


async def test_a_node_and_its_games_can_be_told_apart_when_printed(programs: Programs) -> None:
    ann, bob = [await programs.open(name) for name in ("ann", "bob")]
    assert repr(ann) == f"<Node {grouped(ann.id)} at {ann.broker}>"
    async with ann.host("ourgame", ruleset=REVERSI) as ours:
        game = f"ourgame#{grouped(ann.id)}"
        assert repr(ours) == f"<NetworkGame {game}: host, open>"
        async with bob.join("ourgame") as theirs:
            await ours.begun()
            assert repr(theirs) == f"<NetworkGame {game}: guest, playing>"
            await ours.resign()
            async for _ in theirs.events():
                pass
            assert repr(theirs) == f"<NetworkGame {game}: guest, over>"


async def test_who_was_not_invited_is_not_let_in(programs: Programs) -> None:
    ann, bob = [await programs.open(name) for name in ("ann", "bob")]
    async with ann.host("ourgame", ruleset=REVERSI, invited=True) as game:
        with pytest.raises(SeatTaken, match="invitation"):
            async with bob.join("ourgame"):
                pass
        async with bob.join(game.invitation) as theirs:
            assert theirs.opponent == ann.id


async def test_a_game_has_no_board_before_it_has_begun(programs: Programs) -> None:
    ann = await programs.open("ann")
    async with ann.host("ourgame", ruleset=REVERSI) as game:
        with pytest.raises(LocalProtocolError, match="has not begun"):
            await game.play("d3")
    assert ann.unfinished() == ["ourgame"]


async def test_a_name_is_written_as_people_like_it(programs: Programs) -> None:
    ann, bob = [await programs.open(name) for name in ("ann", "bob")]
    async with ann.host("Our_Game", ruleset=REVERSI) as ours, bob.join("OUR_GAME") as theirs:
        await ours.begun()
        assert ours.name == theirs.name == "our-game"
    async with ann.resume("Our_Game") as again:
        assert again.id == ours.id


async def test_an_illegal_move_changes_nothing(programs: Programs) -> None:
    ann, bob = [await programs.open(name) for name in ("ann", "bob")]
    async with ann.host("ourgame", ruleset=REVERSI) as ours, bob.join("ourgame") as theirs:
        await ours.begun()
        with pytest.raises(IllegalMoveError):
            await ours.play("a1")
        with pytest.raises(TypeError, match="None is not a move"):
            await ours.play(cast("str", None))
        # Not their turn, whatever the move would be on the board.
        for text in ("d3", "a1"):
            with pytest.raises(LocalProtocolError, match="It is your opponent's turn"):
                await theirs.play(text)
        assert not ours.moves
        await ours.play("d3")
        assert [move.text for move in ours.moves] == ["d3"]


@pytest.mark.gate
async def test_players_talk_and_agree_on_a_takeback(programs: Programs) -> None:
    ann, bob = [await programs.open(name) for name in ("ann", "bob")]
    async with ann.host("ourgame", ruleset=REVERSI) as ours, bob.join("ourgame") as theirs:
        await ours.begun()
        await ours.play("d3")
        await ours.say("Sorry, a slip.")
        assert await next_of(theirs, Said) == Said(Side.FIRST, "Sorry, a slip.")
        await ours.ask_takeback()
        assert await next_of(theirs, Asked) == Asked(Side.FIRST, "takeback")
        await theirs.agree()
        taken = await next_of(ours, TakenBack)
        assert isinstance(taken, TakenBack)
        assert taken.agreed
        turn = await next_of(ours, YourTurn)
        assert turn == YourTurn(Position.start(REVERSI), 1)


async def test_a_draw_is_offered_refused_and_then_agreed(programs: Programs) -> None:
    ann, bob = [await programs.open(name) for name in ("ann", "bob")]
    async with (
        ann.host("ourgame", ruleset="checkers/acf") as ours,
        bob.join("ourgame") as theirs,
    ):
        await ours.begun()
        await ours.offer_draw()
        assert await next_of(theirs, DrawAsked) == DrawAsked(Side.FIRST)
        await theirs.answer_draw(accept=False)
        assert await next_of(ours, DrawRefused) == DrawRefused(Side.SECOND)
        await ours.play(ours.position.legal_moves[0])
        await next_of(theirs, YourTurn)
        await theirs.offer_draw()
        async for _ in ours.my_turns(accepts_draw=lambda position: True):
            raise AssertionError("the draw was agreed")
        await next_of(theirs, Over)
    assert ours.outcome is not None
    assert ours.outcome.termination == "draw-agreed"
    assert ours.signed_record == theirs.signed_record


async def test_a_turn_that_is_let_pass_comes_once_and_resigning_ends_it(programs: Programs) -> None:
    ann, bob = [await programs.open(name) for name in ("ann", "bob")]
    async with ann.host("ourgame", ruleset=REVERSI) as ours, bob.join("ourgame") as theirs:
        turns = 0
        async with asyncio.timeout(DEADLINE):
            async for event in ours.events():
                match event:
                    case YourTurn():
                        turns += 1
                        await theirs.say("Well?")
                    case Said():
                        await ours.resign()
                    case _:
                        pass
        assert turns == 1
        over = await next_of(theirs, Over)
    assert isinstance(over, Over)
    assert over.outcome.winner is Side.SECOND
    assert over.outcome.termination == "resignation"


async def test_whoever_wants_a_rematch_gets_one_with_colours_swapped(programs: Programs) -> None:
    ann, bob = [await programs.open(name) for name in ("ann", "bob")]
    async with ann.host("ourgame", ruleset=REVERSI) as ours, bob.join("ourgame") as theirs:
        await ours.begun()
        await ours.resign()
        await next_of(theirs, Over)
        first = ours.id
        wish = asyncio.create_task(ours.rematch())
        assert await next_of(theirs, RematchAsked) == RematchAsked()
        assert await theirs.rematch()
        assert await wish
        assert ours.id == theirs.id != first
        assert (ours.side, theirs.side) == (Side.SECOND, Side.FIRST)
        await asyncio.gather(play_first(ours), play_first(theirs))
    assert ours.signed_record == theirs.signed_record


async def test_a_wish_for_a_rematch_ends_when_the_opponent_leaves(programs: Programs) -> None:
    ann, bob = [await programs.open(name) for name in ("ann", "bob")]
    async with AsyncExitStack() as seats:
        ours = await seats.enter_async_context(ann.host("ourgame", ruleset=REVERSI))
        async with bob.join("ourgame") as theirs:
            await ours.begun()
            await ours.resign()
            await next_of(theirs, Over)
            wish = asyncio.create_task(theirs.rematch())
            await next_of(ours, Over)
            await next_of(ours, RematchAsked)
            await seats.aclose()
            assert not await wish
            assert not theirs.asks_rematch


async def test_a_spectator_stays_for_the_rematch_if_it_wants_to(programs: Programs) -> None:
    ann, bob, eve = [await programs.open(name) for name in ("ann", "bob", "eve")]

    async def look_on(game: WatchedGame) -> list[Outcome]:
        return [event.outcome async for event in game.events() if isinstance(event, Over)]

    async with ann.host("ourgame", ruleset=REVERSI) as ours, AsyncExitStack() as seats:
        theirs = await seats.enter_async_context(bob.join("ourgame"))
        await ours.begun()
        async with eve.watch("ourgame", rematches=True) as game:
            looking = asyncio.create_task(look_on(game))
            await ours.resign()
            await next_of(theirs, Over)
            wish = asyncio.create_task(ours.rematch())
            assert await theirs.rematch()
            assert await wish
            await theirs.resign()
            await next_of(ours, Over)
            await seats.aclose()
            first, second = await looking
    assert (first.winner, second.winner) == (Side.SECOND, Side.SECOND)
    assert game.players == {Side.FIRST: bob.id, Side.SECOND: ann.id}


async def test_no_rematch_follows_when_the_other_player_has_left(programs: Programs) -> None:
    ann, bob = [await programs.open(name) for name in ("ann", "bob")]
    async with ann.host("ourgame", ruleset=REVERSI) as ours:
        async with bob.join("ourgame") as theirs:
            await ours.begun()
            await ours.resign()
            await next_of(theirs, Over)
        await next_of(ours, Over)
        while "has left" not in str(await next_of(ours, Notice)):
            pass
        with pytest.raises(LocalProtocolError, match="has left"):
            await ours.rematch()


async def test_leaving_keeps_the_game_and_both_go_on_later(programs: Programs) -> None:
    async with AsyncExitStack() as stack:
        opened = Programs(stack, programs.folder, programs.broker)
        ann, bob = [await opened.open(name) for name in ("ann", "bob")]
        async with ann.host("ourgame", ruleset=REVERSI) as ours, bob.join("ourgame") as theirs:
            await ours.begun()
            await ours.play("d3")
            await next_of(theirs, YourTurn)
            with pytest.raises(NameInUse):
                async with ann.host("ourgame", ruleset=REVERSI):
                    pass
        assert ours.outcome is None
    ann, bob = [await programs.open(name) for name in ("ann", "bob")]
    assert ann.unfinished() == bob.unfinished() == ["ourgame"]
    async with ann.resume("ourgame") as ours, bob.resume("ourgame") as theirs:
        assert [move.text for move in ours.moves] == ["d3"]
        await asyncio.gather(play_first(ours), play_first(theirs))
    assert ours.signed_record == theirs.signed_record
    assert not ann.unfinished()
    with pytest.raises(GameError, match="No unfinished game"):
        async with ann.resume("ourgame"):
            pass


async def test_a_game_out_of_a_backup_goes_on_from_what_the_opponent_has(
    programs: Programs,
) -> None:
    home, file = Home(programs.folder / "ann"), programs.folder / "backup.tar.gz"
    async with AsyncExitStack() as stack:
        opened = Programs(stack, programs.folder, programs.broker)
        ann, bob = [await opened.open(name) for name in ("ann", "bob")]
        async with ann.host("ourgame", ruleset=REVERSI) as ours, bob.join("ourgame") as theirs:
            await ours.begun()
            await ours.play("d3")
            back_up(home, file)
            await next_of(theirs, YourTurn)
            await theirs.play(theirs.position.legal_moves[0])
            await next_of(ours, YourTurn)
            await ours.play(ours.position.legal_moves[0])
            await next_of(theirs, YourTurn)
    restore(home, file, force=True)
    ann, bob = [await programs.open(name) for name in ("ann", "bob")]
    async with bob.resume("ourgame") as theirs, ann.resume("ourgame") as ours:
        assert len(ours.moves) == 3
        await asyncio.gather(play_first(ours), play_first(theirs))
    assert ours.signed_record == theirs.signed_record
    assert verify_record(ours.signed_record).standing is Standing.AGREED


async def test_the_game_of_a_player_who_went_away_is_claimed(programs: Programs) -> None:
    ann, bob = [await programs.open(name) for name in ("ann", "bob")]
    async with asyncio.timeout(DEADLINE):
        async with ann.host("ourgame", ruleset=REVERSI, grace="1s") as ours:
            async with bob.join("ourgame"):
                pass
            await ours.begun()
            await play_first(ours)
    assert ours.outcome is not None
    assert (ours.outcome.termination, ours.outcome.winner) == ("abandoned", Side.FIRST)


async def test_an_error_of_the_program_leaves_the_game_and_comes_out_as_itself(
    programs: Programs,
) -> None:
    ann, bob = [await programs.open(name) for name in ("ann", "bob")]

    async def blunder() -> None:
        async with ann.host("ourgame", ruleset=REVERSI) as game:
            async for _ in game.my_turns():
                raise ZeroDivisionError

    async def sit() -> None:
        async with bob.join("ourgame", seconds=DEADLINE) as game:
            await next_of(game, YourTurn)

    other = asyncio.create_task(sit())
    with pytest.raises(ZeroDivisionError):
        await blunder()
    other.cancel()
    await asyncio.wait({other})
    assert ann.unfinished() == ["ourgame"]


async def test_the_record_goes_where_it_was_asked_for(programs: Programs) -> None:
    ann, bob = [await programs.open(name) for name in ("ann", "bob")]
    record, ggf = programs.folder / "game.json", programs.folder / "game.ggf"
    async with (
        ann.host("ourgame", ruleset=REVERSI, transcript=record) as ours,
        bob.join("ourgame", transcript=ggf) as theirs,
    ):
        await asyncio.gather(play_first(ours), play_first(theirs))
    assert record.read_bytes() == ours.signed_record
    assert ggf.read_text().startswith("(;GM[Othello]")


async def test_a_game_against_our_engine_needs_no_broker(tmp_path: Path) -> None:
    async with (
        open_node("mqtt://127.0.0.1:1", home=tmp_path / "ann") as node,
        node.play_engine(ruleset="checkers/acf", color="second", level=0, seed=7) as game,
    ):
        assert game.side is Side.SECOND
        turns = 0
        async for position in game.my_turns():
            await game.play(position.legal_moves[0])
            turns += 1
    assert game.outcome is not None
    assert turns == len(game.moves) // 2


async def test_errors_say_what_is_wrong(programs: Programs) -> None:
    ann = await programs.open("ann")
    with pytest.raises(NoSuchGame, match='No game "nowhere"') as raised:
        async with ann.watch("nowhere", seconds=0.2):
            pass
    assert f"See what there is: `ataxxd games --broker {ann.broker}`." in str(raised.value)
    with pytest.raises(UsageError, match="another broker"):
        async with ann.join("ourgame@mqtt://broker.example.org"):
            pass
    with pytest.raises(UsageError, match="is not a name for a game"):
        async with ann.host("Our Game!", ruleset=REVERSI):
            pass
    with pytest.raises(UsageError, match="clock"):
        async with ann.host("ourgame", ruleset=REVERSI, clock="soon"):
            pass


async def test_a_place_where_no_transcript_can_be_written_is_told_before_the_game(
    programs: Programs,
) -> None:
    ann = await programs.open("ann")
    nowhere = programs.folder / "nowhere" / "game.json"
    with pytest.raises(StorageError, match="nothing has been played"):
        async with ann.host("ourgame", ruleset=REVERSI, transcript=nowhere):
            pass
    assert not ann.unfinished()


async def test_after_the_end_a_move_is_too_late_whatever_it_is(tmp_path: Path) -> None:
    async with (
        open_node("mqtt://127.0.0.1:1", home=tmp_path / "ann") as node,
        node.play_engine(ruleset=REVERSI, level=0) as game,
    ):
        await game.resign()
        for move in ("d3", "a1", game.start.legal_moves[0]):
            with pytest.raises(LocalProtocolError, match="the game is over"):
                await game.play(move)


async def test_a_game_is_played_by_its_usual_rules(programs: Programs) -> None:
    ann, bob = await programs.open("ann"), await programs.open("bob")
    async with ann.play_engine(ruleset="loa", level=0) as game:
        assert game.position.ruleset == "loa/cs61b"
    async with (
        bob.challenges("bob", rulesets=["reversi"]),
        ann.host("ourgame", ruleset="reversi") as ours,
    ):
        [card] = await ann.players()
        assert card.rulesets == (REVERSI,)
        assert ours.offer.ruleset == REVERSI
    with pytest.raises(UnknownRulesetError, match="There is no ruleset 'othello'"):
        async with ann.host("ourgame", ruleset="othello"):
            pass


async def test_a_broker_that_is_not_there_is_told_at_once(tmp_path: Path) -> None:
    async with open_node("mqtt://127.0.0.1:1", home=tmp_path / "ann") as node:
        with pytest.raises(TransportError):
            async with node.host("ourgame", ruleset=REVERSI):
                pass
        assert not node.unfinished(), "nobody can have seen the offer"
        with pytest.raises(TransportError):
            await node.games()
