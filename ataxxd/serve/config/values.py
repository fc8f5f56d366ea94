"""The values that a configuration is made of: each checks itself and says how it is written."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import (
    AfterValidator,
    Field,
    SecretStr,
    Strict,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
)

from ataxxd.engines import OURS
from ataxxd.engines.external.command import EngineCommand
from ataxxd.engines.registry import ENGINE, make_bot
from ataxxd.errors import ConfigError, UsageError
from ataxxd.nicknames import as_nickname, why_no_nickname
from ataxxd.notify import destination
from ataxxd.rules import Position, RulesError, ruleset_info, rulesets
from ataxxd.rules.ataxx import with_blocks
from ataxxd.times import clock_fields, duration_ms
from ataxxd.transport.address import parse_addresses
from ataxxd_protocol.messages.base import NAME_PATTERN, NODE_PATTERN, Speech

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
    if as_nickname(text) is None:
        raise UsageError(why_no_nickname(text))


def node_id(text: str) -> str:
    """The id of a node without its dashes.

    Raises:
        UsageError: it is none.
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
        destination(secret.get_secret_value())
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
    """The position that a table begins with, before blocks.

    Raises:
        RulesError: the text describes none.
    """
    return Position.from_text(ruleset, position) if position else Position.start(ruleset)


def plays(player: str, ruleset: str) -> str | None:
    """Why a player cannot play by a ruleset; None when it can."""
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
Clock: TypeAlias = Annotated[str, _checked(lambda text: clock_fields(text, "The clock"))]
Length: TypeAlias = Annotated[str, _checked(lambda text: duration_ms(text, "The time"))]
LengthOrNever: TypeAlias = Annotated[
    str, _checked(_unless("never", lambda text: duration_ms(text, "The time")))
]
Level: TypeAlias = Annotated[int, Field(ge=0, le=10)]
Port: TypeAlias = Annotated[int, Field(ge=0, le=65535)]
Count: TypeAlias = Annotated[int, Field(ge=1, le=10_000)]
File: TypeAlias = Annotated[Path, Strict(False), AfterValidator(Path.expanduser)]
Color: TypeAlias = Literal["first", "second", "random"]
Words: TypeAlias = Annotated[str, _checked(_unless("", _words))]
Destination: TypeAlias = Annotated[SecretStr, AfterValidator(_destination)]
