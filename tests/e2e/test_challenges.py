"""Challenges between real programs: taken, declined, expired; players, and a group's analysis."""

import itertools
import json
import secrets
import shlex
import signal
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from ataxxd.client import NetworkGame, open_node
from ataxxd.errors import ExitCode
from ataxxd.node.home import load_identity
from ataxxd.node.messaging.calls import Analysts, Membership
from ataxxd.node.messaging.letters import BUSY, Refusal
from ataxxd.rules import Engine, Position, SearchResult
from ataxxd.session.record import Standing, verify_record
from ataxxd.transport.mqtt import MqttTransport
from ataxxd_protocol import encode
from tests.brokers import BrokerProcess
from tests.conformance.games import HOST_KEY, RULESET, SHORT_ENDGAME
from tests.conformance.letters import make_challenge
from tests.e2e.bots import a_bot
from tests.e2e.nodes import Nodes, Running
from tests.e2e.recording import retained
from tests.messaging import TOPICS, open_messenger, until
from tests.other_brokers import RETAINED_BY_WILDCARD, gap

SHORT = ("--auto", "--level", "1", "--position", SHORT_ENDGAME)


@pytest.mark.gate("nats")
async def test_a_challenge_is_heard_and_taken_on_every_broker(everywhere: Nodes) -> None:
    ann, bob = everywhere.node("ann"), everywhere.node("bob")
    listening = await ann.start("challenges", "--name", "ann", "--first", "--json")
    await listening.says("Waiting for challenges")
    challenging = await bob.start(
        "challenge", "ann", "--name", "a-duel", "--say", "Auf ein gutes Spiel!", *SHORT
    )
    await listening.ends()
    heard = json.loads(listening.out.lines[0])
    assert (heard["name"], heard["text"]) == ("a-duel", "Auf ein gutes Spiel!")
    joining = await ann.start("join", heard["join"], "--auto", "--level", "1")
    await joining.ends()
    await challenging.ends()
    assert "Both players have signed this result." in str(challenging.err)


async def play_once(game: NetworkGame) -> int:
    """Play the first legal move when it is our turn; how many were played before the game ended."""
    async for position in game.my_turns():
        await game.play(position.legal_moves[0])
        return 1
    return 0


@pytest.mark.requirement("MP-AWAY-1", "MP-AWAY-2", "MP-AWAY-3", "MP-POST-6")
@pytest.mark.gate("nats")
async def test_a_game_is_played_by_people_who_are_never_there_together(
    everywhere: Nodes, broker: BrokerProcess, tmp_path: Path
) -> None:
    if why := gap(broker, RETAINED_BY_WILDCARD):
        pytest.skip(why)
    assert everywhere.broker is not None
    ann, bob = everywhere.node("ann"), everywhere.node("bob")
    name = f"slow-{secrets.token_hex(4)}"
    node = (await ann.run("id")).out.lines[0].split()[0]
    terms = ("--name", name, "--position", SHORT_ENDGAME, "--say", "A move a day?")
    await bob.run("challenge", node, "--leave", "7d", *terms)
    heard = json.loads((await ann.run("challenges", "--first", "--json")).out.lines[0])
    assert (heard["name"], heard["text"]) == (name, "A move a day?")
    joining = await ann.start("join", heard["join"])
    await joining.says("The host is away")
    joining.send(signal.SIGINT)
    await joining.ends(ExitCode.INTERRUPTED)
    assert f"ataxxd resume {name}" in str(joining.err)
    moved = 0
    for home in itertools.cycle((bob.home, ann.home)):
        async with open_node(everywhere.broker, home=home) as here:
            if name not in here.unfinished():
                break
            async with here.resume(name) as game:
                if game.outcome is None:
                    moved += await play_once(game)
    assert moved == 5
    records = list[bytes]()
    for who in (ann, bob):
        await who.run("archive", name, "--export", tmp_path / f"games of {who.home.name}")
        records += [
            each.read_bytes() for each in (tmp_path / f"games of {who.home.name}").iterdir()
        ]
    first, second = records
    assert first == second
    assert verify_record(first).standing is Standing.AGREED
    topics = [*await retained(everywhere.broker)]
    assert not [topic for topic in topics if f"/{name}/" in topic and topic.endswith("/unread")]
    assert not [topic for topic in topics if topic.endswith(f"/challenge/{node.replace('-', '')}")]


