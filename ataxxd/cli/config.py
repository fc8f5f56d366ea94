"""``ataxxd config``: look at the configuration of `ataxxd serve` before it is used."""

from ataxxd.cli.commands.operate import Action, ConfigOptions
from ataxxd.cli.say import say, tell
from ataxxd.errors import ExitCode
from ataxxd.serve.config.loading import as_toml, load, split_option
from ataxxd.wording import counted


def run(options: ConfigOptions) -> int:
    """Check the configuration of `ataxxd serve`, or show it."""
    loaded = load(options.file, options=[split_option(text) for text in options.settings or []])
    if options.action is Action.SHOW:
        for line in as_toml(loaded):
            tell(line)
    else:
        tables = counted(len(loaded.config.tables), "table")
        bots = counted(len(loaded.config.bots), "bot")
        say(f"{loaded.path} is in order, with {tables} and {bots}.")
    return ExitCode.OK
