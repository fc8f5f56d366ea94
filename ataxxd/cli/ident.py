"""``ataxxd id``: who this node is, and what it is called."""

from contextlib import closing
from typing import Annotated

import typer

from ataxxd.cli import options
from ataxxd.cli.say import say, tell
from ataxxd.errors import ExitCode
from ataxxd.node.home import Home, load_identity
from ataxxd.node.names import NameBook
from ataxxd_protocol import grouped


def run(
    name: Annotated[
        str | None,
        typer.Option("--name", metavar="NAME", help="Give yourself a nickname, which others see."),
    ] = None,
    short: Annotated[bool, typer.Option("--short", help="Print only the id, for scripts.")] = False,
    home: options.Home = None,
) -> int:
    """Show this node's id and nickname, or choose a nickname.

    Friends check the id against invitations. A nickname is signed, and shown beside the beginning
    of the id, as anybody may choose the same one.
    A broker that gives each node its own topics knows it by the user name shown.
    """
    place = Home(home)
    key = load_identity(place.identity)
    with closing(NameBook(place.names)) as names:
        if name is not None:
            names.call_us(key, name)
            if name != name.lower():
                say("Capitals become small letters.")
        called, shown = names.name_of(key.node), names.shown(key.node)
    tell(grouped(key.node))
    if short:
        return ExitCode.OK
    if called is None:
        say("You have no nickname. Choose one: ataxxd id --name NAME")
    else:
        tell(f"nickname    {called}, shown as {shown}")
    tell(f"user name   {key.node}")
    tell(f"public key  {key.public_key}")
    tell(f"home        {place.path}")
    return ExitCode.OK
