"""The terminal UI: a board to look at and to play on, for all games (needs Textual).

Start with `ataxxd_clients.tui.app.run_tui`. It is the friendly text mode with another face:
the same session, the same commands, the same words. Nothing here knows whether a table is
on this machine or across a network.
"""
