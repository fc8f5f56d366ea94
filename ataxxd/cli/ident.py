"""``ataxxd id``: who this node is."""

from typing import Annotated

import typer

from ataxxd.cli import options
from ataxxd.cli.say import tell
from ataxxd.errors import ExitCode


def run(
    short: Annotated[bool, typer.Option("--short", help="Print only the id, for scripts.")] = False,
    home: options.Home = None,
) -> int:
    """Show this node's id, which friends check against invitations.

    A broker that gives each node its own topics knows it by the user name shown.
    """
    from ataxxd.node.home import Home
    from ataxxd.node.identity import load_identity
    from ataxxd_protocol import grouped

    place = Home(home)
    key = load_identity(place.identity)
    tell(grouped(key.node))
    if short:
        return ExitCode.OK
    tell(f"user name   {key.node}")
    tell(f"public key  {key.public_key}")
    tell(f"home        {place.path}")
    return ExitCode.OK
