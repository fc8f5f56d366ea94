"""The sans-I/O protocol machine of players, spectators and judges.

Imports no asyncio, no MQTT and no clock: times come in as arguments, and actions go out as effects.
"""
