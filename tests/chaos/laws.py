"""What must hold when a simulated game has ended, whatever happened to it.

The laws on single messages (stored before it is said; never said twice with another content;
no unbounded queue) are checked while the game runs, by `tests.chaos.players`.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from ataxxd.session.ledger import Ledger
from ataxxd.session.points import LOSS, count_points_of_all
from ataxxd.session.record import Standing, dump_record, standing_of, verify_record
from ataxxd.session.spectator import SpectatorSession
from ataxxd.session.state import Phase, Role
from ataxxd_protocol import MalformedMessage, decode, encode
from ataxxd_protocol.messages import LogMessage, Offer
from tests.chaos.cheats import A_DAY_MS, BESIDE_THE_GAME, Cheat
from tests.chaos.players import Node, Onlooker, Player
from tests.chaos.world import TOPICS, World

End = Callable[["Table"], bool]


class Table:
    """One honest player and whom it played.

    Attributes:
        player: the honest one.
        ledger: the game as it has it.
        host: who has the seat to give.
        guests: who want it.
        opponents: the host, or the guest who has the seat.
    """

    def __init__(
        self,
        world: World,
        player: Player,
        players: Sequence[Player],
        told: Iterable["Told"],
    ) -> None:
        self.player = player
        self.host, *self.guests = players
        self._world = world
        self.ledger = next((each.ledger for each in told if each.node is player), None)
        others = [self.host] if player.role is Role.GUEST else self.guests
        seats = set() if self.ledger is None else set(_seats(self.ledger).values())
        self.opponents = [each for each in others if each is self.host or each.key.node in seats]

    @property
    def cheated(self) -> bool:
        """Whether an opponent has broken the rules, or gone for ever."""
        return any(isinstance(each, Cheat) and each.cheated for each in self.opponents)

    @property
    def standing(self) -> Standing:
        """How far the game has come."""
        return Standing.UNFINISHED if self.ledger is None else standing_of(self.ledger)

    @property
    def nobody_came(self) -> bool:
        """Whether a host still waits for a guest, all of whom were told that the seat is taken."""
        waits = self.ledger is not None and self.ledger.phase is Phase.OPEN
        return waits and all(each.done or _misled(each, self.host) for each in self.guests)

    @property
    def seat_gone(self) -> bool:
        """Whether a guest found nobody to ask for the seat, and no state that tells of it."""
        gone = bool(self.host.done) and not _in_peace(self._world, self.host)
        return self.ledger is None and (gone or _misled(self.player, self.host))


PERMITTED_ENDS: dict[str, End] = {
    "claimed": lambda table: table.ledger is not None and table.ledger.claim is not None,
    "agreed": lambda table: table.standing is Standing.AGREED,
    "proved": lambda table: table.ledger is not None and table.ledger.fault is not None,
    "disputed": lambda table: table.standing is Standing.DISPUTED and table.cheated,
    "unconfirmed": lambda table: table.standing is Standing.UNCONFIRMED,
    "refused": lambda table: table.player.done == "refused",
    "opponent gone": lambda table: not table.player.done and table.cheated,
    "nobody came": lambda table: table.nobody_came,
    "seat gone": lambda table: not table.player.done and table.seat_gone,
}
"""The ways in which a game may end for an honest player; anything else is a hang."""


@dataclass(frozen=True)
class Told:
    """The game as one node tells it."""

    node: Node
    ledger: Ledger

    @property
    def name(self) -> str:
        """Who tells it."""
        return self.node.name


def judge(world: World, players: Sequence[Player], onlookers: Sequence[Onlooker]) -> list[str]:
    """Check all laws; breaches go to the world.

    Returns:
        How the game ended for each honest player.
    """
    told = [Told(node, ledger) for node in (*players, *onlookers) for ledger in node.ledgers()]
    cheats = [player for player in players if isinstance(player, Cheat)]
    honest = [player for player in players if not isinstance(player, Cheat)]
    for fault in world.loop.faults:
        world.breach(f"an error that nobody caught: {fault}")
    _blames_nobody_honest(world, told, honest)
    for cheat in cheats:
        _no_false_claim_pays(world, told, cheat)
    told = [each for each in told if each.node not in cheats and _in_the_game(each)]
    seen = [each for each in told if isinstance(each.node, Onlooker)]
    played = [each for each in told if each not in seen]
    deceived = any(cheat.deceives for cheat in cheats)
    # A claim, or one that is a breach itself, may cross another breach, or a move: who saw only one
    # of them has another reason for one result.
    crossed = cheats and any(each.ledger.decision is not None for each in told)
    # What names an older message is, to whoever has not heard the newest, written out of turn.
    early = any(cheat.kind == "wrong-seen" for cheat in cheats)
    _agree(world, played if deceived or crossed or early else told)
    if not deceived:
        final = [each for each in told if not _provisional(world, each)]
        _same_result(world, final, reasons=not crossed)
        _onlookers_saw_the_end(world, seen, players[0])
    for each in told:
        _verifies(world, each)
        _claims_say_what_was(world, each, honest)
        if world.peaceful:
            _cheats_are_caught(world, each, cheats)
        if each.ledger.disputed and not cheats:
            world.breach(f"{each.name} has a dispute between honest players")
    if players[0] in honest:
        _retained_tells_all(world, played, players[0])
    return [_end_of(world, Table(world, player, players, played)) for player in honest]


def _end_of(world: World, table: Table) -> str:
    for name, permitted in PERMITTED_ENDS.items():
        if permitted(table):
            return name
    player = table.player
    phase = "no game" if table.ledger is None else table.ledger.phase.value
    world.breach(f"{player.name} hangs: {player.done or 'still running'}, {phase}")
    return "hangs"


def _misled(guest: Player, host: Player) -> bool:
    """Whether a guest with a wrong clock joined yesterday's offer, which somebody retained."""
    stored = guest.disk.stored
    return stored is not None and stored.offer != host.offer


