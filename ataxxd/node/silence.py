"""What a player or a spectator does when nothing is heard for long."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable

from ataxxd.node.concurrency import Duty
from ataxxd.session.state import Role

# Seconds of silence before we ask for an answer again; they double from the first to the second.
FIRST_PAUSE_S, LONGEST_PAUSE_S = 2.0, 30.0
# Seconds between two requests for a seat at first, and for how long: a host that very many ask
# reads only some of their requests.
SEAT_PAUSE_S, SEAT_EAGER_S = 0.25, 10.0
# For spectators: seconds of silence before they first ask the broker for the state again, and
# before they report the silence.
WATCHER_PAUSE_S, WATCHER_REPORT_S = 5.0, 30.0

# Seconds for which a guest waits longer than a host, so that the two do not change places, and
# seconds between two changes, which double: half a minute and a minute, as a silence of ours goes
# in steps of half a minute.
_GUEST_WAITS_S, _CHANGE_PAUSE_S = 25.0, 55.0


class MemberChange:
    """Decides when to go on to another member of a cluster, in one silence.

    Two members that were cut off may carry nothing to each other though both accept clients. An
    opponent that is reached echoes a nonce by itself, however long its player thinks. The pauses
    between changes grow: with each we wait anew until we may claim the game, and an opponent that
    echoes nothing must not prevent that for good.
    """

    def __init__(self, role: Role) -> None:
        """Begin a silence, as the player of this role."""
        self._waits_s = 0.0 if role is Role.HOST else _GUEST_WAITS_S
        self._nonce = ""
        self._due = 0.0
        self._pause_s = _CHANGE_PAUSE_S

    def ask(self, now: float) -> str:
        """The nonce to be echoed."""
        if not self._nonce:
            self._nonce = secrets.token_hex(16)
            self._due = max(self._due, now + self._waits_s)
        return self._nonce

    def awaits(self, echo: str | None) -> bool:
        """Whether this is the echo that was asked for."""
        return echo is not None and echo == self._nonce

    def forget(self) -> None:
        """Note that the echo has come, or will not, as a connection was lost."""
        self._nonce = ""

    def is_due(self, now: float) -> bool:
        """Whether an echo was asked for and has not come for long enough."""
        return self._nonce != "" and now >= self._due

    def on_changed(self, now: float) -> None:
        """Note that we go on to another member."""
        self.forget()
        self._due = now + self._pause_s
        self._pause_s *= 2


# Seconds between two requests from which on the broker may also have lost a subscription.
_LONG_PAUSE_S = 16.0


class Retransmission(Duty):
    """Watches one game for silence.

    Attributes:
        change: decides when to go on to another member of a cluster.
    """

    def __init__(self, ask: Callable[[], Awaitable[None]], role: Role = Role.HOST) -> None:
        """Call `ask` after each silence of the player of this role, once `begin` was called."""
        super().__init__()
        self._ask = ask
        self._role = role
        self.change = MemberChange(role)
        self._pause_s = FIRST_PAUSE_S
        self._eager_until = 0.0

    def begin(self, *, seated: bool = True) -> None:
        """Begin; unless we are `seated`, the first silences are shorter."""
        now = asyncio.get_running_loop().time()
        self._pause_s = FIRST_PAUSE_S if seated else SEAT_PAUSE_S
        self._eager_until = 0.0 if seated else now + SEAT_EAGER_S
        self.schedule(now + self._pause_s)

    @property
    def is_long(self) -> bool:
        """Whether the silence has lasted for some fourteen seconds."""
        return self._pause_s >= _LONG_PAUSE_S

    def on_new_message(self) -> None:
        """Note that the game has grown."""
        self.change = MemberChange(self._role)
        self.begin()

    async def perform(self) -> None:
        """Ask, and wait longer before asking again."""
        now = asyncio.get_running_loop().time()
        if now >= self._eager_until:
            self._pause_s = min(max(self._pause_s, FIRST_PAUSE_S) * 2, LONGEST_PAUSE_S)
        self.schedule(now + self._pause_s)
        await self._ask()


class Silence:
    """A silence in a watched game, for a loop that waits for events.

    Attributes:
        since: when the game last grew, in seconds.
        due: when to ask for the state, in seconds.
    """

    def __init__(self, now: float) -> None:
        """Begin at `now`, in seconds."""
        self.on_new_message(now)

    def on_new_message(self, now: float) -> None:
        """Note that the game has grown."""
        self.since = now
        self._pause_s = WATCHER_PAUSE_S
        self._reported = False
        self.due = now + self._pause_s

    @property
    def is_asked(self) -> bool:
        """Whether the state was asked for in this silence."""
        return self._pause_s > WATCHER_PAUSE_S

    def on_asked(self, now: float) -> bool:
        """Note that the state was asked for; returns, once, whether to report the silence."""
        self._pause_s = min(self._pause_s * 2, LONGEST_PAUSE_S)
        self.due = now + self._pause_s
        tells = not self._reported and now - self.since >= WATCHER_REPORT_S
        self._reported |= tells
        return tells
