"""The plan of a serving node: its configuration turned into the values that carry it out.

All of them are pure, so that they can be tested.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ataxxd.node.messaging.letters import BUSY, CLOCK, RULESET, TERMS, UNWANTED, Refusal
from ataxxd.node.offers import ARGUMENTS, Terms
from ataxxd.rules import Position
from ataxxd.rules.ataxx import with_blocks
from ataxxd.rules.notation.game import GameRecord
from ataxxd.serve.config import AUTO, BotSection, Config, TableSection, node_id, start_position
from ataxxd.times import format_duration, parse_duration_ms
from ataxxd.wording import format_count
from ataxxd_protocol.messages import Offer


@dataclass(frozen=True, slots=True)
class Share:
    """One process's share of the node's games; by default all of them.

    Attributes:
        index: the number of the process, from 0.
        count: the number of processes.
    """

    index: int = 0
    count: int = 1

    def __str__(self) -> str:
        return f"process {self.index + 1} of {self.count}"

    @property
    def is_first(self) -> bool:
        """Whether this process does what must be done only once for the node."""
        return self.index == 0

    def resumes_games_of(self, share: int) -> bool:
        """Whether this process resumes the games of process `share` in an earlier run.

        The number of processes may have changed since.
        """
        return share % self.count == self.index

    def place(self, turn: int) -> int:
        """The place of this process, from 0, if each turn begins with the next process."""
        return (self.index - turn) % self.count

    def portion(self, whole: int, turn: int = 0) -> int:
        """This process's part of `whole`; the parts add up, and the remainder moves with `turn`."""
        return whole // self.count + (self.place(turn) < whole % self.count)


FORTY_MOVES = 40
"""The number of moves by which clocks are compared."""


PATIENCE_MS = 7 * 86_400_000
"""How long a silent opponent may keep a seat by default, in milliseconds."""


@dataclass(frozen=True, slots=True)
class Load:
    """A bot's current load.

    Attributes:
        games: its games in total.
        with_peer: its games against the challenger.
    """

    games: int = 0
    with_peer: int = 0


@dataclass(frozen=True, slots=True)
class Policy:
    """Which games a bot takes.

    Attributes:
        rulesets: the rulesets it plays; all if empty.
        who: the only nodes it plays against; anybody if empty.
        shortest_ms: the least time for forty moves, in milliseconds; None for no limit.
        longest_ms: the most time for forty moves, in milliseconds; None for no limit.
        without_clock: whether it plays without a clock.
        at_once: the most games at a time.
        per_peer: the most games at a time against one node.
        patience_ms: how long a silent opponent may keep its seat, in milliseconds.
    """

    rulesets: frozenset[str] = frozenset()
    who: frozenset[str] = frozenset()
    shortest_ms: int | None = None
    longest_ms: int | None = None
    without_clock: bool = True
    at_once: int = 1
    per_peer: int = 1
    patience_ms: int = PATIENCE_MS

    def check(self, offer: Offer, challenger: str, load: Load) -> Refusal | None:
        """Why the bot does not take a game; None if it does.

        Args:
            offer: a valid offer that has not expired.
            challenger: the node id of the challenger.
            load: the bot's current load.
        """
        if self.who and challenger not in self.who:
            return Refusal(UNWANTED, "this bot plays against certain nodes only")
        if self.rulesets and offer.ruleset not in self.rulesets:
            known = ", ".join(sorted(self.rulesets))
            return Refusal(RULESET, f"this bot plays {known}")
        if offer.witnesses:
            # The challenger has chosen them, and no person is here to judge whether to trust them.
            return Refusal(TERMS, "this bot plays without witnesses")
        return self._check_clock(offer) or self._check_silence(offer) or self._check_load(load)

    def _check_clock(self, offer: Offer) -> Refusal | None:
        time_ms = forty_move_time_ms(offer)
        if time_ms is None:
            if self.without_clock:
                return None
            return Refusal(CLOCK, "this bot plays with a clock only")
        if self.shortest_ms is not None and time_ms < self.shortest_ms:
            least = format_duration(self.shortest_ms)
            return Refusal(CLOCK, f"this bot wants {least} or more for {FORTY_MOVES} moves")
        if self.longest_ms is not None and time_ms > self.longest_ms:
            most = format_duration(self.longest_ms)
            return Refusal(CLOCK, f"this bot plays {most} or less for {FORTY_MOVES} moves")
        return None

    def _check_silence(self, offer: Offer) -> Refusal | None:
        loses_ms = silence_limit_ms(offer)
        if loses_ms is not None and loses_ms <= self.patience_ms:
            return None
        reason = (
            f"this bot plays where a silent player loses within {format_duration(self.patience_ms)}"
        )
        return Refusal(TERMS, f"{reason}: give the game a clock or a grace")

    def _check_load(self, load: Load) -> Refusal | None:
        if load.with_peer >= self.per_peer:
            return Refusal(BUSY, f"against one node it plays {self.per_peer} at a time")
        if load.games >= self.at_once:
            return Refusal(BUSY, f"it plays {format_count(self.at_once, 'game')} already")
        return None


