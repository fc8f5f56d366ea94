"""Self-play on many machines: any worker plays some of the games that a network learns from.

    python -m tools.self_play play nats://HOST:PORT ataxx shipped 100000 500 1 first.games
    python -m tools.self_play work nats://HOST:PORT

The first hands out parts of the games; the second plays them, on as many machines as run it. The
file is the same, byte for byte, as `ataxxd-train games` writes with the same arguments: each game
has a seed of its own. Weights and parts are files in the server's object store, which compares
their digests. A worker first plays one game, and stops if it plays differently from the first
machine. Of each part that comes back, one random game is played again as a check.
"""

import asyncio
import hashlib
import os
import secrets
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Final

import typer
from nats.aio.msg import Msg

from ataxxd.errors import AtaxxdError
from ataxxd.match_queue.items import Codec
from ataxxd.match_queue.server import (
    HEARTBEAT_S,
    SELF_PLAY,
    Server,
    StreamGoneError,
    Subjects,
    connect,
    next_message,
    try_send,
)

FORMAT: Final = 1
"""The version of all messages; those of another version are refused."""
_TRAIN = Path(__file__).parents[1] / "engine" / "target" / "release" / "ataxxd-train"
_CORES = os.cpu_count() or 1
_BUILT_IN = ("shipped", "none")
_LOOK_S = 1.0
_WAIT_S = 5.0
# After this many looks in vain, ask whether the server still has the parts.
_IDLE = 10


class TrainError(AtaxxdError):
    """`ataxxd-train` failed, or plays differently from where the games were handed out."""


@dataclass(frozen=True, slots=True)
class Job:
    """Which games are played: the same for all parts.

    Attributes:
        way: ``games`` or ``explore``.
        game: such as ``ataxx``.
        weights: ``shipped``, ``none``, or the digest of a file.
        nodes: how many positions the search visits for a move.
        seed: the seed of all games.
        sample: the number of the game that each machine plays first, as a check.
        digest: the SHA-256 of that game's line.
    """

    way: str
    game: str
    weights: str
    nodes: int
    seed: int
    sample: int
    digest: str


@dataclass(frozen=True, slots=True)
class Part:
    """Some games of a job.

    Attributes:
        format: `FORMAT`.
        ident: the job's name on the server.
        job: what is played.
        first: the number of the first game.
        end: one more than the number of the last game.
    """

    format: int
    ident: str
    job: Job
    first: int
    end: int

    @property
    def name(self) -> str:
        """The name of its file."""
        return f"{self.first}-{self.end}"


PARTS: Final = Codec(Part)


@dataclass(frozen=True, slots=True)
class Trainer:
    """The program that plays.

    Attributes:
        program: `ataxxd-train`.
        threads: how many threads it plays with.
    """

    program: Path
    threads: int

    async def write(self, job: Job, weights: str, games: str, file: Path) -> None:
        """Play games into a file, and keep those that it already has.

        Raises:
            TrainError: the program fails.
        """
        words = (job.way, job.game, weights, games, job.nodes, job.seed, file, self.threads)
        try:
            process = await asyncio.create_subprocess_exec(
                self.program, *map(str, words), stderr=asyncio.subprocess.PIPE
            )
        except OSError as error:
            raise TrainError(
                f"{self.program} cannot be started ({error.strerror}). Build it in engine: cargo "
                "build --release -p ataxxd-train"
            ) from None
        try:
            _, said = await process.communicate()
        except asyncio.CancelledError:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
            raise
        if process.returncode:
            raise TrainError(said.decode(errors="replace").strip())

    async def lines(self, job: Job, weights: str, first: int, end: int) -> list[bytes]:
        """The lines of the games from `first` to before `end`.

        Raises:
            TrainError: they cannot be played.
        """
        with TemporaryDirectory() as folder:
            file = Path(folder, "games")
            await self.write(job, weights, f"{first}..{end}", file)
            played = await asyncio.to_thread(file.read_bytes)
            return played.splitlines(keepends=True)[1:]


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _bucket(ident: str) -> str:
    return f"ATAXXD-SELF-PLAY-{ident}"


