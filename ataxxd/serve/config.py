"""What can be configured in a node that serves: sections and keys, and their defaults.

Each value checks itself and says how it is written. The descriptions and examples are the text of
docs/reference/configuration.md and of the remedies for faults. Nothing here knows of a node that
runs, or of the file; `ataxxd.serve.config_file` reads that.
"""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Literal, Self, TypeAlias

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    Strict,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    model_validator,
)

from ataxxd.engines import DEFAULT_LEVEL, OURS
from ataxxd.engines.external.process import EngineCommand
from ataxxd.engines.registry import ENGINE, make_bot
from ataxxd.errors import ConfigError, UsageError
from ataxxd.nicknames import explain_invalid_nickname, parse_nickname
from ataxxd.notify import Occasion, parse_destination
from ataxxd.rules import Position, RulesError, ruleset_info, rulesets
from ataxxd.rules.ataxx import with_blocks
from ataxxd.rules.limits import DEFAULT_HASH_MB
from ataxxd.times import parse_clock, parse_duration_ms
from ataxxd.transport.address import parse_addresses
from ataxxd_protocol.messages import MAX_WITNESSES, NAME_PATTERN, NODE_PATTERN, Speech

AUTO = OURS
_SPEECH = TypeAdapter[str](Speech)
NOT_YET = "node"
"""The user of an address with a password and no user: a node's id, known when it starts."""


def _checked(check: Callable[[str], object]) -> AfterValidator:
    """A validator that keeps the text, and turns what our own checks say into its fault."""

    def validate(text: str) -> str:
        try:
            check(text)
        except (UsageError, ConfigError, RulesError) as error:
            raise ValueError(str(error)) from None
        return text

    return AfterValidator(validate)


def _name(text: str) -> None:
    if not re.fullmatch(NAME_PATTERN, text):
        raise UsageError(
            f"{text!r} is not a name: use up to 32 lower-case letters, digits and dashes, "
            "beginning with a letter or a digit."
        )


def _nickname(text: str) -> None:
    _name(text)
    if parse_nickname(text) is None:
        raise UsageError(explain_invalid_nickname(text))


def node_id(text: str) -> str:
    """The id of a node without its dashes.

    Raises:
        UsageError: the text is not a node id.
    """
    node = text.replace("-", "").lower()
    if not re.fullmatch(NODE_PATTERN, node):
        raise UsageError(
            f"{text!r} is not a node id: an id has 20 letters and digits, and its node tells it "
            "with: ataxxd id"
        )
    return node


def _address(text: str) -> None:
    parse_addresses(text.replace("://:", f"://{NOT_YET}:"))


def _ruleset(text: str) -> None:
    known = [info.id for info in rulesets()]
    if usual := next((info.id for info in rulesets() if info.game == text), None):
        raise UsageError(f"{text!r} is a game: write a ruleset of it, such as {usual!r}.")
    if text not in known:
        raise UsageError(f"There is no ruleset {text!r}: this program knows {', '.join(known)}.")


def _player(text: str) -> None:
    if text == AUTO:
        return
    if text.startswith(ENGINE):
        EngineCommand.parse(text.removeprefix(ENGINE))
    else:
        make_bot(text)


def _access(text: str) -> None:
    if text == "invited":
        raise UsageError(
            'Nobody is here to hand out invitations: write "anyone", or the id of the only node '
            "that may join."
        )
    if text != "anyone":
        node_id(text)


def _words(text: str) -> None:
    try:
        _SPEECH.validate_python(text)
    except ValidationError:
        raise UsageError(
            "Write at most 500 characters, on one line, and no control characters."
        ) from None


def _destination(secret: SecretStr) -> SecretStr:
    try:
        parse_destination(secret.get_secret_value())
    except UsageError as error:
        raise ValueError(str(error)) from None
    return secret


def _unless(word: str, check: Callable[[str], object]) -> Callable[[str], object]:
    return lambda text: None if text == word else check(text)


def _start(text: str, info: ValidationInfo) -> str:
    ruleset = info.data.get("ruleset")
    if ruleset is None or not text:
        return text
    try:
        if info.field_name == "blocks":
            position = info.data.get("position", "")
            with_blocks(start_position(ruleset, position), text)
        else:
            start_position(ruleset, text)
    except RulesError as error:
        raise ValueError(str(error)) from None
    return text


