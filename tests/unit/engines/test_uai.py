"""UAI, as the programs that use it expect it."""

from collections.abc import Iterator

import pytest

from ataxxd.rules import Position
from ataxxd_clients.engines.uai import RULESET, UaiServer
from tests.unit.engines.talking import Talk, talking_to

# x to move wins at once by taking the last stone.
WON = "7/7/7/7/7/xo5/x6 x 0 1"
ENDED = "7/7/7/7/7/7/x6 o 0 1"


@pytest.fixture
def talk() -> Iterator[Talk]:
    with talking_to(UaiServer) as talk:
        yield talk


def moves_of(line: str) -> list[str]:
    return line.split(" pv ")[1].split()


def test_it_introduces_itself_and_its_options(talk: Talk) -> None:
    talk.tell("uai")
    said = talk.until("uaiok")
    assert said[0] == "id name ataxxd 1.2.3"
    assert said[1].startswith("id author ")
    options = [line for line in said if line.startswith("option name ")]
    (most,) = (int(line.split()[-1]) for line in options if line.startswith("option name Hash "))
    assert f"option name Hash type spin default 16 min 1 max {most}" in options
    assert 16 < most <= 65_536
    assert "option name Threads type spin default 1 min 1 max 256" in options
    assert "option name Level type spin default 0 min 0 max 10" in options
    assert said[-1] == "uaiok"


def test_it_is_ready_also_while_it_thinks(talk: Talk) -> None:
    assert talk.answer("isready", "readyok") == "readyok"
    talk.tell("go infinite")
    talk.until("info depth 3")
    assert talk.answer("isready", "readyok") == "readyok"
    talk.tell("stop")
    talk.until("bestmove")


def test_a_search_of_a_depth_tells_each_iteration_and_a_legal_move(talk: Talk) -> None:
    talk.tell("position startpos", "go depth 4")
    said = talk.until("bestmove")
    infos = [line.split() for line in said if line.startswith("info depth")]
    assert [words[2] for words in infos] == ["1", "2", "3", "4", "4"]
    for words in infos:
        assert words[3:4] == ["score"]
        assert words[4] in ("cp", "mate")
        assert {"nodes", "nps", "time", "pv"} <= set(words)
    move = said[-1].split()[1]
    start = Position.start(RULESET)
    assert start.is_legal(start.parse_move(move))
    line = moves_of(said[-2])
    assert said[-1].split() == ["bestmove", line[0], "ponder", line[1]]


def test_moves_of_a_position_are_played(talk: Talk) -> None:
    talk.tell("position startpos moves g2 a1a3", "go depth 2")
    best = talk.until("bestmove")[-1].split()[1]
    position = Position.start(RULESET)
    for text in ("g2", "a1a3", best):
        position = position.play(position.parse_move(text))


def test_a_position_of_fen_with_gaps_is_searched(talk: Talk) -> None:
    talk.tell("position fen x5o/7/2-1-2/7/2-1-2/7/o5x x 0 1 moves a6", "go nodes 500")
    assert talk.until("bestmove")[-1].split()[1] != "0000"


@pytest.mark.parametrize(
    "fen",
    [
        "x5o/7/7/7/7/7/o5x x",
        "x5o/7/7/7/7/7/o5x",
        "x5o/7/7/7/7/7/o5x x 0",
        "X5O/7/7/7/7/7/O5X b 0 0",
        "b5w/7/7/7/7/7/w5b B 0 1",
        "B5W/7/7/7/7/7/W5B X 0 1",
    ],
)
def test_a_position_is_read_as_libataxx_reads_it(talk: Talk, fen: str) -> None:
    talk.tell("position startpos moves g2 a2", "go depth 3")
    from_the_start = talk.until("bestmove")[-1]
    talk.tell("uainewgame", f"position fen {fen} moves g2 a2", "go depth 3")
    said = talk.until("bestmove")
    assert said[-1] == from_the_start
    assert not any("string" in line for line in said)


@pytest.mark.parametrize("side", ["o", "O", "w", "W"])
def test_white_is_the_second_side(talk: Talk, side: str) -> None:
    talk.tell(f"position fen 7/7/7/7/7/xo5/oo5 {side} 0 1", "go depth 1")
    assert " score mate 1 " in talk.until("bestmove")[-2]


