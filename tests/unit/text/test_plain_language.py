"""The line language of a game that has none of its own; any game will do to try it."""

import io

import pytest

from ataxxd.rules import Side, rulesets
from ataxxd.session.events import Seat
from ataxxd_clients.text.console import Output, Terminal
from ataxxd_clients.text.friendly import run_friendly
from ataxxd_clients.text.games import PlainLanguage
from ataxxd_clients.text.session import SessionOptions, run_line_language
from tests.unit.text.playing import local_table
from tests.unit.text.script_lines import ScriptLines

RULESETS = [info.id for info in rulesets()]


@pytest.mark.parametrize("ruleset", RULESETS)
async def test_any_game_is_played_to_its_end_and_its_position_told(ruleset: str) -> None:
    out, err = io.StringIO(), io.StringIO()
    table = local_table(ruleset=ruleset, seats=dict.fromkeys(Side, Seat.AUTO))
    # The first legal move may go back and forth for ever where only people agree on draws.
    first = table.position.legal_moves[0].text
    if ruleset == "checkers/cs61b-2004":
        table.fill(Side.SECOND, Seat.HUMAN)
    lines = ScriptLines(["resign", "dump", "board"])
    await run_line_language(table, PlainLanguage(ruleset), lines, Output(out, err))
    said = out.getvalue().splitlines()
    name = PlainLanguage(ruleset).names[0]
    assert said[0] == f"{name}: {first}"
    assert table.position.text in said
    assert any(
        line in ("Draw.", *(f"{each} wins." for each in PlainLanguage(ruleset).names))
        for line in said
    )


@pytest.mark.parametrize("ruleset", RULESETS)
async def test_a_person_types_the_moves_of_any_game(ruleset: str) -> None:
    out = io.StringIO()
    table = local_table(ruleset=ruleset, seats=dict.fromkeys(Side, Seat.HUMAN))
    move = table.position.legal_moves[-1].text
    await run_friendly(
        table,
        PlainLanguage(ruleset),
        ScriptLines([move, "frobnicate", "help", "undo"]),
        Output(out, out),
        Terminal(),
        SessionOptions(),
    )
    said = out.getvalue()
    assert f" plays {move}" in said
    assert '"frobnicate" is not a command' in said
    assert len(table.moves) == 0
