"""What can be typed after ``ataxxd``: each command's options and help, light to load.

A command is a dataclass; its docstring is its help, and a field is an option or a group of them.
What it does is elsewhere in `ataxxd.cli`, and `ataxxd.cli.app` has the table of both.
"""
