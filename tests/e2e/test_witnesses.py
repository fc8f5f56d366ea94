"""Witnesses of a game: named by its host, agreed to by its guest, and there when it is claimed."""

import asyncio
import json
import signal
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from ataxxd.errors import ExitCode
from ataxxd.session.state import Role
from ataxxd_protocol import SigningKey
from tests.brokers import Mosquitto
from tests.conformance.games import forge
from tests.conformance.scenarios import decision
from tests.e2e.nodes import Nodes, Running
from tests.e2e.rogues import Rogue, rogue_guest
from tests.faults import Direction, FaultProxy, Publish
from tests.time_limits import DEADLINE

GRACE_S = 12
UNANSWERED = f"No answer for {GRACE_S}s: wait, or win by typing claim."
BORNE_OUT = "Most of its witnesses heard the silence that was claimed: it counts as won by Red."
CONTRADICTED = (
    "It was claimed and the claim is contested. Most of its witnesses heard no such silence as was "
    "claimed: it counts as won by Red."
)
"""What people are told where the host, who plays Red, is right."""


@dataclass
class Court:
    """A host at a pipe, who plays Red, and three witnesses that watch from the beginning.

    Attributes:
        witnesses: they, watching.
        ids: their nodes' ids, as people write them.
    """

    nodes: Nodes
    witnesses: list[Running] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)

    async def opens(self) -> None:
        """The host offers the game, and the witnesses come."""
        homes = [self.nodes.node(f"witness{number}") for number in range(3)]
        for home in homes:
            self.ids.append((await home.run("id", "--short")).out.lines[0])
        named = [word for each in self.ids for word in ("--witness", each)]
        record = self.record("host")
        self.host = await self.nodes.node("host").host(
            "ourgame", *("--grace", f"{GRACE_S}s"), *named, "--transcript", record, typed=True
        )
        for number, home in enumerate(homes):
            path = self.record(f"witness{number}")
            watching = await home.start("watch", "ourgame", "--witness", "--transcript", path)
            await watching.says("You are a witness of this game")
            self.witnesses.append(watching)

    async def joined(self, broker: str | None = None) -> Running:
        """A guest at a pipe, who has answered late, and is on turn again.

        What came in the first ten seconds of its connection may be older than a witness knows.
        """
        guest = await self.nodes.node("guest", broker=broker).start(
            "join", "ourgame", "--transcript", self.record("guest"), typed=True
        )
        await guest.says("You have the seat")
        await self.host.type("a7-b6")
        await self.host.says(UNANSWERED)
        await guest.prints("* Red moves a7-b6.")
        await guest.type("a1-a2")
        await self.host.prints("* Blue moves a1-a2.")
        await self.host.type("b6-b5")
        await guest.prints("* Red moves b6-b5.")
        return guest

    async def is_claimed(self) -> None:
        """The host waits for as long as was agreed, and claims."""
        await self.host.says_often(UNANSWERED, 2)
        await self.host.type("claim")
        await self.host.prints("* Red wins.")

    def record(self, name: str) -> Path:
        return self.nodes.folder / f"{name}.json"

    async def judge(self, *names: str) -> list[dict[str, object]]:
        """What `verify` says of the records, each of which has a word of each witness."""
        anybody = self.nodes.node("anybody")
        verdicts = []
        for name in names:
            judged = await anybody.run("verify", self.record(name), "--json")
            verdict = json.loads(judged.out.lines[0])
            said = {each["witness"] for each in verdict["statements"]}
            assert said == {each.replace("-", "") for each in self.ids}
            verdicts.append(verdict)
        return verdicts

    async def rate(self, names: Sequence[str]) -> list[tuple[int, int]]:
        """Of the better and the worse player, how many games are won and lost."""
        files = [self.record(name) for name in names]
        rated = await self.nodes.node("anybody").run("ratings", *files, "--json")
        *rows, _ = map(json.loads, rated.out.lines)
        return [(row["won"], row["lost"]) for row in rows]


async def test_a_claim_from_a_guest_that_died_counts_by_what_witnesses_have_heard(
    nodes: Nodes,
) -> None:
    court = Court(nodes)
    await court.opens()
    stranger = nodes.node("stranger")
    refused = await stranger.run("watch", "ourgame", "--witness", code=ExitCode.USAGE)
    assert "does not name this node as a witness" in str(refused.err)
    guest = await court.joined()
    assert f"witnesses of claims: {', '.join(court.ids)}" in str(guest.err)
    await guest.kill()
    await court.is_claimed()
    for each in court.witnesses:
        await each.says("[You have signed that Blue was silent for 1")
    await court.host.ends()
    await court.host.says("Your opponent has not confirmed the result")
    await court.host.says(BORNE_OUT)
    [verdict] = await court.judge("host")
    told = (verdict["termination"], verdict["standing"], verdict["counts"])
    assert told == ("abandoned", "unconfirmed", "1-0")
    assert await court.rate(["host"]) == [(1, 0), (0, 1)]
    # It comes back, and agrees.
    late = await nodes.node("guest").start("resume", typed=True)
    again = await nodes.node("host").start("resume", typed=True)
    for each in (late, again, *court.witnesses):
        await each.says(f"Both players have signed this result. {BORNE_OUT}")
        await each.ends()


