"""Pictures: what stands on the board is in them, and nothing else."""

import io
import random
import re
from xml.etree import ElementTree as ET

import pytest
from PIL import Image

from ataxxd.rules import Move, Position, rulesets, svg
from ataxxd.rules.notation.game import GameRecord
from ataxxd_clients.exports import KINDS, available_pictures, picture, picture_kind, scenes
from ataxxd_clients.text.commands import CommandError

SVG, PNG, GIF = KINDS
CENTRE = re.compile(r'<g transform="translate\((\d+) (\d+)\)">')


def a_game(ruleset: str, plies: int, seed: int = 1) -> GameRecord:
    chance = random.Random(seed)
    start = position = Position.start(ruleset)
    moves: list[Move] = []
    while position.outcome is None and len(moves) < plies:
        moves.append(chance.choice(position.legal_moves))
        position = position.play(moves[-1])
    return GameRecord(start, tuple(moves), position.outcome)


@pytest.mark.parametrize("ruleset", [info.id for info in rulesets()])
def test_every_piece_is_drawn_where_it_stands(ruleset: str) -> None:
    for position in a_game(ruleset, 40).positions[::8]:
        for flipped in (False, True):
            drawing = svg.board(position, flipped=flipped)
            ET.fromstring(drawing)
            rows = [row[::-1] for row in reversed(position.rows)] if flipped else position.rows
            standing = {
                (44 + 100 * column + 50, 44 + 100 * row + 50)
                for row, line in enumerate(rows)
                for column, sign in enumerate(line)
                if sign not in ". "
            }
            drawn = [(int(x), int(y)) for x, y in CENTRE.findall(drawing)]
            assert len(drawn) == len(standing)
            assert set(drawn) == standing


def test_kings_blocks_and_sides_look_different() -> None:
    for game, signs in (("checkers", "xXoO"), ("ataxx", "xo#"), ("loa", "xo"), ("reversi", "xo")):
        look = svg.LOOKS[game]
        assert len({look.piece(sign, look) for sign in signs}) == len(signs)


def test_the_squares_of_the_last_move_are_marked() -> None:
    _, (position, squares) = scenes(a_game("loa/cs61b", 1))
    assert len(squares) == 2
    assert svg.board(position, marked=squares).count('opacity=".35"') == 2
    assert svg.board(position).count('opacity=".35"') == 0


def test_a_gif_shows_every_position_and_the_last_one_longest() -> None:
    game = a_game("checkers/acf", 12)
    image = Image.open(io.BytesIO(picture(game, GIF, width=200, pause_ms=100)))
    times = []
    for frame in range(getattr(image, "n_frames", 1)):
        image.seek(frame)
        times.append(image.info["duration"])
    assert image.size == (200, 200)
    assert times == [*[100] * 12, 400]


def test_a_picture_in_pixels_has_the_size_and_the_colours_asked_for() -> None:
    game = a_game("ataxx/cs61b-2022", 0)
    image = Image.open(io.BytesIO(picture(game, PNG, width=300))).convert("RGB")
    assert image.size == (300, 300)
    middle_of_a7 = round(94 * 300 / 788)
    assert image.getpixel((middle_of_a7, middle_of_a7)) == (0xE5, 0x48, 0x4D)


def test_one_position_of_a_game_can_be_chosen() -> None:
    game = a_game("reversi/standard", 10)
    assert picture(game, SVG, ply=0) == svg.board(game.start).encode()
    assert picture(game, SVG) == picture(game, SVG, ply=10)
    early = game.positions[4]
    assert picture(game, SVG, at=early) == picture(game, SVG, ply=4)
    elsewhere = a_game("reversi/standard", 7, seed=2).position
    assert picture(game, SVG, at=elsewhere) == svg.board(elsewhere).encode()
    with pytest.raises(CommandError, match="after 11 moves: the game has 10"):
        picture(game, SVG, ply=11)


def test_without_its_packages_pixels_are_refused_with_the_remedy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ataxxd_clients.exports.find_spec", lambda _: None)
    game = a_game("loa/cs61b", 1)
    assert available_pictures() == (SVG,)
    assert picture(game, SVG).startswith(b"<svg")
    with pytest.raises(CommandError, match=r"resvg-py and pillow.*ataxxd\[pictures\]"):
        picture(game, PNG)


def test_a_file_tells_its_kind_by_its_suffix() -> None:
    assert picture_kind("Game.PNG") is PNG
    assert picture_kind("gif") is GIF
    assert picture_kind("game.pgn") is None