async def test_whoever_has_both_signatures_is_told_what_is_still_missing(nodes: Nodes) -> None:
    ann, bob = nodes.node("ann"), nodes.node("bob")
    node = (await ann.run("id", "--short")).out.lines[0]
    terms = ("--leave", "7d", "--name", "slow", "--color", "first")
    await bob.run("challenge", node, *terms)
    joining = await ann.start("join", "slow")
    await joining.says("The host is away")
    joining.send(signal.SIGINT)
    await joining.ends(ExitCode.INTERRUPTED)
    for who, ends in ((bob, False), (ann, True)):
        async with open_node(nodes.broker, home=who.home) as here, here.resume("slow") as game:
            await (game.resign() if ends else game.play(game.position.legal_moves[0]))
    signing = await bob.run("resume", "slow")
    await signing.says("Your opponent has not confirmed the result. To send it again later:")
    signed = await ann.run("resume", "slow")
    await signed.says("Red wins: Blue resigned. Both players have signed this result.")
    await signed.says("Your opponent has not confirmed that they have your signature.")
    assert "slow  over, signed by both" in str((await ann.run("games", "--mine")).out)
    again = await ann.run("resume", "slow")
    await again.says(", and both players have signed the result; your opponent has not confirmed ")
    last = await bob.run("resume", "slow")
    await last.says("Red wins: Blue resigned. Both players have signed this result.")
    assert "has not confirmed" not in str(last.err)


async def left_with(broker: str, node: str) -> set[str]:
    """What lies at the broker of challenges to a node, or by it."""
    parts = [topic.split("/") for topic in await retained(broker) if node in topic]
    return {kind for kind in ("challenge", "decline") if any(kind in each for each in parts)}


@pytest.mark.requirement("MP-POST-7")
async def test_a_decline_of_a_challenge_that_was_left_is_found_by_who_left_it(
    everywhere: Nodes, broker: BrokerProcess
) -> None:
    if why := gap(broker, RETAINED_BY_WILDCARD):
        pytest.skip(why)
    assert everywhere.broker is not None
    ann, bob = everywhere.node("ann"), everywhere.node("bob")
    name = f"slow-{secrets.token_hex(4)}"
    node = (await ann.run("id")).out.lines[0].split()[0]
    await bob.run("challenge", node, "--leave", "7d", "--name", name, "--position", SHORT_ENDGAME)
    heard = json.loads((await ann.run("challenges", "--first", "--json")).out.lines[0])
    await ann.run("challenges", "--decline", heard["id"], "--say", "Morgen wieder!")
    again = await ann.run("challenges", "--wait", "1")
    assert name not in str(again.out), "it is not asked of her again"
    # For so long that it would fail the test to wait for silence.
    twice = ("challenges", "--decline", heard["id"], "--wait", "3600")
    declining = await ann.run(*twice, code=ExitCode.NO_SUCH_GAME)
    assert "You have already declined the challenge" in str(declining.err)

    assert f"{name}  declined  " in str((await bob.run("games", "--mine")).out)
    told = await bob.run("resume", name, code=ExitCode.OPPONENT_GONE)
    assert 'does not want this game. "Morgen wieder!"' in str(told.err)
    await (await bob.run("resume", name, code=ExitCode.NO_SUCH_GAME)).says("No unfinished game")
    key = load_identity(ann.home / "identity.key")
    assert await left_with(everywhere.broker, key.node) == {"decline"}
    async with open_messenger(everywhere.broker, key) as here:
        await here.read_retained_challenges()
        await here.clear_old_declines()
        await here.drain()
    assert not await left_with(everywhere.broker, key.node)


