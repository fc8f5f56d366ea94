"""Messages to a player around a game: before it begins, and after it is over or left."""

import asyncio
import shlex
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from ataxxd.cli.connect import ChosenBroker, address_of, make_invitation
from ataxxd.cli.output import copy, print_message
from ataxxd.errors import ExitCode
from ataxxd.node.command_lines import command_line
from ataxxd.node.game_run import GameRun
from ataxxd.node.home import Home
from ataxxd.node.journal import StoredGame
from ataxxd.node.network_game import NetworkGame
from ataxxd.node.profile import Profile
from ataxxd.node.runtime import OfferPublished, RuntimeEvent
from ataxxd.node.settings import Settings
from ataxxd.rules import Side
from ataxxd.rules.values import ending_text
from ataxxd.session.events import Notice, Started
from ataxxd.session.ledger import Ledger
from ataxxd.session.points import count_points
from ataxxd.session.record import Standing, standing_of
from ataxxd.session.state import UNDER_WAY, Phase, Role
from ataxxd.session.witnesses import find_player_at_fault
from ataxxd.wording import sentence
from ataxxd_clients.invitation import Invitation
from ataxxd_clients.text.language import side_names
from ataxxd_protocol import grouped

if TYPE_CHECKING:
    from ataxxd_clients.tui.app import WaitingWindow

# Seconds before a message says that we are looking for a game.
_AT_ONCE_S = 3.0


@asynccontextmanager
async def report_search(name: str, seconds: float) -> AsyncIterator[None]:
    """Say that the game `name` is being looked for, if that takes longer than a moment.

    Args:
        name: the game's name.
        seconds: how long the search may take.
    """

    async def report() -> None:
        await asyncio.sleep(_AT_ONCE_S)
        print_message(f'Looking for "{name}" for {seconds:g} s; Ctrl-C gives up.')

    telling = asyncio.create_task(report(), name="looking") if seconds > _AT_ONCE_S else None
    try:
        yield
    finally:
        if telling is not None:
            telling.cancel()
            await asyncio.wait({telling})


def print_invitation(
    game: NetworkGame, broker: ChosenBroker, settings: Settings, *, picture: bool = True
) -> None:
    """Print how to join, with the host's full id, and on a terminal as a QR code.

    Args:
        game: the game we host.
        broker: its broker.
        settings: the settings of our seat.
        picture: whether to draw the QR code if the terminal can show it.
    """
    offer = game.offer
    invitation = make_invitation(offer, broker, secret=game.secret)
    address = address_of(broker)
    shown = settings.shown_name(offer.name)
    print_message(f'Hosting "{shown}" ({offer.ruleset}) as {grouped(offer.host)} on {address}.')
    if shown != offer.name:
        print_message(f'On the broker "{shown}" is called "{offer.name}"; either name works.')
    if invitation.terms:
        print_message(f"Terms: {invitation.terms}.")
    print_message(f"Invite somebody{' on this network' if broker.lan else ''}: {invitation.join}")
    if invitation.link:
        print_message(f"In a browser, or on a phone: {invitation.link}")
    if not invitation.reaches:
        print_message(
            "The broker serves this machine only. For somebody elsewhere, start with --lan, or "
            "name a broker that you can both reach with --broker."
        )
    elif picture and sys.stderr.isatty() and not settings.ascii_only:
        import segno

        if invitation.link:
            copy(invitation.link)
            print_message("The link is copied, if this terminal lets programs copy. Or scan it:")
        print_message("")
        # A link is long: with less error correction, its code still fits on a phone's screen.
        code = segno.make(
            invitation.link or str(invitation.join), error="l" if invitation.link else "m"
        )
        code.terminal(out=sys.stderr, compact=True)
    print_message("Waiting for a guest …")


