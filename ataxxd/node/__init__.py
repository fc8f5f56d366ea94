"""The node: identity, journal, runtime, and the games that clients use.

What each module is about:

- the interface for clients: `game` (what can be seen and done in a game), `node` (takes seats and
  watches games), `open_games` and `open_game` (those that a lobby shows), `errors`
- games, as `game` has them: `network_game` and `watched_game` (over `ledger_game`), `local_game`
- one game over a broker: `game_run` (its beginning and end), `runtime` and `effect_runner` (carry
  out what its session decides), `receiving` (the one way in), `publishing` (what stays at the
  broker), `presence`
- how long to wait in it: `start_timeout`, `silence`, `claims`, `settlement`
- what follows it: `series` and `post_game` for players, `watching` and `next_games` for spectators
- finding opponents: `offers`, `game_finder`, `listing`, `seats`, `seeking`, `challenge_inbox`,
  `players`, `names`, `messaging` (messages between nodes outside games)
- on disk: `home` and `home_location`, `profile` (all that one node has), `journal`,
  `journal_schema`, `high_water`, `recovery`, `backup`, `archive`, `level_games`, `settings`
- the rest: `thinking` (when a bot may search), `notices`, `command_lines`, `concurrency`
"""
