"""What a player does of its own will, by name; `ataxxd.session.player` says what each asks for."""

from typing import Literal, TypeAlias, get_args

Act: TypeAlias = Literal[
    "move",
    "resign",
    "keep_playing",
    "offer_draw",
    "answer_draw",
    "say",
    "takeback",
    "abort",
    "agree",
    "refuse",
    "claim",
]
"""What a player does of its own will."""

PLAYERS_ACTS: tuple[Act, ...] = get_args(Act)

Request: TypeAlias = Literal["takeback", "abort"]
"""What a player asks the other to agree to."""
