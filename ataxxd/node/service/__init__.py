"""A node that runs for months without anybody at it: tables it hosts, bots that take games.

What `ataxxd serve` keeps running. Nothing here prints, asks or shows; it logs.
"""
