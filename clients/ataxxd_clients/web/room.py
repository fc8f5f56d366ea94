"""The pages of one game: commands from each go to the game, changes go to all.

The game may begin later: a host's page is open before the guest comes.
"""

import asyncio
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import segno

from ataxxd.errors import LocalProtocolError
from ataxxd.node.game import Game
from ataxxd.rules import Move, Position, RulesError, Side
from ataxxd.rules.values import ruleset_info
from ataxxd.sanitize import sanitized
from ataxxd.session.events import (
    Begun,
    Moved,
    OpponentStays,
    Over,
    Overheard,
    Said,
    Seat,
    TableEvent,
    TakenBack,
)
from ataxxd_clients.analysis import (
    Evaluator,
    allowed_advice,
    bar_share,
    check_advice,
    explain_best_move,
    hint_text,
    obstacle_to_advice,
    verdict_text,
)
from ataxxd_clients.analysis import Verdict as Opinion
from ataxxd_clients.exports import SIGNED, available_exports, export_game, find_export, game_bytes
from ataxxd_clients.invitation import Invitation
from ataxxd_clients.labels import ASKED, may_move, move_name, own_side, person_on_turn
from ataxxd_clients.text.commands import CommandContext, CommandError
from ataxxd_clients.text.console import Output
from ataxxd_clients.text.games import line_language
from ataxxd_clients.text.language import LineLanguage
from ataxxd_clients.web import messages, scene
from ataxxd_clients.web.channel import Connection, Table
from ataxxd_clients.web.messages import (
    COMMANDS,
    Command,
    Evaluation,
    File,
    Hint,
    PlayedMove,
    Premoved,
    Share,
    State,
    Told,
    Verdict,
    Waiting,
    WireMessage,
)
from ataxxd_clients.web.scene import ChatHistory, History, event_message, explain


def as_message(opinion: Opinion, position: Position, language: LineLanguage) -> Verdict:
    """A verdict on a position as a message for pages."""
    return Verdict(
        share=bar_share(opinion),
        words=verdict_text(opinion, language.names),
        line=[*map(move_name, opinion.line)],
        why=explain_best_move(opinion, position),
    )


class EngineAdvice:
    """The engine's advice in a game; there is none in a game against somebody else.

    Args:
        game: the game.
        language: the game's words.
        history: the game's positions.
        tell: sends a message to all pages.
    """

    def __init__(
        self,
        game: Game,
        language: LineLanguage,
        history: History,
        send: Callable[[Hint | Evaluation], None],
    ) -> None:
        self._game = game
        self._language = language
        self._history = history
        self._send = send
        self._evaluator = Evaluator(self._send_evaluation)
        self._on = False

    @property
    def evaluation(self) -> Evaluation | None:
        """The evaluation of the game; None while it is off."""
        if not self._on:
            return None
        positions = self._history.positions(self._game)
        known = [(self._evaluator.verdict(position), position) for position in positions]
        return Evaluation(
            on=True,
            verdicts=[
                None if opinion is None else as_message(opinion, position, self._language)
                for opinion, position in known
            ],
        )

    def hint(self) -> None:
        """Search for the best move, and send it to all pages.

        Raises:
            CommandError: there is no move, or advice is not allowed.
        """
        check_advice(self._game, hint=True)
        position, ply = self._game.position, len(self._game.moves)

        def on_found(opinion: Opinion) -> None:
            if position == self._game.position:
                squares = self._language.paths(opinion.line[0], position)[0]
                self._send(Hint(ply=ply, squares=squares, text=hint_text(opinion, position)))

        self._evaluator.hint(position, on_found)

    def evaluate(self, *, on: bool) -> None:
        """Turn the evaluation of the game on or off.

        Raises:
            CommandError: advice is not allowed.
        """
        if on:
            check_advice(self._game)
        self._on = on
        if on:
            self.follow()
        else:
            self._stop()
        self._send_evaluation()

    def follow(self) -> None:
        """Update after a change in the game."""
        if not self._on:
            return
        if obstacle_to_advice(self._game) is not None:
            self._on = False
            self._stop()
        else:
            self._game.advised()
            self._evaluator.survey(self._history.positions(self._game))
            self._evaluator.ponder(self._game.position)

    async def close(self) -> None:
        """Stop the engine."""
        await self._evaluator.close()

    def _stop(self) -> None:
        self._evaluator.stop_survey()
        self._evaluator.ponder(None)

    def _send_evaluation(self) -> None:
        self._send(self.evaluation or Evaluation(on=False, verdicts=[]))


