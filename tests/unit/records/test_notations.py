"""What each notation looks like, what it accepts, and where it finds faults."""

from dataclasses import replace

import pytest

from ataxxd.rules import Move, Outcome, Position, Side
from ataxxd.rules.notation import (
    FORMATS,
    OWN,
    format_named,
    format_of_file,
    under_ruleset,
)
from ataxxd.rules.notation.game import GameRecord, NotationError, UnwritableError
from ataxxd.rules.notation.pgn import read_pgn, write_pgn
from ataxxd.rules.notation.reversi import read_ggf, read_moves, write_ggf, write_moves
from ataxxd.rules.notation.transcript import read_transcript, write_transcript

# Section 5 of the specification of the old checkers program.
TRANSCRIPT = """\
1. 11-15 24-20
2. 8-11 28-24
3. draw reject
3. 9-13 22-18
4. 15-22 25-18
5. resign
0-1
"""

# As cuteataxx writes them, its numbers aside.
CUTEATAXX = """\
[Event "Ataxx Engine Tournament"]
[Site "CuteAtaxx"]
[Date "2026-11-21 03:00:00"]
[Round "1"]
[Black "Autaxx"]
[White "Tiktaxx"]
[Result "1-0"]
[FEN "x5o/7/7/7/7/7/o5x x 0 1"]
[FinalFEN "x5o/7/7/7/7/7/o5x x 0 1"]
[Adjudicated "Out of time"]
[Winner "Autaxx"]
[Loser "Tiktaxx"]
[PlyCount "3"]
[Material "+1"]

1. g2 { movetime 10 } a2 { movetime 11 } 2. f2 1-0


"""


def test_the_transcript_of_the_specification_is_read_and_written() -> None:
    game = read_transcript(TRANSCRIPT)
    assert game.outcome == Outcome("resignation", Side.SECOND)
    assert game.refused == (4,)
    assert len(game.moves) == 8
    assert write_transcript(game) == TRANSCRIPT


@pytest.mark.parametrize(
    ("text", "line", "column", "why"),
    [
        ("1. 11-15 24-20 0-1", 1, 16, "the loser can still move"),
        ("1. 11-15 24-20 1/2-1/2", 1, 16, "offered and accepted"),
        ("1. 11-15 24-20\n3. 8-11", 2, 1, "the number is 3., but it must be 2."),
        ("1. 11-15 24-20\n2. 8-19", 2, 4, "19 is not a neighbour of 8"),
        ("1. 11-15 22-18\n2. 9-13", 2, 4, "a capture is forced: 15x22"),
        ("1. 11- 15", 1, 4, "is not a move"),
        ("1. 11-15 24-20\n  2. 40-50 24-20", 2, 6, "40"),
        ("1. draw", 1, 8, "not answered"),
        ("1. draw 11-15", 1, 9, "accept or reject"),
        ("1. draw reject\n1. draw", 2, 4, "a move must follow"),
        ("1. draw reject\n1. resign", 2, 4, "a move must follow"),
        ("1. draw reject\n1/2-1/2", 2, 1, "a move must follow"),
        ("1. draw accept\n1-0", 2, 1, "both agreed"),
        ("1. draw accept", 1, 15, "the score is missing"),
        ("1. draw accept\n1. 11-15", 2, 4, "only the score"),
        ("1. accept", 1, 4, "no draw is offered"),
        ("1. 11-15 reject", 1, 10, "no draw is offered"),
        ("11-15", 1, 1, "the number 1. or a score"),
        ("1. resign", 1, 10, "the score is missing"),
        ("1. resign 1-0", 1, 11, "the player who resigned has lost"),
        ("1. resign\n0-1\n0-1", 3, 1, "after the score"),
        ("1. 11-15\n2. 24-20", 2, 1, "the second move of a pair"),
        ("1.\n0-1", 2, 1, "stands where a move must"),
        ("1.", 1, 3, "a move is missing"),
    ],
)
def test_a_fault_in_a_transcript_is_told_with_its_place(
    text: str, line: int, column: int, why: str
) -> None:
    with pytest.raises(NotationError) as caught:
        read_transcript(text)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert why in str(caught.value)
    assert str(caught.value).startswith(f"line {line}, column {column}: ")


