"""The settings of a seat, as a command or a client gave them and the journal keeps them."""

import json
import secrets
from dataclasses import asdict, dataclass, field, replace
from functools import cache
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
        broker: its address as the user gave it; None for the default.
        lan: this node runs a broker for the local network.
        link: print a link that opens the game in a browser.
        page: the page that the link opens; None for the embedded broker's own.
        starts_broker: this node starts a broker of its own if none answers: it, or its lobby,
            hosted the first game. None (unknown) in journals of earlier versions.
        player: who plays our side; see `ataxxd.node.players`.
        level: the engine's level; None for the default.
        seed: the seed of a bot's choices.
        agrees: a bot agrees to takebacks and aborts.
        transcript: the file to write the record to.
        text: a person also has the line language on a terminal.
        tui: a person has the terminal UI.
        ascii_only: boards in the terminal are drawn in ASCII.
        strict: the first error in a person's input ends the program.
        secret: the host's secret, which the offer's ``commit`` commits to.
        invitation: the secret of the invitation; empty if anybody may join.
        games: how many games in a row.
        game: which of them this is, from 1; more than `games` after a rematch.
        talk: show the spectators' chat.
        display: the board is in the browser.
        typed: the game's name as it was typed; empty if nobody typed one.
        in_event: it is a game of an event.
        left: the offer, and the challenge with it, stay with the broker while we are away.
        served: the part of a serving node's configuration that plays it, such as ``tables/club``.
        share: which of a serving node's processes began it, from 0.
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
        """Read settings from the journal.

        Raises:
            StorageError: they are from an incompatible version, or damaged.
        """
        try:
            return _adapter().validate_json(json.dumps(stored))
        except ValidationError as error:
            raise StorageError(
                f"The journal's settings of this game cannot be read: {first_fault(error, cls)}. "
                "Upgrade ataxxd."
            ) from None

    def stored(self) -> dict[str, Any]:
        """The settings to store in the journal: those that differ from the defaults."""
        usual = asdict(_DEFAULTS)
        return {name: value for name, value in asdict(self).items() if value != usual[name]}

    def with_seed(self) -> "Settings":
        """These settings with a seed, so that a resumed bot continues with the same one."""
        return self if self.seed is not None else replace(self, seed=secrets.randbits(48))

    def next(self, secret: str) -> "Settings":
        """The settings of the next game, to be hosted with `secret` or joined with an empty one.

        Only the first game needs an invitation: later seats are kept for the same opponent.
        """
        return replace(self, game=self.game + 1, secret=secret, invitation="", left=False)

    def shown_name(self, name: str) -> str:
        """The name as it was typed, if that stands for the game's name; else the name."""
        return shown_name(self.typed, name)

    @property
    def record(self) -> Path | None:
        """The file for this game's record, such as ``match-2.json`` for the second; or None."""
        if self.transcript is None:
            return None
        return numbered_record(Path(self.transcript), self.game)


_DEFAULTS = Settings()


@cache
def _adapter() -> TypeAdapter[Settings]:
    # Made when first needed: it takes longer than most commands' other imports.
    return TypeAdapter(Settings)


def numbered_record(path: Path, game: int) -> Path:
    """The file for the record of one of several games: ``match.json``, then ``match-2.json``."""
    return path if game == 1 else path.with_stem(f"{path.stem}-{game}")
