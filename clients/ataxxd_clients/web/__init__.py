"""The board in a browser: the control interface over loopback websockets, and a page for it.

`messages` is what goes over the wire; `scene` makes it from a game, and `room` is the game with its
pages, as `study`, `lobby` and `match` are what their names say. `server` lets
the right ones in, and puts these behind HTTP. The pages are in ``static/``; they know no rules.
"""
