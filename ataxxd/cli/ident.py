"""``ataxxd id``: who this node is, and what it is called."""

from contextlib import closing

from ataxxd.cli.commands.people import IdOptions
from ataxxd.cli.say import say, tell
from ataxxd.errors import ExitCode
from ataxxd.node.home import Home, load_identity
from ataxxd.node.names import NameBook
from ataxxd_protocol import grouped


def run(options: IdOptions) -> int:
    """Show this node's id and nickname, or choose a nickname."""
    place = Home(options.home)
    key = load_identity(place.identity)
    with closing(NameBook(place.names)) as names:
        if options.name is not None:
            names.call_us(key, options.name)
            if options.name != options.name.lower():
                say("Capitals become small letters.")
        called, shown = names.name_of(key.node), names.shown(key.node)
    tell(grouped(key.node))
    if options.short:
        return ExitCode.OK
    if called is None:
        say("You have no nickname. Choose one: ataxxd id --name NAME")
    else:
        tell(f"nickname    {called}, shown as {shown}")
    tell(f"user name   {key.node}")
    tell(f"public key  {key.public_key}")
    tell(f"home        {place.path}")
    return ExitCode.OK
