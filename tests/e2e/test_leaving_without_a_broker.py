"""A player who leaves while the broker is away is told what the opponent may not have yet."""

from contextlib import ExitStack
from pathlib import Path

from ataxxd.errors import ExitCode
from tests.brokers import Mosquitto
from tests.e2e.terminals import in_terminal

UNSENT = "your last move may not have reached it"


def test_a_move_that_the_broker_may_not_have_is_not_called_delivered(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    with ExitStack() as stack:
        people = []
        for who, command in (("host", "host"), ("guest", "join")):
            environment = {"ATAXXD_HOME": str(tmp_path / who), "ATAXXD_BROKER": mosquitto.url}
            person = stack.enter_context(in_terminal([command, "slow"], environment=environment))
            person.read_until("Waiting for a guest" if who == "host" else "Type a move")
            people.append(person)
        host, guest = people
        at = host.read_until("Type a move")
        mosquitto.kill()
        for each in people:
            each.read_until("Connection lost")
        host.type(b"b6\n")
        host.read_until("Red plays b6.", at)
        for each in people:
            each.type(b"quit\n")
            assert each.wait() == ExitCode.OK
            each.read_until("The game is saved. Continue with: ataxxd resume slow")
        assert UNSENT in " ".join(host.text.split())
        assert UNSENT not in " ".join(guest.text.split())
