"""The board in a browser: the control interface over loopback websockets, and a page for it.

`ataxxd_clients.web.messages` is what goes over the wire, `history` and `scene` make it from a
table, `room` is the table with its visitors, `gate` lets the right ones in, `app` puts these
behind HTTP, and `serving` runs it. The page is in ``static/``; it knows no rules.
"""