class PreGameReporter:
    """Tells a player what happens until the first game begins.

    Attributes:
        news: the latest message, to be shown with the board.
    """

    def __init__(
        self,
        role: Role,
        announce: Callable[[], None],
        find_name: Callable[[str], Awaitable[str]],
        sides: Sequence[str],
    ) -> None:
        """Begin with nothing to tell.

        Args:
            role: the player's role.
            announce: announces the offer to people.
            find_name: returns a node's name for people, after waiting a moment for its nickname.
            sides: the names of the first and the second side.
        """
        self.news = ""
        self._role = role
        self._announce = announce
        self._find_name = find_name
        self._sides = sides
        self._welcoming: asyncio.Task[None] | None = None
        self._offered = asyncio.Event()
        self._window: WaitingWindow | None = None

    def __call__(self, event: RuntimeEvent) -> None:
        """Tell the player of an event."""
        match event:
            case OfferPublished():
                # Print it in any case, so that it remains when the window is closed.
                if not self._offered.is_set():
                    self._announce()
                self._offered.set()
            case Started(guest, side) if self._role is Role.HOST:
                self._welcoming = asyncio.create_task(self._welcome(guest, side), name="welcome")
            case Started(_, side):
                self._print(f"You have the seat and play {self._sides[side.opponent]}.")
            case Notice(text):
                self._print(f"[{sentence(text)}]")
            case _:
                pass

    async def _welcome(self, guest: str, side: Side) -> None:
        self._print(f"{await self._find_name(guest)} has joined. You play {self._sides[side]}.")

    async def wait_for_welcome(self) -> None:
        """Wait until the player has been told who has joined, if somebody has."""
        if self._welcoming is not None:
            await self._welcoming

    @property
    def is_offered(self) -> bool:
        """Whether the offer has reached the broker."""
        return self._offered.is_set()

    def _print(self, text: str) -> None:
        self.news = text
        if self._window is None:
            print_message(text)
        else:
            self._window.add_note(text)

    async def show_invitation(
        self,
        begun: Callable[[], Awaitable[bool]],
        invitation: Invitation,
        *,
        ascii_only: bool,
    ) -> None:
        """Show the invitation on the full screen until the first game begins.

        Args:
            begun: waits for the first game; returns whether it has begun.
            invitation: the invitation to the game.
            ascii_only: use ASCII only, whatever the terminal can show.
        """
        from ataxxd_clients.tui.app import WaitingWindow
        from ataxxd_clients.tui.clean_app import needs_ascii, run_window

        beginning = asyncio.ensure_future(begun())
        offered = asyncio.create_task(self._offered.wait(), name="offered")
        try:
            await asyncio.wait([beginning, offered], return_when=asyncio.FIRST_COMPLETED)
            if not beginning.done():
                plain = needs_ascii(asked=ascii_only)
                window = self._window = WaitingWindow(invitation, ascii_only=plain)
                beginning.add_done_callback(lambda _: window.exit(0))
                await run_window(window)
        finally:
            self._window = None
            for task in (beginning, offered):
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task


_STANDINGS = {
    Standing.AGREED: "Both players have signed this result.",
    Standing.DISPUTED: "The players have signed different results.",
    Standing.CONTESTED: "It was claimed and the claim is contested.",
    Standing.UNCONFIRMED: "One of the players has not signed this result.",
    Standing.UNFINISHED: "The game is not over.",
}


def result_text(ledger: Ledger) -> str:
    """The result of a finished game in words, with any breach of the rules that decided it."""
    assert ledger.outcome is not None
    text = ending_text(ledger.outcome, ledger.position)
    return text if ledger.fault is None else f"{text} {sentence(ledger.fault.text)}"


def standing_text(ledger: Ledger) -> str:
    """Which players confirm the result of a game, and what it counts as if that differs."""
    standing = standing_of(ledger)
    decided = witnesses_text(ledger)
    if not decided and standing is Standing.CONTESTED:
        decided = "It counts as lost for both."
    return f"{_STANDINGS[standing]} {decided}".rstrip()


def witnesses_text(ledger: Ledger) -> str:
    """What the majority of a game's witnesses has decided; empty if there is no majority."""
    wrong, count = find_player_at_fault(ledger), count_points(ledger)
    if wrong is None or isinstance(count, str):
        return ""
    heard = "no such silence as" if wrong is ledger.decision else "the silence that"
    names = side_names(ledger.offer.ruleset)
    winner = names[max(Side, key=count.of)]
    return f"Most of its witnesses heard {heard} was claimed: it counts as won by {winner}."


def print_how_to_resume(
    profile: Profile, played: NetworkGame, *, offered: bool, number: int
) -> None:
    """Say how to continue a game that was left, if it can be resumed.

    Args:
        profile: our profile.
        played: the game and its rematches.
        offered: whether the broker has received the first offer.
        number: the number of the game that was left: 2 is the first rematch.
    """
    game = played.current
    stored = profile.journal.find(game.stored.offer.digest, game.stored.role)
    if stored is None or not stored.finished:
        begun = offered or game.stored.id != played.stored.id
        _print_how_to_resume(game, profile.home, offered=begun, number=number)


