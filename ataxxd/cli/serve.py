"""A node that runs unattended: ``ataxxd serve``, its configuration, and ``mcp`` for agents."""

import asyncio
import gc
import logging
import os
import secrets
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext, suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeAlias

from ataxxd.cli.commands.operate import Action, ConfigOptions, McpOptions, ServeOptions
from ataxxd.cli.connect import NO_PAGE, add_node_id
from ataxxd.cli.files import LocalGameFiles, transcript_bytes
from ataxxd.cli.output import log_to_stderr, print_message, print_result
from ataxxd.cli.signals import run_served
from ataxxd.errors import AtaxxdError, ConfigError, ExitCode, UsageError, storage_errors
from ataxxd.extras import explain_missing, install_command
from ataxxd.node.concurrency import plain_errors
from ataxxd.node.home import Home
from ataxxd.node.network_game import NetworkGame
from ataxxd.node.notices import GameNotices, Notifications
from ataxxd.node.open_game import GameWatcher
from ataxxd.node.open_games import OpenGames
from ataxxd.node.profile import open_profile
from ataxxd.node.settings import Settings
from ataxxd.notify import Occasion, parse_destination
from ataxxd.serve.config import BrokerSection, Config, MonitorSection, NotifySection, WebSection
from ataxxd.serve.config_file import LoadedConfig, as_toml, load_config, split_option
from ataxxd.serve.plan import Share, make_plan
from ataxxd.serve.processes import LINE_VARIABLE, Supervisor, SupervisorConnection, ignored_signals
from ataxxd.serve.service import Service, serving_lock
from ataxxd.serve.status import ServiceStatus
from ataxxd.times import parse_duration_ms
from ataxxd.transport.address import DEFAULT_URL, broker_url, parse_addresses, with_password
from ataxxd.transport.base import WillFactory
from ataxxd.transport.mqtt import BusyMqttTransport
from ataxxd.wording import format_count
from ataxxd_clients.invitation import page_files

if TYPE_CHECKING:
    from ataxxd.serve.agents import GameTools

_WHOLE_NODE = Share()
_log = logging.getLogger(__name__)

# The sections that a running service cannot reload.
_FIXED = ("node", "broker", "search", "web", "monitor", "notify", "log")
# The most characters of a password file's first line.
_LONGEST_PASSWORD = 4096


def run(options: ServeOptions) -> int:
    """Keep tables open and let bots play, unattended."""
    if (line := os.environ.pop(LINE_VARIABLE, None)) is not None:
        return asyncio.run(_serve_share(int(line)))
    over = [split_option(text) for text in options.settings or []]
    for name, key, value in (
        ("home", "node.home", options.home),
        ("broker", "broker.url", options.broker),
    ):
        # The environment variables of these options are read with the file, which overrides them.
        source = options.ctx.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            over.append((key, str(value), f"--{name}"))

    def read() -> LoadedConfig:
        return load_config(options.config, options=over)

    loaded = read()
    log_to_stderr(loaded.config.log.level, loaded.config.log.format)
    serve = _supervise if loaded.config.node.processes > 1 else _serve
    return asyncio.run(serve(loaded.config, read, options.drain_for))


async def _serve(config: Config, read: Callable[[], LoadedConfig], drain_for: float) -> ExitCode:
    _check_monitor(config)
    async with _service(config) as (service, pages):
        reload = partial(_reload, config, read, lambda new: service.reload(make_plan(new)))
        async with _monitor(service.node.profile.home, service.status, config.monitor):
            await run_served(service.run(*pages), lambda: service.stop(drain_for), reload)
    return ExitCode.OK


async def _supervise(
    config: Config, read: Callable[[], LoadedConfig], drain_for: float
) -> ExitCode:
    """Serve with several processes."""
    _check_monitor(config)
    # Open the home here first: its faults are reported once, and only one process migrates it.
    async with open_profile(config.node.home) as profile:
        if config.node.name is not None:
            profile.names.set_nickname(profile.key, config.node.name)
        home, node = profile.home, profile.key.node
        nickname = profile.names.name_of(node) or ""
    lock = serving_lock(home)
    with lock:
        async with _broker(config.broker, home.path) as url:
            supervisor = Supervisor(
                [sys.executable, *sys.orig_argv[1:]],
                config,
                ServiceStatus.at_start(node, _public_address(url), nickname),
                inherited=[lock.fileno()],
                broker=url if config.broker.embedded else None,
            )

            def take(new: Config) -> None:
                kept = {section: getattr(config, section) for section in _FIXED}
                supervisor.reload(new.model_copy(update=kept))

            reload = partial(_reload, config, read, take)
            async with _monitor(home, supervisor.status, config.monitor):
                await run_served(supervisor.run(), lambda: supervisor.stop(drain_for), reload)
    return ExitCode.OK


