"""A guided start: questions one after the other, and the command line that the answers make.

What is asked is the caller's business. `asking` keeps the answers, `plain` asks in lines of text,
`ataxxd_clients.tui.guiding` on the whole terminal.
"""
