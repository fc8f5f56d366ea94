"""The command line: `commands` defines options and help; the other modules run the commands.

This is the composition root: the only place that knows the node, the transports, the bots and the
clients at once. `app` has the table of commands. What all commands share (options, the broker, the
error boundary) has modules of its own.
"""