@pytest.mark.gate
async def test_whose_turn_it_is_in_games_that_wait_is_listed_also_after_a_move_made_in_haste(
    nodes: Nodes,
) -> None:
    assert nodes.broker is not None
    ann, bob = nodes.node("ann"), nodes.node("bob")
    node = (await ann.run("id", "--short")).out.lines[0]
    at = ("--broker", nodes.broker)
    await bob.run("challenge", node, "--leave", "7d", "--name", "slow", "--color", "first")
    joining = await ann.start("join", "slow")
    await joining.says("The host is away")
    joining.send(signal.SIGINT)
    await joining.ends(ExitCode.INTERRUPTED)
    assert "slow  your turn  " in str((await bob.run("games", "--mine", *at)).out)
    async with open_node(nodes.broker, home=bob.home) as here, here.resume("slow"):
        pass
    # On both ends there is a board now.
    async with open_node(nodes.broker, home=ann.home) as here, here.resume("slow"):
        pass
    listed = json.loads((await ann.run("games", "--mine", "--json")).out.lines[0])
    assert (listed["state"], listed["plies"], listed["your_turn"]) == ("playing", 0, False)
    # Before there is a connection, and gone at once.
    async with open_node(nodes.broker, home=bob.home) as here, here.resume("slow") as game:
        await game.play(game.position.legal_moves[0])
    assert "slow  their turn  " in str((await bob.run("games", "--mine")).out)
    listed = json.loads((await ann.run("games", "--mine", "--json")).out.lines[0])
    assert (listed["state"], listed["plies"], listed["your_turn"]) == ("playing", 1, True)
    assert listed["opponent"] == (await bob.run("id", "--short")).out.lines[0].replace("-", "")


async def unread_messages(nodes: Nodes) -> list[str]:
    assert nodes.broker is not None
    return [topic for topic in await retained(nodes.broker) if topic.endswith("/unread")]


async def test_whoever_took_a_challenge_that_another_game_has_replaced_is_told_so(
    nodes: Nodes,
) -> None:
    ann, bob = nodes.node("ann"), nodes.node("bob")
    node = (await ann.run("id", "--short")).out.lines[0]
    await bob.run("challenge", node, "--leave", "7d", "--name", "slow")
    joining = await ann.start("join", "slow")
    await joining.says("The host is away")
    joining.send(signal.SIGINT)
    await joining.ends(ExitCode.INTERRUPTED)
    assert await unread_messages(nodes)
    joining = await ann.start("resume", "slow")
    await joining.says("The host is away")
    hosting = await bob.start("host", "slow", "--new")
    told = await joining.says('The challenge to "slow" is no longer open')
    take = f"ataxxd join slow --home {nodes.node('ann').home}"
    assert told.endswith(f"Look at it: `ataxxd games`. Take it: {take}")
    await joining.ends(ExitCode.NO_SUCH_GAME)
    # There is nothing to resume, and no join that nobody will read.
    assert not await unread_messages(nodes)
    await ann.run("resume", "slow", code=ExitCode.NO_SUCH_GAME)
    again = await ann.start("join", "slow")
    await hosting.says("has joined")
    await again.says("You have the seat")


async def test_a_second_challenge_is_not_left_over_the_first_nor_lost_with_it(
    nodes: Nodes,
) -> None:
    assert nodes.broker is not None
    ann, bob = nodes.node("ann"), nodes.node("bob")
    node = (await ann.run("id", "--short")).out.lines[0]
    second = ("challenge", node, "--leave", "7d", "--name", "second")
    await bob.run("challenge", node, "--leave", "7d", "--name", "slow", "--color", "first")
    refused = await bob.run(*second, code=ExitCode.NAME_IN_USE)
    assert f"`ataxxd resume slow --home {bob.home}`" in str(refused.err)
    resuming = await bob.start("resume", "slow")
    await resuming.says(f"Waiting for unnamed ({node[:9]}), for whom the seat is kept")
    resuming.send(signal.SIGINT)
    await resuming.ends(ExitCode.INTERRUPTED)
    joining = await ann.start("join", "slow")
    await joining.says("The host is away")
    joining.send(signal.SIGINT)
    await joining.ends(ExitCode.INTERRUPTED)
    async with open_node(nodes.broker, home=bob.home) as here, here.resume("slow"):
        pass
    # She has taken the first, so the second may be left; and a move in the first leaves it there.
    await bob.run(*second)
    async with open_node(nodes.broker, home=bob.home) as here, here.resume("slow") as game:
        await game.play(game.position.legal_moves[0])
    heard = json.loads((await ann.run("challenges", "--first", "--json")).out.lines[0])
    assert heard["name"] == "second"


def offered_id(running: Running) -> str:
    """The id of the challenge, in the command that declines it."""
    [line] = [line for line in running.out.lines if "--decline" in line]
    decline, named = line.split("--decline ")[1].split(" ", 1)
    assert "--home " in named
    return decline


