"""The board in a browser: the control interface over loopback websockets, and a page for it.

`commands` and `messages` are what goes over the wire; `scene`, `telling` and `talk` make it from
a table, `playing` is what can be done there, and `room` has the connections. `auth` lets the right
ones in, `files` and `app` put these behind HTTP, and `serving` runs it. The page is in
``static/``; it knows no rules.
"""
