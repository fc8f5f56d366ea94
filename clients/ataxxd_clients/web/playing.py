"""What pages do at a table, and what they are shown of it."""

import asyncio
import io
from collections.abc import Callable, Sequence

from ataxxd.errors import LocalProtocolError
from ataxxd.node.control import (
    Begun,
    Game,
    Moved,
    Over,
    Overheard,
    Said,
    Seat,
    TableEvent,
    TakenBack,
)
from ataxxd.rules import Move, RulesError, Side
from ataxxd.rules.catalog import ruleset_info
from ataxxd.sanitize import sanitized
from ataxxd_clients.exports import SIGNED, exported, exports, way_named, written
from ataxxd_clients.seating import own_side
from ataxxd_clients.text.commands import CommandError
from ataxxd_clients.text.context import CommandContext
from ataxxd_clients.text.games import line_language
from ataxxd_clients.text.output import Output
from ataxxd_clients.web import commands, messages, scene
from ataxxd_clients.web.advising import Advising
from ataxxd_clients.web.explaining import explain
from ataxxd_clients.web.messages import Evaluation, File, Hint, PlayedMove, Premoved, State, Told
from ataxxd_clients.web.talk import Talk
from ataxxd_clients.web.telling import told

_CHANGED = "The board has changed meanwhile; look at it again."


