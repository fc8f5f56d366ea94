"""Make or check endgame tables of checkers."""

import time

from ataxxd._engine import make_tables
from ataxxd.cli.commands.engines import TablesCheckOptions, TablesMakeOptions
from ataxxd.cli.say import say, tell
from ataxxd.engines.tablebases import VARIABLE, pieces_of
from ataxxd.errors import ExitCode, StorageError
from ataxxd.node.home import Home

_SAY_EVERY_S = 10.0


def run_make(options: TablesMakeOptions) -> int:
    """Make endgame tables: who wins with few pieces left."""
    file = options.file
    if file is None:
        file = Home(options.home).tables(options.pieces)
    steps = file.with_name(f"{file.name}.steps")
    progress = _Progress()
    try:
        make_tables(file.absolute(), steps.absolute(), options.pieces, progress.hear)
    except KeyboardInterrupt:
        say("Stopped. Finished parts are kept; the same command continues.")
        return ExitCode.INTERRUPTED
    except OSError as error:
        raise StorageError(
            f"{file} cannot be written: {error.strerror}. Free some space, or name another place."
        ) from None
    tell(f"{file}: {file.stat().st_size:,} bytes")
    say(f"For our engine to use them: export {VARIABLE}={file.absolute()}")
    return ExitCode.OK


class _Progress:
    """Says now and then how far the work has come, and how long it will take."""

    def __init__(self) -> None:
        self._began = self._said = time.monotonic()
        self._made = 0

    def hear(self, made: int, pairs: int, boards: int, kept: int, all_boards: int) -> None:
        """A word of the engine, some times a second."""
        now = time.monotonic()
        if made == self._made or (now - self._said < _SAY_EVERY_S and made < pairs):
            return
        self._made, self._said = made, now
        left = ""
        if made < pairs and boards > kept:
            seconds = (now - self._began) * (all_boards - boards) / (boards - kept)
            left = f", about {seconds / 60:.0f} min left" if seconds > 90 else ", a minute left"
        percent = 100 * boards // all_boards
        say(f"{made} of {pairs} pairs of materials, {percent} % of the boards{left}")


def run_check(options: TablesCheckOptions) -> int:
    """Check endgame tables, and show how far they go."""
    file = options.file
    file = file or Home(options.home).tables(5)
    tell(f"{file}: whole, up to {pieces_of(file)} pieces")
    return ExitCode.OK
