"""Files that somebody else may have written: each is what it says, or an error in plain words.

Structure-aware: most of what is tried here is nearly right, so that it comes past the first
check. One sentence a law; `make fuzz` tries far more of each.
"""

import json
import sqlite3
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from ataxxd.errors import AtaxxdError, StorageError, VerificationError
from ataxxd.node.journal import Journal
from ataxxd.node.settings import Settings
from ataxxd.rules import RulesError, rulesets
from ataxxd.rules.notation import FORMATS, Format
from ataxxd.rules.notation.game import GameRecord, NotationError
from ataxxd.session.events import Keep
from ataxxd.session.record import dump_record, verify_record
from ataxxd.session.state import Role
from ataxxd.tournament.club_log import ClubLog, read_log
from ataxxd_protocol import decode_record
from ataxxd_protocol.signing import canonical_json
from tests.conformance.clubs import CLUB_KEY, club_with_event, short_game
from tests.conformance.games import Pair, of_kind

RULESETS = [info.id for info in rulesets()]
TRANSCRIPT = "1. 11-15 22-18\n2. 15x22 25x18\n3. 8-11 draw? reject 29-25\n4. resign\n0-1\n"
PDN = (
    '[Event "x"]\n[GameType "21"]\n[White "a \\"b\\""]\n[Result "1-0"]\n\n'
    "1. 11-15 {so} 22-18 (22-17) 2. 15x22 $1 25x18 ; and so on\n1-0\n"
)
PGN = (
    '[Event "?"]\n[FEN "x5o/7/2-1-2/7/2-1-2/7/o5x x 0 1"]\n[Variant "ataxx/uai"]\n\n'
    "1. b1 g2 2. a7a5 0000 *\n"
)
GGF = (
    "(;GM[Othello]PC[x]PB[a]PW[b]RE[+2.0]TI[15:00]TY[8]"
    "BO[8 --------------------------- O*------*O--------------------------- *]"
    "B[F5//0.1]W[d6]B[c3]W[PA];)"
)
WRITTEN = {
    "transcript": [TRANSCRIPT],
    "pdn": [PDN],
    "pgn": [PGN, PGN.replace("ataxx/uai", "loa/cs61b")],
    "ggf": [GGF, GGF.replace("8 -", "10 -")],
    "moves": ["f5d6c3d3c4", "f5 d6 -- c3 pass"],
}
# What the notations are made of, so that a patch is often one of their own words.
WORDS = st.sampled_from(
    [
        *(
            "[",
            "]",
            "(",
            ")",
            "{",
            "}",
            ";",
            '"',
            "\\",
            "/",
            ".",
            "*",
            "?",
            "$",
            "%",
            "#",
            "\n",
            " ",
        ),
        *("1.", "99999999999999999999.", "11-15", "15x22", "1-0", "1/2-1/2", "draw?", "resign"),
        *("[FEN ", "[Result ", "GM[", "BO[", "B[", "W[", "(;", ";)", "PA", "pass", "--", "0000"),
        *("f5", "a7a5", "\x00", "\x1b[2J", "é", "\u202e", "٣", "\U0001f600", "\r", "\ufeff"),
    ]
)


@st.composite
def patched(draw: st.DrawFn, text: str) -> str:
    """`text` with a few places replaced, repeated or cut out."""
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(text)))
        until = draw(st.integers(at, min(len(text), at + 12)))
        patch = draw(WORDS | st.text(max_size=3) | st.just(text[at:until] * 3))
        text = text[:at] + patch + text[until:]
    return text


def explains(error: Exception, about: str = "") -> None:
    """An error's text is for people: about something, and no longer than a screen."""
    assert about in str(error)
    assert 0 < len(str(error)) < 2000


def check(form: Format, text: str, ruleset: str | None) -> None:
    """A text is a game that comes back as it was written, or an error that says where."""
    try:
        game = form.read(text, ruleset)
    except RulesError as error:
        explains(error)
        if isinstance(error, NotationError):
            assert 1 <= error.line <= text.count("\n") + text.count("\r") + 2  # noqa: PT017
        return
    assert isinstance(game, GameRecord)
    try:
        written = form.write(game)
    except RulesError:
        return
    again = form.read(written, ruleset)
    assert (again.start, again.moves, again.outcome) == (game.start, game.moves, game.outcome)


@given(st.data(), st.sampled_from(FORMATS), st.sampled_from([None, *RULESETS]))
def test_a_damaged_game_is_a_game_or_an_error_with_its_place(
    data: st.DataObject, form: Format, ruleset: str | None
) -> None:
    text = data.draw(st.sampled_from(WRITTEN[form.name]))
    check(form, data.draw(patched(text)), ruleset)


@given(st.lists(WORDS, max_size=60).map("".join) | st.text(max_size=80), st.sampled_from(FORMATS))
def test_words_in_any_order_are_a_game_or_an_error(text: str, form: Format) -> None:
    check(form, text, None)


@given(st.sampled_from(["(", "[", "{", "((;", '"', "\\", "1. ", "(1. "]), st.sampled_from(FORMATS))
def test_deep_and_long_files_are_read_or_refused(piece: str, form: Format) -> None:
    for text in (piece * 20_000, WRITTEN[form.name][0] + piece * 20_000):
        check(form, text, None)


