"""The command line: `commands` says what can be typed, one module a command or a few does it.

This is the composition root: the only place that knows the node, the transports, the
bots and the clients at once; `app` has the table of commands. What every command has in
common (options, the broker, the error boundary) has a module of its own.
"""
