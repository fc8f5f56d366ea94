"""Games as text: the notations that people and other programs keep games in.

Pure: text goes in, a `GameRecord` comes out, and the other way round. Files, suffixes and
signed records are the business of whoever calls. Start with `ataxxd.rules.notation.formats`.
"""