def test_nobody_resigns_who_has_lost_on_the_board() -> None:
    lost = "W:W9,5,13:BK1,K2,6,7,21,22"
    position = Position.from_text("checkers/cs61b-2004", lost)
    with pytest.raises(ValueError, match="the game ended 1-0"):
        GameRecord(position, outcome=Outcome("resignation", Side.FIRST))


def test_a_transcript_without_a_score_is_a_game_that_goes_on() -> None:
    game = read_transcript("1. 11-15 24-20\n2. 8-11")
    assert game.outcome is None
    assert len(game.moves) == 3
    assert read_transcript("") == GameRecord(Position.start("checkers/cs61b-2004"))


def test_jumps_in_a_transcript_may_be_written_with_an_x() -> None:
    assert read_transcript("1. 11-15 22-18 2. 15x22 25x18") == read_transcript(
        "1. 11-15 22-18 2. 15-22 25-18"
    )


def test_a_loss_by_the_rules_is_a_resignation_in_a_transcript() -> None:
    start = Position.start("checkers/cs61b-2004")
    game = GameRecord(start, outcome=Outcome("illegal-move", Side.SECOND))
    assert write_transcript(game) == "1. resign\n0-1\n"


def test_a_transcript_cannot_begin_from_another_position() -> None:
    game = GameRecord(Position.from_text("checkers/cs61b-2004", "W:W18:B15"))
    with pytest.raises(UnwritableError, match="Write PDN"):
        write_transcript(game)
    with pytest.raises(UnwritableError, match="a game of checkers"):
        write_transcript(GameRecord(Position.start("loa/cs61b")))


def test_a_game_of_cuteataxx_is_read() -> None:
    game = read_pgn(CUTEATAXX)
    assert game.start == Position.start("ataxx/uai")
    assert [move.text for move in game.moves] == ["g2", "a2", "f2"]
    assert game.players == ("Autaxx", "Tiktaxx")
    assert game.outcome == Outcome("resignation", Side.FIRST)
    assert write_pgn(game).splitlines()[-1] == "1. g2 a2 2. f2 1-0"


@pytest.mark.parametrize(
    ("ruleset", "written"), [("checkers/acf", "18x2"), ("checkers/cs61b-2004", "18x11x2")]
)
def test_pdn_leaves_the_squares_between_out_where_the_rules_do(ruleset: str, written: str) -> None:
    start = Position.from_text(ruleset, "W:W18,K30:B6,K7,8,15,25,26,27")
    game = GameRecord(start, (start.parse_move("18x11x2"),))
    text = write_pgn(game)
    assert f"1... {written} *" in text
    assert read_pgn(text) == read_pgn(text.replace(written, "18x2")) == game


def test_pdn_of_other_programs_is_read() -> None:
    text = (
        '[Event "1981 World Championship Match, Game #37"]\n[Black "M. Tinsley"]\n'
        '[White "A. Long"]\n[Result "1-0"]\n'
        "1. 9-14 {the Double Corner} 23-18 2. 14x23 (2. 14-17 21-14) 27x18! $1 3. 5-9 26-23\n"
        "; and so on\n1-0"
    )
    game = read_pgn(text, "checkers/cs61b-2004")
    assert game.players == ("M. Tinsley", "A. Long")
    assert game.outcome == Outcome("resignation", Side.FIRST) or game.outcome == Outcome(
        "adjudication", Side.FIRST
    )
    assert len(game.moves) == 6


@pytest.mark.parametrize(
    ("text", "line", "column", "why"),
    [
        ('[Event "x"\n1. g2', 1, 1, "not a tag"),
        ('[Event "x"]\n[Event "y"]\n\n*', 2, 1, "a second tag"),
        ('[FEN "x5o/8 x 0 1"]\n\n*', 1, 1, "7 ranks"),
        ('[Variant "Chess"]\n\n*', 1, 1, "not a game that is known"),
        ('[Ruleset "ataxx/none"]\n\n*', 1, 1, "no ruleset"),
        ('[Result "2-0"]\n\n*', 1, 1, "not a result"),
        ('[Result "1-0"]\n\n1. g2 0-1', 1, 1, "which is it"),
        ("1. g2 a2 3. f2 *", 1, 10, "the number is 3"),
        ("1. g2\na7a4 *", 2, 1, "not legal"),
        ("1. g2 {never ends", 1, 7, "no end"),
        ("1. g2 (1. f1", 1, 7, "no end"),
        ("1. g2 * 1. g2", 1, 9, "after the result"),
        ("1. g2 a2 2.", 1, 12, "a move is missing"),
    ],
)
def test_a_fault_in_pgn_is_told_with_its_place(text: str, line: int, column: int, why: str) -> None:
    with pytest.raises(NotationError) as caught:
        read_pgn(text)
    assert why in str(caught.value)
    assert (caught.value.line, caught.value.column) == (line, column)


