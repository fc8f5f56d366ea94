"""The later questions of the guided start, their answers, and the command that they give."""

import os
import re
from collections.abc import Callable, Container, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import TypeAlias

from ataxxd.cli.connect import choose_broker
from ataxxd.cli.options import DEFAULT_GAME
from ataxxd.engines import DEFAULT_LEVEL, read_level
from ataxxd.errors import AtaxxdError, UsageError
from ataxxd.nicknames import explain_invalid_nickname, parse_nickname
from ataxxd.node.errors import host_changed
from ataxxd.node.game_finder import FoundGame, GameFinder
from ataxxd.node.home import Home, load_identity
from ataxxd.node.journal import Journal
from ataxxd.node.listing import OwnGame
from ataxxd.node.listing import unfinished_games as read_unfinished
from ataxxd.node.names import NameBook, known_names
from ataxxd.node.offers import access_field, describe_terms
from ataxxd.node.profile import known_hosts
from ataxxd.node.seats import parse_name, split_broker
from ataxxd.rules import RulesetInfo, rulesets
from ataxxd.session.state import UNDER_WAY, Phase, Role
from ataxxd.times import SYSTEM_CLOCK, parse_clock
from ataxxd.transport.address import broker_url, parse_addresses
from ataxxd.transport.mqtt import MqttTransport
from ataxxd.wording import format_count
from ataxxd_clients.guide import Answers, BadAnswerError, Choice, Plan, Question
from ataxxd_protocol import grouped

INVITED = "invited:"
"""The prefix of a place whose host also requires a secret; no place begins with it."""

OTHER_HOST = "other host:"
"""The prefix of a place whose name we have joined at another host; no place begins with it."""

HERE, LAN = "here", "lan"
"""The broker of this machine, or one for the local network."""

_DEFAULT_LEVEL_ANSWER = str(DEFAULT_LEVEL)
"""The level of the computer if none is chosen."""

_TITLES = {
    "ataxx": "Ataxx: pieces multiply, and turn those they touch",
    "reversi": "Reversi: turn what you enclose in a line",
    "checkers": "English checkers: jump over pieces to take them",
    "loa": "Lines of Action: bring all your pieces together",
}


def game_question(_: Answers) -> Question:
    """Which of the games to play."""
    games = dict.fromkeys(info.game for info in rulesets())
    titles = {game: _TITLES.get(game, _ruleset(game).title) for game in games}
    return Question("game", "Which game?", tuple(Choice(*each) for each in titles.items()))


def _side(answers: Answers, other: str, third: Choice) -> Question:
    """Which side a person takes against another, or the third way."""
    first, second = _ruleset(answers["game"]).side_names
    return Question(
        "side",
        "Which side do you take?",
        (
            Choice("first", f"{first}, and you begin"),
            Choice("second", f"{second}, and {other} begins"),
            third,
        ),
    )


def local_side_question(answers: Answers) -> Question:
    """Which side to take in a game on this machine."""
    both = Choice("both", "both: somebody beside you plays the other")
    return _side(answers, "the computer", both)


def host_side_question(answers: Answers) -> Question:
    """Which side the host takes."""
    return _side(answers, "your friend", Choice("random", "either: the two nodes toss for it"))


def level_question(_: Answers) -> Question:
    """How strong the computer should play."""
    return Question(
        "level",
        "How strong should the computer be?",
        typed="a level from 1 (a beginner) to 10 (as strong as it can)",
        default=_DEFAULT_LEVEL_ANSWER,
        read=_level,
    )


def name_question(_: Answers) -> Question:
    """The name of the hosted game."""
    taken = {
        game.stored.offer.name
        for game in unfinished_games()
        if game.stored.role is Role.HOST and game.ledger.phase in UNDER_WAY
    }

    def read(text: str) -> str:
        try:
            chosen = parse_name(text)
        except UsageError as error:
            raise BadAnswerError(str(error)) from None
        if chosen in taken:
            raise BadAnswerError(
                f'You host "{chosen}" already, which is not over. Choose another name.'
            )
        return chosen

    usual = ("ourgame", *(f"ourgame{number}" for number in range(2, len(taken) + 3)))
    return Question(
        "name",
        "What should the game be called? Your friend joins it by this name.",
        typed="a name of lower-case letters, digits and dashes",
        default=next(each for each in usual if each not in taken),
        read=read,
    )


def clock_question(_: Answers) -> Question:
    """How long each player may think."""
    return Question(
        "clock",
        "How long may each of you think?",
        (
            Choice("none", "as long as you like"),
            Choice("10m", "10 minutes for the game"),
            Choice("5+5", "5 minutes, and 5 seconds more for each move"),
            Choice("3d/move", "3 days for each move"),
        ),
        typed="a time such as 15m, 5+3 (minutes, and seconds a move) or 30s/move",
        read=lambda text: _check_answer(text, parse_clock),
    )


