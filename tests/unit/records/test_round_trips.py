"""Reading what we wrote gives the same game, whatever the game and the notation."""

import re
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ataxxd.rules.notation import FORMATS, Format
from ataxxd.rules.notation.game import GameRecord, NotationError
from ataxxd.rules.notation.pgn import read_pgn, write_pgn
from ataxxd.rules.notation.reversi import read_ggf, read_moves, write_ggf, write_moves
from ataxxd.rules.notation.transcript import read_transcript, write_transcript
from tests.unit.records.games import games

CHECKERS = ("checkers/cs61b-2004", "checkers/acf")


@given(
    games(("checkers/cs61b-2004",), set_up=False, names=False, refusals=True, terminations=False)
)
def test_a_transcript_is_read_as_the_game_that_was_written(game: GameRecord) -> None:
    text = write_transcript(game)
    assert read_transcript(text) == game
    assert write_transcript(read_transcript(text)) == text


@given(
    games(("checkers/cs61b-2004",), set_up=False, names=False, refusals=True, terminations=False)
)
def test_the_layout_of_a_transcript_is_free(game: GameRecord) -> None:
    text = write_transcript(game)
    assert read_transcript(" ".join(text.split())) == game
    assert read_transcript("\n\t ".join(text.split())) == game


@given(games(("checkers/cs61b-2004",), set_up=False, names=False, refusals=True))
def test_a_transcript_begins_its_lines_with_numbers_and_ends_with_the_score(
    game: GameRecord,
) -> None:
    lines = write_transcript(game).splitlines()
    if game.outcome is not None:
        assert lines.pop() == game.outcome.score
    made = 0
    for line in lines:
        number, *words = line.split(" ")
        assert number == f"{made // 2 + 1}."
        assert len(words) == 2 or (len(words) == 1 and line is lines[-1])
        made += sum(word[0].isdigit() for word in words)
    assert made == len(game.moves)


@given(games(CHECKERS))
def test_pdn_is_read_as_the_game_that_was_written(game: GameRecord) -> None:
    text = write_pgn(game)
    assert read_pgn(text) == game
    assert read_pgn(text, "checkers/cs61b-2004") == game


@given(games(("ataxx/cs61b-2022", "ataxx/uai", "loa/cs61b")))
def test_pgn_is_read_as_the_game_that_was_written(game: GameRecord) -> None:
    assert read_pgn(write_pgn(game)) == game


@given(games(("checkers/acf",), refusals=True))
def test_pdn_drops_only_the_refused_draws(game: GameRecord) -> None:
    assert read_pgn(write_pgn(game)) == replace(game, refused=())


@given(games(("reversi/standard",)))
def test_ggf_is_read_as_the_game_that_was_written(game: GameRecord) -> None:
    assert read_ggf(write_ggf(game)) == game


@given(games(("reversi/standard",), set_up=False, names=False, declared=False))
def test_a_string_of_squares_is_read_as_the_game_that_was_written(game: GameRecord) -> None:
    text = write_moves(game)
    assert re.fullmatch(r"([a-h][1-8])*(--)?\n", text)
    assert read_moves(text) == game
    assert read_moves(text.upper()) == game


@given(games(("ataxx/uai", *CHECKERS, "loa/cs61b", "reversi/standard")), st.data())
def test_a_damaged_text_is_a_game_or_an_error_with_its_place(
    game: GameRecord, data: st.DataObject
) -> None:
    written = []
    for each in FORMATS:
        try:
            written.append((each, each.write(game)))
        except ValueError:
            continue
    assert written
    form, text = data.draw(st.sampled_from(written))
    at = data.draw(st.integers(0, len(text)))
    junk = data.draw(st.text(max_size=3))
    damaged = text[:at] + junk + text[at + data.draw(st.integers(0, 3)) :]
    try:
        read = form.read(damaged, None)
    except NotationError as caught:
        error = caught
    else:
        assert read.positions[0] == read.start
        return
    assert 1 <= error.line <= damaged.count("\n") + 1
    assert 1 <= error.column <= len(damaged) + 1


@pytest.mark.parametrize("form", FORMATS, ids=lambda each: each.name)
@given(text=st.text(max_size=40))
def test_any_text_is_a_game_or_an_error_with_its_place(form: Format, text: str) -> None:
    with suppress(NotationError):
        form.read(text, None)
