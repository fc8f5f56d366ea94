"""``ataxxd tune``: better parameters for the search, found by playing games."""

import json
import math
import shlex
from collections.abc import Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import asdict, replace

from ataxxd.cli.commands.engines import TuneOptions
from ataxxd.cli.game_options import start_position
from ataxxd.cli.match import (
    DEFAULT_RULESETS,
    check_queue,
    match_settings,
    open_match,
    time_control,
)
from ataxxd.cli.output import align_columns, print_message, print_result
from ataxxd.cli.scoreboard import LiveLines
from ataxxd.cli.signals import sigterm_interrupts
from ataxxd.engines import OURS
from ataxxd.engines.match import Plan, Progress
from ataxxd.engines.match.checkpoint import Checkpoint, Standings
from ataxxd.engines.match.game import Adjudication
from ataxxd.engines.match.openings import random_openings
from ataxxd.engines.native import (
    SearchParameter,
    check_parameter,
    format_settings,
    search_parameters,
)
from ataxxd.engines.tuning import Parameter, Spsa, Tuner, tuning_progress
from ataxxd.errors import ExitCode, UsageError
from ataxxd.rules.limits import DEFAULT_HASH_MB
from ataxxd.wording import format_count

_DEFAULT_NODES = 5000
# The step in the last iteration as a share of a parameter's value, and the least step: less than
# one half hardly ever changes an integer.
_STEP, _LEAST_STEP = 0.1, 0.5
# Parameters that have no effect without a time limit.
_TIMED_PARAMETERS = {"win_share"}
# How many lines report the progress of a run if there is no terminal.
_LINES = 100


