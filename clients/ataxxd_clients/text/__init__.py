"""Play by text: the line languages of the course specifications, and a friendlier mode.

Start with `ataxxd_clients.text.session.run_line_language`. Nothing here knows whether
a table is on this machine or across a network.
"""