def silence_limit_ms(offer: Offer) -> int | None:
    """The silence, in milliseconds, after which a game can first be claimed; None for never."""
    clock = offer.clock
    limits = [offer.grace_ms] if clock is None else [offer.grace_ms, clock.base_ms, clock.move_ms]
    return min((each for each in limits if each is not None), default=None)


def forty_move_time_ms(offer: Offer) -> int | None:
    """The milliseconds that a clock gives one side for forty moves; None without a clock."""
    clock = offer.clock
    if clock is None:
        return None
    if clock.move_ms is not None:
        return FORTY_MOVES * clock.move_ms
    assert clock.base_ms is not None
    return clock.base_ms + FORTY_MOVES * (clock.increment_ms or 0)


@dataclass(frozen=True, slots=True)
class TablePlan:
    """What to offer at a table.

    Attributes:
        name: the name of the table and of its first game.
        first: the start of each game.
        color: the side of this node: ``first``, ``second`` or ``random``.
        terms: the other terms of the game.
        player: who plays for the node; see `ataxxd.node.players`.
        level: the level of our engine; None for its default, or for another player.
        at_once: the most games at a time.
        lasts_ms: how long an offer is valid, in milliseconds.
        agrees: whether the node agrees to takebacks and aborts.
        patience_ms: how long, in milliseconds, a silent opponent may keep a seat if nothing else
            ends the game.
        rated_ms: after how many milliseconds a rated game is lost for both; None if games are not
            rated.
        numbers: the first number of a game here, and the step to the next; other processes use the
            numbers between.
    """

    name: str
    first: GameRecord
    color: str
    terms: Terms
    player: str
    level: int | None
    at_once: int
    lasts_ms: int
    agrees: bool = False
    patience_ms: int = PATIENCE_MS
    rated_ms: int | None = None
    numbers: tuple[int, int] = (1, 1)

    @property
    def key(self) -> str:
        """The key by which games know their table: ``tables/NAME``."""
        return f"tables/{self.name}"


