"""A study and its page: what is said between them, as JSON, and the room of both.

Each message is one websocket text frame with one object. ``type`` says which. The server
begins with `Hello` and a `StudyState`; a page sends commands, each with an ``id``, and gets one
`Answer` for each. Whatever changes, a new `StudyState` follows, and `Opinions` whenever the engine
has said more.

A study is a tree of positions, each with a number of its own that is never used again. One of them
is looked at, by all pages together. Squares and boards are those of
[the control interface](control.md), and so are the parts that are named alike.
"""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from ataxxd.errors import AtaxxdError
from ataxxd.rules import RulesError, Side
from ataxxd.rules.notation.game import GameRecord
from ataxxd.rules.values import ending_text, ruleset_info
from ataxxd.sanitize import sanitized
from ataxxd.wording import format_count
from ataxxd_clients.analysis import Verdict as Opinion
from ataxxd_clients.exports import formats_for, study_bytes
from ataxxd_clients.labels import end_squares, move_name
from ataxxd_clients.study import GameFiles, Node, Study
from ataxxd_clients.text.commands import CommandError
from ataxxd_clients.web import scene
from ataxxd_clients.web.channel import Connection, Table
from ataxxd_clients.web.messages import (
    Answer,
    Ending,
    Explain,
    File,
    Hello,
    Leave,
    LegalMove,
    SideNumber,
    Told,
    TypedMove,
    Verdict,
    WireCommand,
    WireMessage,
)
from ataxxd_clients.web.room import as_message
from ataxxd_clients.web.scene import explain

LONGEST_FILE = 1 << 19
"""The most characters of a game that a page may send."""

NodeNumber: TypeAlias = Annotated[int, Field(ge=0, description="Of a position.")]


class Try(WireCommand):
    """Play a move at the position that is looked at; the move may already be in the tree."""

    type: Literal["try"] = "try"
    node: Annotated[NodeNumber, Field(description="Where the page plays it; refused elsewhere.")]
    move: TypedMove


class LookAt(WireCommand):
    """Look at another position."""

    type: Literal["look_at"] = "look_at"
    node: NodeNumber


class Delete(WireCommand):
    """Delete the move before a position, with all that follows."""

    type: Literal["delete"] = "delete"
    node: NodeNumber


class Promote(WireCommand):
    """Make the variation of a position the main one where it branched off last."""

    type: Literal["promote"] = "promote"
    node: NodeNumber


class Think(WireCommand):
    """Turn the engine's evaluation of every position that is looked at on or off."""

    type: Literal["think"] = "think"
    on: bool


class Survey(WireCommand):
    """Let the engine evaluate every position of the line, or stop it."""

    type: Literal["survey"] = "survey"
    on: bool


class Open(WireCommand):
    """Study another game; this one is gone."""

    type: Literal["open"] = "open"
    name: Annotated[str, Field(max_length=200, description="Its file's; the suffix tells more.")]
    notation: Annotated[str | None, Field(description="Which one, whatever the suffix says.")] = (
        None
    )
    text: Annotated[str, Field(max_length=LONGEST_FILE, description="The content of the file.")]


StudyCommand: TypeAlias = Annotated[
    Try | Explain | LookAt | Delete | Promote | Think | Survey | Open | Leave,
    Field(discriminator="type"),
]
STUDY_COMMANDS: TypeAdapter[StudyCommand] = TypeAdapter(StudyCommand)


class StudyNode(WireMessage):
    """A position of the study, and the move that led to it."""

    node: NodeNumber
    parent: Annotated[int | None, Field(description="Where it was played; null at the start.")]
    side: Annotated[SideNumber | None, Field(description="Who played it.")]
    name: Annotated[str | None, Field(description="Such as a7-b6, or pass; null at the start.")]
    squares: Annotated[list[str], Field(description="Those that it left and reached.")]
    board: list[str]