@pytest.mark.parametrize("halfmoves", ["100", "101", "9999999999999"])
def test_a_game_that_went_on_after_its_end_is_over(talk: Talk, halfmoves: str) -> None:
    talk.tell(f"position fen x5o/7/7/7/7/7/o5x x {halfmoves} 200", "go depth 1")
    assert talk.until("bestmove")[-1] == "bestmove 0000"


@pytest.mark.parametrize("text", ["0000", "pass", "null", "-"])
def test_a_pass_is_heard(talk: Talk, text: str) -> None:
    talk.tell(f"position fen x--4/---4/---4/7/7/7/6o x 0 1 moves {text}", "go depth 1")
    assert "is not" not in " ".join(said := talk.until("bestmove"))
    assert said[-1] != "bestmove 0000"


def test_a_side_that_cannot_move_passes(talk: Talk) -> None:
    # x stands shut in behind gaps; o has room.
    talk.tell("position fen x--4/---4/---4/7/7/7/6o x 0 1", "go depth 3")
    assert talk.until("bestmove")[-1].startswith("bestmove 0000")


def test_a_win_is_told_as_mate(talk: Talk) -> None:
    talk.tell(f"position fen {WON}", "go depth 3")
    assert any("score mate 1 " in line for line in talk.until("bestmove"))


def test_an_infinite_search_answers_only_when_stopped(talk: Talk) -> None:
    # One legal move: the search has nothing to think about, and must wait all the same.
    talk.tell("position fen x--4/---4/---4/7/7/7/6o x 0 1", "go infinite", "isready")
    assert talk.until("readyok")[-1] == "readyok"
    talk.tell("stop")
    assert talk.until("bestmove")[-1].startswith("bestmove 0000")


def test_stop_at_once_after_go_still_finds_a_legal_move(talk: Talk) -> None:
    talk.tell(*["position startpos", "go infinite", "stop"] * 20)
    for _ in range(20):
        assert talk.until("bestmove")[-1].split()[1] in map(
            str, Position.start(RULESET).legal_moves
        )


def test_pondering_waits_for_the_hit_and_then_keeps_to_the_clock(talk: Talk) -> None:
    talk.tell("position startpos moves g2 a2", "go ponder btime 300 wtime 300", "isready")
    talk.until("readyok")
    assert talk.answer("ponderhit", "bestmove")
    talk.tell("position startpos moves g2 a2", "go ponder btime 600000 wtime 600000", "stop")
    assert talk.until("bestmove")


def test_pondering_to_a_depth_answers_after_the_hit(talk: Talk) -> None:
    talk.tell("go ponder depth 2", "isready")
    said = talk.until("readyok")
    assert not any(line.startswith("bestmove") for line in said)
    talk.tell("ponderhit")
    talk.until("bestmove")


@pytest.mark.parametrize(
    "go",
    [
        "go depth 0",
        "go depth -1 nodes 900",
        "go nodes 0",
        "go nodes 99999999999999999999 depth 1",
        "go depth 99999999999999999999 nodes 1",
        "go movetime 1.5",
        "go movetime 99999999999999999999 depth 1",
        "go btime 100 wtime 100 movestogo 0",
        "go btime 100 wtime 100 winc -1 binc -1",
        "go btime depth 1",
        "go depth 1e400 nodes 1",
        "go depth many",
        "go depth",
        "go dpeth 5",
        "go winc 3",
        "go movetime 20",
        "go movetime 0",
        "go btime 1000 wtime 1",
        "go btime 100 wtime 100 binc 10 winc 10",
        "go btime -5 wtime 100",
        "go btime 200 wtime 100 movestogo 1",
        "go nodes 1",
        "go depth 1",
    ],
)
def test_every_limit_ends_in_a_move(talk: Talk, go: str) -> None:
    assert talk.answer(go, "bestmove").split()[1] in map(str, Position.start(RULESET).legal_moves)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("castle", "There is no command castle"),
        (
            "setoption name Colour value blue",
            "Colour; options are Hash, Threads, Clear Hash, Ponder, Level and Seed.",
        ),
        ("setoption name Hash value", "Hash takes a whole number from 1 to 65536, not nothing"),
        ("setoption", "There is no option without a name"),
        ("setoption name Level value 11", "from 0 to 10, not 11"),
        ("setoption name Threads value 0", "from 1 to 256, not 0"),
        ("setoption name Hash", "Hash takes a whole number"),
    ],
)
def test_a_bad_line_is_explained_and_changes_nothing(talk: Talk, line: str, told: str) -> None:
    talk.tell("position startpos moves g2")
    assert told in talk.answer(line, "info string ")
    talk.tell("go depth 1")
    position = Position.start(RULESET)
    position = position.play(position.parse_move("g2"))
    assert talk.until("bestmove")[-1].split()[1] in map(str, position.legal_moves)