async def test_a_challenge_that_was_left_and_taken_is_not_asked_again(nodes: Nodes) -> None:
    ann, bob = nodes.node("ann"), nodes.node("bob")
    node = (await ann.run("id", "--short")).out.lines[0]
    await bob.run("challenge", node, "--leave", "7d", "--name", "slow")
    assert nodes.broker is not None
    broker = nodes.broker.replace("127.0.0.1", "localhost")
    heard = await ann.run("challenges", "--first", "--broker", broker)
    shown = next(line for line in heard.out.lines if "Open until: " in line).split(": ")[1]
    left = datetime.strptime(shown, "%Y-%m-%d %H:%M").astimezone() - datetime.now().astimezone()
    assert timedelta(days=6) < left < timedelta(days=7)
    decline = offered_id(heard)
    [take] = [line for line in heard.out.lines if "Take it: " in line]
    assert take.endswith(f" --broker {broker} --home {ann.home}")
    joining = await ann.start(*take.split()[3:])
    await joining.says("The host is away")
    joining.send(signal.SIGINT)
    await joining.ends(ExitCode.INTERRUPTED)

    again = await ann.run("challenges", "--wait", "1")
    assert "Take it" not in str(again.out)
    goes_on = f"continue with: ataxxd resume slow --home {ann.home}"
    assert f'You have taken the challenge to "slow"; {goes_on}' in str(again.err)
    [row] = (await ann.run("challenges", "--wait", "1", "--json")).out.lines
    assert json.loads(row)["name"] == "slow"
    assert json.loads(row)["taken"] is True
    declining = await ann.run("challenges", "--decline", decline, code=ExitCode.NAME_IN_USE)
    assert f"You have taken this challenge; {goes_on}" in str(declining.err)
    resuming = await bob.start("resume", "slow")
    await resuming.says("has joined")


@pytest.mark.parametrize("left", [(), ("--leave", "7d")], ids=["there", "left"])
async def test_whoever_listens_is_told_that_a_challenge_is_no_longer_open(
    nodes: Nodes, left: tuple[str, ...]
) -> None:
    ann, bob = nodes.node("ann"), nodes.node("bob")
    node = (await ann.run("id", "--short")).out.lines[0]
    listening = await ann.start("challenges")
    await listening.says("Waiting for challenges")
    challenging = await bob.start("challenge", node, "--name", "a-duel", *left)
    await listening.prints("  Decline it: ")
    if left:
        await challenging.ends()
        await bob.run("host", "a-duel", "--new", "--expires", "1s", code=ExitCode.OPPONENT_GONE)
    else:
        challenging.send(signal.SIGINT)
        await challenging.ends(ExitCode.INTERRUPTED)
    await listening.says('to "a-duel" is no longer open.')
    listening.send(signal.SIGINT)
    await listening.ends(ExitCode.INTERRUPTED)


async def test_a_challenge_to_decline_is_listened_for_no_longer_than_it_takes(
    nodes: Nodes,
) -> None:
    declining = await nodes.node("ann").start("challenges", "--decline", "0123af")
    await declining.says("for up to 8 s; an open one is repeated every 5 s")
    declining.send(signal.SIGINT)
    await declining.ends(ExitCode.INTERRUPTED)


async def test_a_challenge_that_was_left_and_has_expired_is_not_waited_for_to_be_declined(
    nodes: Nodes,
) -> None:
    ann, bob = nodes.node("ann"), nodes.node("bob")
    node = (await ann.run("id", "--short")).out.lines[0]
    await bob.run("challenge", node, "--leave", "1d", "--name", "slow")
    decline = offered_id(await ann.run("challenges", "--first"))
    nodes.day = 2
    late = ("challenges", "--decline", decline, "--wait", "3600")
    declining = await ann.run(*late, code=ExitCode.NO_SUCH_GAME)
    assert f'The challenge "{decline}" expired 1d ago.' in str(declining.err)