def _in_the_game(told: Told) -> bool:
    """Whether somebody has more of the game than its own request for the seat."""
    guest = isinstance(told.node, Player) and told.node.role is Role.GUEST
    return not guest or told.ledger.phase not in (Phase.OPEN, Phase.JOINED)


def _provisional(world: World, told: Told) -> bool:
    """Whether it is a spectator's end that is not confirmed, and there was no way to learn more.

    A claim at an earlier place would go before (MP-CROSS-1, -3). Whoever has not heard of it finds
    it with the broker, unless it was lost there when both players had gone. And a claim whose
    author has gone may never have reached whom it is against, who then played on (MP-COUNT-3).
    """
    unconfirmed = standing_of(told.ledger) is Standing.UNCONFIRMED
    ignorant = isinstance(told.node, Onlooker) and unconfirmed
    return ignorant and _retained(world, told.ledger.offer).phase is not Phase.CLOSED


def _agree(world: World, told: Sequence[Told]) -> None:
    """One story, of which everybody has the beginning, and who has all of it the same bytes."""
    if not told:
        return
    longest = max(told, key=lambda each: len(each.ledger.entries))
    record = dump_record(longest.ledger)
    for each in told:
        entries, others = each.ledger.entries, longest.ledger.entries
        # What crosses a decision is set aside behind it, by those who know of the decision.
        crossed = longest.ledger.decision is not None
        begins = _mailboxes_begin(each.ledger, longest.ledger)
        if not begins or (not crossed and entries != others[: len(entries)]):
            world.breach(f"{each.name} and {longest.name} tell different stories")
        elif len(entries) == len(others) and dump_record(each.ledger) != record:
            world.breach(f"{each.name} and {longest.name} have other bytes for the same record")


def _mailboxes_begin(ledger: Ledger, longer: Ledger) -> bool:
    """Whether each player's mailbox here is the beginning of the one there."""
    for role in Role:
        mine = [message.digest for message in ledger.log(role)]
        if mine != [message.digest for message in longer.log(role)[: len(mine)]]:
            return False
    return True


def _same_result(world: World, told: Sequence[Told], *, reasons: bool) -> None:
    """Who knows a result knows the same one, with `reasons` also why."""
    results = {
        (each.ledger.outcome.score, each.ledger.outcome.termination if reasons else ""): each.name
        for each in told
        if each.ledger.outcome is not None
    }
    if len(results) > 1:
        world.breach(f"different results: {results}")


def _verifies(world: World, told: Told) -> None:
    """Who saw nothing of the game judges its record as its players did."""
    verdict = verify_record(dump_record(told.ledger))
    judged = (verdict.ledger.outcome, verdict.ledger.fault, verdict.standing)
    if judged != (told.ledger.outcome, told.ledger.fault, standing_of(told.ledger)):
        world.breach(f"the record of {told.name} is judged otherwise by a stranger to the game")


def _claims_say_what_was(world: World, told: Told, honest: Sequence[Player]) -> None:
    """No claim against an honest player is agreed that says more time than has passed.

    By that player's own disk: since it stored its message that the claim names as seen. A clock
    that is set ahead meanwhile deceives the player, one that is set back does not deceive us.
    """
    ledger = told.ledger
    if (
        ledger.claim is None
        or ledger.decided_at is None
        or standing_of(ledger) is not Standing.AGREED
    ):
        return
    by, claim = ledger.line[ledger.decided_at]
    for player in honest:
        if player.role is by or _seats(ledger).get(player.role) != player.key.node:
            continue
        disk = player.disk
        kept = {
            message.digest: times
            for (_, payload), *times in zip(disk.rows, disk.kept_s, disk.kept_at, strict=True)
            if isinstance(message := decode(payload), LogMessage)
        }
        if claim.digest not in kept or claim.seen not in kept:
            continue
        times = zip(kept[claim.digest], kept[claim.seen], strict=True)
        passed_ms = max(end - begin for end, begin in times) * 1000
        if ledger.claim.waited_ms > passed_ms * 1.02 + 2_000:
            world.breach(
                f"{told.name} has an agreed claim of {ledger.claim.waited_ms} ms against the "
                f"{player.name}, by whose disk {passed_ms:.0f} ms had passed"
            )


