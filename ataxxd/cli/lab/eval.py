"""``ataxxd lab eval``: what the laboratory's ``boardEval`` returns."""

from ataxxd.cli.lab.states import State, state_of
from ataxxd.cli.say import tell
from ataxxd.errors import ExitCode
from ataxxd.rules.reversi import board_eval


def run(state: State) -> int:
    """Print boardEval of a state.

    That is the weights of White's squares minus those of Black's. It is the same whoever is to
    move, and also when the game is over.
    """
    tell(str(board_eval(state_of(state))))
    return ExitCode.OK