async def test_a_move_that_comes_after_the_grace_and_crosses_the_claim_does_not_count(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    moved = asyncio.Event()

    def late(message: Publish, direction: Direction) -> list[tuple[float, Publish]]:
        # The guest moves before it hears of the claim, from the host's mailbox or its state.
        claims = b'"claim":{' in message.payload
        if direction is Direction.TO_CLIENT and claims and not moved.is_set():
            return []
        if b'"move":"a3"' in message.payload and direction is Direction.TO_BROKER:
            moved.set()
        return [(0, message)]

    async with FaultProxy(mosquitto.port) as proxy:
        proxy.fault = late
        nodes = Nodes(tmp_path, mosquitto.url)
        court = Court(nodes)
        names = ["host", "guest", "witness0", "witness1", "witness2"]
        try:
            await court.opens()
            guest = await court.joined(proxy.url)
            guest.send(signal.SIGSTOP)
            await court.is_claimed()
            guest.send(signal.SIGCONT)
            await guest.type("a2-a3")
            async with asyncio.timeout(DEADLINE):
                await moved.wait()
            await guest.prints("* Red wins.")
            for each in (court.host, guest, *court.witnesses):
                await each.says(BORNE_OUT)
                await each.ends()
            verdicts = await court.judge(*names)
            rated = [await court.rate(some) for some in (names, names[:1], names[1:2])]
        finally:
            await nodes.close()
    assert {each["standing"] for each in verdicts} == {"agreed"}
    assert {each["counts"] for each in verdicts} == {"1-0"}
    assert rated == [[(1, 0), (0, 1)]] * 3


async def late_move_and_claim(host: Running, rogue: Rogue) -> None:
    """The guest moves when the grace is over, and claims at once as if it had long ago."""
    ledger = rogue.session.ledger
    await rogue.until(lambda: bool(ledger.log(Role.HOST)))
    await host.type("a7-b6")
    await rogue.until(lambda: rogue.on_turn)
    await host.says(UNANSWERED)
    await rogue.move()
    lie = forge(decision(ledger, Role.GUEST, "silence", GRACE_S * 1000), rogue.key)
    ledger.accept(Role.GUEST, lie)
    await rogue.publish(lie)
    await rogue.until(lambda: len(ledger.log(Role.HOST)) > 2)


async def test_a_claim_right_after_a_late_move_is_lost_before_witnesses(
    nodes: Nodes, mosquitto: Mosquitto
) -> None:
    court = Court(nodes)
    names = ["host", "witness0", "witness1", "witness2"]
    await court.opens()
    async with asyncio.timeout(2 * DEADLINE), rogue_guest(mosquitto.url) as rogue:
        await late_move_and_claim(court.host, rogue)
    for each in (court.host, *court.witnesses):
        await each.says(CONTRADICTED)
        await each.ends()
    for verdict in await court.judge(*names):
        assert (verdict["score"], verdict["counts"]) == ("0-1", "1-0")
        assert verdict["standing"] == "contested"
    assert await court.rate(names) == [(1, 0), (0, 1)]


async def test_a_challenge_to_a_person_has_the_usual_witnesses_and_one_to_a_bot_has_none(
    nodes: Nodes,
) -> None:
    shown = (await nodes.node("witness").run("id", "--short")).out.lines[0]
    bob, ann, bot = (nodes.node(name) for name in ("bob", "ann", "bot"))
    usual = ("env", f"ATAXXD_WITNESSES={shown}")
    terms, auto = f"witnesses of claims: {shown}", ("--auto", "--level", "1")
    whom = (await ann.run("id", "--short")).out.lines[0]
    challenging = await bob.start("challenge", whom, "--name", "a-duel", *auto, prefix=usual)
    await challenging.says(terms)
    joined = await ann.run("join", "a-duel", *auto)
    assert terms in str(joined.err)
    await challenging.ends()

    config = nodes.folder / "bot.toml"
    config.write_text(
        '[node]\nname = "rob"\n\n[[bots]]\ngroup = "bots"\nrulesets = ["ataxx/uai"]\nlevel = 1\n'
    )
    serving = await bot.start("serve", "--config", config)
    await serving.says("serving:")
    game = ("--ruleset", "ataxx/uai", *auto)
    challenging = await bob.start("challenge", "rob", *game, prefix=usual)
    await challenging.ends()
    assert "witnesses of claims" not in str(challenging.err)


async def test_a_challenge_and_a_table_name_witnesses(nodes: Nodes) -> None:
    witness, ann, bob = nodes.node("witness"), nodes.node("ann"), nodes.node("bob")
    shown = (await witness.run("id", "--short")).out.lines[0]
    terms = f"witnesses of claims: {shown}"
    auto = ("--auto", "--level", "1")
    whom = (await ann.run("id", "--short")).out.lines[0]
    refused = await bob.run("challenge", whom, "--witness", whom, code=ExitCode.USAGE)
    assert "so it cannot be a witness" in str(refused.err)
    challenging = await bob.start("challenge", whom, "--name", "a-duel", *auto, "--witness", shown)
    await challenging.says(terms)
    heard = await ann.run("challenges", "--first")
    assert terms in str(heard.out)
    watching = await witness.start("watch", "a-duel", "--witness")
    await watching.says("You are a witness of this game")
    await ann.run("join", "a-duel", *auto)
    for each in (challenging, watching):
        await each.ends()

    table = f'[[tables]]\nname = "club"\nruleset = "ataxx/uai"\nwitnesses = ["{shown}"]\n'
    config = nodes.folder / "club.toml"
    config.write_text(table)
    serving = await nodes.node("club").start("serve", "--config", config)
    await serving.says("serving:")
    watching = await witness.start("watch", "club", "--witness")
    await watching.says("You are a witness of this game")
    joined = await ann.run("join", "club", *auto)
    assert terms in str(joined.err)
    await watching.ends()


async def test_a_host_is_no_witness_of_its_own_game(nodes: Nodes) -> None:
    host = nodes.node("host")
    shown = (await host.run("id", "--short")).out.lines[0]
    refused = await host.run("host", "ourgame", "--witness", shown, code=ExitCode.USAGE)
    assert "The host of a game cannot be a witness of it." in str(refused.err)
    table = f'[[tables]]\nname = "club"\nruleset = "ataxx/uai"\nwitnesses = ["{shown}"]\n'
    config = nodes.folder / "club.toml"
    config.write_text(table)
    serving = await host.start("serve", "--config", config)
    await serving.says("table club: The host of a game cannot be a witness of it.")


@pytest.mark.parametrize(
    ("named", "why"),
    [
        (["nobody"], "is not a node id"),
        (["a" * 20, "a" * 20], "named twice"),
        ([f"{'a' * 19}{end}" for end in "234567ab"], "7 witnesses at most"),
    ],
)
async def test_what_names_no_witnesses_is_refused(nodes: Nodes, named: list[str], why: str) -> None:
    options = [word for each in named for word in ("--witness", each)]
    refused = await nodes.node("host").run("host", "ourgame", *options, code=ExitCode.USAGE)
    assert why in str(refused.err)


@pytest.mark.gate
async def test_a_clubs_node_witnesses_the_games_of_its_members_and_only_those_are_rated(
    nodes: Nodes, mosquitto: Mosquitto
) -> None:
    club, host, reader = nodes.node("club"), nodes.node("host"), nodes.node("reader")
    key = SigningKey(b"\x07" * 32)
    ids = [(await each.run("id", "--short")).out.lines[0] for each in (club, host)]
    await club.run("club", "admit", ids[1], key.node)
    config = nodes.folder / "club.toml"
    config.write_text('[club]\nrated = "14d"\n')
    serving = await club.start("serve", "--config", config)
    await serving.says("serving:")

    # What a person has in their profile.
    prefix = ("env", f"ATAXXD_WITNESSES={ids[0]}")
    witnessed = await host.host("ourgame", "--grace", f"{GRACE_S}s", typed=True, prefix=prefix)
    await serving.says("ourgame: we are a witness of this game")
    async with asyncio.timeout(2 * DEADLINE), rogue_guest(mosquitto.url, "ourgame", key) as rogue:
        await late_move_and_claim(witnessed, rogue)
    await witnessed.says(CONTRADICTED)
    await witnessed.ends()
    await serving.says("ourgame: rated, against")
    await serving.says("ourgame: over, and witnessed")
    alone = await host.host("another", typed=True)
    async with asyncio.timeout(DEADLINE), rogue_guest(mosquitto.url, "another", key) as rogue:
        await alone.type("resign")
        await rogue.until(lambda: len(rogue.session.ledger.log(Role.HOST)) > 2)
        await alone.ends()
    serving.send(signal.SIGTERM)
    await serving.ends()

    log = nodes.folder / "log.jsonl"
    shown = await club.run("club", "show", "--json", "--save", log)
    (game,) = json.loads(shown.out.lines[0])["games"]
    told = (game["name"], game["guest"], game["witnesses"], len(game["records"]))
    assert told == ("ourgame", key.node, [ids[0].replace("-", "")], 1)
    theirs = nodes.folder / "theirs"
    await host.run("archive", "--export", theirs)
    rated = await reader.run("ratings", "--log", log, club.home / "club" / "records", theirs)
    await rated.says("the club has not announced it")
    assert rated.out.lines[-1].startswith("1 game, 1 with witnesses, digest ")
    table = await reader.run("ratings", "--log", log, club.home / "club" / "records", "--json")
    *rows, total = map(json.loads, table.out.lines)
    assert total["witnessed"] == 1
    assert {(row["node"], row["won"], row["lost"]) for row in rows} == {
        (ids[1].replace("-", ""), 1, 0),
        (key.node, 0, 1),
    }
