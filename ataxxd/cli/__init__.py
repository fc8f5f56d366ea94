"""The command line: one module a command or a few of a kind, put together in `ataxxd.cli.app`.

This is the composition root: the only place that knows the node, the transports, the
bots and the clients at once. What every command has in common (options, the broker, the
error boundary) has a module of its own.
"""
