"""The tree of a study: whatever is done to it, every line of it is a legal game."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ataxxd.rules import IllegalMoveError, Move, Position
from ataxxd_clients import study as tree_module
from ataxxd_clients.study import GameTree, Node
from ataxxd_clients.text.commands import CommandError

RULESETS = ["ataxx/cs61b-2022", "reversi/standard", "checkers/cs61b-2004", "loa/cs61b"]


def some_moves(start: Position, count: int) -> list[Move]:
    moves: list[Move] = []
    position = start
    for _ in range(count):
        if not position.legal_moves:
            break
        moves.append(position.legal_moves[len(moves) % len(position.legal_moves)])
        position = position.play(moves[-1])
    return moves


def holds(tree: GameTree) -> None:
    """What is true of every tree."""
    nodes = [*tree]
    assert len(nodes) == len(tree) == len({node.number for node in nodes})
    assert tree.cursor in nodes
    for node in nodes:
        moves = [child.move for child in node.children]
        assert len(set(moves)) == len(moves)
        for child in node.children:
            assert child.parent is node
            assert child.ply == node.ply + 1
            assert child.move is not None
            assert child.position == node.position.play(child.move)
    for line in (tree.line, tree.main_line):
        assert [node.ply for node in line] == [*range(len(line))]
        assert all(after.parent is before for before, after in pairwise(line))
        assert not line[-1].children
    assert tree.cursor in tree.line


STEPS = st.tuples(
    st.sampled_from(["play", "play", "play", "go", "look", "next"]),
    st.integers(0, 2**16),
) | st.tuples(st.sampled_from(["delete", "promote"]), st.just(0))


@given(st.sampled_from(RULESETS), st.integers(0, 20), st.lists(STEPS, max_size=40))
def test_any_walk_keeps_every_line_legal(
    ruleset: str, played: int, steps: list[tuple[str, int]]
) -> None:
    start = Position.start(ruleset)
    tree = GameTree(start, some_moves(start, played))
    for what, number in steps:
        before = len(tree)
        try:
            match what:
                case "play":
                    legal = tree.cursor.position.legal_moves
                    if legal:
                        tree.play(legal[number % len(legal)])
                case "go":
                    tree.go_to_ply(number % 30)
                case "look":
                    tree.go_to_node([*tree][number % len(tree)].number)
                case "next":
                    tree.next_variation()
                case "delete":
                    assert tree.delete() == before - len(tree)
                case _:
                    tree.promote()
        except CommandError:
            assert len(tree) == before
        holds(tree)


def begun() -> tuple[GameTree, list[Move]]:
    start = Position.start("ataxx/cs61b-2022")
    moves = some_moves(start, 4)
    return GameTree(start, moves), moves


def names(nodes: tuple[Node, ...]) -> list[str]:
    return [str(node.move) for node in nodes[1:]]


def test_a_move_that_stands_there_is_gone_along_and_another_branches_off() -> None:
    tree, moves = begun()
    tree.play(moves[0])
    assert len(tree) == 5
    other = next(each for each in tree.cursor.position.legal_moves if each != moves[1])
    tree.play(other)
    assert len(tree) == 6
    assert names(tree.line) == [str(moves[0]), str(other)]
    assert names(tree.main_line) == [str(move) for move in moves]
    tree.go_to_ply(tree.cursor.ply - 1)
    tree.go_to_ply(tree.cursor.ply + 1)
    assert tree.cursor.move == moves[1]
    tree.next_variation()
    assert tree.cursor.move == other


def test_a_variation_of_a_variation_is_promoted_step_by_step() -> None:
    tree, moves = begun()
    tree.play(moves[0])
    first = tree.play(tree.cursor.position.legal_moves[-1])
    tree.play(first.position.legal_moves[0])
    tree.go_to_ply(tree.cursor.ply - 1)
    tree.play(first.position.legal_moves[-1])
    tree.promote()
    assert names(tree.main_line) == [str(move) for move in moves]
    tree.promote()
    assert tree.line == tree.main_line
    with pytest.raises(CommandError, match="already the main line"):
        tree.promote()


def test_what_cannot_be_done_is_said_and_changes_nothing() -> None:
    tree, moves = begun()
    with pytest.raises(CommandError, match="where the game begins"):
        tree.delete()
    with pytest.raises(CommandError, match="no alternative to this move"):
        tree.next_variation()
    with pytest.raises(IllegalMoveError):
        tree.play(Move("ataxx", "a1a3"))
    gone = tree.play(moves[0]).number
    assert tree.delete() == 4
    with pytest.raises(CommandError, match="no longer in this study"):
        tree.go_to_node(gone)
    assert len(tree) == 1
    assert tree.cursor is tree.root


def test_a_tree_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree_module, "MAX_NODES", 5)
    tree, moves = begun()
    tree.play(moves[0])
    tree.go_to_ply(tree.cursor.ply - 1)
    with pytest.raises(CommandError, match="this one is full"):
        tree.play(tree.cursor.position.legal_moves[-1])
    holds(tree)
    with pytest.raises(CommandError, match="a study holds 5"):
        GameTree(tree.root.position, some_moves(tree.root.position, 5))
