"""``ataxxd lab eval``: what the laboratory's ``boardEval`` returns."""

from ataxxd.cli.lab.states import State, state_of
from ataxxd.cli.say import tell
from ataxxd.errors import ExitCode
from ataxxd.rules.reversi import board_eval


def run(state: State) -> int:
    """Print the boardEval of a state.

    This is the weight of White's squares minus that of Black's. It does not depend on whose
    turn it is, or on whether the game is over.
    """
    tell(str(board_eval(state_of(state))))
    return ExitCode.OK