def access_question(_: Answers) -> Question:
    """Who may join."""
    return Question(
        "who",
        "Who may join?",
        (
            Choice("anybody", "whoever comes first"),
            Choice("invited", "only by the invitation that you will see"),
        ),
        typed="your friend's id, as `ataxxd id` shows it there: then nobody else may join",
        read=lambda text: _check_answer(text, lambda node: access_field(node, invited=False)),
    )


def broker_question(_: Answers) -> Question:
    """Which broker to use."""
    choices: tuple[Choice, ...] = (
        Choice(HERE, "on this machine"),
        Choice(LAN, "on this local network: a broker is started for it"),
    )
    if "ATAXXD_BROKER" in os.environ:
        choices = (Choice(HERE, "over the broker of $ATAXXD_BROKER"),)
    return Question(
        "where",
        "Where do you meet?",
        choices,
        typed="the address of a broker that both reach, such as mqtt://broker.example",
        read=lambda text: _check_answer(text, lambda url: parse_addresses(broker_url(url))),
    )


def nickname_question(_: Answers) -> Question:
    """The nickname that others see beside our id, if any."""

    def read(text: str) -> str:
        chosen = parse_nickname(text)
        if chosen is None:
            raise BadAnswerError(explain_invalid_nickname(text))
        return chosen

    return Question(
        "nickname",
        "What should others call you?",
        (Choice("", "nothing: they see only the beginning of my id"),),
        typed="a nickname of letters, digits and dashes, such as ana",
        read=read,
    )


def should_ask_nickname() -> bool:
    """Whether to ask for a nickname: there is none, and the question was never answered."""
    try:
        home = Home()
        with closing(NameBook(home.names)) as names:
            return not names.asked
    except AtaxxdError:
        return False


def store_nickname(answers: Answers) -> None:
    """Store the chosen nickname, or that none is wanted."""
    if "nickname" not in answers:
        return
    with suppress(AtaxxdError):
        home = Home()
        with closing(NameBook(home.names)) as names:
            if answers["nickname"]:
                names.set_nickname(load_identity(home.identity), answers["nickname"])
            names.asked = True


def listed_game_question(
    games: Sequence[FoundGame],
    note: str,
    shown: Mapping[str, str],
    changed: Container[str],
    *,
    joins: bool,
) -> Question:
    """Which of these games to join or watch, or the name of another.

    Args:
        games: the games.
        note: a remark to show, such as why there are none; empty for the usual one.
        shown: the hosts' names for people, by node id.
        changed: the ids of the games whose name had another host when we joined it before.
        joins: whether to join the game; otherwise to watch it.
    """
    none = "No game is waiting for a guest here." if joins else "There are no games here right now."
    return Question(
        "place",
        f"Which game do you {'join' if joins else 'watch'}?",
        tuple(_listed(game, shown, changed, joins=joins) for game in games),
        typed="an invitation, or NAME@BROKER" if joins else "its name, NAME#ID or NAME@BROKER",
        note=note or ("" if games else none),
        read=_place,
    )


def invitation_question(_: Answers) -> Question:
    """The full invitation to a game that is not open to all."""
    return Question(
        "invitation",
        "This game is by invitation only. Which one did the host send you?",
        typed="all of it, NAME#ID.SECRET",
        read=_invitation,
    )


def other_host_question(answers: Answers) -> Question:
    """Whether to join a game although its name had another host before."""
    wanted, _ = split_broker(answers["place"].removeprefix(OTHER_HOST))
    host = wanted.prefix
    with known_hosts(Home()) as known, known_names() as names:
        before = known.instead_of(wanted.name, host)
        was = "somebody else" if before is None else names.display_name(before, full_id=True)
        changed = host_changed(wanted.name, before=was, now=names.display_name(host, full_id=True))
    return Question(
        "other_host",
        "Join anyway?",
        (Choice("no", "no, leave"), Choice("yes", "yes, I know who that is")),
        note=f"{changed} Anybody can take a name: ask your friend for the id.",
    )


def resume_question() -> Question | None:
    """Which of this node's unfinished games to resume; None if there are none to read."""
    games = _unfinished()
    return Question("game", "Which game would you like to continue?", games) if games else None


def study_question(_: Answers) -> Question:
    """Which file to study, if any."""
    return Question(
        "file",
        "Which game do you study?",
        (Choice(HERE, "one from the start, without a file"),),
        typed="the name of a file: a record, PDN, PGN, GGF or a transcript",
        read=_file,
    )


