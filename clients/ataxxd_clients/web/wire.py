"""What all messages between the program and its pages have in common."""

from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

VERSION: Literal[1] = 1
"""The version of this interface; a page of another version asks to be loaded again."""

SideNumber: TypeAlias = Annotated[int, Field(ge=0, le=1)]
Square: TypeAlias = Annotated[str, StringConstraints(pattern="^[a-z]?[0-9]{1,2}$")]
Request: TypeAlias = Literal["takeback", "abort"]


class WireMessage(BaseModel):
    """Base of all that is sent.

    Attributes:
        latest: whether only the last one of its kind matters to a page that is behind.
    """

    latest: ClassVar[bool] = False
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class WireCommand(WireMessage):
    """Base of all that pages send."""

    id: Annotated[int, Field(ge=0, lt=2**31, description="Comes back in the answer.")]