def as_share(invitation: Invitation) -> Share:
    """An invitation for the page, with a QR code of the link or else of a command."""
    # A link is long: with less correction its picture still fits on a phone's screen.
    code = segno.make(
        invitation.link or invitation.join or invitation.watch,
        error="l" if invitation.link else "m",
    )
    return Share(
        name=invitation.name,
        link=invitation.link,
        join=invitation.join,
        watch=invitation.watch,
        terms=invitation.terms,
        reaches=invitation.reaches,
        code=["".join("1" if dark else "0" for dark in row) for row in code.matrix],
    )


_CHANGED = "The board has changed in the meantime; look again."


class GameSession:
    """A game as pages show it; `run` must run beside them.

    Args:
        game: the game; nothing else may advance it meanwhile.
        title: the game's name; empty without one.
        log: receives every command and move in the line language.
        announce: sends a message to all pages, followed by the new state.
        advise: sends the engine's advice to all pages.

    Attributes:
        talk: the chat beside the game.
    """

    def __init__(
        self,
        game: Game,
        *,
        title: str,
        log: Callable[[str], object],
        announce: Callable[[Told | messages.Said], None],
        advise: Callable[[Hint | Evaluation], None],
    ) -> None:
        self._game = game
        self._title = title
        self._log = log
        self._announce = announce
        self._language = line_language(game.position.ruleset)
        self._context = CommandContext(game, Output(io.StringIO(), io.StringIO()))
        self._history = scene.History()
        self._premove: Premoved | None = None
        self.talk = ChatHistory()
        self.advice = EngineAdvice(game, self._language, self._history, advise)
        # How the last move was typed, which may name other squares than its canonical text.
        self._typed: str | None = None
        self._known_files: tuple[object, list[File]] = None, []

    @property
    def event_goes_on(self) -> bool:
        """Whether the game is over and belongs to an event, which continues by itself."""
        return self._game.in_event and self._game.outcome is not None

    @property
    def moves(self) -> Sequence[PlayedMove]:
        """The moves so far."""
        return self._history.of(self._game)

    async def run(self) -> None:
        """Send the game's events to all pages, for ever."""
        try:
            while True:
                self._on_event(await self._game.advance())
                await self._play_premove()
        finally:
            await self.advice.close()

    async def execute(self, command: messages.Command) -> None:
        """Execute a page's command.

        Raises:
            RulesError, LocalProtocolError, CommandError: it is impossible; nothing has changed.
        """
        await self._execute(command)
        self.advice.follow()

    async def _execute(self, command: messages.Command) -> None:
        game = self._game
        match command:
            case messages.Play(ply=ply, move=text):
                await self._play(ply, text)
            case messages.Premove(ply=ply, move=text):
                await self._store_premove(ply, text)
            case messages.Explain(squares=squares):
                explain(squares, game.position, self._language)
            case messages.Resign():
                await game.resign()
                self._log("resign")
            case messages.OfferDraw():
                await game.offer_draw()
                self._log("draw")
            case messages.AnswerDraw(accept=accept):
                await game.answer_draw(accept=accept)
                self._log("accept" if accept else "reject")
            case messages.Undo() | messages.Redo() | messages.New() | messages.Fill():
                self._premove = None
                self._edit(command)
            case messages.Say(text=text):
                await self._say(text)
            case messages.Mute(speaker=speaker, muted=muted):
                self.talk.mute(speaker, muted=muted)
            case messages.AskHint():
                self.advice.hint()
            case messages.Evaluate(on=on):
                self.advice.evaluate(on=on)
            case _:
                await self._execute_peer(command)

    def _edit(self, command: messages.Undo | messages.Redo | messages.New | messages.Fill) -> None:
        match command:
            case messages.Undo():
                self._context.undo()
                self._log("undo")
            case messages.Redo():
                self._context.redo()
                self._log("redo")
            case messages.New():
                self._context.begin(start=self._language.new_start(self._game.position))
                self._log("new")
            case messages.Fill(side=number, seat=seat):
                self._context.set_seat(Side(number), Seat(seat))
                word = "auto" if seat == "auto" else "manual"
                self._log(f"{word} {self._language.names[number].lower()}")

    async def _say(self, text: str) -> None:
        game = self._game
        await (game.talk(text) if "talk" in game.can else game.say(text))
        self._announce(self.talk.add("You", text, mine=True))

    async def _execute_peer(self, command: messages.Command) -> None:
        game = self._game
        match command:
            case messages.Ask(what=what):
                await game.ask(what)
                if game.outcome is None:
                    self._announce(Told(kind="notice", text=ASKED))
            case messages.Agree():
                await game.agree()
            case messages.Refuse():
                said = await game.refuse()
                self._announce(self.talk.add("You", said, mine=True))
            case messages.KeepPlaying():
                await game.keep_playing()
                self._log("unresign")
            case messages.Claim():
                await game.claim()
            case messages.Rematch():
                game.ask_rematch()

    async def _play(self, ply: int, text: str) -> None:
        if ply != len(self._game.moves):
            raise CommandError(_CHANGED)
        await self._make_move(self._game.position.parse_move(text), typed=text)

    async def _make_move(self, move: Move, typed: str | None = None) -> None:
        game = self._game
        before, ply = game.position, len(game.moves) + 1
        self._typed = typed
        await game.play(move)
        self._log(self._language.move_text(Moved(before.turn, move, before, Seat.HUMAN, ply)))

    async def _store_premove(self, ply: int, text: str) -> None:
        """Keep a move for the person's next turn, which may have come meanwhile."""
        if not text.strip():
            self._premove = None
            return
        if ply < len(self._game.moves) - person_on_turn(self._game):
            raise CommandError(_CHANGED)
        squares = self._language.squares_in(text)
        if not squares:
            raise CommandError(f"{sanitized(text)!r} is not a premove: name its squares.")
        if may_move(self._game):
            await self._make_move(scene.find_move(text, self._game.position, self._language))
        else:
            self._premove = Premoved(move=text, squares=squares)

    async def _play_premove(self) -> None:
        premove = self._premove
        if premove is None or not may_move(self._game):
            return
        self._premove = None
        try:
            await self._make_move(
                scene.find_move(premove.move, self._game.position, self._language)
            )
        except (RulesError, LocalProtocolError) as error:
            why = f"Your premove was dropped. {error}"
            self._announce(Told(kind="dropped", text=why))

    async def export(self, name: str) -> tuple[str, bytes]:
        """The name and the content of a file with the game."""
        game, export = self._game, find_export(name)
        if export is None or export.name == SIGNED:
            content = export_game(game, name)
        else:
            # Drawing a whole game takes seconds.
            content = await asyncio.to_thread(game_bytes, game.record, name)
        suffix = "" if export is None else export.suffix
        return (self._title or game.position.game) + suffix, content

    def _files(self) -> list[File]:
        """The ways to save the game, computed again when they may have changed."""
        game = self._game
        key = (game.start, game.outcome, len(game.moves) > 0)
        if self._known_files[0] != key:
            files = [File(name=each.name, title=each.title) for each in available_exports(game)]
            self._known_files = key, files
        return self._known_files[1]

    def _on_event(self, event: TableEvent) -> None:
        match event:
            case Said(side, text):
                self._announce(self.talk.add(self._language.names[side], text))
                return
            case Overheard(speaker, text):
                self._announce(self.talk.add(f"spectator {speaker}", text))
                return
            case OpponentStays():
                return  # the page shows this in another way, with its button
            case Over() | TakenBack() | Begun():
                self._premove = None
            case _:
                pass
        self.advice.follow()
        game = self._game
        message = event_message(event, self._language, game.position, own_side(game))
        match event:
            case Moved(move=move, seat=Seat.HUMAN) if self._typed is not None:
                if (echo := self._language.echo(self._typed, move)) is not None:
                    message = message.model_copy(update={"text": f"{echo} {message.text}"})
                self._typed = None
            case _:
                pass
        self._announce(message)

    def state(self, known: Sequence[PlayedMove]) -> State:
        """The whole state of a page, except for moves that it already has."""
        game, language = self._game, self._language
        position = game.position
        info = ruleset_info(position.ruleset)
        moves = self.moves
        kept = scene.common_prefix_length(known, moves)
        can = scene.abilities(game)
        kind = "local"
        if game.broker is not None:
            kind = "watch" if own_side(game) is None else "network"
        return State.model_validate(
            {
                "title": self._title,
                "kind": kind,
                "game": position.game,
                "ruleset": position.ruleset,
                "ruleset_title": info.title,
                "rules": [*language.lesson()],
                "example": next(iter(language.move_help()))[0],
                "squares": [[*row] for row in position.square_names],
                "start": [*game.start.rows],
                "moves_from": kept,
                "moves": [*moves[kept:]],
                "turn": int(position.turn),
                "turn_text": language.turn_text(position, len(moves)),
                "players": scene.players(game, language.names),
                "legal": scene.legal_moves(position, language) if "move" in can else [],
                "one_square": language.squares_are_moves,
                "premove": self._premove,
                "draw_offered_by": game.draw_offered_by,
                "muted": self.talk.muted,
                "asked": game.asked,
                "resigning": game.resigning,
                "can": [*allowed_advice(game), *can],
                "ending": scene.ending(game),
                "broker_lost": not game.connected,
                "files": self._files(),
            }
        )


