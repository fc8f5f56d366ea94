"""Engines of others: they play, and whatever they do is either a legal move or a clear error."""

import re
import shlex
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from ataxxd.engines import external as engine_module
from ataxxd.engines.external import ExternalEngine
from ataxxd.engines.external import process as process_module
from ataxxd.engines.external.dialects import dialect_for
from ataxxd.engines.external.process import EngineCommand, EngineProcess
from ataxxd.engines.registry import make_bot
from ataxxd.errors import EngineError, UsageError
from ataxxd.rules import Position, Side
from ataxxd.rules.limits import Clock, Limits
from tests.docs.pages import ROOT
from tests.messaging import until
from tests.time_limits import DEADLINE

START = Position.start("ataxx/uai")
OURS = shlex.join([sys.executable, "-m", "ataxxd", "uai"])


def rogue(how: str, *more: str) -> str:
    return shlex.join([sys.executable, str(ROOT / "tests" / "rogue_engine.py"), how, *more])


def made(text: str, game: str = "ataxx") -> ExternalEngine:
    return ExternalEngine(EngineCommand.parse(text), game)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits for whatever an engine does, however busy the machine is."""
    for name in ("_START_S", "_PROMPT_S", "_GRACE_S"):
        monkeypatch.setattr(engine_module, name, DEADLINE)
    monkeypatch.setattr(process_module, "_END_S", DEADLINE)


def fails(how: str) -> str:
    """What is said of an engine that misbehaves, of which nothing may be left."""
    engine = made(f"limit=50ms {rogue(how)}")
    with pytest.raises(EngineError) as caught:
        engine.choose(START)
    told = str(caught.value)
    assert "\x1b" not in told
    assert len(told) < 600
    assert engine._process is None or not engine._process.close.alive
    return told


@pytest.mark.usefixtures("patient")
def test_our_own_engine_plays_through_its_protocol() -> None:
    engine = made(OURS)
    position = START
    try:
        for _ in range(6):
            position = position.play(engine.find(position, Limits(nodes=300)).move)
        engine.new_game()
        assert engine.title.startswith("ataxxd ")
        clocks = (Clock(500, 10), Clock(500, 10))
        assert position.is_legal(engine.find(position, Limits(clocks=clocks)).move)
        assert position.is_legal(engine.find(position, Limits(depth=2)).move)
        assert position.is_legal(engine.choose(position, seed=1, time_ms=30))
    finally:
        engine.close()


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize(
    ("ruleset", "command"),
    [
        ("reversi/standard", "nboard"),
        ("checkers/acf", "hub"),
        ("checkers/cs61b-2004", "hub"),
        ("ataxx/uai", "uai"),
    ],
)
def test_every_protocol_takes_every_limit(ruleset: str, command: str) -> None:
    position = Position.start(ruleset)
    engine = made(shlex.join([sys.executable, "-m", "ataxxd", command]), position.game)
    for limits in (
        Limits(depth=3),
        Limits(depth=3, nodes=100),
        Limits(depth=3, time_ms=300),
        Limits(depth=3, clocks=(Clock(900, 100), Clock(900, 100, 5))),
    ):
        engine.new_game()
        answer = engine.find(position, limits)
        assert answer.score is not None
        assert abs(answer.score) < 2_000
        position = position.play(answer.move)
    assert engine.title.startswith("ataxxd")
    engine.close()


@pytest.mark.usefixtures("patient")
def test_an_engine_of_a_protocol_without_time_is_stopped_when_time_is_up() -> None:
    # Sixty plies deep it would think for days.
    engine = made(shlex.join([sys.executable, "-m", "ataxxd", "nboard"]), "reversi")
    position = Position.start("reversi/standard")
    engine.start()
    assert position.is_legal(engine.find(position, Limits(time_ms=50)).move)
    clocks = (Clock(1000), Clock(1000))
    assert position.is_legal(engine.find(position, Limits(clocks=clocks)).move)
    engine.close()


# An NBoard engine that writes as fast as it can while it thinks, and thinks until it is pinged.
_TALKATIVE = """
import sys
from threading import Event, Thread

stopped, thinking = Event(), None

def think():
    while not stopped.is_set():
        sys.stdout.write("status thinking\\n" * 1000)
        sys.stdout.flush()
    print("=== d3", flush=True)

for line in sys.stdin:
    if line.startswith("go"):
        stopped.clear()
        thinking = Thread(target=think)
        thinking.start()
    elif line.startswith("ping"):
        stopped.set()
        if thinking is not None:
            thinking.join()
        print("pong", line.split()[1], flush=True)
