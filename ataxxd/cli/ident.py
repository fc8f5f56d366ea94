"""``ataxxd id``: who this node is."""

from ataxxd.cli import options
from ataxxd.errors import ExitCode


def run(home: options.Home = None) -> int:
    """Show this node's id, which friends compare with the invitation's.

    A broker that gives each node its own topics knows it by the user name shown.
    """
    from ataxxd.node.home import Home
    from ataxxd.node.identity import load_identity
    from ataxxd_protocol import grouped

    place = Home(home)
    key = load_identity(place.identity)
    print(grouped(key.node))
    print(f"user name   {key.node}")
    print(f"public key  {key.public_key}")
    print(f"home        {place.path}")
    return ExitCode.OK
