"""The game that options describe: its rules, where it begins, and the moves of a file."""

from pathlib import Path

from ataxxd.cli.files import FROM, choose_format, format_of_init, read_game
from ataxxd.cli.options import DEFAULT_GAME, GameFileOptions, StartOptions
from ataxxd.cli.output import print_message
from ataxxd.errors import UsageError
from ataxxd.rules import Position, RulesError, RulesetInfo, rulesets
from ataxxd.rules.ataxx import with_blocks
from ataxxd.rules.notation import under_ruleset
from ataxxd.rules.notation.game import GameRecord, why
from ataxxd.rules.values import find_game_by_other_name
from ataxxd.wording import did_you_mean

# Games whose courses pass a state as an argument.
_HAVE_STATES = frozenset({"reversi"})
# The brackets around a state of reversi.
_OPENS, _CLOSES = ("{", "["), ("}", "]")


def choose_ruleset(game: str, ruleset: str | None) -> RulesetInfo:
    """The named ruleset, or the usual one of a game.

    Raises:
        UsageError: there is no such game or ruleset; the text lists those that exist.
    """
    known = rulesets()
    for info in known:
        if info.id == ruleset or (ruleset is None and info.game == game):
            return info
    games = dict.fromkeys(info.game for info in known)
    ids = ", ".join(info.id for info in known)
    if ruleset is not None and any(info.game == ruleset for info in known):
        raise UsageError(
            f"--ruleset {ruleset}: this is a game; for its usual rules say --game {ruleset}. The "
            f"rulesets are {ids}."
        )
    wanted = game if ruleset is None else ruleset
    if (name := find_game_by_other_name(wanted)) is not None:
        raise UsageError(f"{wanted} is called {name} here: say --game {name}.")
    if ruleset is not None:
        hint = did_you_mean(ruleset, (info.id for info in known))
        raise UsageError(f"There is no ruleset {ruleset!r}; this node knows {ids}.{hint}")
    raise UsageError(
        f"There is no game {game!r}; this node plays {', '.join(games)}."
        + did_you_mean(game, games)
    )


def only_game(game: str | None) -> str | None:
    """The game that ``--game`` restricts a list to; None for all.

    Raises:
        UsageError: there is no such game; the text lists those that exist.
    """
    return None if game is None else choose_ruleset(game, None).game


def start_position(
    game: str, ruleset: str | None, position: str | None, blocks: str | None
) -> Position:
    """The position that ``--game``, ``--ruleset``, ``--position`` and ``--blocks`` describe.

    Raises:
        UsageError: they do not describe a position; the text says where the error is.
    """
    info = choose_ruleset(game, ruleset)
    try:
        start = (
            Position.start(info.id) if position is None else Position.from_text(info.id, position)
        )
        return start if blocks is None else with_blocks(start, blocks)
    except RulesError as error:
        raise UsageError(str(error)) from None


def split_state(words: list[str], game: str) -> tuple[str | None, list[str]]:
    """Find a state of reversi among arguments, as the laboratory's program accepts it.

    A state begins with a brace or a bracket, and extends over several words, up to the closing
    one. A file with such a name is written ``./NAME``.

    Args:
        words: the arguments.
        game: the game played.

    Returns:
        The state, or None without one; and the other arguments.

    Raises:
        UsageError: there is a state, and the game is not reversi.
    """
    if game in _HAVE_STATES and "" in words:
        # The empty text is the start.
        empty = words.index("")
        return "", words[:empty] + words[empty + 1 :]
    at = next((at for at, word in enumerate(words) if word.lstrip().startswith(_OPENS)), None)
    if at is None:
        return None, words
    if game not in _HAVE_STATES:
        raise UsageError(
            f"{words[at]!r} looks like a state of reversi: add --game reversi; "
            "or, if it is a file, write ./ before it."
        )
    ends = (i for i, word in enumerate(words[at:], at + 1) if word.rstrip().endswith(_CLOSES))
    end = next(ends, len(words))
    return " ".join(words[at:end]), words[:at] + words[end:]


def read_beginning(game: str, ruleset: str | None, begun: StartOptions) -> GameRecord:
    """The beginning of a game: the start position, and the moves of ``--init``.

    An end that is not on the board, such as a resignation, is left out, with a message.

    Raises:
        UsageError: the options contradict each other, or describe no game.
        StorageError: the file cannot be read.
    """
    init = begun.init
    if init is None:
        start = start_position(game, ruleset, begun.position, begun.blocks)
        return GameRecord(start, outcome=start.outcome)
    if begun.position is not None or begun.blocks is not None:
        raise UsageError("--init says where the game begins: leave out --position and --blocks.")
    rules = choose_ruleset(game, ruleset)
    read = read_game(init, format_of_init(init, rules.game), rules.id)
    if read.start.game != rules.game:
        raise UsageError(
            f"--init {init} is a game of {read.start.game}, and {rules.game} is to be played. "
            f"Add: --game {read.start.game}"
        )
    try:
        read = under_ruleset(read, rules.id)
    except RulesError as error:
        raise UsageError(f"--init {init} cannot be played by {rules.id}: {error}") from None
    if read.outcome is not None and read.position.outcome is None:
        print_message(
            f"In {init} the game ended by {why(read.outcome)}; here it goes on from there."
        )
    refused = read.refused if rules.draw_offers else ()
    return GameRecord(read.start, read.moves, read.position.outcome, refused)


def choose_game(source: Path | None, of: GameFileOptions, init: Path | None = None) -> GameRecord:
    """The game in a file, or a new one if `source` is None, which `init` can begin.

    Raises:
        UsageError: the options contradict each other, or describe no game.
        StorageError: the file cannot be read.
    """
    if source is None:
        if of.source_format is not None:
            raise UsageError("--from tells what a FILE is, and no FILE is named.")
        if of.number is not None:
            raise UsageError("--number chooses a game of a FILE, and no FILE is named.")
        # A ruleset names its game.
        game = of.game or (of.ruleset or DEFAULT_GAME).partition("/")[0]
        return read_beginning(game, of.ruleset, StartOptions(of.blocks, of.position, init))
    begins = {
        "--game": of.game, "--blocks": of.blocks, "--position": of.position, "--init": init
    }  # fmt: skip
    if given := [option for option, value in begins.items() if value is not None]:
        raise UsageError(
            f"{source} says which game it is and where it begins: leave out {' and '.join(given)}."
        )
    if of.ruleset is not None:
        choose_ruleset("", of.ruleset)  # refuses what does not exist
    return read_game(source, choose_format(source, of.source_format, FROM), of.ruleset, of.number)
