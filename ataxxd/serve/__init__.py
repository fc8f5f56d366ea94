"""A node that runs for months unattended: tables it hosts, bots that take games.

service   what `ataxxd serve` keeps running, from the first connection to the last goodbye
plan      what it is to do, as its configuration says
tables    at which an offer stands; `bots` take the offers of others
games     the games that it plays, each carried by itself; `ataxxd.node.thinking` shares the cores
config    the configuration of such a node, checked whole
agents    games for agents, as tools
status    how such a node is; `monitor` tells it on loopback, `top` shows it on a terminal

Nothing here prints, asks or shows, but for the monitor; it logs.
"""
