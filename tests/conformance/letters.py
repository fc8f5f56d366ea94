"""Cards and letters with fixed keys, for tests and vectors."""

from typing import Any, TypeVar

from ataxxd.rules import Position
from ataxxd_protocol import SigningKey, signed
from ataxxd_protocol.messages import (
    Analyse,
    Analysis,
    CallClaim,
    Card,
    Challenge,
    Decline,
    Introduced,
    Nickname,
)
from tests.conformance.games import AGENT, GUEST_KEY, HOST_KEY, RULESET, make_offer, version

CREATED_MS = 1_700_000_000_000
EXPIRES_MS = 1_700_000_600_000
GROUP = "clubbots"

LetterT = TypeVar("LetterT", bound=Introduced)


def by(key: SigningKey, model: type[LetterT], /, **fields: Any) -> LetterT:
    """A message of `model` with these fields, named as on the wire, signed by `key`."""
    author = {"from": key.node, "key": key.public_key}
    return signed(model.model_validate(author | fields), key)


def make_card(key: SigningKey = GUEST_KEY, /, **changes: Any) -> Card:
    """A card; `changes` are fields that differ from the usual ones."""
    fields: dict[str, Any] = {
        "v": version(),
        "name": "ataxxbot",
        "kind": "bot",
        "rulesets": [RULESET],
        "free": 2,
        "playing": 0,
        "agent": AGENT,
        "at_ms": CREATED_MS,
        "expires_ms": EXPIRES_MS,
    }
    return by(key, Card, **fields | changes)


def make_nickname(key: SigningKey = GUEST_KEY, /, **changes: Any) -> Nickname:
    """What a node calls itself."""
    return by(key, Nickname, **{"name": "ana", "at_ms": CREATED_MS} | changes)


def make_challenge(
    key: SigningKey = HOST_KEY,
    to: str | None = GUEST_KEY.node,
    group: str | None = None,
    text: str | None = None,
    **changes: Any,
) -> Challenge:
    """A challenge to a node, or to a group; `changes` are fields of its offer."""
    reserved = {"access": to} if group is None else {}
    offer = make_offer(key, **reserved | changes)
    fields: dict[str, Any] = {"to": to} if group is None else {"group": group}
    fields |= {} if text is None else {"text": text}
    return by(key, Challenge, offer=offer.fields(), **fields)


def make_decline(challenge: Challenge, key: SigningKey = GUEST_KEY, **changes: Any) -> Decline:
    """The refusal of a challenge."""
    fields = {
        "to": challenge.author,
        "answers": challenge.digest,
        "code": "challenge/busy",
        "reason": "2 games are under way, and no more than 2 at a time.",
    }
    return by(key, Decline, **fields | changes)


def make_question(key: SigningKey = HOST_KEY, **changes: Any) -> Analyse:
    """A position for a group to analyse."""
    fields = {
        "group": GROUP,
        "ruleset": RULESET,
        "position": Position.start(RULESET).text,
        "nodes": 100_000,
        "at_ms": CREATED_MS,
        "expires_ms": EXPIRES_MS,
    }
    return by(key, Analyse, **fields | changes)


def make_analysis(question: Analyse, key: SigningKey = GUEST_KEY, **changes: Any) -> Analysis:
    """An answer to it."""
    fields = {
        "to": question.author,
        "answers": question.digest,
        "score": 35,
        "line": ["g2", "b1"],
        "depth": 7,
        "nodes": 100_000,
    }
    return by(key, Analysis, **fields | changes)


def make_claim(call: Introduced, key: SigningKey = GUEST_KEY) -> CallClaim:
    """A member says that it takes a call."""
    return by(key, CallClaim, group=GROUP, call=call.digest)


def letters() -> list[Introduced]:
    """One of each kind, with and without what is optional."""
    challenge, question = make_challenge(), make_question()
    return [
        make_card(),
        make_card(
            groups=[GROUP], clocks=["none", "game"], nodes=1_000_000, text="Grüße aus dem Verein!"
        ),
        make_nickname(),
        challenge,
        make_challenge(group=GROUP),
        make_challenge(group=GROUP, text="Wer hat Zeit?"),
        make_decline(challenge),
        make_decline(challenge, code="challenge/unwanted", text="Später gern!"),
        make_claim(question),
        question,
        make_analysis(question),
        make_analysis(question, mate_in=-3, score=-30_000),
    ]
