"""The board in a browser: the control interface over loopback websockets, and a page for it.

`messages` is what goes over the wire; `scene` makes it from a game, `playing` is what can be done
there, and `room` has the connections. `auth` lets the right ones in, `app` puts these behind HTTP,
and `serving` runs it. The page is in ``static/``; it knows no rules.
"""