@cache
def true_record() -> dict[str, Any]:
    """A game with a draw of everything a record can hold, as JSON."""
    pair = Pair.started(color="random")
    pair.play_out([3] * 40)
    record: dict[str, Any] = json.loads(dump_record(pair.host.ledger))
    return record


VALUES = st.one_of(
    st.integers(-(2**53), 2**53),
    st.text(max_size=4),
    st.sampled_from(
        ["move", "score", "start", "join", "state", "takeback", "abort", "a7b6", "0-1"]
    ),
    st.sampled_from(["host", "guest", "0" * 64, "f" * 16, "0" * 128]),
    st.lists(st.integers(0, 3), max_size=2),
    st.dictionaries(st.sampled_from(["by", "set", "type", "n", "reason"]), st.text(max_size=2)),
)


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) in a JSON value."""
    found: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting:
        each = waiting.pop()
        keys = (
            each if isinstance(each, dict) else range(len(each)) if isinstance(each, list) else ()
        )
        found += [(each, key) for key in keys]
        waiting += [each[key] for key in keys]
    return found


def change(value: Any, data: st.DataObject) -> None:
    """Change something in a JSON object, up to three times."""
    for _ in range(data.draw(st.integers(1, 3))):
        container, key = data.draw(st.sampled_from(places(value)))
        match data.draw(st.integers(0, 3)):
            case 0:
                del container[key]
            case 1 if isinstance(container, list):
                container.insert(key, data.draw(st.sampled_from(container)))
            case 2 if isinstance(container, dict):
                container[data.draw(st.sampled_from(["type", "ply", "n", "claim", "to", "x"]))] = (
                    data.draw(VALUES)
                )
            case _:
                container[key] = data.draw(VALUES)


@given(st.data())
def test_a_record_with_any_value_changed_is_refused_in_plain_words(data: st.DataObject) -> None:
    record = json.loads(json.dumps(true_record()))
    change(record, data)
    payload = canonical_json(record) + b"\n"
    try:
        verdict = verify_record(payload)
    except VerificationError as error:
        explains(error)
    else:
        verdict.ledger.add_signatures(decode_record(payload).sigs)
        assert dump_record(verdict.ledger) == payload


@cache
def true_log() -> list[bytes]:
    """The lines of a club's log with a game, and those of an event."""
    club, pair = club_with_event(), short_game()
    club.announce(pair)
    club.result(pair)
    return club.lines


@given(st.data())
def test_a_line_of_a_clubs_log_with_any_value_changed_is_refused_in_plain_words(
    data: st.DataObject,
) -> None:
    lines: list[dict[str, Any]] = [json.loads(line) for line in true_log()]
    at = data.draw(st.integers(0, len(lines) - 1))
    change(lines[at], data)
    changed = [canonical_json(line) for line in lines]
    try:
        read_log(b"".join(line + b"\n" for line in changed))
    except VerificationError as error:
        explains(error)
    else:
        assert changed == true_log()
    # What the club itself signs may be anything, too.
    log = ClubLog(CLUB_KEY.node)
    for line, kept in zip(changed, true_log(), strict=True):
        if b'"type":"head"' not in kept:
            try:
                log.accept_line(line)
            except VerificationError as error:
                explains(error)


settings_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*Settings.__dataclass_fields__, "x"]), inner, max_size=4)
    ),
    max_leaves=8,
)


@given(settings_like)
@example({"level": "high"})
@example({"broker": 5})
@example([])
@example({"games": True})
def test_settings_of_a_journal_are_of_their_types_or_refused(stored: Any) -> None:
    try:
        settings = Settings.restored(stored)
    except StorageError as error:
        explains(error, "cannot be read")
        return
    assert Settings.restored(settings.stored()) == settings
    usual = Settings()
    for name, value in settings.stored().items():
        assert value is None or isinstance(value, (str, int)), name
        default = getattr(usual, name)
        assert default is None or type(value) is type(default), name


@cache
def true_journal() -> bytes:
    """A journal with a game in it, as the bytes of its file."""
    pair = Pair.started()
    pair.play("a7b6", "a1a2")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal.db"
        journal = Journal(path)
        stored = journal.begin(pair.offer, Role.HOST, Settings().stored())
        kept = of_kind(pair.effects[Role.HOST], Keep)
        journal.keep(stored, [(effect.role, effect.message) for effect in kept])
        journal.close()
        return path.read_bytes()


@given(st.data())
def test_a_damaged_journal_is_read_right_or_refused_in_plain_words(data: st.DataObject) -> None:
    content = bytearray(true_journal())
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(content) - 1))
        patch = data.draw(st.binary(min_size=1, max_size=8))
        content[at : at + len(patch)] = patch
    content = content[: data.draw(st.sampled_from([len(content), len(content) // 2]))]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal.db"
        path.write_bytes(content)
        try:
            journal = Journal(path)
        except AtaxxdError:
            return
        try:
            for stored in journal.unfinished():
                Settings.restored(stored.settings)
                journal.ledger(stored)
            journal.known_hosts("ourgame")
        except AtaxxdError as error:
            explains(error, "journal")
        finally:
            journal.close()


def test_the_journal_of_these_tests_holds_a_game() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal.db"
        path.write_bytes(true_journal())
        journal = Journal(path)
        (stored,) = journal.unfinished()
        assert len(journal.ledger(stored).moves) == 2
        journal.close()
        assert sqlite3.sqlite_version_info > (3,)