async def _serve_share(line: int) -> ExitCode:
    """Serve this process's share, as its supervisor orders."""
    with ignored_signals():
        orders = await SupervisorConnection.accept(line)
        log_to_stderr(orders.config.log.level, orders.config.log.format)
        async with _service(orders.config, orders.share, orders.broker) as (service, pages):
            following = orders.serve(
                service.status, service.stop, lambda config: service.reload(make_plan(config))
            )
            with plain_errors():
                async with asyncio.TaskGroup() as group:
                    obeying = group.create_task(following, name="orders")
                    await service.run(*pages)
                    obeying.cancel()
    return ExitCode.OK


BackgroundWork: TypeAlias = Callable[[], Coroutine[Any, Any, None]]


@asynccontextmanager
async def _service(
    config: Config, share: Share = _WHOLE_NODE, broker: str | None = None
) -> AsyncIterator[tuple[Service, list[BackgroundWork]]]:
    """The service of this process, and what runs beside it.

    Args:
        config: the node's configuration.
        share: this process's share of the games.
        broker: the address of the embedded broker, if another process runs it.
    """
    _allow_many_files()
    # A thousand games keep a million objects: full collections as often as by default took a fifth
    # of the processor's time. Young generations stay small, so that no collection stalls the games.
    gc.set_threshold(5_000, 2, 1_000)
    home = config.node.home
    if config.records.folder is not None:
        _make_folder(config.records.folder)
    notified = _notifications(config.notify)
    async with (
        open_profile(home, many_games=True) as profile,
        _broker(config.broker, home) if broker is None else nullcontext(broker) as url,
        notified.run_notifier(_log.warning) as notifier,
    ):
        if config.node.name is not None and share.is_first:
            profile.names.set_nickname(profile.key, config.node.name)

        def connect(will: WillFactory | None) -> BusyMqttTransport:
            return BusyMqttTransport(url, will=will)

        option = None if config.broker.url is None else broker_url(config.broker.url)
        service = Service(
            profile,
            connect,
            make_plan(config),
            broker=_public_address(url),
            as_text=transcript_bytes,
            option=url if config.broker.embedded else option,
            threads=max(share.portion(config.search.threads or _cores()), 1),
            hash_mb=config.search.hash_mb,
            notifier=notifier,
            share=share,
        )

        def notices(game: NetworkGame) -> AbstractAsyncContextManager[None]:
            return GameNotices(game, str, notifier, after_s=notified.after_s).watch()

        page = partial(_show_page, service, config.web, notices)
        yield service, [page] if config.web.enabled and share.is_first else []


def _reload(
    config: Config, read: Callable[[], LoadedConfig], take: Callable[[Config], None]
) -> None:
    """Apply the configuration as it is now; if it is invalid, log why."""
    try:
        new = read().config
    except AtaxxdError as error:
        _log.error("SIGHUP: what was configured before stays. %s", error)
        return
    for section in _FIXED:
        if getattr(new, section) != getattr(config, section):
            _log.warning("SIGHUP: [%s] has changed; it counts from the next start", section)
    take(new)
    _log.info("SIGHUP: the configuration is read again")


def _public_address(url: str) -> str:
    """A broker's addresses, without secrets."""
    return ",".join(map(str, parse_addresses(url)))


@asynccontextmanager
async def _monitor(
    home: Home,
    status: Callable[[], ServiceStatus | Awaitable[ServiceStatus]],
    section: MonitorSection,
) -> AsyncIterator[None]:
    """Serve the monitor, if the packages that it needs are installed."""
    if not _can_be_monitored():
        _log.info("`ataxxd status` is not answered: %s", install_command("serve"))
        yield
        return
    from ataxxd.serve.monitor import serve_monitor

    port = section.port if section.enabled else None
    async with serve_monitor(home, status, port) as address:
        if address is not None:
            _log.info("metrics at %s/metrics", address)
        yield


async def _show_page(service: Service, web: WebSection, notices: GameWatcher) -> None:
    """Serve the lobby's page, and open it again whenever it is closed."""
    from ataxxd_clients.web.server import show_lobby

    while True:
        lobby = OpenGames(service.node, broker=service.status().broker, notices=notices)
        running = asyncio.create_task(lobby.run(), name="open games")
        try:
            await show_lobby(
                lobby,
                LocalGameFiles(home=service.node.profile.home.path),
                print_line=print_message,
                port=web.port,
            )
        except OSError as error:
            raise ConfigError(
                f"[web] port {web.port}: nothing can listen there ({error.strerror}). Choose "
                "another, or 0 for any free one."
            ) from None
        finally:
            running.cancel()
            await asyncio.wait({running})
        _log.info("the page was closed; it is opened again")


@asynccontextmanager
async def _broker(section: BrokerSection, home: Path | None) -> AsyncIterator[str]:
    """The broker's address, possibly with secrets."""
    from ataxxd.transport.broker import EmbeddedBroker, Page

    if section.embedded:
        page = None
        if section.page_port is not None:
            files = page_files()
            if files is None:
                raise ConfigError(f"[broker] page_port: {NO_PAGE}")
            page = Page(files, section.page_port)
        async with EmbeddedBroker(port=section.port, page=page) as broker:
            if page is not None:
                _log.info("the page for browsers is at http://127.0.0.1:%s/", broker.web_port)
            yield broker.url
        return
    url = DEFAULT_URL if section.url is None else broker_url(section.url)
    password = _password(section)
    if password is not None:
        url = with_password(url, password)
    yield add_node_id(url, home)


