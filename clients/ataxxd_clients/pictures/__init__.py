"""Pictures of games as files: SVG of `ataxxd.rules.svg`, and PNG and GIF made of it by `raster`."""
