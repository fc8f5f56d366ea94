"""What the guided start asks after its first question, and the command that the answers make."""

import os
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ataxxd.cli import questions
from ataxxd.cli.connect import chosen_broker
from ataxxd.cli.options import USUAL_GAME
from ataxxd.errors import AtaxxdError
from ataxxd.node.home import Home
from ataxxd.node.lobby import FoundGame, Lobby
from ataxxd.node.names import known_names
from ataxxd.node.profile import known_hosts
from ataxxd.session.state import Phase
from ataxxd.transport.mqtt import MqttTransport
from ataxxd_clients.guide import Answers, Plan, Question
from ataxxd_protocol import Topics

_LOOK_S = 1.5
# Nobody reads more; another can be typed.
_MOST_GAMES = 12

# Games; why none are seen; the hosts as people read them; and the ids of those games whose name
# was joined at another host before.
_Seen: TypeAlias = tuple[Sequence[FoundGame], str, Mapping[str, str], Container[str]]
_Asked: TypeAlias = Callable[[Answers], Question]
# The questions by their keys, in order.
_PLAY: dict[str, _Asked] = {
    "game": questions.which_game,
    "side": questions.side_here,
    "level": questions.level,
}
_HOST: dict[str, _Asked] = {
    "name": questions.name,
    "game": questions.which_game,
    "side": questions.side_of_host,
    "clock": questions.clock,
    "who": questions.who,
    "where": questions.where,
}


@dataclass(frozen=True, slots=True)
class Guidance:
    """The questions after the first, for an `ataxxd_clients.guide.Ask`.

    Attributes:
        tui: whether the commands show a board over all the terminal.
        telling: told what is being done while a person waits.
    """

    tui: bool
    telling: Callable[[str], object]

    async def __call__(self, answers: Answers) -> Question | Plan:
        """The next question, or the command line."""
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
        if answers["level"] != questions.USUAL_LEVEL:
            words += ["--level", answers["level"]]
        return self._plan(*words)

    def _host(self, answers: Answers) -> Question | Plan:
        if (asked := _unanswered(answers, _named(_HOST))) is not None:
            return asked
        questions.keep_nickname(answers)
        words = ["host", answers["name"], *_game_option(answers)]
        if answers["side"] != "first":
            words += ["--color", answers["side"]]
        if answers["clock"] != "none":
            words += ["--clock", answers["clock"]]
        if answers["who"] == "invited":
            words.append("--invited")
        elif answers["who"] != "anybody":
            words += ["--guest", answers["who"]]
        if answers["where"] == questions.LAN:
            words.append("--lan")
        elif answers["where"] != questions.HERE:
            words += ["--broker", answers["where"]]
        return self._plan(*words)

    async def _join(self, answers: Answers) -> Question | Plan:
        if "place" not in answers:
            return questions.which_to_join(*await self._games(open_only=True))
        place = answers["place"]
        wanted: dict[str, _Asked] = {}
        if place.startswith(questions.OTHER_HOST):
            if answers.get("other_host") == "no":
                return Plan(())
            wanted["other_host"] = questions.other_host
        invited = place.startswith(questions.INVITED)
        if invited:
            wanted["invitation"] = questions.invitation
        if (asked := _unanswered(answers, _named(wanted))) is not None:
            return asked
        questions.keep_nickname(answers)
        place = place.removeprefix(questions.OTHER_HOST)
        return self._plan("join", answers["invitation"] if invited else place)

    async def _watch(self, answers: Answers) -> Question | Plan:
        if "place" not in answers:
            return questions.which_to_watch(*await self._games())
        return self._plan("watch", answers["place"])

    def _resume(self, answers: Answers) -> Question | Plan:
        if "game" in answers:
            return Plan(("resume", answers["game"]))
        # Where no game can be read, the command says why.
        return questions.which_to_resume() or Plan(("resume",))

    def _study(self, answers: Answers) -> Question | Plan:
        if (asked := _unanswered(answers, {"file": questions.which_to_study})) is not None:
            return asked
        if answers["file"] != questions.HERE:
            return self._plan("study", answers["file"])
        asked = _unanswered(answers, {"game": questions.which_game})
        return asked or self._plan("study", *_game_option(answers))

    async def _games(self, *, open_only: bool = False) -> _Seen:
        """Games on the broker that this node knows, open ones first."""
        self.telling("Looking for games …")
        try:
            with known_names(learns=True) as names:
                async with (
                    chosen_broker(os.environ.get("ATAXXD_BROKER")) as broker,
                    MqttTransport(broker.url) as transport,
                ):
                    found = await Lobby(transport, Topics(), names=names).look(seconds=_LOOK_S)
                    shown = {game.offer.host: names.shown(game.offer.host) for game in found}
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
            if game.misfit is None and (game.phase is Phase.OPEN or not open_only)
        ]
        playable.sort(key=lambda game: game.phase is not Phase.OPEN)
        return playable[:_MOST_GAMES], "", shown, changed


def _named(asked: dict[str, _Asked]) -> dict[str, _Asked]:
    """The same, and the question for a nickname, where that is to be asked."""
    return asked | ({"nickname": questions.nickname} if questions.may_ask_nickname() else {})


def _unanswered(answers: Answers, asked: dict[str, _Asked]) -> Question | None:
    """The first question that has no answer."""
    return next((ask(answers) for key, ask in asked.items() if key not in answers), None)


def _game_option(answers: Answers) -> Sequence[str]:
    return () if answers["game"] == USUAL_GAME else ("--game", answers["game"])