class StudyState(WireMessage):
    """All that a page shows, except what it has been sent before."""

    type: Literal["study"] = "study"
    game: str
    ruleset: str
    ruleset_title: str
    rules: Annotated[list[str], Field(description="How the game is played, in lines.")]
    example: Annotated[str, Field(description="A move as people type it.")]
    names: Annotated[list[str], Field(min_length=2, max_length=2, description="Of the sides.")]
    title: Annotated[str, Field(description="Who played, and when; empty where nobody knows.")]
    squares: Annotated[
        list[list[str | None]],
        Field(description="The names of the squares, as boards have them; null is unplayable."),
    ]
    nodes: Annotated[
        list[StudyNode], Field(description="Those that this page has not been sent yet.")
    ]
    order: Annotated[
        list[int],
        Field(description="All that there are, each before what follows it, main moves first."),
    ]
    line: Annotated[list[int], Field(description="The line that is looked at, from the start.")]
    cursor: Annotated[NodeNumber, Field(description="The position that is looked at.")]
    turn: Annotated[SideNumber, Field(description="The side to move there.")]
    pieces: Annotated[list[int], Field(min_length=2, max_length=2, description="Of the sides.")]
    legal: Annotated[list[LegalMove], Field(description="Those of that position.")]
    ending: Annotated[Ending | None, Field(description="How the game ended there.")]
    files: Annotated[
        list[File], Field(description="The notations that have words for the main line.")
    ]


class NodeVerdict(WireMessage):
    """What the engine thinks of a position."""

    node: NodeNumber
    verdict: Verdict
    best: Annotated[
        list[str], Field(description="The squares by which the best move is entered; may be none.")
    ]


class Opinions(WireMessage):
    """What the engine says about the positions; sent again whenever there is more."""

    latest: ClassVar[bool] = True

    type: Literal["opinions"] = "opinions"
    thinks: Annotated[bool, Field(description="Whether it looks along.")]
    progress: Annotated[
        list[int] | None,
        Field(description="Positions done and to do of the evaluation; null when none goes on."),
    ]
    verdicts: list[NodeVerdict]


StudyServerMessage: TypeAlias = Annotated[
    Hello | StudyState | Opinions | Told | Answer, Field(discriminator="type")
]
STUDY_SERVER_MESSAGES: TypeAdapter[StudyServerMessage] = TypeAdapter(StudyServerMessage)


