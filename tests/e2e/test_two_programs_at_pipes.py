"""Two of our programs play each other by their line language, each given the other's moves."""

import asyncio
from pathlib import Path

import pytest

from tests.e2e.nodes import Nodes, Running
from tests.e2e.speakers import CHECKERS, LANGUAGES, Language

WORDS = ("draw", "accept", "reject", "resign")


async def pass_on(language: Language, speaker: Running, listener: Running) -> list[str]:
    """Type into one program what another says, to the end; what that was, the result last."""
    said: list[str] = []
    while (line := await speaker.next_line()) is not None:
        if line in language.results.values():
            return [*said, line]
        moved = language.moved.fullmatch(line)
        word = line.rpartition(" ")[2]
        if moved is not None or (language is CHECKERS and word in WORDS):
            said.append(word if moved is None else moved.groups()[-1])
            await listener.type(said[-1])
    raise AssertionError(speaker.report())


async def play(language: Language, nodes: Nodes, seed: int) -> tuple[list[str], list[str]]:
    """A game of two machines at level 1: what the first says, and what the second."""
    suffix = Path(language.init).suffix
    machines = [
        await nodes.node(name).start(
            *("play", "--game", language.game, "--level", "1", "--seed", str(seed)),
            *("--player1", players[0], "--player2", players[1], "--transcript", f"{name}{suffix}"),
            typed=True,
        )
        for name, players in (("first", ("auto", "human")), ("second", ("human", "auto")))
    ]
    first, second = await asyncio.gather(
        pass_on(language, machines[0], machines[1]), pass_on(language, machines[1], machines[0])
    )
    for machine in machines:
        machine.hang_up()
        await machine.ends()
        assert "Error" not in str(machine.err), machine.report()
        assert "not valid" not in str(machine.err), machine.report()
    return first, second


def transcripts(folder: Path) -> set[str]:
    """What is in the transcripts of a folder."""
    return {path.read_text() for path in folder.iterdir() if path.is_file()}


@pytest.mark.gate("checkers")
@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.game)
async def test_both_end_with_one_transcript_and_the_same_again_with_the_same_seed(
    language: Language, tmp_path: Path
) -> None:
    alone = Nodes(tmp_path, None)
    try:
        first, second = await play(language, alone, seed=1)
        assert len(transcripts(tmp_path)) == 1
        assert first[-1] == second[-1]
        assert len(first) + len(second) > 10
        assert await play(language, alone, seed=1) == (first, second)
        assert await play(language, alone, seed=2) != (first, second)
    finally:
        await alone.close()


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.game)
async def test_one_program_plays_both_sides_and_the_same_again_with_the_same_seed(
    language: Language, tmp_path: Path
) -> None:
    alone = Nodes(tmp_path, None)
    try:
        games = []
        for seed in ("1", "1", "2"):
            running = await alone.node("alone").start(
                *("play", "--game", language.game, "--level", "1", "--seed", seed),
                *("--player1", "auto", "--player2", "auto"),
            )
            await running.ends()
            games.append(running.out.lines)
        assert games[0] == games[1] != games[2]
        assert games[0][-1] in language.results.values()
    finally:
        await alone.close()
