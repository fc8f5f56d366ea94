"""The board in a browser: the control interface over loopback websockets, and a page for it.

`messages` defines what is sent; `scene` makes it from a game. `room` is the game with its pages;
`study`, `lobby` and `match` are the same for what their names say. `server` decides who gets in,
and serves them over HTTP. The pages are in ``static/``; they know no rules.
"""
