"""Games for the tests of notations: any that the rules allow."""

from dataclasses import replace

from hypothesis import strategies as st

from ataxxd.rules import Move, Outcome, Position, Side
from ataxxd.rules.notation.game import AGREED, GameRecord

STARTS = {
    "ataxx/cs61b-2022": "x5o/7/2-1-2/7/2-1-2/7/o5x x 0 1",
    "ataxx/uai": "x5o/7/7/7/7/7/o5x o 3 7",
    "checkers/cs61b-2004": "W:W18,K30:B7,8,15,25,26,27,K3",
    "checkers/acf": "B:BK1,K4:W6,7,8,14,15,16,22,23,24",
    "loa/cs61b": "8/2xx4/3o4/8/4oo2/8/1x6/8 o 7 60",
    "reversi/standard": 27 * "-" + 3 * "X" + "----XOO" + 27 * "-" + " O",
}
# Blanks at the ends and in a row are not kept: a name is a line of words.
NAMES = (
    st.text(
        st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs")), min_size=1, max_size=20
    )
    .map(lambda text: " ".join(text.split()))
    .filter(lambda text: text not in ("", "?"))
)
DATES = st.dates().map(lambda day: f"{day:%Y.%m.%d}")


@st.composite
def games(
    draw: st.DrawFn,
    rulesets: tuple[str, ...],
    *,
    set_up: bool = True,
    names: bool = True,
    refusals: bool = False,
    terminations: bool = True,
    declared: bool = True,
) -> GameRecord:
    """Any game under one of the rulesets.

    Args:
        draw: hypothesis' own.
        rulesets: to choose from.
        set_up: may begin from another position.
        names: may have players, an event and a date.
        refusals: may have rejected draws.
        terminations: may end for any reason, and not only as its score tells.
        declared: may end otherwise than on the board.
    """
    ruleset = draw(st.sampled_from(rulesets))
    start = Position.start(ruleset)
    if set_up and draw(st.booleans()):
        start = Position.from_text(ruleset, STARTS[ruleset])
    position, moves, refused = start, list[Move](), list[int]()
    # Drawn as one number, so that long games are cheap to make and to shrink.
    choice = draw(st.integers(0, 2**64 - 1))
    for ply in range(draw(st.integers(0, 60))):
        if position.outcome is not None:
            break
        choice = (choice * 6364136223846793005 + 1442695040888963407) % 2**64
        if refusals and choice >> 60 == 0:
            refused.append(ply)
        moves.append(position.legal_moves[(choice >> 33) % len(position.legal_moves)])
        position = position.play(moves[-1])
    outcome = position.outcome
    if outcome is None and declared and draw(st.booleans()):
        outcome = draw(_ends(position, terminations=terminations))
    game = GameRecord(start, tuple(moves), outcome, tuple(refused))
    if not names:
        return game
    return replace(
        game,
        players=(draw(st.none() | NAMES), draw(st.none() | NAMES)),
        event=draw(st.none() | NAMES),
        date=draw(st.none() | DATES),
    )


def _ends(position: Position, *, terminations: bool) -> st.SearchStrategy[Outcome]:
    """Ends of a game that goes on on the board."""
    resigned = Outcome("resignation", position.turn.opponent)
    agreed = Outcome(AGREED if position.game == "checkers" else "adjudication", None)
    adjudicated = Outcome("adjudication", position.turn)
    usual = st.sampled_from((resigned, agreed, adjudicated))
    if not terminations:
        return usual
    any_end = st.builds(
        Outcome,
        st.sampled_from(("illegal-move", "desync", "protocol-violation", "resignation")),
        st.sampled_from((*Side, None)),
    )
    return usual | any_end
