"""The questions of the guided start, what they accept, and the command lines they make."""

import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import OptionList, Static

from ataxxd.cli import guided_start
from ataxxd.node.home import Home, load_identity
from ataxxd.node.names import NameBook
from ataxxd.session.state import Role
from ataxxd.times import SYSTEM_CLOCK
from ataxxd_clients.guide import BadAnswerError, Guide, Plan, Question, run_plain
from ataxxd_clients.tui.guide import GuideWindow
from tests.journals import OLD_VERSIONS, lay_out

pytestmark = pytest.mark.usefixtures("patient_pilot")

NODE = "k7fq3xa2k7fq3xa2k7fq"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ATAXXD_HOME", str(tmp_path / "home"))
    # Nobody listens there.
    monkeypatch.setenv("ATAXXD_BROKER", "mqtt://127.0.0.1:1")
    return tmp_path / "home"


def guide(*, tui: bool = False) -> Guide:
    return guided_start.make_guide(tui=tui, on_notice=lambda _: None)


async def asked(guide: Guide) -> Question:
    step = await guide.next()
    assert isinstance(step, Question), step
    return step


async def planned(answers: Mapping[str, str], *, tui: bool = False) -> tuple[str, ...]:
    """The command line that answers make; each is given to the question of its key."""
    asking = guide(tui=tui)
    while isinstance(step := await asking.next(), Question):
        asking.answer(answers.get(step.key, ""))
    assert set(answers) <= set(asking.answers)
    return step.words


@pytest.mark.parametrize(
    ("answers", "line"),
    [
        ({}, "play"),
        ({"game": "loa", "side": "second", "level": "3"}, "play --game loa --white --level 3"),
        ({"side": "both"}, "play --player2 human"),
        ({"what": "host"}, "host ourgame"),
        (
            {"what": "host", "name": "Tea-Time", "clock": "90s+5s", "who": "invited"},
            "host tea-time --clock 90s+5s --invited",
        ),
        (
            {"what": "host", "side": "random", "who": NODE, "where": "mqtts://broker.example"},
            f"host ourgame --color random --guest {NODE} --broker mqtts://broker.example",
        ),
        ({"what": "join", "place": "ourgame#k7fq-3xa2"}, "join ourgame#k7fq-3xa2"),
        (
            {"what": "join", "place": "ataxxd join ourgame#k7fq.5ec7@broker.example"},
            "join ourgame#k7fq.5ec7@broker.example",
        ),
        ({"what": "watch", "place": "ourgame"}, "watch ourgame"),
        ({"what": "study"}, "study"),
        ({"what": "study", "game": "loa"}, "study --game loa"),
        ({"what": "study", "file": __file__}, f"study {__file__}"),
        ({"what": "quit"}, ""),
    ],
)
async def test_answers_make_a_command_line(answers: dict[str, str], line: str) -> None:
    assert " ".join(await planned(answers)) == line
    if line:
        assert " ".join(await planned(answers, tui=True)) == f"{line} --tui"


@pytest.mark.parametrize(
    ("key", "typed", "why"),
    [
        ("what", "dance", "none of the answers"),
        ("name", "our game!", "letters, digits and dashes"),
        ("clock", "soon", r"not a clock: write 5\+3"),
        ("clock", "10m/hour", "30s/move"),
        ("who", "bob", "not a node id"),
        ("where", "ftp://broker.example", "mqtt"),
    ],
)
async def test_a_bad_answer_is_explained_and_nothing_is_lost(
    key: str, typed: str, why: str
) -> None:
    asking = guide()
    while (question := await asked(asking)).key != key:
        asking.answer({"what": "host", "name": "teatime"}.get(question.key, ""))
    before = dict(asking.answers)
    with pytest.raises(BadAnswerError, match=why) as refused:
        asking.answer(typed)
    assert "--" not in str(refused.value)
    assert asking.answers == before
    asking.answer("play" if key == "what" else "")


