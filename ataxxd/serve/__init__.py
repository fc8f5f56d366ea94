"""A node that runs for months unattended: tables it hosts, bots that take games.

service   what `ataxxd serve` keeps running, from the first connection to the last goodbye
plan      what it is to do, as its configuration says
tables    at which an offer stands; `bots` take the offers of others
games     the games that it plays, each in its own task; `ataxxd.node.thinking` shares the cores
config    the configuration of such a node, checked whole
agents    games for agents, as tools
status    the state of such a node; `monitor` serves it on loopback, `top` shows it on a terminal

Except for `monitor` and `top`, nothing here prints, prompts or displays; it only logs.
"""
