"""What agents are told of games: all of a game in each answer, so that they need no memory."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Literal, TypeAlias, get_args

from pydantic import BaseModel, Field

from ataxxd.client import Game, NetworkGame
from ataxxd.errors import AtaxxdError, LocalProtocolError
from ataxxd.rules import Side
from ataxxd.rules.endings import ending_text
from ataxxd.sanitize import sanitized
from ataxxd_clients.text.games import line_language

Acts: TypeAlias = Literal[
    "resign",
    "keep_playing",
    "offer_draw",
    "accept_draw",
    "reject_draw",
    "ask_takeback",
    "ask_abort",
    "agree",
    "refuse",
    "claim",
    "rematch",
]
# What `Game.can` calls it.
_ACTS: Mapping[Acts, str] = {
    "accept_draw": "answer_draw",
    "reject_draw": "answer_draw",
    "ask_takeback": "takeback",
    "ask_abort": "abort",
}


class RulesView(BaseModel):
    """A ruleset that games may be played by."""

    id: str
    title: str
    sides: tuple[str, str]
    description: str


class OfferView(BaseModel):
    """A game at the broker."""

    name: str = Field(description="What `join_game` and `watch_game` take.")
    rules: str
    progress: str = Field(description="open, playing or over")
    players: list[str]
    terms: str
    result: str
    can_join: bool
    can_watch: bool


class GameView(BaseModel):
    """All that there is to know of a game now."""

    game: str
    status: Literal["waiting", "playing", "over"]
    rules: str
    you: str | None = Field(description="Your side's name; null while you watch or wait.")
    your_turn: bool
    turn: str | None
    board: str
    position: str = Field(description="The position as text (FEN where the game has one).")
    moves: list[str] = Field(description="All moves so far.")
    legal_moves: list[str] = Field(description="Yours, if it is your turn.")
    can: list[str] = Field(description="What `act` takes now.")
    clocks_s: dict[str, float] = Field(description="Seconds left, by side; empty without clocks.")
    players: dict[str, str]
    result: str | None
    invitation: str | None = Field(description="What the other side joins with, while you wait.")
    news: list[str] = Field(description="What has happened since the last answer.")


class Advice(BaseModel):
    """What the engine thinks of a position."""

    text: str
    line: list[str] = Field(description="The moves that it expects, the best one first.")
    score: float | None = Field(description="In pieces for the first side; null where proved.")


class Verified(BaseModel):
    """What a signed record proves."""

    name: str
    rules: str
    host: str
    guest: str | None
    moves: list[str]
    result: str | None
    standing: str = Field(description="agreed, disputed, contested, unconfirmed or unfinished")
    fault: str | None = Field(description="A proved breach of the rules, and whose.")


def has_begun(game: Game) -> bool:
    """Whether there is a board to show."""
    with suppress(LocalProtocolError):
        _ = game.position
        return True
    return False


def own_side(game: Game) -> Side | None:
    """The side of whoever is here; None for who looks on."""
    with suppress(AtaxxdError):
        return game.side
    return None


def view_of(name: str, game: Game, news: list[str]) -> GameView:
    """All of a game, by the name that the agent knows it by."""
    if not has_begun(game):
        hosted = game if isinstance(game, NetworkGame) else None
        return GameView(
            game=name, status="waiting", rules=hosted.offer.ruleset if hosted else "", you=None,
            your_turn=False, turn=None, board="", position="", moves=[], legal_moves=[], can=[],
            clocks_s={}, players={}, result=None, news=news,
            invitation=hosted.invitation if hosted else None,
        )  # fmt: skip
    position, own = game.position, own_side(game)
    names = line_language(position.ruleset).names
    can = game.can
    ours = "move" in can
    clocks = {names[side]: game.remaining_ms(side) for side in Side}
    return GameView(
        game=name,
        status="playing" if game.outcome is None else "over",
        rules=position.ruleset,
        you=None if own is None else names[own],
        your_turn=ours,
        turn=None if game.outcome is not None else names[game.acting_side],
        board=str(position),
        position=position.text,
        moves=[str(move) for move in game.moves],
        legal_moves=[str(move) for move in position.legal_moves] if ours else [],
        can=[str(act) for act in get_args(Acts) if _ACTS.get(act, act) in can],
        clocks_s={side: left / 1000 for side, left in clocks.items() if left is not None},
        players={
            names[side]: sanitized(game.player(side)) or (game.agent(side) or "") for side in Side
        },
        result=None if game.outcome is None else ending_text(game.outcome, position, own),
        invitation=None,
        news=news,
    )
