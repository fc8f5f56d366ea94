"""Whole games typed at the terminal UI on both sides, through Mosquitto; a third looks on."""

import random
from contextlib import ExitStack
from pathlib import Path

import pytest

from ataxxd.errors import ExitCode
from ataxxd.rules import Move, Position
from ataxxd.rules.values import ending_text
from ataxxd.session.record import Standing, verify_record
from ataxxd_clients.text.games import line_language
from ataxxd_clients.text.language import LineLanguage
from tests.brokers import Mosquitto
from tests.e2e.speakers import LANGUAGES, Language
from tests.e2e.terminals import TerminalProgram
from tests.e2e.test_terminal_ui_over_the_network import QUIT, Seats

# Messages before the first move, and after the last: one of each side.
_TO_BEGIN = _TO_END = 2


def said(position: Position, move: Move, language: LineLanguage) -> str:
    """How the terminal UI tells a move."""
    return f"{language.names[position.turn]} " + (f"plays {move}" if move.squares else "passes")


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.game)
async def test_all_three_see_the_same_end_and_keep_the_same_record(
    language: Language, mosquitto: Mosquitto, tmp_path: Path
) -> None:
    position = Position.from_text(language.ruleset, language.ending)
    told = line_language(language.ruleset)
    choices = random.Random(1)
    records = {who: tmp_path / f"{who}.json" for who in ("host", "guest", "watch")}
    with ExitStack() as stack:
        seats = Seats(stack, tmp_path, mosquitto.url)

        def seat(who: str, *words: str) -> TerminalProgram:
            kept = ("--tui", "--transcript", str(records[who]))
            return seats.open(who, who.replace("guest", "join"), "ourgame", *kept, *words)

        host = seat("host", "--game", language.game, "--position", language.ending)
        host.read_until("Waiting for a guest")
        everybody = [host, seat("guest"), seat("watch")]
        verified = _TO_BEGIN
        for each in everybody:
            each.read_until(f"Verified: {verified} messages")
        while position.outcome is None:
            move = choices.choice(position.legal_moves)
            line = said(position, move, told)
            name = line.rpartition(" ")[2]
            everybody[position.turn].type(f"{'-' if name == 'passes' else name}\r".encode())
            position = position.play(move)
            # The scores follow the last move, and may be counted at once with it.
            verified += 1 if position.outcome is None else 1 + _TO_END
            for each in everybody:
                each.read_until(line)
                each.read_until(f"Verified: {verified} messages")
        assert position.outcome is not None
        won = ending_text(position.outcome, position).partition(":")[0]
        for each in everybody:
            each.read_until(won)
        for each in everybody:
            each.type(QUIT)
            assert each.wait() == ExitCode.OK
            assert each.settings == each.before
    kept = {path.read_bytes() for path in records.values()}
    assert len(kept) == 1
    verdict = verify_record(kept.pop())
    assert verdict.standing is Standing.AGREED
    assert verdict.ledger.position == position
