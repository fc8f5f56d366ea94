"""``ataxxd club admit``: make nodes members."""

from typing import Annotated

import typer

from ataxxd.cli import options
from ataxxd.cli.club.files import keeper, node_ids
from ataxxd.cli.say import say
from ataxxd.errors import ExitCode
from ataxxd.wording import counted
from ataxxd_protocol.messages import Admission


def run(
    nodes: Annotated[list[str], typer.Argument(metavar="ID…", help="The new members' ids.")],
    home: options.Home = None,
) -> int:
    """Admit members to the club that this node is.

    Its log begins with the first. Only games between members can be rated.
    """
    wanted = node_ids(nodes)
    kept = keeper(home, may_begin=True)
    log = kept.append(
        lambda log, now_ms: [
            Admission(node=node, at_ms=now_ms) for node in wanted if node not in log.members
        ]
    )
    say(f"The club has {counted(len(log.members), 'member')}; its log is {kept.path}.")
    return ExitCode.OK