async def test_games_that_cannot_be_read_are_left_to_the_command_that_says_why(home: Path) -> None:
    journal = lay_out(home, OLD_VERSIONS[-1], Role.HOST)
    assert await planned({"what": "resume"}) == ("resume", "underway")
    with closing(sqlite3.connect(journal)) as database, database:
        database.execute("UPDATE messages SET payload = x'00'")
    assert await planned({"what": "resume"}) == ("resume",)


async def test_a_game_that_waits_for_the_opponent_to_confirm_is_offered_as_over(home: Path) -> None:
    journal = lay_out(home, OLD_VERSIONS[-1], Role.HOST)
    with closing(sqlite3.connect(journal)) as database, database:
        database.execute("UPDATE games SET finished = 0")
        database.execute("UPDATE messages SET kept_ms = ?", (SYSTEM_CLOCK.now_ms() - 7_200_000,))
    asking = guide()
    await asked(asking)
    asking.answer("resume")
    labels = [choice.label for choice in (await asked(asking)).choices]
    over = [label for label in labels if label.endswith(", over, signed by both")]
    assert len(labels) == 2
    assert len(over) == 1


@pytest.mark.parametrize(
    ("screen", "heavy"),
    [
        ("", ("ataxxd.node.journal", "ataxxd.rules", "prompt_toolkit", "pydantic", "textual")),
        ("import ataxxd_clients.tui.guide;", ("ataxxd.node.journal", "ataxxd.rules", "pydantic")),
    ],
)
def test_the_first_question_is_asked_before_the_node_is_loaded(
    screen: str, heavy: tuple[str, ...]
) -> None:
    asked = (
        "import sys, ataxxd.cli.app; "
        "from ataxxd.cli.guided_start import activity_question; activity_question();"
        f"{screen} print(*sorted(set({heavy}) & sys.modules.keys()))"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", asked], capture_output=True, text=True, check=False
    )
    assert (loaded.stdout, loaded.stderr) == ("\n", "")


async def test_an_answer_that_was_gone_back_from_is_proposed_again() -> None:
    asking = guide()
    for answer in ("host", "teatime", "checkers"):
        await asked(asking)
        asking.answer(answer)
    assert asking.back()
    assert asking.proposal(await asked(asking)) == "checkers"
    assert asking.back()
    assert asking.proposal(await asked(asking)) == "teatime"
    assert asking.back()
    assert not asking.back()


async def test_a_broker_that_is_not_there_is_no_end() -> None:
    asking = guide()
    await asked(asking)
    asking.answer("join")
    question = await asked(asking)
    assert "No games can be seen" in question.note
    with pytest.raises(BadAnswerError, match="is not a name for a game"):
        asking.answer("our/game")


def in_text(*lines: str) -> tuple[Plan, str]:
    """What lines of text come to, and what was written."""
    waiting: Iterator[str] = iter(lines)
    written: list[str] = []

    def read(prompt: str) -> str:
        written.append(prompt)
        if (line := next(waiting, None)) is None:
            raise EOFError
        return line

    plan = run_plain(guide(), read, written.append)
    return plan, "\n".join(written)


def test_in_text_numbers_choose_and_back_goes_back() -> None:
    plan, written = in_text("back", "9", "2", "teatime", "\x1b", "", "3", "", "4", "2", "", "Ana")
    assert "This is the first question." in written
    assert '"9" is none of the answers' in written
    assert "Enter alone: teatime" in written
    assert " ".join(plan.words) == "host teatime --game checkers --clock 3d/move --invited"
    with closing(NameBook(Home().names)) as names:
        assert names.name_of(load_identity(Home().identity).node) == "ana"
    # Nobody is asked twice.
    again, _ = in_text("2", "teatime", "3", "", "4", "2", "")
    assert again == plan


def test_who_wants_no_nickname_is_asked_no_more() -> None:
    lines = ("2", "teatime", "3", "", "4", "2", "")
    assert "What should others call you?" in in_text(*lines, "")[1]
    assert "What should others call you?" not in in_text(*lines)[1]