def _print_how_to_resume(
    game: GameRun, home: Home, *, offered: bool = True, number: int = 1
) -> None:
    """Say how to continue a game that was left before its end.

    Args:
        game: the game.
        home: where it is kept.
        offered: whether the broker has received the offer; otherwise there is none to withdraw.
        number: its number, as for `print_how_to_resume`.
    """
    shown, phase = game.settings.shown_name(game.stored.offer.name), game.ledger.phase
    resume = home.resume_command(shown)
    if phase is Phase.OPEN and game.settings.left:
        print_message(f"The challenge stays with the broker. See again later: {resume}")
    elif phase is Phase.OPEN and game.stored.role is Role.HOST and offered:
        print_message(f"The offer is withdrawn. Open it again with: {resume}")
    if phase is Phase.JOINED and game.runtime.has_reserved_seat:
        print_message(f"Your answer is left for the host. See whether it has arrived: {resume}")
    elif phase is Phase.JOINED and game.stored.role is Role.GUEST:
        again = command_line(f"join {shlex.quote(shown)}", home.option)
        print_message(f'The host has not given you the seat of "{shown}". To ask again: {again}')
    elif phase in UNDER_WAY:
        moved = bool(game.ledger.moves) and game.ledger.line[-1][0] is game.stored.role
        if moved and not game.runtime.connected:
            print_message(
                "The broker is away, and your last move may not have reached it. It is sent when "
                "you continue."
            )
        what = f"Game {number}" if number > 1 else "The game"
        print_message(f"{what} is saved. Continue with: {resume}")
    elif game.ledger.outcome is not None and not game.runtime.is_settled:
        _print_unconfirmed(game.ledger, resume)


def _print_unconfirmed(ledger: Ledger, resume: str) -> None:
    what = "that they have your signature" if ledger.phase is Phase.CLOSED else "the result"
    print_message(f"Your opponent has not confirmed {what}. To send it again later: {resume}")


def print_end(
    game: GameRun,
    *,
    home: Home,
    friendly: bool,
    in_event: bool,
    already_told: bool,
    was_over: StoredGame | None,
    numbered: bool,
    named_records: int,
) -> None:
    """Say how a game ended; a person at a terminal is also told where its record is.

    Args:
        game: the game.
        home: the home that keeps its record.
        friendly: whether a person reads this.
        in_event: whether it is a game of an event.
        already_told: whether the end has just been told below the last board.
        was_over: the game that was already over at the start, if any.
        numbered: whether other games of its name are reported beside it.
        named_records: the number of games whose records to name here; 0 to name none.
    """
    ledger, name = game.ledger, game.settings.shown_name(game.stored.offer.name)
    if ledger.outcome is None:
        if not in_event:
            _print_how_to_resume(game, home)
        return
    if game.proof is not None and not _lost_on_time(game):
        print_message(
            f"The proof is in {game.proof}; anyone can check it: ataxxd verify {game.proof}"
        )
    fault = ledger.fault
    if game.stored.role.other in ledger.false_scores:
        print_message(
            "Your opponent signed another score than the result; their own signature proves it."
        )
    elif fault is not None and fault.role is not game.stored.role:
        print_message(f"Your opponent broke the rules: {fault.text.rstrip('.')}. You win.")
    else:
        seen = already_told and (was_over is None or game.stored.id != was_over.id)
        which = f"Game {game.settings.game}: " if numbered else "" if seen else "Finished: "
        settled = in_event or game.runtime.is_settled
        parts = [] if seen and fault is None else [result_text(ledger)]
        # Both may have signed it, and the opponent not know that yet.
        parts += [standing_text(ledger)] if settled or ledger.phase is Phase.CLOSED else []
        if parts:
            print_message(which + " ".join(parts))
        if not settled:
            _print_unconfirmed(ledger, home.resume_command(name))
            if ledger.phase is not Phase.CLOSED and (decided := witnesses_text(ledger)):
                print_message(decided)
    if friendly and (record := game.settings.record) is not None:
        print_message(f"The record is in {record}.")
    elif friendly and named_records and game.runtime.is_settled:
        kept, it = ("record is", "it") if named_records == 1 else ("records are", "them")
        find = command_line(f"archive {shlex.quote(name)}", home.option)
        print_message(f"The {kept} kept. Find {it} with: {find}")


def _lost_on_time(game: GameRun) -> bool:
    """Whether we lost by our own clock, so that no claim of the opponent is needed."""
    ledger = game.ledger
    assert ledger.outcome is not None
    ours = ledger.side_of(game.stored.role)
    return ledger.outcome.termination == "time" and ledger.outcome.winner is not ours


def exit_code_of(game: GameRun) -> ExitCode:
    """The exit code after a game, which says whether the opponent has cheated."""
    role, ledger = game.stored.role, game.ledger
    cheated = role.other in ledger.false_scores or (
        ledger.fault is not None and ledger.fault.role is not role
    )
    return ExitCode.CHEATING_PROVED if cheated else ExitCode.OK