class Playing:
    """A table as pages have it; `run` must run beside them.

    Args:
        table: the table; nothing else may advance it meanwhile.
        title: the game's name, where it has one.
        log: gets every command and move as the line language has it.
        announce: tells all pages something, and that the state has changed.
        advise: tells all pages what the engine says.

    Attributes:
        talk: what is said beside the table.
    """

    def __init__(
        self,
        table: Game,
        *,
        title: str,
        log: Callable[[str], object] | None,
        announce: Callable[[Told | messages.Said], None],
        advise: Callable[[Hint | Evaluation], None],
    ) -> None:
        self._table = table
        self._title = title
        self._log = log
        self._announce = announce
        self._language = line_language(table.position.ruleset)
        self._context = CommandContext(table, Output(io.StringIO(), io.StringIO()))
        self._history = scene.History(self._language)
        self._premove: Premoved | None = None
        self.talk = Talk()
        self.advising = Advising(table, self._language, advise)
        # What to say of the move just made, where it was typed with other squares than it is told.
        self._echo: str | None = None
        self._known_files: tuple[object, list[File]] = None, []

    @property
    def moves(self) -> Sequence[PlayedMove]:
        """The moves so far."""
        return self._history.of(self._table)

    async def run(self) -> None:
        """Tell what happens at the table, for ever."""
        try:
            while True:
                self._tell(await self._table.advance())
                await self._play_premove()
        finally:
            await self.advising.close()

    async def obey(self, command: commands.Command) -> None:
        """Obey a page's command.

        Raises:
            RulesError, LocalProtocolError, CommandError: it cannot be obeyed; nothing has changed.
        """
        if not self.advising.obey(command):
            await self._obey(command)
        self.advising.follow()

    async def _obey(self, command: commands.Command) -> None:
        table = self._table
        match command:
            case commands.Play(ply=ply, move=text):
                await self._play(ply, text)
            case commands.Premove(ply=ply, move=text):
                await self._hold(ply, text)
            case commands.Explain(squares=squares):
                explain(squares, table.position, self._language)
            case commands.Resign():
                await table.resign()
                self._write("resign")
            case commands.OfferDraw():
                await table.offer_draw()
                self._write("draw")
            case commands.AnswerDraw(accept=accept):
                await table.answer_draw(accept=accept)
                self._write("accept" if accept else "reject")
            case commands.Undo() | commands.Redo() | commands.New() | commands.Fill():
                self._premove = None
                self._edit(command)
            case commands.Say(text=text):
                await self._say(text)
            case commands.Mute(speaker=speaker, muted=muted):
                self.talk.mute(speaker, muted=muted)
            case _:
                await self._obey_peer(command)

    def _edit(self, command: commands.Undo | commands.Redo | commands.New | commands.Fill) -> None:
        match command:
            case commands.Undo():
                self._context.undo()
                self._write("undo")
            case commands.Redo():
                self._context.redo()
                self._write("redo")
            case commands.New():
                self._context.begin(start=self._language.new_start(self._table.position))
                self._write("new")
            case commands.Fill(side=number, seat=seat):
                self._context.fill(Side(number), Seat(seat))
                word = "auto" if seat == "auto" else "manual"
                self._write(f"{word} {self._language.names[number].lower()}")

    async def _say(self, text: str) -> None:
        table = self._table
        await (table.talk(text) if "talk" in table.can else table.say(text))
        self._announce(self.talk.hear("You", text, mine=True))

    async def _obey_peer(self, command: commands.Command) -> None:
        table = self._table
        match command:
            case commands.Ask(what=what):
                await table.ask(what)
            case commands.Agree():
                await table.agree()
            case commands.Refuse():
                said = await table.refuse()
                self._announce(self.talk.hear("You", said, mine=True))
            case commands.KeepPlaying():
                await table.keep_playing()
                self._write("unresign")
            case commands.Claim():
                await table.claim()
            case commands.Rematch():
                table.ask_rematch()

    async def _play(self, ply: int, text: str) -> None:
        if ply != len(self._table.moves):
            raise CommandError(_CHANGED)
        move = self._table.position.parse_move(text)
        self._echo = self._language.echo(text, move)
        await self._make(move)

    async def _make(self, move: Move) -> None:
        table = self._table
        before, ply = table.position, len(table.moves) + 1
        await table.play(move)
        event = Moved(before.turn, move, before, Seat.HUMAN, ply)
        self._write(self._language.move_text(event))

    async def _hold(self, ply: int, text: str) -> None:
        """Keep a move for the person's next turn, which may have come meanwhile."""
        if not text.strip():
            self._premove = None
            return
        if ply < len(self._table.moves) - scene.person_on_turn(self._table):
            raise CommandError(_CHANGED)
        squares = self._language.squares_in(text)
        if not squares:
            msg = f"{sanitized(text)!r} is no move that can be made beforehand: name its squares."
            raise CommandError(msg)
        if self._may_move:
            await self._make(scene.meant_move(text, self._table.position, self._language))
        else:
            self._premove = Premoved(move=text, squares=squares)

    @property
    def _may_move(self) -> bool:
        return scene.person_on_turn(self._table) and self._table.draw_offered_by is None

    async def _play_premove(self) -> None:
        premove = self._premove
        if premove is None or not self._may_move:
            return
        self._premove = None
        try:
            await self._make(scene.meant_move(premove.move, self._table.position, self._language))
        except (RulesError, LocalProtocolError) as error:
            why = f"Your move made beforehand is dropped. {error}"
            self._announce(Told(kind="dropped", text=why))

    async def export(self, name: str) -> tuple[str, bytes]:
        """The name and the content of a file with the game; see `Room.export`."""
        table, way = self._table, way_named(name)
        if way is None or way.name == SIGNED:
            content = exported(table, name)
        else:
            # A picture of a whole game takes seconds.
            content = await asyncio.to_thread(written, table.record, name)
        suffix = "" if way is None else way.suffix
        return (self._title or table.position.game) + suffix, content

    def _files(self) -> list[File]:
        """The ways to save the game, found out anew when it may have other ones."""
        table = self._table
        key = (table.start, table.outcome, len(table.moves) > 0)
        if self._known_files[0] != key:
            files = [File(name=each.name, title=each.title) for each in exports(table)]
            self._known_files = key, files
        return self._known_files[1]

    def _write(self, line: str) -> None:
        if self._log is not None:
            self._log(line)

    def _tell(self, event: TableEvent) -> None:
        match event:
            case Said(side, text):
                self._announce(self.talk.hear(self._language.names[side], text))
                return
            case Overheard(speaker, text):
                self._announce(self.talk.hear(f"spectator {speaker}", text))
                return
            case Over() | TakenBack() | Begun():
                self._premove = None
            case _:
                pass
        self.advising.follow()
        table = self._table
        message = told(event, self._language, table.position, own_side(table))
        match event:
            case Moved(seat=Seat.HUMAN) if self._echo is not None:
                message = message.model_copy(update={"text": f"{self._echo} {message.text}"})
                self._echo = None
            case _:
                pass
        self._announce(message)

    def state(self, known: Sequence[PlayedMove]) -> State:
        """All that a page shows, but for the moves that it knows."""
        table, language = self._table, self._language
        position = table.position
        info = ruleset_info(position.ruleset)
        moves = self.moves
        kept = scene.same(known, moves)
        can = scene.abilities(table)
        kind = "local"
        if table.broker is not None:
            kind = "watch" if own_side(table) is None else "network"
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
                "start": [*table.start.rows],
                "moves_from": kept,
                "moves": [*moves[kept:]],
                "turn": int(position.turn),
                "turn_text": language.turn_text(position, len(moves)),
                "players": scene.players(table, language.names),
                "legal": scene.legal_moves(position, language) if "move" in can else [],
                "one_square": language.squares_are_moves,
                "premove": self._premove,
                "draw_offered_by": table.draw_offered_by,
                "muted": self.talk.muted,
                "asked": table.asked,
                "resigning": table.resigning,
                "can": [*self.advising.abilities(), *can],
                "ending": scene.ending(table),
                "broker_lost": not table.connected,
                "files": self._files(),
            }
        )