def _say(text: str) -> None:
    typer.echo(text, err=True)


class Collector:
    """Hands out the parts of a job, and adds what comes back to a file, in order."""

    def __init__(
        self, server: Server, trainer: Trainer, job: Job, weights: str, file: Path
    ) -> None:
        self._server = server
        self._trainer = trainer
        self._job = job
        self._weights = weights
        self._file = file
        text = repr((job, file.resolve()))
        self._subjects = Subjects(_digest(text.encode())[:16], SELF_PLAY)
        self._bucket = _bucket(self._subjects.match)

    async def run(self, games: int, size: int) -> None:
        """Have those games played that the file does not have yet.

        Args:
            games: how many there are in all.
            size: how many games a part has.

        Raises:
            TrainError: the file holds other games.
            TransportError: the server cannot be used.
        """
        await self._trainer.write(self._job, self._weights, "0", self._file)
        done = self._file.read_bytes().count(b"\n") - 1
        bounds = [done, *range(done // size * size + size, games, size), games]
        ident = self._subjects.match
        parts = [
            Part(FORMAT, ident, self._job, first, end)
            for first, end in pairwise(bounds)
            if first < end
        ]
        await self._server.make_games(SELF_PLAY)
        await self._server.make_files(self._bucket)
        if self._job.weights not in _BUILT_IN:
            data = await asyncio.to_thread(Path(self._weights).read_bytes)
            await self._server.store_file(self._bucket, self._job.weights, data)
        await self._server.withdraw_games(self._subjects)
        await self._hand_out(parts)
        idle = 0
        while parts:
            part = parts[0]
            if part.name not in await self._server.list_files(self._bucket):
                idle += 1
                if idle % _IDLE == 0 and not await self._server.count_games(self._subjects):
                    await self._hand_out(parts)
                await asyncio.sleep(_LOOK_S)
                continue
            idle = 0
            data = await self._server.read_file(self._bucket, part.name)
            fault = await self._fault(part, data)
            if fault is None:
                self._add(data)
                parts.pop(0)
                _say(f"{part.end} of {games} games")
            else:
                _say(f"Games {part.first} to {part.end - 1} are played again: {fault}.")
            await self._server.remove_file(self._bucket, part.name)
            if fault is not None:
                await self._server.queue_game(self._subjects, PARTS.dump(part))
        await self._server.remove_files(self._bucket)

    async def _hand_out(self, parts: list[Part]) -> None:
        here = await self._server.list_files(self._bucket)
        for part in parts:
            if part.name not in here:
                await self._server.queue_game(self._subjects, PARTS.dump(part))

    async def _fault(self, part: Part, data: bytes) -> str | None:
        """What is wrong with a part that came back; None when nothing is."""
        lines = data.splitlines(keepends=True)
        if len(lines) != part.end - part.first or not data.endswith(b"\n"):
            return "they are not as many as were asked for"
        number = part.first + secrets.randbelow(len(lines))
        again = await self._trainer.lines(self._job, self._weights, number, number + 1)
        if again != [lines[number - part.first]]:
            return f"game {number} is another one here"
        return None

    def _add(self, data: bytes) -> None:
        with self._file.open("ab") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())


class Player:
    """Plays parts of any job until it is cancelled; a part that is not finished is given back."""

    def __init__(self, server: Server, trainer: Trainer, folder: Path) -> None:
        self._server = server
        self._trainer = trainer
        self._folder = folder
        self._sampled: set[str] = set()

    async def run(self) -> None:
        """Play.

        Raises:
            TrainError: this machine plays differently, or the part is of another version.
            TransportError: the server cannot be used.
        """
        parts = await self._server.make_games(SELF_PLAY)
        while True:
            message = await next_message(parts, _WAIT_S)
            if message is None:
                continue
            beating = asyncio.create_task(_beat(message))
            try:
                await self._play(message.data)
            except BaseException:
                await try_send(message.nak)
                raise
            finally:
                beating.cancel()
            await try_send(message.ack)

    async def _play(self, data: bytes) -> None:
        part = PARTS.load(data)
        if part is None or part.format != FORMAT:
            raise TrainError("These games need another version of ataxxd: use the same everywhere.")
        job, bucket = part.job, _bucket(part.ident)
        # The job may have ended meanwhile.
        with suppress(StreamGoneError):
            weights = await self._weights(job, bucket)
            if part.ident not in self._sampled:
                sample = await self._trainer.lines(job, weights, job.sample, job.sample + 1)
                if _digest(b"".join(sample)) != job.digest:
                    raise TrainError(
                        "ataxxd-train plays otherwise here than where the games were handed out. "
                        "Build the same version in both places."
                    )
                self._sampled.add(part.ident)
            lines = await self._trainer.lines(job, weights, part.first, part.end)
            await self._server.store_file(bucket, part.name, b"".join(lines))
            _say(f"Played {job.game} games {part.first} to {part.end - 1}")

    async def _weights(self, job: Job, bucket: str) -> str:
        if job.weights in _BUILT_IN:
            return job.weights
        file = self._folder / job.weights
        if not file.exists():
            data = await self._server.read_file(bucket, job.weights)
            if _digest(data) != job.weights:
                raise TrainError("The weights on the server are not those of the games.")
            file.write_bytes(data)
        return str(file)


async def _beat(message: Msg) -> None:
    """Tell the server that a part is being played, or another machine would get it."""
    while True:
        await asyncio.sleep(HEARTBEAT_S)
        await try_send(message.in_progress)


app = typer.Typer(add_completion=False, no_args_is_help=True, help="Self-play on many machines.")
Url = Annotated[str, typer.Argument(help="The NATS server, nats://HOST:PORT, with JetStream.")]
Train = Annotated[Path, typer.Option(help="The program that plays.")]
Threads = Annotated[int, typer.Option(min=1, help="Threads that it plays with.")]


@app.command()
def play(
    url: Url,
    game: Annotated[str, typer.Argument(help="ataxx, checkers or loa.")],
    weights: Annotated[str, typer.Argument(help="A file, 'shipped' or 'none'.")],
    games: Annotated[int, typer.Argument(min=1, help="How many games.")],
    nodes: Annotated[int, typer.Argument(min=1, help="Positions to search for a move.")],
    seed: Annotated[int, typer.Argument(min=0, help="Of the games.")],
    file: Annotated[Path, typer.Argument(help="Where they go; one that is there is continued.")],
    explore: Annotated[bool, typer.Option(help="Play many moves at random.")] = False,
    part: Annotated[int, typer.Option(min=1, help="Games to hand out at once.")] = 256,
    train: Train = _TRAIN,
) -> None:
    """Have games played by all who work for this server."""

    async def collect() -> None:
        trainer = Trainer(train, 1)
        digest = weights
        if weights not in _BUILT_IN:
            digest = _digest(await asyncio.to_thread(Path(weights).read_bytes))
        way = "explore" if explore else "games"
        job = Job(way, game, digest, nodes, seed, 0, "")
        sample = await trainer.lines(job, weights, 0, 1)
        job = Job(way, game, digest, nodes, seed, 0, _digest(b"".join(sample)))
        server = await connect(url, _say)
        try:
            await Collector(server, trainer, job, weights, file).run(games, part)
        finally:
            await server.close()

    _run(collect())


@app.command()
def work(url: Url, threads: Threads = _CORES, train: Train = _TRAIN) -> None:
    """Play games that are handed out, until interrupted."""

    async def playing() -> None:
        server = await connect(url, _say)
        try:
            with TemporaryDirectory() as folder:
                await Player(server, Trainer(train, threads), Path(folder)).run()
        finally:
            await server.close()

    _run(playing())


def _run(work: Coroutine[Any, Any, None]) -> None:
    try:
        asyncio.run(work)
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    except (AtaxxdError, OSError) as error:
        _say(str(error))
        raise typer.Exit(1) from None


if __name__ == "__main__":
    app()