async def test_a_challenge_that_a_person_declines_ends_with_the_reason(nodes: Nodes) -> None:
    ann, bob = nodes.node("ann"), nodes.node("bob")
    node = (await ann.run("id")).out.lines[0].replace("-", "").split()[0]
    challenging = await bob.start("challenge", node, "--name", "a-duel", *SHORT)
    await challenging.says("Challenging")
    assert "is kept for" not in await challenging.says("Terms: ")
    listening = await ann.run("challenges", "--first")
    assert "the seat is kept for you." in str(listening.out)
    decline = offered_id(listening)
    await ann.run("challenges", "--decline", decline, "--say", "Morgen wieder!")
    await challenging.ends(ExitCode.OPPONENT_GONE)
    assert "declines" in str(challenging.err)
    assert "Morgen wieder!" in str(challenging.err)
    assert "resume" not in str(challenging.err)
    # Nothing is left of it, here or at the broker.
    assert nodes.broker is not None
    assert await retained(nodes.broker) == {}
    await bob.run("resume", "a-duel", code=ExitCode.NO_SUCH_GAME)


async def test_a_challenge_that_nobody_answers_expires(nodes: Nodes) -> None:
    challenging = await nodes.node("bob").start(
        "challenge", "a" * 20, "--expires", "1s", "--name", "a-duel", *SHORT
    )
    await challenging.ends(ExitCode.OPPONENT_GONE)
    assert "did not come within 1s" in str(challenging.err)
    assert "--expires" in str(challenging.err)


async def test_a_challenge_to_somebody_who_has_gone_can_be_left_as_the_program_says(
    nodes: Nodes,
) -> None:
    ann, bob = nodes.node("ann"), nodes.node("bob")
    listening = await ann.start("challenges", "--name", "ann")
    await listening.says("Waiting for challenges")
    challenging = await bob.start("challenge", "ann", "--expires", "1s", *SHORT)
    await challenging.says("Challenging ann")
    listening.send(signal.SIGINT)
    await listening.ends(ExitCode.INTERRUPTED)
    await challenging.ends(ExitCode.OPPONENT_GONE)
    told = await challenging.says("did not come within 1s")
    ataxxd, *command = shlex.split(told.split("and go: ")[1])
    assert ataxxd == "ataxxd"
    left = await bob.run(*command)
    assert "is left for" in str(left.err)


async def test_whoever_was_challenged_by_the_id_is_known_by_the_nickname_from_then_on(
    nodes: Nodes,
) -> None:
    ann, bob = nodes.node("ann"), nodes.node("bob")
    node = (await ann.run("id", "--short")).out.lines[0]
    await ann.run("id", "--name", "anna")
    listening = await ann.start("challenges", "--first")
    await listening.says("Waiting for challenges")
    challenging = await bob.start("challenge", node, *SHORT)
    await listening.ends()
    await ann.run("challenges", "--decline", offered_id(listening))
    await challenging.ends(ExitCode.OPPONENT_GONE)
    left = await bob.run("challenge", "anna", "--leave", "7d")
    assert f"is left for anna ({node})" in str(left.err)


async def test_a_challenge_that_was_left_and_expires_is_made_again_by_the_id_as_people_see_it(
    nodes: Nodes,
) -> None:
    bob = nodes.node("bob")
    await bob.run("challenge", "a" * 20, "--leave", "1s", "--name", "slow")
    resuming = await bob.run("resume", "slow", code=ExitCode.OPPONENT_GONE)
    again = "ataxxd challenge aaaa-aaaa-aaaa-aaaa-aaaa --leave TIME"
    assert f"Challenge them again: {again}" in str(resuming.err)


async def test_who_is_not_there_cannot_be_challenged(nodes: Nodes) -> None:
    challenging = await nodes.node("bob").run(
        "challenge", "nobody", *SHORT, code=ExitCode.NO_SUCH_GAME
    )
    assert "ataxxd players" in str(challenging.err)


async def test_a_bot_takes_a_challenge_and_shows_on_the_list_while_it_is_there(
    nodes: Nodes,
) -> None:
    assert nodes.broker is not None
    bob = nodes.node("bob")
    async with a_bot(nodes.broker, nodes.folder / "bot") as bot:
        listed = await bob.run("players", "--json")
        (row,) = [json.loads(line) for line in listed.out.lines]
        assert (row["name"], row["kind"], row["free"]) == ("testbot", "bot", 1)
        assert row["node"] == bot.messenger.key.node
        assert "testbot" in (await bob.run("players")).out.lines[0]
        challenging = await bob.start("challenge", "testbot", *SHORT)
        await challenging.ends()
        await until(lambda: len(bot.scores) == 1)
        await bot.messenger.card.withdraw()
    assert "No player" in str((await bob.run("players")).err)