def _blames_nobody_honest(world: World, told: Iterable[Told], honest: Sequence[Player]) -> None:
    innocent = {player.key.node for player in honest}
    for each in told:
        fault = each.ledger.fault
        if fault is not None and _seats(each.ledger).get(fault.role) in innocent:
            world.breach(f"{each.name} blames an honest player: {fault.text}")


def _no_false_claim_pays(world: World, told: Iterable[Told], cheat: Cheat) -> None:
    """Who claimed a silence that was none has lost, whoever's records of it are shown."""
    if cheat.kind != "false-claim" or not cheat.cheated:
        return
    told = [each for each in told if _in_the_game(each)]
    seated = [each for each in told if _seats(each.ledger).get(cheat.role) == cheat.key.node]
    players = [each for each in seated if isinstance(each.node, Player)]
    for shown in (seated, players):
        records = [each.ledger for each in shown]
        # A true claim of its own, for less, may come after the false one has failed.
        claims = [
            ledger
            for ledger in records
            if ledger.decision is cheat.role
            and ledger.claim is not None
            and ledger.claim.waited_ms == A_DAY_MS
        ]
        if claims:
            count, side = count_points_of_all(records), claims[0].side_of(cheat.role)
            assert side is not None
            if isinstance(count, str) or count.of(side) > LOSS:
                world.breach(f"a false claim of the {cheat.name} counts: {count}")


def _cheats_are_caught(world: World, told: Told, cheats: Iterable[Cheat]) -> None:
    """Where every message arrives, a breach in play is proved."""
    for cheat in cheats:
        late = cheat.kind in BESIDE_THE_GAME and told.ledger.outcome is not None
        # A score with a proof is no proof itself (MP-FAULT-4), should its denial come first.
        vague = cheat.kind == "false-proof" and cheat.behaviour == "denies"
        # A breach, or its proof, that crossed an earlier claim is set aside (MP-CROSS-2, -3).
        aside = told.ledger.claim is not None
        excused = late or vague or aside
        if cheat.spoken and isinstance(told.node, Player) and not excused:
            fault = told.ledger.fault
            if fault is None or fault.role is not cheat.role:
                world.breach(
                    f"{told.name} did not prove that the {cheat.name} cheats: {cheat.kind}"
                )


def _onlookers_saw_the_end(world: World, seen: Iterable[Told], host: Player) -> None:
    """Who was there when the host ended the game in peace knows how it ended."""
    peace = _in_peace(world, host)
    for each in seen:
        assert isinstance(each.node, Onlooker)
        there = each.node.since < min(host.done_at - 5, world.calm_at)
        if peace and there and each.ledger.outcome is None and each.node.process.alive:
            world.breach(f"{each.name} does not know how the game ended")


def _in_peace(world: World, host: Player) -> bool:
    """Whether the host has gone when all was well, and for so long that it spoke last.

    A stranger that puts an old state back just before the host goes is contradicted by nobody.
    """
    return host.done == "finished" and host.done_at >= world.calm_at + 5


def _retained_tells_all(world: World, played: Iterable[Told], host: Player) -> None:
    """Who comes after the end learns the whole game from the broker alone."""
    if not _in_peace(world, host):
        return
    ledger = next(each.ledger for each in played if each.node is host)
    offer = TOPICS.offer(ledger.offer.name, ledger.offer.host)
    if world.broker.retained.get(offer) != encode(ledger.offer):
        world.breach("the offer is not retained when all is over")
    known = _retained(world, ledger.offer).entries
    if known != ledger.entries:
        world.breach(
            f"the retained state has {len(known)} entries when all is over, "
            f"the host {len(ledger.entries)}"
        )


def _retained(world: World, offer: Offer) -> Ledger:
    """The game as the broker alone tells it."""
    late = SpectatorSession(Ledger(offer))
    state = TOPICS.state(offer.name, offer.host)
    for topic in sorted(world.broker.retained, key=lambda each: (len(each), each)):
        if topic.startswith(state):
            with suppress(MalformedMessage):
                late.receive(decode(world.broker.retained[topic]))
    return late.ledger


def _seats(ledger: Ledger) -> dict[Role, str]:
    seats = {Role.HOST: ledger.offer.host}
    if ledger.join is not None:
        seats[Role.GUEST] = ledger.join.author
    return seats
