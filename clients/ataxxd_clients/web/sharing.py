"""How others come to the game, for the page: commands to copy, and a code to photograph."""

import segno

from ataxxd_clients.invitation import Invitation
from ataxxd_clients.web.messages import Share


def as_share(invitation: Invitation) -> Share:
    """An invitation for the page, with the code of the command to join, or else to watch."""
    code = segno.make(invitation.join or invitation.watch, error="m")
    return Share(
        name=invitation.name,
        join=invitation.join,
        watch=invitation.watch,
        terms=invitation.terms,
        reaches=invitation.reaches,
        code=["".join("1" if dark else "0" for dark in row) for row in code.matrix],
    )
