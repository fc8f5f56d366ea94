"""``ataxxd mcp``: games for agents, by the Model Context Protocol."""

import asyncio
import os
import secrets
import socket
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from ataxxd.cli.commands.operate import McpOptions
from ataxxd.cli.say import say
from ataxxd.cli.seat import opened_node
from ataxxd.errors import ExitCode, UsageError, storage_errors
from ataxxd.extras import installing
from ataxxd.node.settings import Settings

if TYPE_CHECKING:
    from ataxxd.serve.agents import GameTools

_TOKEN = "mcp-token"  # noqa: S105 - the name of a file


async def run(options: McpOptions) -> ExitCode:
    """Let an agent host, join, play, watch and verify games (MCP)."""
    if find_spec("mcp") is None:
        raise UsageError(
            "ataxxd mcp needs the package mcp, which a plain installation leaves out. Install it: "
            f"{installing('mcp')}"
        )
    if options.port is None and sys.stdin.isatty():
        say(
            "This speaks the Model Context Protocol on standard input, which agents do and people "
            "do not. Name the command in your agent's configuration; Ctrl-C ends it."
        )
    from ataxxd.serve.agents import GameTools, serve_http  # needs mcp

    settings = Settings(broker=options.broker, starts_broker=True)
    async with opened_node(options.home, settings) as (node, broker):
        tools = GameTools(node)
        try:
            if options.port is None:
                await _serve_stdio(tools)
            else:
                listener = _listening(options.port)
                path = f"/{_token(node.profile.home.path / _TOKEN)}"
                say(f"Agents of this machine reach it at {_url(listener, path)}")
                await serve_http(tools.server, listener, path)
        finally:
            await tools.close()
        await broker.linger()
    return ExitCode.OK


async def _serve_stdio(tools: "GameTools") -> None:
    """Serve the agent at standard input and output until it hangs up, or until cancelled.

    The server reads in a thread, which cannot be stopped while nothing comes. So it reads from us.
    """
    ours, theirs = socket.socketpair()
    wire = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)  # engines and notifiers must not read what the agent says
    os.close(nothing)
    sys.stdin = ours.makefile("r", encoding="utf-8")
    Thread(target=_pass_on, args=(wire, theirs), daemon=True).start()
    serving = asyncio.create_task(tools.server.run_stdio_async(), name="agent")
    try:
        await asyncio.shield(serving)
    finally:
        serving.cancel()
        with suppress(OSError):
            theirs.shutdown(socket.SHUT_RDWR)
        await asyncio.wait({serving})


def _pass_on(wire: int, to: socket.socket) -> None:
    with suppress(OSError):
        while chunk := os.read(wire, 1 << 16):
            to.sendall(chunk)
        to.shutdown(socket.SHUT_WR)


def _listening(port: int) -> socket.socket:
    try:
        return socket.create_server(("127.0.0.1", port))
    except OSError as error:
        raise UsageError(
            f"--http {port}: nothing can listen there ({error.strerror}). Choose another, or 0."
        ) from None


def _url(listener: socket.socket, path: str) -> str:
    return f"http://127.0.0.1:{listener.getsockname()[1]}{path}"


def _token(file: Path) -> str:
    """What an address must have in it, the same on every evening: others use this machine, too."""
    with storage_errors(file, "used"):
        if not file.exists():
            file.touch(mode=0o600)
            file.write_text(secrets.token_urlsafe(16))
        return file.read_text().strip()