@pytest.mark.parametrize(
    ("go", "told"),
    [
        ("go depth 0", "depth 0 is taken as 1."),
        ("go movetime 9.5", "movetime 9.5 is taken as 9."),
        ("go nodes 1 movestogo 0", "movestogo takes a whole number from 1, and is left out: 0."),
        ("go nodes 1 winc -1", "winc -1 is taken as 0."),
        ("go nodes 1 depth", "depth takes a whole number from 1, and is left out: nothing."),
        ("go nodes 1 depth many", "depth takes a whole number from 1, and is left out: many."),
        ("go nodes 1 depth nan", "depth takes a whole number from 1, and is left out: nan."),
    ],
)
def test_a_number_of_go_that_cannot_be_is_explained_and_a_move_found(
    talk: Talk, go: str, told: str
) -> None:
    talk.tell(go)
    assert talk.until("bestmove")[0] == f"info string {told}"


def test_a_search_whose_limit_is_not_known_has_an_end(talk: Talk) -> None:
    talk.tell("go dpeth 5")
    said = talk.until("bestmove")
    assert said[:2] == [
        "info string go does not know dpeth, 5, and goes by the rest.",
        "info string go names no limit; it takes 1000 milliseconds.",
    ]


def test_pondering_on_a_limit_that_is_not_known_ends_after_the_hit(talk: Talk) -> None:
    talk.tell("go ponder dpeth 5", "isready", "ponderhit")
    assert talk.until("bestmove")


def test_a_win_within_so_many_moves_is_looked_for(talk: Talk) -> None:
    talk.tell(f"position fen {WON}", "go mate 1")
    said = talk.until("bestmove")
    assert " score mate 1 " in said[-2]


def test_the_search_for_a_win_goes_as_deep_as_it_may_be(talk: Talk) -> None:
    talk.tell("position startpos", "go mate 2")
    said = talk.until("bestmove")
    assert said[-2].startswith("info depth 4 ")


def test_moves_are_counted(talk: Talk) -> None:
    talk.tell("position startpos", "go perft 3")
    *each, total = talk.until("nodes")
    assert total == f"nodes {Position.start(RULESET).perft(3)}"
    counts = dict(line.split() for line in each)
    assert counts.keys() == set(map(str, Position.start(RULESET).legal_moves))
    assert sum(map(int, counts.values())) == Position.start(RULESET).perft(3)


@pytest.mark.parametrize("depth", ["", " 0", " 7", " deep"])
def test_moves_are_not_counted_for_longer_than_one_waits(talk: Talk, depth: str) -> None:
    said = talk.answer(f"go perft{depth}", "info string ")
    assert "perft takes a whole number from 1 to 6" in said


def test_a_wide_position_is_not_counted_as_deeply(talk: Talk) -> None:
    talk.tell("position fen x1x1x1x/7/x1x1x1x/7/o1o1o1o/7/o1o1o1o x 0 1")
    assert "Take fewer" in talk.answer("go perft 6", "info string ")
    assert talk.answer("go perft 2", "nodes ")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("position", "position takes startpos or fen FEN"),
        ("position fen 8/8 x 0 1", "The board has 7 ranks"),
        ("position startpos moves g2 a7g1", "a7-g1 is not legal"),
    ],
)
def test_after_a_position_that_is_refused_nothing_is_known(
    talk: Talk, line: str, told: str
) -> None:
    talk.tell("position startpos moves g2")
    assert told in talk.answer(line, "info string ")
    talk.tell("go depth 1")
    unknown, answer = talk.until("bestmove")
    assert unknown.startswith("info string The position is not known")
    assert answer == "bestmove 0000"
    assert "The position is not known" in talk.answer("go perft 1", "info string ")
    talk.tell("position startpos", "go depth 1")
    assert talk.until("bestmove")[-1] != "bestmove 0000"