"""


@pytest.mark.usefixtures("patient")
def test_an_engine_that_floods_us_with_output_is_stopped_when_time_is_up(tmp_path: Path) -> None:
    script = tmp_path / "talkative.py"
    script.write_text(_TALKATIVE)
    position = Position.start("reversi/standard")
    with closing(made(shlex.join([sys.executable, str(script)]), "reversi")) as engine:
        for _ in range(2):
            assert str(engine.find(position, Limits(time_ms=50)).move) == "d3"


async def test_an_interruption_is_heard_however_many_lines_are_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(process_module, "_MAX_WAITING", 10)
    writes = "for number in range(100): print('line', number)"
    process = EngineProcess(EngineCommand.parse(shlex.join([sys.executable, "-c", writes])))
    deadline = time.monotonic() + DEADLINE
    with closing(process):
        await until(lambda: process.count_pending() == 10)
        process.interrupt()
        assert process.read_until("bestmove", deadline, interruptible=True) == []
        # It has cost no line, and the rest of the output still comes.
        assert process.read_until("line", deadline) == ["line 10"]
        with pytest.raises(EngineError, match="has ended with status 0"):
            process.read_until("bestmove", deadline)


@pytest.mark.usefixtures("patient")
def test_an_engine_is_told_its_depth_once_before_the_clock_runs(tmp_path: Path) -> None:
    # NTest makes its tables anew whenever it is told a depth, which took it most of a short move.
    heard = tmp_path / "heard"
    ours = shlex.join([sys.executable, "-m", "ataxxd", "nboard"])
    engine = made(shlex.join(["sh", "-c", f"tee {shlex.quote(str(heard))} | {ours}"]), "reversi")
    position = Position.start("reversi/standard")
    with closing(engine):
        engine.start()
        engine.new_game()
        assert "set depth 60" in heard.read_text().splitlines()
        for limits in (Limits(time_ms=20), Limits(time_ms=20), Limits(depth=2), Limits(depth=2)):
            position = position.play(engine.find(position, limits).move)
    told = [line for line in heard.read_text().splitlines() if line.startswith("set depth")]
    assert told == ["set depth 60", "set depth 2"]


@pytest.mark.usefixtures("patient")
def test_a_position_of_the_other_rules_of_ataxx_is_understood() -> None:
    engine = made(OURS)
    position = Position.start("ataxx/cs61b-2022")
    for _ in range(4):
        position = position.play(engine.find(position, Limits(nodes=200)).move)
    engine.close()


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize(
    ("how", "told"),
    [
        ("dies", "has ended with status 3. Its last output: the net is missing[.] Try it"),
        ("crashes", "was ended by signal 11"),
        ("floods", "writes 2000 lines and no bestmove"),
        ("mumbles", r"no move follows bestmove\. The position"),
        ("cheats", "d4 is not legal"),
        ("raves", "answered .*is not a move"),
    ],
)
def test_each_misbehaviour_is_a_clear_error_and_the_process_is_gone(
    how: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_module, "_MAX_LINES", 2_000)
    assert re.search(told, fails(how))


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("done", r"it names no move\."),
        ("done move=banana", "'banana' is not a move"),
        ('done move="1-32" ponder=2-3', "1-32 is not legal here"),
    ],
)
def test_what_is_wrong_with_a_move_of_hub_is_told(answer: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        dialect_for("checkers", None).move(answer, Position.start("checkers/acf"))


@pytest.mark.parametrize(("how", "bound"), [("silent", "_START_S"), ("hangs", "_GRACE_S")])
def test_an_engine_that_says_nothing_is_given_up(
    how: str, bound: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_module, bound, 0.1)
    told = fails(how)
    assert "The engine rogue_engine.py" in told if how == "silent" else "The engine Rogue" in told
    assert "does not answer in time" in told
    assert ('speaks UAI, which answers "uai" by "uaiok"' in told) == (how == "silent")


def test_an_engine_that_is_waited_for_is_told_and_an_end_of_the_wait_ends_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine_module, "_NOTICE_AFTER_S", 0.0)
    monkeypatch.setattr(engine_module, "_START_S", DEADLINE)
    engine = made(rogue("silent"))
    told = list[str]()

    def tell(text: str) -> None:
        told.append(text)
        # As somebody does who presses Ctrl-C at it.
        engine.close()

    with pytest.raises(EngineError, match=r"rogue_engine\.py"):
        engine.start(tell)
    (text,) = told
    assert re.fullmatch(
        r"The engine rogue_engine\.py has not answered yet\. Waiting for it until "
        r"\d\d:\d\d:\d\d; Ctrl-C stops\.",
        text,
    )


def test_nothing_is_told_of_an_engine_that_answers_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine_module, "_NOTICE_AFTER_S", DEADLINE)
    told = list[str]()
    with closing(made(OURS)) as engine:
        engine.start(told.append)
    assert not told


@pytest.mark.parametrize("word", ["0000", "pass", "null"])
def test_a_pass_is_one_however_an_engine_writes_it(word: str) -> None:
    blocked = Position.from_text("ataxx/uai", "x--4/---4/---4/7/7/6o/7 x 0 1")
    engine = made(rogue(word))
    try:
        assert (engine.find(blocked, Limits(nodes=1)).move,) == blocked.legal_moves
        with pytest.raises(EngineError, match="answered"):
            engine.find(START, Limits(nodes=1))
    finally:
        engine.close()


@pytest.mark.usefixtures("patient")
def test_an_engine_that_failed_is_started_again_for_the_next_question() -> None:
    engine = made(f"limit=50ms {rogue('dies')}")
    for _ in range(2):
        with pytest.raises(EngineError, match="status 3"):
            engine.choose(START)


def test_stop_makes_it_answer_at_once() -> None:
    engine = made(f"limit=nodes:1000000 {rogue('waits')}")
    found = []
    thread = threading.Thread(target=lambda: found.append(engine.choose(START)))
    thread.start()
    while thread.is_alive():
        engine.stop()
        thread.join(0.02)
    assert [str(move) for move in found] == ["g2"]
    engine.close()


def test_settings_reach_the_engine_with_positions_and_limits(tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    engine = made(f"limit=nodes:77 option.Hash=5 'option.Own Book=no way' {rogue('', str(heard))}")
    engine.choose(START)
    engine.new_game()
    engine.find(START, Limits(depth=3, clocks=(Clock(9, 1), Clock(8, 2, 7))))
    engine.close()
    assert heard.read_text().splitlines() == [
        "setoption name Hash value 5",
        "setoption name Own Book value no way",
        f"position fen {START.text}",
        "uainewgame",
        f"position fen {START.text}",
    ]


@pytest.mark.parametrize(
    ("protocol", "game", "known"),
    [
        ("uai", "ataxx", "Hash, Threads, "),
        ("hub", "checkers", "variant, hash, "),
    ],
)
def test_an_option_that_the_engine_does_not_list_is_an_error_with_those_that_it_does(
    protocol: str, game: str, known: str
) -> None:
    ours = shlex.join([sys.executable, "-m", "ataxxd", protocol])
    made(f"option.HASH=4 {ours}", game).start()
    wrong = made(f"option.hash=4 option.hsh=64 {ours}", game)
    for _ in range(2):
        with pytest.raises(EngineError, match=f"has no option 'hsh'; it has {known}"):
            wrong.start()


@pytest.mark.parametrize(
    ("how", "options", "told"),
    [
        ("lists", "", ["setoption name Hash value 64"]),
        ("lists", "option.hash=2 ", ["setoption name Hash value 2"]),
        ("plays", "", []),
    ],
)
def test_what_is_usual_is_set_where_the_engine_has_it_and_the_user_says_nothing(
    tmp_path: Path, how: str, options: str, told: list[str]
) -> None:
    heard = tmp_path / "heard"
    command = EngineCommand.parse(options + rogue(how, str(heard)))
    engine = ExternalEngine(command, "ataxx", {"hash": "64"})
    engine.find(START, Limits(nodes=1))
    engine.close()
    lines = heard.read_text().splitlines()
    assert [line for line in lines if line.startswith("setoption")] == told


def test_a_command_means_the_same_wherever_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "my engine"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    command = EngineCommand.parse("limit=2s option.A=b protocol=uai './my engine' 'a b' $HOME")
    assert command.words == (str(tmp_path / "my engine"), "a b", "$HOME")
    assert command.limit == Limits(time_ms=2000)
    monkeypatch.chdir("/")
    assert EngineCommand.parse(str(command)) == command


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "names no program"),
        ("limit=2s", "names no program"),
        ("'./x", "cannot be read"),
        ("no-such-engine-anywhere", "is not found in PATH"),
        ("./no-such-engine", "does not exist"),
        ("/etc/passwd", "cannot be executed"),
        ("dir=/no/such/folder true", "no such folder"),
        ("limit=soon true", "is not a limit for a move"),
        ("protocol=xboard true", "There is no engine protocol 'xboard'"),
    ],
)
def test_a_command_that_cannot_be_is_explained(text: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        made(text)


def test_a_game_without_a_protocol_has_no_engines() -> None:
    with pytest.raises(UsageError, match="No engine protocol for loa"):
        made("true", "loa")


@pytest.mark.usefixtures("patient")
def test_the_registry_makes_them_by_name() -> None:
    bot = make_bot(f"engine:limit=20ms {OURS}", "ataxx")
    assert START.is_legal(bot.choose(START))
    assert not bot.accepts_draw(START)
    assert make_bot(bot.name, "ataxx").name == bot.name
    with pytest.raises(UsageError, match="which one is not said"):
        make_bot("engine:true")


def test_a_finished_game_has_no_move() -> None:
    over = Position.from_text("ataxx/uai", "7/7/7/7/7/7/x6 o 0 1")
    assert over.turn is Side.SECOND
    with pytest.raises(ValueError, match="over"):
        made(OURS).choose(over)


def test_a_new_game_waits_until_the_engine_is_ready_so_that_no_move_pays_for_it() -> None:
    engine = made(rogue("loads"))
    with closing(engine), pytest.raises(EngineError, match="what a game needs is missing"):
        engine.new_game()