def unfinished_games() -> Sequence[OwnGame]:
    """This node's unfinished games; empty if they cannot be read, which `resume` explains."""
    try:
        home = Home()
        if not home.journal.exists():
            return ()
        journal = Journal(home.journal)
    except AtaxxdError:
        return ()
    try:
        return read_unfinished(journal)
    except AtaxxdError:
        return ()
    finally:
        journal.close()


def _unfinished() -> tuple[Choice, ...]:
    found: dict[str, Choice] = {}
    with known_names() as names:
        for game in unfinished_games():
            offer, other = game.stored.offer, game.ledger.node_of(game.stored.role.other)
            said = (
                f"against {names.display_name(other)}" if other else "open, nobody has joined yet"
            )
            label = ", ".join(filter(None, (offer.ruleset, said, game.unconfirmed_text)))
            found.setdefault(offer.name, Choice(offer.name, f"{offer.name}: {label}"))
    return tuple(found.values())


def _ruleset(game: str) -> RulesetInfo:
    """The usual rules of a game."""
    return next(info for info in rulesets() if info.game == game)


def _listed(
    game: FoundGame, shown: Mapping[str, str], changed: Container[str], *, joins: bool
) -> Choice:
    offer = game.offer
    place = f"{offer.name}#{grouped(offer.host)}"
    said = [f"{offer.name}: {offer.ruleset}, host {shown[offer.host]}"]
    if game.phase is Phase.OPEN:
        minutes = max(0, SYSTEM_CLOCK.now_ms() - offer.created_ms) // 60_000
        since = f"open for {format_count(minutes, 'minute')}" if minutes else "just opened"
        said.append(since if joins else "open, nobody has joined yet")
    elif game.session is not None:
        over = game.session.ledger.outcome is not None
        plies = format_count(len(game.session.ledger.moves), "ply", "plies")
        said.append(f"over after {plies}" if over else f"{plies} played")
    if joins and (terms := describe_terms(offer)):
        said.append(terms)
    if offer.digest in changed:
        said.append("not the host you have joined before")
        place = OTHER_HOST + place if joins and offer.access != "invited" else place
    return Choice(
        INVITED + place if joins and offer.access == "invited" else place, "; ".join(said)
    )


# Answers that are typed


def _check_answer(text: str, check: Callable[[str], object]) -> str:
    """The typed text, if it passes the program's own check; otherwise raises `BadAnswerError`."""
    try:
        check(text)
    except AtaxxdError as error:
        # Leave out the name of the option, which is not what we asked for.
        raise BadAnswerError(re.sub(r"^--[a-z]+ ", "", str(error))) from None
    return text


def _level(text: str) -> str:
    try:
        return str(read_level(text, f'"{text}"'))
    except ValueError as error:
        raise BadAnswerError(str(error)) from None


def _place(text: str) -> str:
    """A place; if a whole invitation was copied, the part after the command."""
    words = text.split()
    if len(words) > 2 and words[0] == "ataxxd":
        words = words[2:]
    if len(words) != 1:
        raise BadAnswerError(
            "An invitation is one word, such as ourgame#k7fq-3xa2, with @ and a broker behind it."
        )
    return _check_answer(words[0], split_broker)


def _invitation(text: str) -> str:
    place = _place(text)
    if not split_broker(place)[0].secret:
        raise BadAnswerError(
            "It has no secret: an invitation ends with a point and a secret, NAME#ID.SECRET"
        )
    return place


def _file(text: str) -> str:
    path = os.path.expanduser(text)  # noqa: PTH111 -- the word as it was typed, but for the home
    if not os.path.isfile(path):  # noqa: PTH113
        raise BadAnswerError(
            f"There is no file {text}. Type its name with the folder, or one from here."
        )
    return path


_SEARCH_S = 1.5
# Nobody reads a longer list; any other name can be typed.
_MAX_GAMES = 12

# The games; why there are none; the hosts' names for people; and the ids of those games whose name
# we have joined at another host before.
_Seen: TypeAlias = tuple[Sequence[FoundGame], str, Mapping[str, str], Container[str]]
_Asked: TypeAlias = Callable[[Answers], Question]
# The questions by their keys, in order.
_PLAY: dict[str, _Asked] = {
    "game": game_question,
    "side": local_side_question,
    "level": level_question,
}
_HOST: dict[str, _Asked] = {
    "name": name_question,
    "game": game_question,
    "side": host_side_question,
    "clock": clock_question,
    "who": access_question,
    "where": broker_question,
}