async def test_a_group_of_bots_takes_a_challenge_once(nodes: Nodes) -> None:
    assert nodes.broker is not None
    bob = nodes.node("bob")
    async with (
        a_bot(nodes.broker, nodes.folder / "bot1", group="clubbots") as one,
        a_bot(nodes.broker, nodes.folder / "bot2", group="clubbots") as two,
    ):
        for count in (1, 2):
            challenging = await bob.start("challenge", "clubbots", *SHORT)
            await challenging.ends()
            await until(lambda: len(one.scores) + len(two.scores) == count)  # noqa: B023


async def test_a_bot_that_is_full_says_so(nodes: Nodes) -> None:
    assert nodes.broker is not None
    full = Refusal(BUSY, "1 game is under way, and no more than 1 at a time.")
    async with a_bot(nodes.broker, nodes.folder / "bot", judge=lambda _: full):
        challenging = await nodes.node("bob").run(
            "challenge", "testbot", *SHORT, code=ExitCode.OPPONENT_GONE
        )
    assert "declines: 1 game is under way, and no more than 1 at a time." in str(challenging.err)


async def test_a_position_is_analysed_here_and_over_a_group(nodes: Nodes) -> None:
    assert nodes.broker is not None
    bob = nodes.node("bob")
    position = Position.start(RULESET)
    options = ("--nodes", "20000", "--json")
    here = json.loads((await bob.run("analyse", position.text, *options)).out.lines[0])

    async def search(position: Position, nodes: int) -> SearchResult:
        return Engine().search(position, nodes=nodes)

    async with a_bot(nodes.broker, nodes.folder / "bot") as bot:
        group = Membership(bot.messenger, "analysts")
        await group.join()
        analysts = Analysts(bot.messenger, {"analysts": group}, search, max_nodes=1_000_000)
        asked = await bob.run("analyse", position.text, "--over", "analysts", *options)
        there = json.loads(asked.out.lines[0])
        assert there.pop("node") == bot.messenger.key.node
        assert there == here
        assert analysts.answered == 1
    nobody = await bob.run(
        "analyse", position.text, "--over", "analysts", "--wait", "0.5",
        code=ExitCode.OPPONENT_GONE,
    )  # fmt: skip
    assert 'Asking the group "analysts" for up to 0.5 s; Ctrl-C gives up.' in str(nobody.err)
    assert "Nobody of the group" in str(nobody.err)


async def test_a_listener_that_is_stopped_leaves_no_card(nodes: Nodes) -> None:
    assert nodes.broker is not None
    nameless = await nodes.node("cy").start("challenges")
    await nameless.says("With --name NAME, you are also on the list of players meanwhile.")
    await nameless.says("Answer one in another terminal, or here after Ctrl-C.")
    assert await retained(nodes.broker) == {}
    nameless.send(signal.SIGTERM)
    await nameless.ends(ExitCode.INTERRUPTED)
    listening = await nodes.node("ann").start("challenges", "--name", "ann")
    await listening.says("Answer one in another terminal, or here after Ctrl-C.")
    while not await retained(nodes.broker):
        pass  # asking takes its time
    listening.send(signal.SIGTERM)
    await listening.ends(ExitCode.INTERRUPTED)
    assert await retained(nodes.broker) == {}


async def test_a_listener_hears_none_of_ten_thousand_forged_challenges_and_then_a_true_one(
    nodes: Nodes,
) -> None:
    assert nodes.broker is not None
    ann, bob = nodes.node("ann"), nodes.node("bob")
    node = (await ann.run("id")).out.lines[0].replace("-", "").split()[0]
    listening = await ann.start("challenges", "--first", "--json")
    await listening.says("Waiting for challenges")
    payload = encode(make_challenge(to=node, expires_ms=2**52)).decode()
    async with MqttTransport(nodes.broker) as attacker:
        for number in range(10_000):
            name = f"{number:020d}".translate(str.maketrans("0123456789", "abcdefghij"))
            forged = payload.replace(HOST_KEY.node, name).encode()
            await attacker.publish(TOPICS.post(name, node), forged)
            if number % 500 == 499:
                await attacker.drain()
    challenging = await bob.start("challenge", node, "--name", "a-duel", *SHORT)
    await listening.ends()
    assert [json.loads(line)["name"] for line in listening.out.lines] == ["a-duel"]
    challenging.send(signal.SIGTERM)
    await challenging.ends(ExitCode.INTERRUPTED)
