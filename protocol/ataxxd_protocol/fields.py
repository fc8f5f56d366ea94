"""The values that messages are made of: each a type that pydantic checks by itself."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, StringConstraints

NAME_PATTERN = r"^[a-z0-9][a-z0-9-]{0,31}$"
NODE_PATTERN = r"^[a-z2-7]{20}$"
VERSION_PATTERN = r"^[0-9]{1,4}\.[0-9]{1,4}$"
RULESET_PATTERN = r"^[a-z0-9-]{1,32}/[a-z0-9-]{1,32}$"

Name: TypeAlias = Annotated[str, StringConstraints(pattern=NAME_PATTERN)]
NodeId: TypeAlias = Annotated[str, StringConstraints(pattern=NODE_PATTERN)]
Digest: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
PublicKey: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
SignatureHex: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{128}$")]
Nonce: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
Version: TypeAlias = Annotated[str, StringConstraints(pattern=VERSION_PATTERN)]
RulesetId: TypeAlias = Annotated[str, StringConstraints(pattern=RULESET_PATTERN)]
Code: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-z-]{1,24}/[a-z-]{1,32}$")]
Termination: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-z-]{1,32}$")]
# Printable ASCII only: nothing a peer writes can carry a terminal escape sequence.
Line: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[ -~]{0,512}$")]
FieldName: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-z_]{1,16}$")]
ShortLine: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[ -~]{1,64}$")]
# What people say to each other may be in any language, but holds no character that moves the
# cursor, hides, or turns the direction of writing: controls, line and paragraph separators,
# zero-width and directional marks (the joiner of emoji excepted), tags.
_UNSAFE = (
    r"\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200c\u200e\u200f\u2028-\u202e"
    r"\u2060-\u206f\ufeff\ufff0-\ufffb\U000e0000-\U000e0fff"
)
Speech: TypeAlias = Annotated[str, StringConstraints(pattern=f"^[^{_UNSAFE}]{{1,500}}$")]
Milliseconds: TypeAlias = Annotated[int, Field(ge=0, le=2**53 - 1)]
Number: TypeAlias = Annotated[int, Field(ge=0, le=99_999)]
Ply: TypeAlias = Annotated[int, Field(ge=1, le=99_999)]

SideName: TypeAlias = Literal["first", "second"]
RoleName: TypeAlias = Literal["host", "guest"]
ScoreText: TypeAlias = Literal["1-0", "0-1", "1/2-1/2", "*"]