class Room(Table):
    """A game with its connections; `run` must run beside them.

    Args:
        game: the game, if it has begun; nothing else may advance it meanwhile.
        title: the game's name; empty without one.
        log: receives every command and move in the line language; None for nobody.
        invitation: how others can join or watch; None if they cannot.
        waits_for: the player it waits for; empty for anybody.
    """

    page = "index.html"
    commands = COMMANDS
    # A sentence of 500 characters, perhaps of four bytes each, written as escapes.
    longest_command = 8192
    refusals = (CommandError, RulesError, LocalProtocolError)

    def __init__(
        self,
        game: Game | None = None,
        *,
        title: str = "",
        log: Callable[[str], object] | None = None,
        invitation: Invitation | None = None,
        waits_for: str = "",
    ) -> None:
        super().__init__()
        self._title = title
        self._log = log or (lambda _: None)
        self._invitation = invitation
        self._waits_for = waits_for
        self._session: GameSession | None = None
        self._seated = asyncio.Event()
        if game is not None:
            self.begin(game)

    def begin(self, game: Game) -> None:
        """Show a game that has just begun."""
        self._session = GameSession(
            game,
            title=self._title,
            log=self._log,
            announce=self.announce,
            advise=self.send,
        )
        if game.in_event:
            self.close_reason = "The event goes on, and its next game opens by itself."
        self._seated.set()
        if self._invitation is not None:
            self._invitation = replace(self._invitation, join=None)
            self.send(as_share(self._invitation))
        self.send_state()

    async def run(self) -> None:
        """Send the game's events to all pages, for ever."""
        await self._seated.wait()
        assert self._session is not None
        await self._session.run()

    def _greeting(self) -> Iterator[WireMessage]:
        if self._invitation is not None:
            yield as_share(self._invitation)
        if self._session is not None:
            yield from self._session.talk.lines
            if (known := self._session.advice.evaluation) is not None:
                yield known

    async def export(self, name: str) -> tuple[str, bytes]:
        """The name and the content of a file with the game."""
        return await self._game.export(name)

    async def _execute(self, command: Command) -> None:
        if isinstance(command, messages.Leave):
            self._log("quit")
            if self._session is None or not self._session.event_goes_on:
                self.close_reason = "You have left the table."
            self.left.set()
        else:
            await self._game.execute(command)
        self.send_state()

    @property
    def _game(self) -> GameSession:
        if self._session is None:
            raise CommandError("Nobody has come yet; the game begins when somebody joins.")
        return self._session

    def _state(self, connection: Connection) -> State | Waiting:
        if self._session is None:
            return Waiting(title=self._title, who=self._waits_for)
        state = self._session.state(connection.known)
        connection.known = self._session.moves
        return state