@dataclass(frozen=True, slots=True)
class Guidance:
    """The questions after the first, for an `ataxxd_clients.guide.Ask`.

    Attributes:
        tui: whether the commands use the full-screen board.
        on_notice: called with a sentence when a person has to wait.
    """

    tui: bool
    on_notice: Callable[[str], object]

    async def __call__(self, answers: Answers) -> Question | Plan:
        """The next question after these answers, or the command line."""
        match answers["what"]:
            case "play":
                return self._play(answers)
            case "host":
                return self._host(answers)
            case "join":
                return await self._join(answers)
            case "watch":
                return await self._watch(answers)
            case "resume":
                return self._resume(answers)
            case "study":
                return self._study(answers)
            case _:
                return Plan(())

    def _plan(self, *words: str) -> Plan:
        return Plan((*words, *(["--tui"] if self.tui else [])))

    def _play(self, answers: Answers) -> Question | Plan:
        alone = answers.get("side") != "both"
        if (asked := _unanswered(answers, _PLAY)) is not None and (alone or asked.key != "level"):
            return asked
        words = ["play", *_game_option(answers)]
        if not alone:
            return self._plan(*words, "--player2", "human")
        if answers["side"] == "second":
            words.append("--white")
        if answers["level"] != _DEFAULT_LEVEL_ANSWER:
            words += ["--level", answers["level"]]
        return self._plan(*words)

    def _host(self, answers: Answers) -> Question | Plan:
        if (asked := _unanswered(answers, _named(_HOST))) is not None:
            return asked
        store_nickname(answers)
        words = ["host", answers["name"], *_game_option(answers)]
        if answers["side"] != "first":
            words += ["--color", answers["side"]]
        if answers["clock"] != "none":
            words += ["--clock", answers["clock"]]
        if answers["who"] == "invited":
            words.append("--invited")
        elif answers["who"] != "anybody":
            words += ["--guest", answers["who"]]
        if answers["where"] == LAN:
            words.append("--lan")
        elif answers["where"] != HERE:
            words += ["--broker", answers["where"]]
        return self._plan(*words)

    async def _join(self, answers: Answers) -> Question | Plan:
        if "place" not in answers:
            return listed_game_question(*await self._games(open_only=True), joins=True)
        place = answers["place"]
        wanted: dict[str, _Asked] = {}
        if place.startswith(OTHER_HOST):
            if answers.get("other_host") == "no":
                return Plan(())
            wanted["other_host"] = other_host_question
        invited = place.startswith(INVITED)
        if invited:
            wanted["invitation"] = invitation_question
        if (asked := _unanswered(answers, _named(wanted))) is not None:
            return asked
        store_nickname(answers)
        place = place.removeprefix(OTHER_HOST)
        return self._plan("join", answers["invitation"] if invited else place)

    async def _watch(self, answers: Answers) -> Question | Plan:
        if "place" not in answers:
            return listed_game_question(*await self._games(), joins=False)
        return self._plan("watch", answers["place"])

    def _resume(self, answers: Answers) -> Question | Plan:
        if "game" in answers:
            return Plan(("resume", answers["game"]))
        # If no game can be read, the command says why.
        return resume_question() or Plan(("resume",))

    def _study(self, answers: Answers) -> Question | Plan:
        if (asked := _unanswered(answers, {"file": study_question})) is not None:
            return asked
        if answers["file"] != HERE:
            return self._plan("study", answers["file"])
        asked = _unanswered(answers, {"game": game_question})
        return asked or self._plan("study", *_game_option(answers))

    async def _games(self, *, open_only: bool = False) -> _Seen:
        """Games on the broker that this node knows, open ones first."""
        self.on_notice("Looking for games …")
        try:
            with known_names(store_new=True) as names:
                async with (
                    choose_broker(os.environ.get("ATAXXD_BROKER")) as broker,
                    MqttTransport(broker.url) as transport,
                ):
                    found = await GameFinder(transport, names=names).search(seconds=_SEARCH_S)
                    shown = {game.offer.host: names.display_name(game.offer.host) for game in found}
                    with known_hosts(Home()) as known:
                        changed = {
                            game.offer.digest
                            for game in found
                            if known.instead_of(game.offer.name, game.offer.host) is not None
                        }
        except AtaxxdError as error:
            return (), f"No games can be seen: {error}", {}, ()
        playable = [
            game
            for game in found
            if game.incompatibility is None and (game.phase is Phase.OPEN or not open_only)
        ]
        playable.sort(key=lambda game: game.phase is not Phase.OPEN)
        return playable[:_MAX_GAMES], "", shown, changed


def _named(asked: dict[str, _Asked]) -> dict[str, _Asked]:
    """The questions, with the one for a nickname if it is to be asked."""
    return asked | ({"nickname": nickname_question} if should_ask_nickname() else {})


def _unanswered(answers: Answers, asked: dict[str, _Asked]) -> Question | None:
    """The first question that has no answer."""
    return next((ask(answers) for key, ask in asked.items() if key not in answers), None)


def _game_option(answers: Answers) -> Sequence[str]:
    return () if answers["game"] == DEFAULT_GAME else ("--game", answers["game"])