def _password(section: BrokerSection) -> str | None:
    """The password from the place that the configuration names.

    Raises:
        ConfigError: there is none.
    """
    if (name := section.password_env) is not None:
        if value := os.environ.get(name):
            return value
        raise ConfigError(f"[broker] password_env: the environment has no {name}. Set it.")
    if (path := section.password_file) is None:
        return None
    try:
        with path.open(encoding="utf-8") as file:
            value = file.readline(_LONGEST_PASSWORD).rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not a text file"
        raise ConfigError(f"[broker] password_file {path} cannot be read: {why}.") from None
    if not value:
        raise ConfigError(f"[broker] password_file {path}: its first line is empty.")
    return value


def _check_monitor(config: Config) -> None:
    if config.monitor.enabled and not _can_be_monitored():
        raise ConfigError(explain_missing("[monitor]", "prometheus-client", "serve"))


def _can_be_monitored() -> bool:
    return find_spec("prometheus_client") is not None


def _notifications(section: NotifySection) -> Notifications:
    return Notifications(
        [parse_destination(each.get_secret_value()) for each in section.to],
        parse_duration_ms(section.after, "after") / 1000,
        [Occasion(event) for event in section.events],
    )


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(
            f"[records] folder {folder} cannot be made: {error.strerror}. Choose another."
        ) from None


def _cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _allow_many_files() -> None:
    """Raise the limit of open files as far as allowed: every game keeps its lock file open."""
    import resource  # not everywhere

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        # macOS reports "unlimited", but refuses to set it.
        wanted = hard if hard != resource.RLIM_INFINITY else max(soft, 10_240)
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def run_config(options: ConfigOptions) -> int:
    """Check the configuration of `ataxxd serve`, or show it."""
    loaded = load_config(
        options.file, options=[split_option(text) for text in options.settings or []]
    )
    if options.action is Action.SHOW:
        print_result(*as_toml(loaded))
    else:
        tables = format_count(len(loaded.config.tables), "table")
        bots = format_count(len(loaded.config.bots), "bot")
        print_message(f"{loaded.path} is in order, with {tables} and {bots}.")
        if not (loaded.config.tables or loaded.config.bots):
            print_message("Nobody can play there yet: add [[tables]], or [[bots]].")
    return ExitCode.OK


_TOKEN = "mcp-token"  # noqa: S105 - the name of a file


async def run_mcp(options: McpOptions) -> ExitCode:
    """Let an agent host, join, play, watch and verify games (MCP)."""
    if find_spec("mcp") is None:
        raise UsageError(explain_missing("ataxxd mcp", "mcp", "mcp"))
    if options.port is None and sys.stdin.isatty():
        print_message(
            "This speaks the Model Context Protocol on standard input, which agents do and people "
            "do not. Name the command in your agent's configuration; Ctrl-C ends it."
        )
    from ataxxd.cli.seat import open_node
    from ataxxd.serve.agents import GameTools, serve_http  # needs mcp

    settings = Settings(broker=options.broker, starts_broker=True)
    async with open_node(options.home, settings) as (node, broker):
        tools = GameTools(node)
        try:
            if options.port is None:
                await _serve_stdio(tools)
            else:
                listener = _listening(options.port)
                path = f"/{_token(node.profile.home.path / _TOKEN)}"
                address = f"http://127.0.0.1:{listener.getsockname()[1]}{path}"
                print_message(f"Agents of this machine reach it at {address}")
                await serve_http(tools.server, listener, path)
        finally:
            await tools.close()
        await broker.linger()
    return ExitCode.OK


async def _serve_stdio(tools: "GameTools") -> None:
    """Serve the agent at standard input and output until it hangs up, or until cancelled.

    The server reads in a thread, which cannot be stopped while no input comes. So we read the input
    and pass it on.
    """
    ours, theirs = socket.socketpair()
    wire = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)  # engines and notifiers must not read what the agent says
    os.close(nothing)
    sys.stdin = ours.makefile("r", encoding="utf-8")
    Thread(target=_forward, args=(wire, theirs), daemon=True).start()
    serving = asyncio.create_task(tools.server.run_stdio_async(), name="agent")
    try:
        await asyncio.shield(serving)
    finally:
        serving.cancel()
        with suppress(OSError):
            theirs.shutdown(socket.SHUT_RDWR)
        await asyncio.wait({serving})


def _forward(wire: int, to: socket.socket) -> None:
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


def _token(file: Path) -> str:
    """The secret in the address, the same at every start; it keeps out other local users."""
    with storage_errors(file, "used"):
        if not file.exists():
            file.touch(mode=0o600)
            file.write_text(secrets.token_urlsafe(16))
        return file.read_text().strip()
