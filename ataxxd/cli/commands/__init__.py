"""The commands: their options and help, quick to import.

A command is a dataclass: its docstring is the help, and a field is an option or a group of options.
The rest of `ataxxd.cli` runs them; `ataxxd.cli.app` has the table of both.
"""
