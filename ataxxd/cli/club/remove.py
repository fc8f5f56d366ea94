"""``ataxxd club remove``: take members out."""

from typing import Annotated

import typer

from ataxxd.cli import options
from ataxxd.cli.club.files import keeper, node_ids
from ataxxd.cli.say import say
from ataxxd.errors import ExitCode, UsageError
from ataxxd.wording import counted
from ataxxd_protocol import grouped
from ataxxd_protocol.messages import Removal


def run(
    nodes: Annotated[list[str], typer.Argument(metavar="ID…", help="The ids of those who leave.")],
    home: options.Home = None,
) -> int:
    """Remove members from the club that this node is.

    What they have played counts; what is announced from now on has to be without them.
    """
    wanted = node_ids(nodes)
    kept = keeper(home)
    for node in wanted:
        if node not in kept.log().members:
            raise UsageError(f"{grouped(node)} is no member. All members: ataxxd club show")
    log = kept.append(
        lambda log, now_ms: [
            Removal(node=node, at_ms=now_ms) for node in wanted if node in log.members
        ]
    )
    say(f"The club has {counted(len(log.members), 'member')}; its log is {kept.path}.")
    return ExitCode.OK
