"""Pictures of positions and games: `drawing` makes SVG, `raster` PNG and GIF of it.

`sets` has what differs from game to game.
"""
