"""The sans-IO protocol machine: what a player, a spectator and a judge make of messages.

Imports no asyncio, no MQTT and no clock; times come in as arguments and what is to be
done goes out as effects.
"""
