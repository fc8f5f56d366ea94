"""What a player who has lost its own messages is told of them by the other."""

from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, Field

from ataxxd_protocol.messages.log import AnyLogMessage, with_signature
from ataxxd_protocol.messages.notes import Note

Said: TypeAlias = Annotated[
    AnyLogMessage, Field(discriminator="type"), AfterValidator(with_signature)
]


class Recall(Note):
    """Gives the other player a message back that it has signed itself.

    Attributes:
        message: the message, byte for byte as it was signed.
    """

    type: Literal["recall"] = "recall"
    message: Said