@pytest.mark.parametrize("lines", [("quit",), ("6",), ("1", "q"), ()])
def test_in_text_one_can_leave_at_any_time(lines: tuple[str, ...]) -> None:
    assert in_text(*lines)[0] == Plan(())


class Page:
    """The guide on the whole terminal, and what a person sees of it."""

    def __init__(self, app: GuideWindow, pilot: Pilot[int]) -> None:
        self.app, self.pilot = app, pilot

    def text(self, part: str) -> str:
        return str(self.app.query_one(part, Static).content)

    async def until(self, holds: Callable[[], bool]) -> None:
        while not holds():
            await self.pilot.pause(0)

    async def is_asked(self, text: str) -> None:
        await self.until(lambda: text in self.text("#question"))


@pytest.mark.parametrize("size", [(60, 18), (80, 24), (120, 40)])
async def test_on_the_screen_one_chooses_types_and_goes_back(size: tuple[int, int]) -> None:
    app = GuideWindow(lambda telling: guided_start.make_guide(tui=True, on_notice=telling))
    async with app.run_test(size=size) as pilot:
        page = Page(app, pilot)
        await page.is_asked("What would you like")
        await pilot.press("escape")
        assert "first question" in page.text("#problem")
        await pilot.press("2")
        await page.is_asked("What should the game be called")
        assert page.text("#typed") == "> ourgame_"
        await pilot.press(*"tea!", "enter")
        await page.until(lambda: "'tea!' is not a name" in page.text("#problem"))
        await pilot.press("backspace", "enter")
        await page.is_asked("Which game?")
        await pilot.press("escape")
        await page.is_asked("What should the game be called")
        assert page.text("#typed") == "> tea_"
        await pilot.press("enter")
        await page.is_asked("Which game?")
        await pilot.click(OptionList, offset=(6, 2))
        await page.is_asked("Which side")
        await pilot.press("down", "enter")
        await page.is_asked("How long")
        await pilot.press(*"15m", "enter")
        await page.is_asked("Who may join?")
        await pilot.press("1")
        assert app.query_one("#page").region.bottom <= size[1]
        await pilot.press("enter")
        await page.is_asked("Where do you meet?")
        await pilot.press("enter")
        await page.is_asked("What should others call you?")
        await pilot.press(*"you", "enter")
        await page.until(lambda: "'you' cannot be a nickname" in page.text("#problem"))
        await pilot.press(*["backspace"] * 3, "enter")
        await page.until(lambda: bool(app.plan.words))
    assert " ".join(app.plan.words) == "host tea --game checkers --color second --clock 15m --tui"


async def test_on_the_screen_no_key_overtakes_another_however_fast_they_come() -> None:
    app = GuideWindow(lambda telling: guided_start.make_guide(tui=True, on_notice=telling))
    async with app.run_test(size=(60, 18)) as pilot:
        page = Page(app, pilot)
        keys = ["2", *"-x", "enter", "ctrl+u", *"tea", "enter", "2", "1", *"5m", "enter"]
        for key in (*keys, "down", "enter", "enter", "enter"):
            app.post_message(events.Key(key, key if len(key) == 1 else None))
        await page.until(lambda: bool(app.plan.words))
    assert " ".join(app.plan.words) == "host tea --game reversi --clock 5m --invited --tui"


async def test_on_the_screen_a_list_that_cannot_be_had_is_explained() -> None:
    app = GuideWindow(lambda telling: guided_start.make_guide(tui=True, on_notice=telling))
    async with app.run_test(size=(60, 18)) as pilot:
        page = Page(app, pilot)
        await page.is_asked("What would you like")
        await pilot.press("3")
        await page.is_asked("Which game do you join?")
        assert "No games can be seen" in page.text("#note")
        app.post_message(events.Paste("ataxxd join ourgame\nand more"))
        await page.until(lambda: "join ourgame_" in page.text("#typed"))
        await pilot.press("enter")
        await page.is_asked("What should others call you?")
        await pilot.press("enter")
        await page.until(lambda: bool(app.plan.words))
    assert app.plan.words == ("join", "ourgame", "--tui")
