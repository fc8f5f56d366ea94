"""``ataxxd mcp``: games for agents, by the Model Context Protocol."""

import secrets
import socket
import sys
from importlib.util import find_spec
from pathlib import Path

from ataxxd.cli.commands.operate import McpOptions
from ataxxd.cli.connect import chosen_broker
from ataxxd.cli.say import say
from ataxxd.cli.seat import node_at
from ataxxd.cli.signals import run_until_stopped
from ataxxd.errors import ExitCode, UsageError, storage_errors
from ataxxd.extras import installing
from ataxxd.node.profile import opened_profile
from ataxxd.node.settings import Settings

_TOKEN = "mcp-token"  # noqa: S105 - the name of a file


def run(options: McpOptions) -> int:
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
    return run_until_stopped(_serve(options))


async def _serve(options: McpOptions) -> ExitCode:
    from ataxxd.serve.agents import GameTools, serve_http  # needs mcp

    async with (
        opened_profile(options.home) as profile,
        chosen_broker(options.broker, home=options.home, may_start=True) as broker,
    ):
        settings = Settings(broker=options.broker, starts_broker=True)
        tools = GameTools(node_at(broker, profile, settings))
        try:
            if options.port is None:
                await tools.server.run_stdio_async()
            else:
                listener = _listening(options.port)
                path = f"/{_token(profile.home.path / _TOKEN)}"
                say(f"Agents of this machine reach it at {_url(listener, path)}")
                await serve_http(tools.server, listener, path)
        finally:
            await tools.close()
        await broker.linger()
    return ExitCode.OK


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