def run(options: TuneOptions) -> int:
    """Tune the parameters of the search by playing games."""
    start = start_position(
        options.game, options.ruleset or DEFAULT_RULESETS.get(options.game), None, None
    )
    parameters = _parameters(options, start.game)
    if options.list_:
        print_result(*_listed(parameters))
        return ExitCode.OK
    plan = _plan(options)
    spsa = Spsa(parameters, options.games // (2 * options.pairs), options.window, options.seed)
    tuner = Tuner(spsa, options.pairs)
    described = {
        **match_settings(plan, start, options),
        "games": options.games,
        "pairs": options.pairs,
        "window": options.window,
        "parameters": [asdict(each) for each in parameters],
    }
    openings = random_openings(start, options.plies, options.seed, options.balanced)
    with ExitStack() as stack:
        kept = None
        if options.state is not None:
            kept = stack.enter_context(closing(Checkpoint(options.state, described)))
        done = [] if kept is None else kept.results
        for result in done:
            tuner.add(result)
        board = _Board(options, spsa)
        if done:
            then = "the tuning continues" if len(done) < options.games else "none is left to play"
            print_message(f"{format_count(len(done), 'game')} already played; {then}.")
        match = open_match(stack, options, described, plan, openings, done, board.note, tuner)
        standings = Standings(done)

        def now() -> Progress:
            progress = tuning_progress(tuner, options.games, standings)
            return replace(progress, activity=match.activity)

        match.answer_requests(lambda: now())  # noqa: PLW0108 - `over` is set below
        stack.enter_context(sigterm_interrupts())
        try:
            for result in match.results():
                if kept is not None:
                    kept.add(result)
                standings.add(result)
                tuner.add(result)
                board.show()
            over = replace(now(), over=True)
            match.answer_requests(lambda: over)
            match.end()
        except KeyboardInterrupt:
            board.interrupted(resumable=kept is not None)
            return ExitCode.INTERRUPTED
        finally:
            board.clear()
    board.conclude()
    return ExitCode.OK


def _plan(options: TuneOptions) -> Plan:
    check_queue(options.queue_url, options.state, options.concurrency)
    each = 2 * options.pairs
    if options.games % each:
        more = options.games + each - options.games % each
        raise UsageError(
            f"--games {options.games}: an iteration is {each} games, two from each opening; take "
            f"{more}."
        )
    nodes = options.nodes
    if not (options.clock or options.move_time or options.depth or nodes):
        nodes = _DEFAULT_NODES
    control = time_control(
        clock=options.clock,
        move_time=options.move_time,
        margin=None,
        nodes=nodes,
        depth=options.depth,
    )
    return Plan(
        (OURS, OURS),
        options.games,
        options.concurrency,
        # A busy machine must not decide games by time.
        replace(control, forgives=True),
        Adjudication(),
        options.seed,
        options.hash_mb or DEFAULT_HASH_MB,
    )


def _parameters(options: TuneOptions, game: str) -> list[Parameter]:
    """The parameters to tune, as ``--parameters`` says."""
    known = search_parameters(game)
    if options.parameters is None:
        timed = options.clock is not None or options.move_time is not None
        return [
            _parameter(number, options.rate)
            for number in known.values()
            if timed or options.list_ or number.name not in _TIMED_PARAMETERS
        ]
    found = dict[str, Parameter]()
    for word in options.parameters.split(","):
        name, *more = word.strip().split(":")
        parameter = _parameter(check_parameter(name, known, game), options.rate)
        if name in found:
            raise UsageError(f"--parameters names {name} twice.")
        found[name] = _narrow(parameter, word, more)
    return [*found.values()]


def _parameter(number: SearchParameter, rate: float) -> Parameter:
    step = max(_LEAST_STEP, _STEP * abs(number.value))
    return Parameter(number.name, number.value, number.least, number.most, step, rate)


def _narrow(parameter: Parameter, word: str, more: Sequence[str]) -> Parameter:
    """A parameter with the range and the step that a word of ``--parameters`` gives it."""
    if not more:
        return parameter
    with suppress(ValueError):
        first, second, third = more
        least, most, step = int(first), int(second), float(third)
        fits = parameter.least <= least <= parameter.start <= most <= parameter.most
        if fits and 0 < step < math.inf:
            return replace(parameter, least=least, most=most, step=step)
    raise UsageError(
        f"--parameters {word}: write {parameter.name}:LEAST:MOST:STEP, with a range from "
        f"{parameter.least} to {parameter.most} that has {parameter.start} in it, and a step "
        "above 0."
    )


def _listed(parameters: Sequence[Parameter]) -> Sequence[str]:
    rows = [("parameter", "value", "least", "most", "step")]
    rows += [
        (each.name, f"{each.start}", f"{each.least}", f"{each.most}", f"{each.step:.1f}")
        for each in parameters
    ]
    return align_columns(rows, left=1)


class _Board:
    """Shows the progress of a tuning, and its result."""

    def __init__(self, options: TuneOptions, spsa: Spsa) -> None:
        self._options = options
        self._spsa = spsa
        self._iterations = options.games // (2 * options.pairs)
        self._screen = LiveLines()
        self._printed = spsa.counted

    def note(self, text: str) -> None:
        """Print a message for people."""
        self._screen.clear()
        print_message(text)

    def show(self) -> None:
        """Show that another game is counted."""
        counted_now = self._spsa.counted
        if counted_now == self._printed:
            return
        if self._screen.live:
            self._screen.draw([self._head(), *self._table()])
        elif counted_now * _LINES // self._iterations == self._printed * _LINES // self._iterations:
            return
        else:
            values = zip(self._spsa.parameters, self._spsa.values, strict=True)
            now = ", ".join(f"{each.name} {value:.1f}" for each, value in values)
            print_message(f"{self._head()}: {now}")
        self._printed = counted_now

    def clear(self) -> None:
        """Remove the live lines from the terminal."""
        self._screen.clear()

    def interrupted(self, *, resumable: bool) -> None:
        """Show that the tuning was interrupted."""
        self._screen.clear()
        how = "the same command continues" if resumable else "with --state it could continue"
        print_message(
            f"Stopped after {self._spsa.counted} of {self._iterations} iterations; {how}."
        )
        self._print_progress()

    def conclude(self) -> None:
        """Show the result of the tuning."""
        self._print_progress()
        options = self._options
        if self._player == OURS:
            print_message(
                "Nothing has moved by as much as one: play more games, or take a larger --rate."
            )
            return
        how = [f"--game {options.game}"]
        how += [f"--ruleset {options.ruleset}"] if options.ruleset else []
        limits = (
            ("--clock", options.clock),
            ("--move-time", options.move_time),
            ("--nodes", options.nodes),
            ("--depth", options.depth),
        )
        said = [f"{name} {shlex.quote(str(each))}" for name, each in limits if each is not None]
        how += said or [f"--nodes {_DEFAULT_NODES}"]
        print_message(
            "Better or not, only a match tells: "
            f"ataxxd match {self._player} auto {' '.join(how)} --seed {options.seed + 1} "
            "--games 40000 --sprt 0:5 --state verify.match"
        )

    @property
    def _player(self) -> str:
        """Our engine with the parameters that have changed, as `ataxxd match` names it."""
        spsa = self._spsa
        start = {each.name: each.start for each in spsa.parameters}
        changed = {name: now for name, now in spsa.settings.items() if now != start[name]}
        return f"{OURS}+{format_settings(changed)}" if changed else OURS

    def _head(self) -> str:
        games = 2 * self._options.pairs * self._spsa.counted
        return (
            f"Iteration {self._spsa.counted} of {self._iterations}, {format_count(games, 'game')}"
        )

    def _table(self) -> Sequence[str]:
        spsa = self._spsa
        rows = [("parameter", "start", "now", "least", "most", "step", "per point")]
        last = min(spsa.counted, self._iterations - 1)
        rows += [
            (
                each.name, f"{each.start}", f"{value:.2f}", f"{each.least}", f"{each.most}",
                f"{spsa.perturbation(each, last):.2f}", f"{spsa.gain(each, last):.4f}",
            )
            for each, value in zip(spsa.parameters, spsa.values, strict=True)
        ]  # fmt: skip
        return align_columns(rows, left=1)

    def _print_progress(self) -> None:
        spsa = self._spsa
        if self._options.json:
            found = [
                {**asdict(each), "now": value}
                for each, value in zip(spsa.parameters, spsa.values, strict=True)
            ]
            print_result(
                json.dumps(
                    {
                        "game": self._options.game,
                        "iterations": self._iterations,
                        "counted": spsa.counted,
                        "parameters": found,
                        "player": self._player,
                    }
                )
            )
            return
        print_result(self._head(), *self._table(), self._player)