def test_a_word_of_go_that_is_not_known_is_passed_over(talk: Talk) -> None:
    talk.tell("go nodes 300 simulations 300")
    said = talk.until("bestmove")
    assert said[0].startswith("info string go does not know simulations, 300")


def test_a_finished_game_has_no_move_and_its_search_an_answer(talk: Talk) -> None:
    talk.tell(f"position fen {ENDED}", "go depth 3")
    said = talk.until("bestmove")
    assert "over" in said[0]
    assert said[1:] == ["bestmove 0000"]


@pytest.mark.parametrize(
    ("go", "ends"),
    [("go infinite", "stop"), ("go", "stop"), ("go ponder depth 3", "ponderhit")],
)
def test_a_search_without_end_of_a_finished_game_waits_as_any_other(
    talk: Talk, go: str, ends: str
) -> None:
    talk.tell(f"position fen {ENDED}", go, "isready")
    assert talk.until("readyok")[-2].startswith("info string The game is over")
    assert "Stop it first" in talk.answer("go depth 1", "info string ")
    talk.tell(ends, "stop", "isready")
    assert talk.until("readyok") == ["bestmove 0000", "readyok"]
    talk.tell("go infinite", "uainewgame", "isready")
    assert talk.until("readyok")[-2:] == ["bestmove 0000", "readyok"]


def test_a_second_go_is_refused_while_the_first_is_under_way(talk: Talk) -> None:
    talk.tell("go infinite")
    assert "Stop it first" in talk.answer("go depth 1", "info string ")
    assert "Stop it first" in talk.answer("setoption name Hash value 4", "info string ")
    talk.tell("stop")
    talk.until("bestmove")


def test_options_are_taken_in_any_case(talk: Talk) -> None:
    talk.tell(
        "setoption name hash value 2",
        "setoption name\tThreads\tvalue\t2",
        "setoption Name LEVEL Value 1",
        "setoption name Ponder value true",
        "setoption name Clear Hash",
        "uainewgame",
        "go depth 9",
    )
    said = talk.until("bestmove")
    assert not any("string" in line for line in said)
    # Level 1 looks one ply ahead, whatever else is asked for.
    assert all(line.startswith("info depth 1 ") for line in said[:-1])


def test_numbers_of_the_search_are_not_listed_and_can_be_set_whatever_the_size_of_the_table(
    talk: Talk,
) -> None:
    talk.tell("uai")
    assert not any("aspiration" in line for line in talk.until("uaiok"))

    def nodes() -> str:
        talk.tell("uainewgame", "go depth 8")
        return talk.until("bestmove")[-2].split(" nodes ")[1].split()[0]

    usual = nodes()
    talk.tell("setoption name Futility_Margin value 500", "setoption name killer value 0")
    tuned = nodes()
    assert tuned != usual
    talk.tell("setoption name Hash value 15")
    assert nodes() == tuned
    talk.tell("setoption name futility_margin value 86", "setoption name killer value 400")
    assert nodes() == usual
    refused = talk.answer("setoption name killer value 2001", "info string ")
    assert refused == "info string killer takes a whole number from 0 to 2000, not 2001."
    # Ataxx has no null moves.
    assert "There is no option" in talk.answer("setoption name null_move_depth value 3", "info str")


def test_the_end_of_input_ends_a_search_without_end() -> None:
    with talking_to(UaiServer) as talk:
        talk.tell("go infinite")
        talk.until("info depth 3")
    assert any(line.startswith("bestmove") for line in list(talk.said.queue))


def test_a_line_without_end_is_cut_and_the_next_one_heard(talk: Talk) -> None:
    talk.tell("x" * 200_000)
    assert "There is no command xxx" in talk.until("info string")[-1]
    assert talk.answer("isready", "readyok") == "readyok"
