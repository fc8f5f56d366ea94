"""Where each message goes: topic names, their writers, and reading them back.

See SPEC.md, "Topics". Every topic but ``who`` has a single writer.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from ataxxd_protocol.messages import NAME_PATTERN
from ataxxd_protocol.version import MAJOR

DEFAULT_ROOT = "ataxxd"
# No game can have this name. Its ``who`` topic asks all hosts, and below it nodes publish what
# belongs to no game.
ANY_NAME = "_"

_NAME = re.compile(NAME_PATTERN)
_NODE = re.compile(r"[a-z2-7]{20}")
_PART = re.compile(r"[1-9][0-9]{0,2}")


@dataclass(frozen=True, slots=True)
class Address:
    """The meaning of a topic: the kind of message, its game and its writer.

    Attributes:
        kind: ``offer``, ``state``, ``out``, ``unread``, ``talk``, ``status``, ``statement``,
            ``who``, ``card``, ``nickname``, ``post``, ``challenge``, ``decline``, ``call`` or
            ``event``.
        name: the game's name; `ANY_NAME` for a ``who`` to all, a card, a nickname and post; the
            group's name for a call, the event's for an event.
        host: the host's node id, None where there is no game.
        writer: the only node that may write here, None for ``who``.
        part: the part number of a ``state`` topic; the round of an ``event`` topic, 0 for the
            plan.
        to: the node that a letter, or a retained challenge or decline, is addressed to.
    """

    kind: str
    name: str
    host: str | None = None
    writer: str | None = None
    part: int = 0
    to: str | None = None


@dataclass(frozen=True, slots=True)
class Topics:
    """The topics below one root, ``{root}/{major version}/…``."""

    root: str = DEFAULT_ROOT

    @property
    def base(self) -> str:
        """The root and the protocol's major version."""
        return f"{self.root}/{MAJOR}"

    def offer(self, name: str, host: str) -> str:
        """Retained: the signed offer. ``+`` is allowed for either argument."""
        return f"{self.base}/{name}/{host}/offer"

    def state(self, name: str, host: str, part: int = 0) -> str:
        """Retained: part `part` of the record."""
        return f"{self.base}/{name}/{host}/state" + (f"/{part}" if part else "")

    def out(self, name: str, host: str, node: str) -> str:
        """The outgoing mailbox of `node` in a game."""
        return f"{self.base}/{name}/{host}/{node}/out"

    def unread(self, name: str, host: str, node: str) -> str:
        """Retained: what `node` has sent in a game while the other player was away."""
        return f"{self.base}/{name}/{host}/{node}/unread"

    def talk(self, name: str, host: str, node: str) -> str:
        """Chat of the spectator `node` to the other spectators."""
        return f"{self.base}/{name}/{host}/{node}/talk"

    def status(self, name: str, host: str, node: str) -> str:
        """The presence of `node` in a game; also the topic of its will."""
        return f"{self.base}/{name}/{host}/{node}/status"

    def statement(self, name: str, host: str, node: str) -> str:
        """Retained: the statement of `node`, a witness of a game, about a claim."""
        return f"{self.base}/{name}/{host}/{node}/statement"

    def who(self, name: str = ANY_NAME) -> str:
        """The question "who hosts this name?"; without a name, who hosts anything."""
        return f"{self.base}/{name}/who"

    def card(self, node: str) -> str:
        """Retained: the card of `node`; also the topic of its will."""
        return f"{self.base}/{ANY_NAME}/{node}/card"

    def nickname(self, node: str) -> str:
        """Retained: the nickname of `node`."""
        return f"{self.base}/{ANY_NAME}/{node}/nickname"

    def post(self, node: str, to: str) -> str:
        """Letters of `node` to the node `to`."""
        return f"{self.base}/{ANY_NAME}/{node}/post/{to}"

    def challenge(self, node: str, to: str) -> str:
        """Retained: a challenge that `node` has left for the node `to`."""
        return f"{self.base}/{ANY_NAME}/{node}/challenge/{to}"

    def decline(self, node: str, to: str) -> str:
        """Retained: the refusal of `node` to a challenge that the node `to` has left for it."""
        return f"{self.base}/{ANY_NAME}/{node}/decline/{to}"

    def call(self, node: str, group: str) -> str:
        """Calls of `node` to a group, for any one of its members."""
        return f"{self.base}/{ANY_NAME}/{node}/call/{group}"

    def event(self, name: str, host: str, number: int = 0) -> str:
        """Retained: the plan of an event, or its round `number`. ``+`` is allowed for `host`."""
        return f"{self.base}/{ANY_NAME}/{host}/event/{name}" + (f"/{number}" if number else "")

    def parse(self, topic: str) -> Address | None:
        """Parse a topic; None if it is not one of this protocol."""
        return _parsed(self.base, topic)


TOPICS = Topics()
"""The topics below the default root."""


@lru_cache(2048)  # a node hears the same few topics all the time
def _parsed(base: str, topic: str) -> Address | None:
    below = topic.removeprefix(f"{base}/")
    if below == topic:
        return None
    match below.split("/"):
        case [name, "who"] if name == ANY_NAME or _NAME.fullmatch(name):
            return Address("who", name)
        case ["_", node, "card" | "nickname" as kind] if _NODE.fullmatch(node):
            return Address(kind, ANY_NAME, writer=node)
        case ["_", node, "post" | "challenge" | "decline" as kind, to] if _NODE.fullmatch(
            node
        ) and _NODE.fullmatch(to):
            return Address(kind, ANY_NAME, writer=node, to=to)
        case ["_", node, "call", group] if _NODE.fullmatch(node) and _NAME.fullmatch(group):
            return Address("call", group, writer=node)
        case [any_name, host, "event", name] if any_name == ANY_NAME and _is_game(name, host):
            return Address("event", name, host, host)
        case [any_name, host, "event", name, number] if (
            any_name == ANY_NAME and _is_game(name, host) and _PART.fullmatch(number)
        ):
            return Address("event", name, host, host, int(number))
        case [name, host, "offer"] if _is_game(name, host):
            return Address("offer", name, host, host)
        case [name, host, "state"] if _is_game(name, host):
            return Address("state", name, host, host)
        case [name, host, "state", part] if _is_game(name, host) and _PART.fullmatch(part):
            return Address("state", name, host, host, int(part))
        case [name, host, node, "out" | "unread" | "talk" | "status" | "statement" as kind] if (
            _is_game(name, host) and _NODE.fullmatch(node)
        ):
            return Address(kind, name, host, node)
        case _:
            return None


def _is_game(name: str, host: str) -> bool:
    # Not match(): its "$" would allow a line feed at the end.
    return bool(_NAME.fullmatch(name)) and bool(_NODE.fullmatch(host))