class StudyRoom(Table):
    """A study with its connections; `run` must run beside them.

    Args:
        game: the game to study.
        files: reads the games that pages send.

    Raises:
        CommandError: the game is too long.
    """

    page = "study.html"
    commands = STUDY_COMMANDS
    # One character of a file may become an escape of six.
    longest_command = 6 * LONGEST_FILE + 4096
    refusals = (CommandError, AtaxxdError, RulesError)

    def __init__(self, game: GameRecord, files: GameFiles) -> None:
        super().__init__()
        self._study = Study(game, self._send_opinions)
        self._game_files = files
        self._epoch = 0
        self._sent_verdicts: dict[int, tuple[Opinion, NodeVerdict]] = {}
        self._files: tuple[object, list[File]] = None, []

    async def run(self) -> None:
        """Run the engine until cancelled."""
        self._study.think(on=True)
        try:
            await self.left.wait()
        finally:
            await self._study.close()

    @contextmanager
    def connected(self) -> Iterator[Connection]:
        """A page's connection, while the block lasts."""
        with super().connected() as connection:
            connection.queue(self._opinions())
            yield connection

    def _batch(
        self, connection: Connection, unread: Sequence[WireMessage], *, stale: bool
    ) -> Iterator[WireMessage]:
        # The state comes first: opinions are about positions in it.
        if stale:
            yield self._state(connection)
        yield from unread

    async def export(self, name: str) -> tuple[str, bytes]:
        """The name and the content of a file with the main line."""
        form, content = await asyncio.to_thread(
            study_bytes, self._study.main_game, name, at=self._study.position
        )
        return self._study.game.start.game + form.suffix, content

    async def _execute(self, command: StudyCommand) -> None:
        study, tree = self._study, self._study.tree
        match command:
            case Try(node=number, move=text):
                if number != tree.cursor.number:
                    raise CommandError("Another position is shown now; look again.")
                tree.play(tree.cursor.position.parse_move(text))
            case Explain(squares=squares):
                explain(squares, tree.cursor.position, study.language)
                return
            case LookAt(node=number):
                tree.go_to_node(number)
            case Delete(node=number):
                tree.go_to_node(number)
                gone = tree.delete()
                self._announce(f"{gone} {'move is' if gone == 1 else 'moves are'} deleted.")
            case Promote(node=number):
                tree.go_to_node(number)
                tree.promote()
                self._announce("The variation is now the main line there.")
            case Think(on=on):
                study.think(on=on)
                return
            case Survey(on=on):
                if on:
                    study.evaluate()
                else:
                    study.stop_evaluating()
                return
            case Open(name=name, notation=notation, text=text):
                self._open(name, notation, text)
                return
            case Leave():
                self.close_reason = "You have left the study."
                self.left.set()
                return
        study.update()
        self.send_state()

    def _open(self, name: str, notation: str | None, text: str) -> None:
        self._study.open(self._game_files.read(text.encode(), name, notation))
        self._epoch += 1
        self._sent_verdicts.clear()
        for connection in self._connections:
            connection.known = ()
        moves = len(self._study.tree.main_line) - 1
        self._announce(f"{sanitized(name)}: {format_count(moves, 'move')}.")

    def _send_opinions(self) -> None:
        """Send what the engine says; the tree has not changed."""
        self.send(self._opinions())

    def _announce(self, text: str) -> None:
        self.announce(Told(kind="notice", text=text))

    def _opinions(self) -> Opinions:
        study = self._study
        known = [(node, study.verdict(node)) for node in study.tree]
        progress = study.progress
        return Opinions(
            thinks=study.is_thinking,
            progress=None if progress is None else [progress.done, progress.total],
            verdicts=[
                self._node_verdict(node, verdict) for node, verdict in known if verdict is not None
            ],
        )

    def _node_verdict(self, node: Node, verdict: Opinion) -> NodeVerdict:
        """A node's verdict as a message; cached, because its line may be long."""
        made = self._sent_verdicts.get(node.number)
        if made is None or made[0] is not verdict:
            language = self._study.language
            message = as_message(verdict, node.position, language)
            best = language.paths(verdict.line[0], node.position)[0] if verdict.line else []
            made = verdict, NodeVerdict(node=node.number, verdict=message, best=best)
            self._sent_verdicts[node.number] = made
        return made[1]

    def _state(self, connection: Connection) -> StudyState:
        tree, language = self._study.tree, self._study.language
        position, names = tree.cursor.position, self._study.language.names
        nodes = [*tree]
        fresh = [node for node in nodes if node.number not in connection.known]
        connection.known = {*connection.known, *(node.number for node in fresh)}
        outcome = self._study.outcome
        return StudyState(
            game=position.game,
            ruleset=position.ruleset,
            ruleset_title=ruleset_info(position.ruleset).title,
            rules=[*language.lesson()],
            example=next(iter(language.move_help()))[0],
            names=[*names],
            title=self._title(),
            squares=[[*row] for row in position.square_names],
            nodes=[self._node(node) for node in fresh],
            order=[node.number for node in nodes],
            line=[node.number for node in tree.line],
            cursor=tree.cursor.number,
            turn=position.turn,
            pieces=[*position.counts],
            legal=scene.legal_moves(position, language),
            ending=None
            if outcome is None
            else Ending(
                winner=outcome.winner,
                termination=outcome.termination,
                text=ending_text(outcome, position),
            ),
            files=self._ways_to_save(),
        )

    def _node(self, node: Node) -> StudyNode:
        if node.parent is None or node.move is None:
            return StudyNode(
                node=node.number,
                parent=None,
                side=None,
                name=None,
                squares=[],
                board=[*node.position.rows],
            )
        before = node.parent.position
        return StudyNode(
            node=node.number,
            parent=node.parent.number,
            side=before.turn,
            name=move_name(node.move),
            squares=[*end_squares(node.move)],
            board=[*node.position.rows],
        )

    def _title(self) -> str:
        """Who played the game, as far as its file says; names from files are not trusted."""
        game, names = self._study.game, self._study.language.names
        told = [
            f"{names[side]}: {self._game_files.player(player)}"
            for side in Side
            if (player := game.players[side]) is not None and player
        ]
        return sanitized(", ".join([*told, *([game.date] if game.date else [])]))

    def _ways_to_save(self) -> list[File]:
        """The notations for the main line, computed again when it has changed."""
        line = tuple(node.number for node in self._study.tree.main_line)
        if self._files[0] != (self._epoch, line):
            files = [
                File(name=each.name, title=each.title)
                for each in formats_for(self._study.main_game)
            ]
            self._files = (self._epoch, line), files
        return self._files[1]