def start_position(ruleset: str, position: str = "") -> Position:
    """The start position of a table, before blocks are placed.

    Raises:
        RulesError: the text does not describe a position.
    """
    return Position.from_text(ruleset, position) if position else Position.start(ruleset)


def obstacle_to_play(player: str, ruleset: str) -> str | None:
    """Why a player cannot play under a ruleset, in words; None if it can."""
    if player.startswith(ENGINE):
        try:
            make_bot(player, ruleset_info(ruleset).game)
        except UsageError as error:
            return str(error)
    return None


Name: TypeAlias = Annotated[str, _checked(_name)]
Nickname: TypeAlias = Annotated[str, _checked(_nickname)]
Address: TypeAlias = Annotated[str, _checked(_address)]
RulesetId: TypeAlias = Annotated[str, _checked(_ruleset)]
Start: TypeAlias = Annotated[str, AfterValidator(_start)]
Player: TypeAlias = Annotated[str, _checked(_player)]
Access: TypeAlias = Annotated[str, _checked(_access)]
NodeId: TypeAlias = Annotated[str, _checked(node_id)]
Clock: TypeAlias = Annotated[str, _checked(lambda text: parse_clock(text, "The clock"))]
Length: TypeAlias = Annotated[str, _checked(lambda text: parse_duration_ms(text, "The time"))]
LengthOrNever: TypeAlias = Annotated[
    str, _checked(_unless("never", lambda text: parse_duration_ms(text, "The time")))
]
Level: TypeAlias = Annotated[int, Field(ge=0, le=10)]
Port: TypeAlias = Annotated[int, Field(ge=0, le=65535)]
Count: TypeAlias = Annotated[int, Field(ge=1, le=10_000)]
File: TypeAlias = Annotated[Path, Strict(False), AfterValidator(Path.expanduser)]
Color: TypeAlias = Literal["first", "second", "random"]
Words: TypeAlias = Annotated[str, _checked(_unless("", _words))]
Destination: TypeAlias = Annotated[SecretStr, AfterValidator(_destination)]


Event: TypeAlias = Literal["challenge", "joined", "turn", "asked", "low", "over", "disputed"]
"""The occasions of `ataxxd.notify`."""