@dataclass(frozen=True, slots=True)
class BotPlan:
    """A bot that takes the games of others.

    Attributes:
        group: its name, which is also the group whose calls it answers.
        player: who plays; see `ataxxd.node.players`.
        level: the level of our engine; None for its default, or for another player.
        policy: decides which games it takes.
        greeting: the chat line at the beginning of a game; empty for none.
        open_offers: whether it joins games that are open to anyone.
        members: the only nodes that belong to its group; None for all that say so.
        analysis_nodes: the most positions to visit for one analysis; 0 to make none.
        agrees: whether it agrees to takebacks and aborts.
    """

    group: str
    player: str
    level: int | None
    policy: Policy
    greeting: str
    open_offers: bool
    members: frozenset[str] | None
    analysis_nodes: int
    agrees: bool

    @property
    def key(self) -> str:
        """The key by which games know their bot: ``bots/NAME``."""
        return f"bots/{self.group}"


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that a serving node does.

    Attributes:
        tables: the tables that it hosts.
        bots: the bots that take the games of others.
        records: the folder for the records of games; None to write none.
        keep_ms: how many milliseconds after its end a game is kept in the journal; None for ever.
        shown_ms: how many milliseconds after its end a game of ours stays on the broker; None for
            ever.
        name: the name on the node's card.
        text: the text on the card; empty for none.
        witnessed_ms: after how many milliseconds a rated game of two members that names this node
            as a witness is lost for both; None if such games are not rated.
    """

    tables: Sequence[TablePlan] = ()
    bots: Sequence[BotPlan] = ()
    records: Path | None = None
    keep_ms: int | None = None
    shown_ms: int | None = None
    name: str = "node"
    text: str = ""
    witnessed_ms: int | None = None

    def record_of(self, offer: Offer) -> str | None:
        """The path for the record of a game; None if no records are written."""
        if self.records is None:
            return None
        return str(self.records / f"{offer.name}-{offer.digest[:12]}.json")

    def greeting(self, key: str) -> str:
        """The chat line at the beginning of a game of the bot with this key; empty for none."""
        return next((bot.greeting for bot in self.bots if bot.key == key), "")

    def patience_ms(self, key: str) -> int:
        """How many ms a silent opponent of the table or bot with this key may keep its seat."""
        known = {table.key: table.patience_ms for table in self.tables}
        known |= {bot.key: bot.policy.patience_ms for bot in self.bots}
        return known.get(key, PATIENCE_MS)

    def rated_ms(self, key: str) -> int | None:
        """After how many ms a game at the table with this key is lost for both; None if unrated."""
        return next((table.rated_ms for table in self.tables if table.key == key), None)


def make_plan(config: Config) -> Plan:
    """The plan of a checked configuration."""
    keep, shown = config.records.keep, config.records.shown
    return Plan(
        tables=[_table(section) for section in config.tables],
        bots=[_bot(section) for section in config.bots],
        records=config.records.folder,
        keep_ms=None if keep == "never" else parse_duration_ms(keep, "keep"),
        shown_ms=None if shown == "never" else parse_duration_ms(shown, "shown"),
        name=config.node.name or next((bot.group for bot in config.bots), "node"),
        text=config.node.greeting,
        witnessed_ms=None
        if config.club.rated is None
        else parse_duration_ms(config.club.rated, "rated"),
    )


def share_of_plan(plan: Plan, share: Share) -> Plan:
    """One process's part of a plan: a share of each table, and all bots if it is the first one."""
    tables = [
        replace(
            table,
            at_once=share.portion(table.at_once, turn),
            numbers=(share.place(turn) + 1, share.count),
        )
        for turn, table in enumerate(plan.tables)
    ]
    return replace(plan, tables=tables, bots=plan.bots if share.is_first else ())


def _table(section: TableSection) -> TablePlan:
    player, level = _who(section)
    guest = None if section.access == "anyone" else node_id(section.access)
    return TablePlan(
        name=section.name,
        first=GameRecord(_start(section)),
        color=section.color,
        terms=Terms.read(
            section.clock,
            section.grace,
            takebacks=section.takebacks,
            guest=guest,
            witnesses=section.witnesses,
            written=ARGUMENTS,
        ),
        player=player,
        level=level,
        agrees=section.agrees,
        at_once=section.at_once,
        lasts_ms=parse_duration_ms(section.expires, "expires"),
        patience_ms=parse_duration_ms(section.patience, "patience"),
        rated_ms=None if section.rated is None else parse_duration_ms(section.rated, "rated"),
    )


def _who(section: TableSection | BotSection) -> tuple[str, int | None]:
    """The player, and our engine's level, split so that ``auto@3`` uses the engine pool too."""
    kind, at, level = section.player.partition("@")
    return (kind, int(level)) if at and kind == AUTO else (section.player, section.level)


def _start(section: TableSection) -> Position:
    start = start_position(section.ruleset, section.position)
    return with_blocks(start, section.blocks) if section.blocks else start


def _bot(section: BotSection) -> BotPlan:
    player, level = _who(section)
    policy = Policy(
        rulesets=frozenset(section.rulesets),
        who=frozenset(map(node_id, section.who)),
        shortest_ms=None
        if section.shortest is None
        else parse_duration_ms(section.shortest, "shortest"),
        longest_ms=None
        if section.longest is None
        else parse_duration_ms(section.longest, "longest"),
        without_clock=section.without_clock,
        at_once=section.at_once,
        per_peer=section.per_peer,
        patience_ms=parse_duration_ms(section.patience, "patience"),
    )
    return BotPlan(
        group=section.group,
        player=player,
        level=level,
        agrees=section.agrees,
        policy=policy,
        greeting=section.greeting,
        open_offers=section.open_offers,
        members=frozenset(map(node_id, section.members)) or None,
        analysis_nodes=section.analysis_nodes,
    )