def test_a_move_of_checkers_that_fits_twice_must_be_written_out() -> None:
    # Both ways around take two pieces and end on the same square.
    start = Position.from_text("checkers/cs61b-2004", "W:W30:B26,25,18,17")
    ends = [move.text for move in start.legal_moves]
    assert {"30x23x14", "30x21x14"} <= set(ends)
    text = f'[GameType "21"]\n[FEN "{start.text}"]\n\n1... 30x14 *'
    with pytest.raises(NotationError, match="name the squares between"):
        read_pgn(text)
    assert read_pgn(text.replace("30x14", "30x21x14")).moves == (Move("checkers", "30x21x14"),)


def test_a_string_of_squares_passes_where_it_must() -> None:
    # The shortest game in which a side is left without pieces.
    game = read_moves("F5D6c5 f4e3\nf6g5e6e7")
    assert game.outcome == Outcome("no-pieces", Side.FIRST) or game.outcome is not None
    assert write_moves(game) == "f5d6c5f4e3f6g5e6e7\n"


@pytest.mark.parametrize(
    ("text", "line", "column", "why"),
    [
        ("f5d6\nz9", 2, 1, "not a square"),
        ("f5f5", 1, 3, "not legal"),
        ("f5--", 1, 3, "not legal"),
        ("f5d", 1, 3, "not a square"),
    ],
)
def test_a_fault_in_a_string_of_squares_is_told_with_its_place(
    text: str, line: int, column: int, why: str
) -> None:
    with pytest.raises(NotationError) as caught:
        read_moves(text)
    assert why in str(caught.value)
    assert (caught.value.line, caught.value.column) == (line, column)


def test_ggf_of_a_server_is_read() -> None:
    text = (
        "(;GM[Othello]PC[GGS/os]DT[2003.12.15_13:24:03.MST]PB[Saio1200]PW[Saio3000]RB[2197.01]"
        "RW[2199.72]TI[05:00//02:00]TY[8]RE[?]BO[8 ---------------------------O*------*O------"
        "--------------------- *]B[d3//0.01]W[c3//0.01]B[C4];)"
    )
    game = read_ggf(text)
    assert [move.text for move in game.moves] == ["d3", "c3", "c4"]
    assert game.players == ("Saio1200", "Saio3000")
    assert game.outcome is None


@pytest.mark.parametrize(
    ("text", "line", "column", "why"),
    [
        ("GM[Othello]", 1, 1, "begins with (;"),
        ("(;GM[Chess];)", 1, 6, "is not Othello"),
        ("(;BO[10 - *];)", 1, 6, "a board is 8"),
        ("(;B[d3]B[c3];)", 1, 8, "the other side's turn"),
        ("(;B[d3]\nW[a1];)", 2, 1, "not legal"),
        ("(;RE[white];)", 1, 6, "not a result"),
        ("(;PB[a]PB[b];)", 1, 8, "a second property"),
        ("(;B[d3]", 1, 8, "nor the end"),
        ("(;B[d3];)(;B[d3];)", 1, 10, "one game at a time"),
    ],
)
def test_a_fault_in_ggf_is_told_with_its_place(text: str, line: int, column: int, why: str) -> None:
    with pytest.raises(NotationError) as caught:
        read_ggf(text)
    assert why in str(caught.value)
    assert (caught.value.line, caught.value.column) == (line, column)


@pytest.mark.parametrize("write", [write_ggf, write_moves, write_pgn])
def test_a_notation_refuses_games_that_it_has_no_words_for(write: object) -> None:
    game = "checkers/cs61b-2004" if write is not write_pgn else "reversi/standard"
    assert callable(write)
    with pytest.raises(UnwritableError):
        write(GameRecord(Position.start(game)))