class Section(BaseModel):
    """A section; keys that it does not have are faults."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class NodeSection(Section):
    """`[node]`: the node that serves."""

    home: Annotated[
        File | None,
        Field(
            description="The state folder: key, journal, records. The usual one when left out.",
            examples=['"/var/lib/ataxxd"'],
        ),
    ] = None
    name: Annotated[
        Nickname | None,
        Field(
            description="What it is called: its nickname, and the name on its card. Without it the "
            "card has the group of the first bot.",
            examples=['"club"'],
        ),
    ] = None
    greeting: Annotated[
        Words,
        Field(description="What its card says.", examples=['"Ask for a game at any time."']),
    ] = ""
    processes: Annotated[
        int,
        Field(
            ge=1,
            le=64,
            description="How many processes share its tables' games; each uses one core beside its "
            "searches.",
        ),
    ] = 1


Agrees: TypeAlias = Annotated[
    bool,
    Field(description="Whether it agrees to a takeback or an abort; else it refuses, in words."),
]


Patience: TypeAlias = Annotated[
    Length,
    Field(
        description="A game without clock and grace, which no silence ends, is left when the other "
        "player has not answered for this long. A bot declines games in which a silent player "
        "loses later than that, or never.",
        examples=['"1d"'],
    ),
]


class BrokerSection(Section):
    """`[broker]`: where games are."""

    url: Annotated[
        Address | None,
        Field(
            description="Its address. This machine's own broker when left out. With a password "
            "and no user, the user is this node's id. Separate the members of a "
            "cluster with commas.",
            examples=['"mqtts://broker.example"'],
        ),
    ] = None
    password_file: Annotated[
        File | None,
        Field(
            description="A file whose first line is the password, which is better not in `url`.",
            examples=['"/etc/ataxxd/password"'],
        ),
    ] = None
    password_env: Annotated[
        str | None,
        Field(
            description="An environment variable that holds the password.",
            examples=['"ATAXXD_PASSWORD"'],
        ),
    ] = None
    embedded: Annotated[
        bool, Field(description="Run a broker in this process, for this machine alone.")
    ] = False
    port: Annotated[Port, Field(description="Where the embedded broker listens.")] = 1883
    page_port: Annotated[
        Port | None,
        Field(
            description="Where it hands out the page for browsers, on this machine, and takes "
            "their websockets. Nowhere when left out.",
            examples=["8083"],
        ),
    ] = None

    @model_validator(mode="after")
    def _check_password_source(self) -> Self:
        if self.embedded and self.url is not None:
            raise ValueError("embedded = true runs a broker and url names another: choose one")
        if self.page_port is not None and not self.embedded:
            raise ValueError("page_port is the embedded broker's: add embedded = true")
        secret = self.password_file or self.password_env
        if self.password_file and self.password_env:
            raise ValueError("password_file and password_env both give a password: choose one")
        if secret and self.url is None:
            raise ValueError("a password is of no use without the url of its broker: add url")
        return self


class TableSection(Section):
    """`[[tables]]`: a game that is always open; when somebody joins, the next is opened."""

    name: Annotated[
        Name,
        Field(
            description="What others join: it leads to the open game. While one under this name is "
            "played or shown, the others are NAME-2, NAME-3 and so on.",
            examples=['"club"'],
        ),
    ]
    ruleset: Annotated[
        RulesetId,
        Field(description="What is played: an id of `ataxxd doctor`.", examples=['"ataxx/uai"']),
    ]
    position: Annotated[
        Start, Field(description="Begin from this position, as `host --position` does.")
    ] = ""
    blocks: Annotated[
        Start, Field(description="Ataxx: blocked squares, as `host --blocks`.", examples=['"b2"'])
    ] = ""
    clock: Annotated[
        Clock, Field(description="How long each may think.", examples=['"5+3"', '"3d/move"'])
    ] = "none"
    grace: Annotated[
        LengthOrNever,
        Field(
            description="How long a player may be silent before they lose; or `never`.",
            examples=['"15m"'],
        ),
    ] = "15m"
    takebacks: Annotated[bool, Field(description="Whether moves may be taken back.")] = False
    color: Annotated[Color, Field(description="The side that this node takes.")] = "random"
    access: Annotated[
        Access,
        Field(
            description="Who may join: `anyone`, or the only node that may, by its id.",
            examples=['"anyone"'],
        ),
    ] = "anyone"
    witnesses: Annotated[
        tuple[NodeId, ...],
        Field(
            description="Nodes that watch its games and say whether a claim is true, by their ids, "
            "as `host --witness`; at most 7.",
            examples=['["aaaa-bbbb-cccc-dddd-eeee"]'],
            strict=False,
            max_length=MAX_WITNESSES,
        ),
    ] = ()
    player: Annotated[
        Player,
        Field(
            description="Who plays here: `auto` (our engine at `level`), `auto@LEVEL`, "
            "`auto:LIMITS` (our engine with `level`, `time` in milliseconds, `nodes`, `depth`, "
            "`threads` and `hash` as wanted), `first`, `random`, `alphabeta:DEPTH` or "
            "`engine:COMMAND`.",
            examples=['"auto@3"', '"auto:time=500,threads=2"'],
        ),
    ] = AUTO
    level: Annotated[
        Level | None,
        Field(
            description="How strong `auto` plays: 1 (a beginner) to 10, "
            f"{DEFAULT_LEVEL} when left out; 0 plays any legal move."
        ),
    ] = None
    agrees: Agrees = False
    patience: Patience = "7d"
    at_once: Annotated[
        Count, Field(description="How many of these games are played at a time.")
    ] = 1
    expires: Annotated[
        Length,
        Field(description="How long an offer stands before it is made anew.", examples=['"1d"']),
    ] = "1d"

    rated: Annotated[
        Length | None,
        Field(
            description="Announce its games with members in the club's log (`ataxxd club`): they "
            "are rated, and lost for both unless they are over after so long. Not rated when left "
            "out.",
            examples=['"14d"'],
        ),
    ] = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        _check_player(self.player, self.level, (self.ruleset,))
        _check_witnesses(self.witnesses, self.access)
        if self.rated is not None and self.grace == "never" and self.clock == "none":
            raise ValueError("a rated game must end when a player is silent: give it a grace")
        return self


class BotSection(Section):
    """`[[bots]]`: takes games that others offer."""

    group: Annotated[
        Name,
        Field(
            description="What the bot is called, and the group whose challenges it takes; several "
            "nodes may have one of the same name.",
            examples=['"club-bots"'],
        ),
    ]
    rulesets: Annotated[
        tuple[RulesetId, ...],
        Field(
            description="What it plays; everything when left out.",
            examples=['["ataxx/uai", "reversi/standard"]'],
            strict=False,
        ),
    ] = ()
    player: Annotated[
        Player, Field(description="Who plays; as of a table.", examples=['"auto@3"'])
    ] = AUTO
    level: Annotated[
        Level | None, Field(description="How strong our engine plays; as of a table.")
    ] = None
    agrees: Agrees = False
    patience: Patience = "7d"
    shortest: Annotated[
        Length | None,
        Field(description="Games with less time for forty moves are declined.", examples=['"1m"']),
    ] = None
    longest: Annotated[
        Length | None,
        Field(description="Games with more time for forty moves are declined.", examples=['"2h"']),
    ] = None
    without_clock: Annotated[bool, Field(description="Whether it plays without a clock.")] = True
    who: Annotated[
        tuple[NodeId, ...],
        Field(
            description="The only nodes whose games it takes, by their ids; anybody's when left "
            "out.",
            examples=['["aaaa-bbbb-cccc-dddd-eeee"]'],
            strict=False,
        ),
    ] = ()
    at_once: Annotated[Count, Field(description="How many games it plays at a time.")] = 4
    per_peer: Annotated[Count, Field(description="How many of them against one node.")] = 1
    greeting: Annotated[
        Words, Field(description="What it says when a game begins.", examples=['"Good luck!"'])
    ] = ""
    members: Annotated[
        tuple[NodeId, ...],
        Field(
            description="The nodes of the group, where the broker lets them agree among "
            "themselves; whoever says so on its card when left out.",
            strict=False,
        ),
    ] = ()
    analysis_nodes: Annotated[
        int,
        Field(
            ge=0,
            le=1_000_000_000,
            description="Positions visited at most for a question of `ataxxd analyse --over`; "
            "none is answered when 0.",
        ),
    ] = 0
    open_offers: Annotated[
        bool,
        Field(description="Whether it also joins games that are open to anybody, unasked."),
    ] = False

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.player.startswith(ENGINE) and not self.rulesets:
            raise ValueError("an engine of others plays one game: name its rulesets")
        _check_player(self.player, self.level, self.rulesets)
        if self.shortest is not None and self.longest is not None:
            least, most = (parse_duration_ms(each, "") for each in (self.shortest, self.longest))
            if least > most:
                raise ValueError("shortest is more than longest: no clock fits")
        return self


class SearchSection(Section):
    """`[search]`: what thinking may take."""

    threads: Annotated[
        int,
        Field(ge=0, le=1024, description="Searches at a time; as many as cores when 0."),
    ] = 0
    hash_mb: Annotated[
        int,
        Field(ge=1, le=65_536, description="Mebibytes of learnt positions for each of them."),
    ] = DEFAULT_HASH_MB


class WebSection(Section):
    """`[web]`: the page of `ataxxd lobby`, on this machine alone."""

    enabled: Annotated[bool, Field(description="Whether it is served.")] = False
    port: Annotated[Port, Field(description="Where it listens; any free port when 0.")] = 0


class MonitorSection(Section):
    """`[monitor]`: what watches over this node asks it, on this machine alone."""

    enabled: Annotated[bool, Field(description="Whether it answers.")] = False
    port: Annotated[Port, Field(description="Where it listens; any free port when 0.")] = 0


class NotifySection(Section):
    """`[notify]`: where whoever runs the node is told of what needs a person."""

    to: Annotated[
        tuple[Destination, ...],
        Field(
            description="Where: `desktop`, `command:PROGRAM`, `mail:ADDRESS`, `ntfy:URL` or the "
            "URL of a webhook. Nowhere when left out.",
            examples=['["mail:ann@example.org"]'],
            strict=False,
        ),
    ] = ()
    events: Annotated[
        tuple[Event, ...],
        Field(
            description="Of what. `challenge`: somebody challenges a bot here, which takes or "
            "declines it. `disputed`: a game of a table or a bot is over, and its result needs a "
            "look. Of games that a person plays on the page of `[web]`: `joined`, `turn`, "
            "`asked` (for a takeback or an abort), `low` (on time, or soon to be claimed) and "
            "`over`.",
            examples=['["disputed"]'],
            strict=False,
        ),
    ] = (Occasion.CHALLENGE.value, Occasion.TURN.value, Occasion.DISPUTED.value)
    after: Annotated[
        Length,
        Field(
            description="How long a person may take to move, or to answer a question, before it "
            "is told.",
            examples=['"5m"'],
        ),
    ] = "30s"


class LogSection(Section):
    """`[log]`: what is told on standard error."""

    level: Annotated[
        Literal["debug", "info", "warning", "error"], Field(description="What is told at least.")
    ] = "info"
    format: Annotated[
        Literal["text", "json"], Field(description="Lines for people, or JSON for programs.")
    ] = "text"


class RecordsSection(Section):
    """`[records]`: what stays of games that are over."""

    folder: Annotated[
        File | None,
        Field(
            description="Write the signed record of every game into this folder.",
            examples=['"/var/lib/ataxxd/games"'],
        ),
    ] = None
    keep: Annotated[
        LengthOrNever,
        Field(
            description="Forget a game in the journal so long after its end; or `never`.",
            examples=['"365d"'],
        ),
    ] = "never"
    shown: Annotated[
        LengthOrNever,
        Field(
            description="Take a hosted game off the broker so long after its end; or `never`. "
            "Until then anybody can look at it there; of each table at the last 16.",
            examples=['"24h"'],
        ),
    ] = "1h"


class ClubSection(Section):
    """`[club]`: the games of members of its club with each other that name this node as a witness.

    It is one as soon as the node keeps a club's log.
    """

    rated: Annotated[
        Length | None,
        Field(
            description="Announce them in the log: they are rated, and lost for both unless they "
            "are over after so long. Not rated when left out.",
            examples=['"14d"'],
        ),
    ] = None


class Config(Section):
    """The whole configuration."""

    node: NodeSection = NodeSection()
    broker: BrokerSection = BrokerSection()
    tables: Annotated[tuple[TableSection, ...], Field(strict=False)] = ()
    # As many as fit on a card.
    bots: Annotated[tuple[BotSection, ...], Field(max_length=8, strict=False)] = ()
    search: SearchSection = SearchSection()
    web: WebSection = WebSection()
    monitor: MonitorSection = MonitorSection()
    notify: NotifySection = NotifySection()
    log: LogSection = LogSection()
    records: RecordsSection = RecordsSection()
    club: ClubSection = ClubSection()

    @model_validator(mode="after")
    def _check_unique_names(self) -> Self:
        names = [table.name for table in self.tables]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f'two tables are called "{name}": give each a name of its own')
        groups = [bot.group for bot in self.bots]
        for group in groups:
            if groups.count(group) > 1:
                raise ValueError(f'two bots are of the group "{group}": make them one, or rename')
        return self


def _check_witnesses(witnesses: Sequence[str], access: str) -> None:
    nodes = [node_id(each) for each in witnesses]
    if len(set(nodes)) < len(nodes):
        raise ValueError("witnesses: one witness is named twice")
    if access != "anyone" and node_id(access) in nodes:
        raise ValueError("the seat is kept for a witness, who cannot play: leave one of them out")


def _check_player(player: str, level: int | None, rulesets: tuple[str, ...]) -> None:
    if level is not None and player.startswith((f"{AUTO}@", f"{AUTO}:")):
        raise ValueError(f'player = "{player}" says how strong it is: leave level out')
    for ruleset in rulesets:
        if why := obstacle_to_play(player, ruleset):
            raise ValueError(why)
