"""What a player is told when a game is over, or left: its result, and how it goes on."""

from ataxxd.cli.say import say
from ataxxd.errors import ExitCode
from ataxxd.node.game_run import GameRun
from ataxxd.node.journal import StoredGame
from ataxxd.node.network_game import NetworkGame
from ataxxd.node.profile import Profile
from ataxxd.rules.endings import ending_text
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import Standing, standing_of
from ataxxd.session.roles import Role
from ataxxd.session.state import UNDER_WAY, Phase
from ataxxd.wording import sentence

_STANDINGS = {
    Standing.AGREED: "Both players have signed this result.",
    Standing.DISPUTED: "The players have signed different results.",
    Standing.CONTESTED: "It was claimed and the claim is contested: it counts as lost for both.",
    Standing.UNCONFIRMED: "One of the players has not signed this result.",
    Standing.UNFINISHED: "The game is not over.",
}


def result_text(ledger: Ledger) -> str:
    """The result of a game that is over, with the breach of the rules that decided it."""
    assert ledger.outcome is not None
    text = ending_text(ledger.outcome, ledger.position)
    return text if ledger.fault is None else f"{text} {sentence(ledger.fault.text)}"


def standing_text(standing: Standing) -> str:
    """Who stands by the result."""
    return _STANDINGS[standing]


def say_if_left(profile: Profile, played: NetworkGame, *, offered: bool) -> None:
    """Say how a game can go on, if there is something to resume."""
    game = played.current
    stored = profile.journal.find(game.stored.offer.digest, game.stored.role)
    if stored is None or not stored.finished:
        _say_left(game, offered=offered or game.stored.id != played.stored.id)


def _say_left(game: GameRun, *, offered: bool = True) -> None:
    """Say how a game can go on that was left before its end.

    Args:
        game: the game.
        offered: the broker has had the offer; one that it never had is not withdrawn.
    """
    name, phase = game.settings.shown_name(game.stored.offer.name), game.ledger.phase
    if phase is Phase.OPEN and game.stored.role is Role.HOST and offered:
        say(f"The offer is withdrawn. Open it again with: ataxxd resume {name}")
    if phase is Phase.JOINED and game.stored.role is Role.GUEST:
        say(f'The host has not given you the seat of "{name}". To ask again: ataxxd join {name}')
    elif phase in UNDER_WAY:
        say(f"The game is saved. Continue with: ataxxd resume {name}")


def say_ended(
    game: GameRun,
    *,
    friendly: bool,
    in_event: bool,
    tells: bool,
    was_over: StoredGame | None,
    numbered: bool,
    finds: bool,
) -> None:
    """Say how a game ended; to a person at a terminal also where its record is.

    Args:
        game: the game.
        friendly: a person is told.
        new: it is an offer that nobody has seen before.
        in_event: it is a game of an event.
        tells: how a game ends is told below its last board, right before this.
        was_over: the game that had ended before.
        numbered: others of its name are told beside it.
        finds: it tells how it, and those before it, are found.
    """
    ledger, name = game.ledger, game.settings.shown_name(game.stored.offer.name)
    if ledger.outcome is None:
        if not in_event:
            _say_left(game)
        return
    if game.proof is not None and not _lost_on_time(game):
        say(f"The proof is in {game.proof}; anyone can check it: ataxxd verify {game.proof}")
    fault = ledger.fault
    if game.stored.role.other in ledger.false_scores:
        say("Your opponent signed another score than the result; its own signature proves it.")
    elif fault is not None and fault.role is not game.stored.role:
        say(f"Your opponent broke the rules: {fault.text.rstrip('.')}. You win.")
    else:
        seen = tells and (was_over is None or game.stored.id != was_over.id)
        which = f"Game {game.settings.game}: " if numbered else "" if seen else "Finished: "
        settled = in_event or game.runtime.settled
        parts = [] if seen and fault is None else [result_text(ledger)]
        parts += [standing_text(standing_of(ledger))] if settled else []
        if parts:
            say(which + " ".join(parts))
        if not settled:
            say(
                "Your opponent has not confirmed the result. To send it again later: "
                f"ataxxd resume {name}"
            )
    if friendly and (record := game.settings.record) is not None:
        say(f"The record is in {record}.")
    elif friendly and finds and game.runtime.settled:
        say(f"The record is kept. Find it with: ataxxd archive {name}")


def _lost_on_time(game: GameRun) -> bool:
    """Whether we lost by our own clock, which nobody has to prove to us."""
    ledger = game.ledger
    assert ledger.outcome is not None
    ours = ledger.side_of(game.stored.role)
    return ledger.outcome.termination == "time" and ledger.outcome.winner is not ours


def code_of(game: GameRun) -> ExitCode:
    """The exit code after a game: whether the opponent has cheated."""
    role, ledger = game.stored.role, game.ledger
    cheated = role.other in ledger.false_scores or (
        ledger.fault is not None and ledger.fault.role is not role
    )
    return ExitCode.CHEATING_PROVED if cheated else ExitCode.OK