def test_every_game_has_a_notation_of_its_own_that_can_write_it() -> None:
    for game, name in OWN.items():
        form = format_named(name)
        assert form is not None
        ruleset = {"checkers": "cs61b-2004", "ataxx": "uai", "loa": "cs61b"}.get(game, "standard")
        record = GameRecord(Position.start(f"{game}/{ruleset}"))
        assert form.read(form.write(record), None) == record


def test_the_suffix_of_a_file_names_its_notation() -> None:
    assert {each.name for each in FORMATS} == {"transcript", "pdn", "pgn", "ggf", "moves"}
    for name, suffix in (("transcript", "a.txt"), ("pdn", "A.PDN"), ("moves", "x.y.f5d6")):
        found = format_of_file(suffix)
        assert found is not None
        assert found.name == name
    assert format_of_file("game.json") is None


def test_a_game_may_be_judged_by_other_rules_of_the_same_game() -> None:
    game = read_transcript(TRANSCRIPT)
    other = under_ruleset(game, "checkers/acf")
    assert other.start == Position.start("checkers/acf")
    assert (other.moves, other.outcome) == (game.moves, game.outcome)
    assert under_ruleset(other, "checkers/cs61b-2004") == game
    with pytest.raises(UnwritableError, match="is for another"):
        under_ruleset(game, "loa/cs61b")
    assert under_ruleset(replace(game, outcome=None), "checkers/acf").outcome is None


@pytest.mark.parametrize(
    ("ruleset", "form", "instead"),
    [
        ("ataxx/uai", "pdn", "pgn"),
        ("loa/cs61b", "pdn", "pgn"),
        ("reversi/standard", "pgn", "ggf"),
        ("checkers/acf", "pgn", "pdn"),
    ],
)
def test_pdn_and_pgn_are_not_written_for_each_others_games(
    ruleset: str, form: str, instead: str
) -> None:
    found = format_named(form)
    assert found is not None
    with pytest.raises(UnwritableError, match=f"Write {instead} instead"):
        found.write(GameRecord(Position.start(ruleset)))


PGN_GAMES = """\
[Event "one"]

1. g2 a2 {[Event "no game"]} 2. g3 (2. f6) [White "misplaced"] 1-0
; a word between

[Event "two {"]
[Result "*"]
1. g2 f7 *
"""
PDN_GAMES = """\
[Event "one"] [GameType "21"] 1. 11-15 24-20 1-0 [Event "two"]
[GameType "21"] 1. 11-15 22-18 *
"""
GGF_GAMES = "(;GM[Othello]PC[one]B[d3];)\n2 (;GM[Othello]\nPC[two]B[d3]W[c5];)\n"


@pytest.mark.parametrize(
    ("name", "text", "said", "fault", "place"),
    [
        ("pgn", PGN_GAMES, "f7 *", "d4 *", (8, 7)),
        ("pdn", PDN_GAMES, "22-18", "21-18", (2, 26)),
        ("ggf", GGF_GAMES, "W[c5]", "W[a1]", (3, 13)),
    ],
)
def test_several_games_are_read_one_by_one_and_faults_keep_their_places(
    name: str, text: str, said: str, fault: str, place: tuple[int, int]
) -> None:
    form = format_named(name)
    assert form is not None
    assert len(form.starts(text)) == 2
    assert str(form.read(form.game(text, 2), None).event).startswith("two")
    with pytest.raises(NotationError) as caught:
        form.read(form.game(text.replace(said, fault), 2), None)
    assert (caught.value.line, caught.value.column) == place


def test_one_game_stays_whole_however_its_tags_and_comments_stand() -> None:
    form = format_named("pgn")
    assert form is not None
    for text in (
        "",
        '\ufeff[Event "x"]\n\n[Result "*"]\n1. g2 *',
        '1. g2 [White "x"] a2 *',
        "1. g2 * {after}",
        "1. g2 {no end",
        '; [Event "x"]\n1. g2\n; [Event "y"]\n',
    ):
        assert form.starts(text) == [0]
        assert form.game(text, 1) == text
