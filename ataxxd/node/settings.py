"""The settings of a seat, as a command or a client gave them and the journal keeps them."""

import json
import secrets
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

from pydantic import ConfigDict, TypeAdapter, ValidationError

from ataxxd.errors import StorageError
from ataxxd.node.offers import shown_name
from ataxxd_protocol.faults import first_fault


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a seat; kept in the journal, so that `resume` uses the same.

    Attributes:
        broker: address as the user gave it; None for the default.
        lan: this node runs a broker for the local network.
        link: a link to the game is given, which opens it in a browser.
        page: what the link opens, where that is not the embedded broker's own.
        starts_broker: this node starts a broker of its own where none answers: it opened the first
            game, or its lobby did. Not known (None) in journals of earlier versions.
        player: who plays our side; see `ataxxd.node.players`.
        level: the engine's level; None for the default.
        seed: of a bot's choices.
        agrees: a bot agrees to takebacks and aborts.
        transcript: where the record goes in the end.
        text: a person has the line language on a terminal too.
        tui: a person has the terminal UI.
        ascii_only: boards in the terminal have no signs beyond ASCII.
        strict: the first error of a person's input ends the program.
        secret: the host's, behind the offer's ``commit``.
        invitation: the secret that the invitation tells, where only the invited may join.
        games: how many games in a row.
        game: which of them this is, from 1; more than `games` after a rematch.
        talk: the spectators' talk is shown.
        display: the board is in the browser.
        typed: the game's name as it was typed; empty where nobody typed one.
        in_event: it is a game of an event.
        left: the offer, and the challenge with it, stay with the broker while we are away.
        served: the part of a serving node's configuration that plays it, such as ``tables/club``.
        share: which of the processes of a serving node began it, from 0.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", strict=True)

    broker: str | None = field(default=None, repr=False)
    lan: bool = False
    link: bool = False
    page: str | None = None
    starts_broker: bool | None = None
    player: str = "human"
    level: int | None = None
    seed: int | None = None
    agrees: bool = False
    transcript: str | None = None
    text: bool = False
    tui: bool = False
    ascii_only: bool = False
    strict: bool = False
    secret: str = field(default="", repr=False)
    invitation: str = field(default="", repr=False)
    games: int = 1
    game: int = 1
    talk: bool = False
    display: bool = False
    typed: str = ""
    in_event: bool = False
    left: bool = False
    served: str = ""
    share: int = 0

    @classmethod
    def restored(cls, stored: Any) -> "Settings":
        """The settings as the journal has them.

        Raises:
            StorageError: they are from an incompatible version, or damaged.
        """
        try:
            return TypeAdapter(cls).validate_json(json.dumps(stored))
        except ValidationError as error:
            raise StorageError(
                f"The journal's settings of this game cannot be read: {first_fault(error, cls)}. "
                "Upgrade ataxxd."
            ) from None

    def stored(self) -> dict[str, Any]:
        """The settings for the journal: those that differ from what they are without a word."""
        usual = asdict(_USUAL)
        return {name: value for name, value in asdict(self).items() if value != usual[name]}

    def with_seed(self) -> "Settings":
        """These settings with a seed chosen, so that a resumed bot goes on with the same one."""
        return self if self.seed is not None else replace(self, seed=secrets.randbits(48))

    def next(self, secret: str) -> "Settings":
        """These settings for the game that follows, to be hosted with `secret` or joined without.

        Only the first game of several needs an invitation: the seat is kept for the other player.
        """
        return replace(self, game=self.game + 1, secret=secret, invitation="", left=False)

    def shown_name(self, name: str) -> str:
        """The name of a game of these settings as it was typed, where that stands for it."""
        return shown_name(self.typed, name)

    @property
    def record(self) -> Path | None:
        """Where the record of this game goes: ``match.json``, ``match-2.json`` for the second."""
        if self.transcript is None:
            return None
        return numbered_record(Path(self.transcript), self.game)


_USUAL = Settings()


def numbered_record(path: Path, game: int) -> Path:
    """Where the record of one of several games goes: ``match.json``, ``match-2.json`` and so on."""
    return path if game == 1 else path.with_stem(f"{path.stem}-{game}")
