"""What an event's host has seen of the silence that a claim is about."""

from collections.abc import Callable, Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from ataxxd.errors import StorageError
from ataxxd.session.ledger import Ledger
from ataxxd.session.roles import Role
from ataxxd_protocol.fields import Digest, Milliseconds

# For so long after a connection what comes may be older than that.
_CATCHING_UP_S = 10.0
# What the wires of the players and of the host may have taken more or less, beside a hundredth.
_WIRES_S = 5.0


class SeenMessages:
    """When the messages of one game came, in a file, for a host that is started again."""

    def __init__(self, path: Path) -> None:
        """Use the file `path`, which need not be there."""
        self.path = path

    def read(self) -> dict[str, int | None]:
        """When each message came, in Unix milliseconds; None where it may have been old.

        What cannot be read was not seen: that costs a decision, and makes none wrong.
        """
        found: dict[str, int | None] = {}
        try:
            lines = self.path.read_bytes().split(b"\n")
        except OSError:
            return found
        for line in lines:
            try:
                seen = _Seen.model_validate_json(line)
            except ValidationError:
                continue
            found[seen.message] = seen.heard_ms
        return found

    def add(self, message: str, heard_ms: int | None) -> None:
        """Keep when a message came.

        Not synced: after a power cut it is as if it had not been seen.

        Raises:
            StorageError: it cannot be written.
        """
        line = _Seen(message=message, heard_ms=heard_ms).model_dump_json().encode()
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self.path.open("ab") as file:
                # Whatever line was cut off ends here.
                file.write(b"\n" + line + b"\n")
        except OSError as error:
            raise StorageError(f"{self.path} cannot be written: {error.strerror}.") from None


class _Seen(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True)

    message: Digest
    heard_ms: Milliseconds | None


class Witness:
    """Times the messages of one game as they come."""

    def __init__(
        self,
        now: Callable[[], float],
        since: float,
        heard: Mapping[str, float | None] | None = None,
        keep: Callable[[str, float | None], None] = lambda _message, _heard: None,
    ) -> None:
        """Begin to watch.

        Args:
            now: seconds by a clock that does not jump.
            since: before this moment the game cannot have begun.
            heard: when messages came that were seen before, by that clock.
            keep: is told of each message, and when it came.
        """
        self._now = now
        self._since = since
        self._connected = since
        # None: it came when it may have been old.
        self._heard: dict[str, float | None] = dict(heard or {})
        self._keep = keep

    def interrupted(self) -> None:
        """A connection was made or lost: what comes next may be older."""
        self._connected = self._now()

    def look(self, ledger: Ledger) -> None:
        """See what has come."""
        now = self._now()
        known = now if now - self._connected > _CATCHING_UP_S else None
        for _, message in ledger.line:
            if message.digest not in self._heard:
                self._heard[message.digest] = known
                self._keep(message.digest, known)

    def loser(self, ledger: Ledger) -> Role | None:
        """Who is wrong about the claim of a game: the claimant or the other; None: not known."""
        claim, place, claimant = ledger.claim, ledger.decided_at, ledger.decision
        if claim is None or place is None or claimant is None:
            return None
        awaited = self._heard.get(ledger.line[place - 1][1].digest)
        answers = [message for by, message in ledger.line[place:] if by is not claimant]
        ends = [self._heard.get(each.digest) for each in (ledger.line[place][1], *answers[:1])]
        end = None if None in ends else min(each for each in ends if each is not None)
        most = (self._now() if end is None else end) - (self._since if awaited is None else awaited)
        least = 0.0 if end is None or awaited is None else end - awaited
        waited = claim.waited_ms / 1000
        slack = waited / 100 + _WIRES_S
        if most + slack < waited:
            return claimant
        return claimant.other if least + slack >= waited else None
