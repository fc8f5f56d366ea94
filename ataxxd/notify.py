"""Delivers notifications: to the desktop, a command, mail, ntfy or a webhook.

A command, such as Apprise, reaches other services.
"""

import asyncio
import base64
import json
import os
import shlex
import shutil
import signal
import sys
import tempfile
import urllib.error
import urllib.request
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from email.message import EmailMessage
from enum import StrEnum
from pathlib import Path
from typing import ClassVar
from urllib.parse import unquote, urlsplit, urlunsplit

from ataxxd.connection_errors import explain_connection_error
from ataxxd.errors import UsageError

HOW = "desktop, command:PROGRAM, mail:ADDRESS, ntfy:URL or https://WEBHOOK"
"""What a destination may be."""

# Seconds to wait for a destination to answer.
_ANSWER_S = 10.0
# The most characters of a failing program's output that an error quotes.
_MAX_OUTPUT = 200


class Occasion(StrEnum):
    """An occasion for notifying a person."""

    CHALLENGE = "challenge"
    JOINED = "joined"
    TURN = "turn"
    ASKED = "asked"
    LOW = "low"
    OVER = "over"
    DISPUTED = "disputed"


@dataclass(frozen=True, slots=True)
class Notice:
    """A notice to a person.

    Attributes:
        occasion: the occasion.
        title: a few words.
        text: a sentence or two.
        game: the game's name.
    """

    occasion: Occasion
    title: str
    text: str
    game: str = ""

    @property
    def fields(self) -> dict[str, str]:
        """The same for programs: ``event``, ``title``, ``text`` and ``game``."""
        return {
            "event": self.occasion.value,
            "title": self.title,
            "text": self.text,
            "game": self.game,
        }


class DeliveryError(Exception):
    """A destination did not take a notice; the text says why, without secrets."""


class Destination(ABC):
    """A destination of notices.

    Attributes:
        shown: its name in messages, without secrets.
    """

    shown: str

    @abstractmethod
    async def send(self, notice: Notice) -> None:
        """Deliver a notice.

        Raises:
            DeliveryError: it was not taken.
        """


def parse_destination(text: str) -> Destination:
    """Make the destination that a person named.

    Raises:
        UsageError: it is not valid, or what it needs is not installed.
    """
    kind, colon, rest = text.strip().partition(":")
    match kind:
        case "desktop" if not colon:
            return _Desktop()
        case "command" if rest.strip():
            return _Command(rest)
        case "mail" if "@" in rest.strip("@"):
            return _Mail(rest.strip())
        case "ntfy" if rest:
            return _Ntfy(rest)
        case "http" | "https":
            return _Webhook(text.strip())
        case _:
            # An address may hold a password, so it is not repeated.
            raise UsageError(f"{kind!r} is not a way to notify you. Write {HOW}.")


async def _run(arguments: Sequence[str], shown: str, text: bytes, **variables: str) -> None:
    # A file, because a pipe stays open until the program's children end, too.
    with tempfile.TemporaryFile() as said:
        starting = asyncio.create_task(
            asyncio.create_subprocess_exec(
                *arguments,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=said,
                env={**os.environ, **variables},
                start_new_session=True,
            ),
            name="start a program",
        )
        try:
            program = await asyncio.shield(starting)
        except OSError as error:
            raise DeliveryError(f"{shown} cannot be run: {error.strerror}") from None
        except asyncio.CancelledError:
            # The program may be running already, and so may its children.
            with suppress(OSError):
                await _kill(await starting)
            raise
        try:
            async with asyncio.timeout(_ANSWER_S):
                await program.communicate(text)
        except TimeoutError:
            raise DeliveryError(f"{shown} had not finished after {_ANSWER_S:g} s") from None
        finally:
            await _kill(program)
        if program.returncode:
            said.seek(max(0, said.seek(0, os.SEEK_END) - 4 * _MAX_OUTPUT))
            why = said.read().decode(errors="replace").strip()[-_MAX_OUTPUT:]
            raise DeliveryError(f"{shown} failed ({program.returncode}){': ' if why else ''}{why}")


async def _kill(program: asyncio.subprocess.Process) -> None:
    """Kill a program and its children; if it has ended, its children are left alone."""
    # Once the program has ended, its process id may belong to another one.
    if program.returncode is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(program.pid, signal.SIGKILL)
        await program.wait()


class _Desktop(Destination):
    """The desktop's own notifications, by the program that each system has for them."""

    shown = "the desktop"

    def __init__(self) -> None:
        self._program = "osascript" if sys.platform == "darwin" else "notify-send"
        if shutil.which(self._program) is None:
            raise UsageError(
                f"desktop needs {self._program}, which is not installed; on Debian: "
                "apt-get install libnotify-bin"
            )

    async def send(self, notice: Notice) -> None:
        if self._program == "osascript":
            show = "display notification (item 2 of a) with title (item 1 of a)"
            script = f"on run a\n{show}\nend run"
            arguments = [self._program, "-e", script, notice.title, notice.text]
        else:
            arguments = [self._program, "--app-name=ataxxd", "--", notice.title, notice.text]
        await _run(arguments, self._program, b"")


class _Command(Destination):
    """Any program: the text on its input, the rest in its environment."""

    def __init__(self, line: str) -> None:
        try:
            self._arguments = shlex.split(line)
        except ValueError as error:
            # The line may hold a password.
            raise UsageError(f"command: {error} in the line.") from None
        if shutil.which(self._arguments[0]) is None:
            raise UsageError(f"command: there is no program {self._arguments[0]!r}.")
        # Without the arguments, which may hold a password.
        self.shown = f"the command {Path(self._arguments[0]).name}"

    async def send(self, notice: Notice) -> None:
        variables = {f"ATAXXD_{name.upper()}": text for name, text in notice.fields.items()}
        await _run(self._arguments, self.shown, f"{notice.text}\n".encode(), **variables)


class _Mail(Destination):
    """E-mail by the mail server of this machine."""

    # sendmail is usually in a folder that is not on an ordinary user's path.
    _PATH: ClassVar = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/usr/lib"])

    def __init__(self, address: str) -> None:
        if any(letter.isspace() or letter in ",;" for letter in address):
            raise UsageError(f"mail: {address!r} is not one address.")
        program = shutil.which("sendmail", path=self._PATH)
        if program is None:
            raise UsageError(
                "mail needs a mail server on this machine, which sendmail hands mail to; "
                "on Debian: apt-get install msmtp-mta"
            )
        self._address, self._program = address, program
        self.shown = "mail"

    async def send(self, notice: Notice) -> None:
        message = EmailMessage()
        message["To"] = self._address
        message["Subject"] = notice.title
        message.set_content(f"{notice.text}\n")
        await _run([self._program, "-i", "--", self._address], "sendmail", bytes(message))


class _Web(Destination):
    """Something that takes JSON over HTTP."""

    def __init__(self, url: str, kind: str) -> None:
        unusable = UsageError(f"a {kind} is at an address such as https://HOST/PATH.")
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError:
            raise unusable from None
        if host is None or parts.scheme not in ("http", "https"):
            raise unusable
        self._headers = {"Content-Type": "application/json", "User-Agent": "ataxxd"}
        if parts.username is not None:
            who = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            self._headers["Authorization"] = "Basic " + base64.b64encode(who.encode()).decode()
        place = (f"[{host}]" if ":" in host else host) + (f":{port}" if port else "")
        self._parts = parts._replace(netloc=place)
        # Without the path: anybody who knows it can post there.
        self.shown = f"the {kind} at {place}"

    async def _post(self, fields: dict[str, object], path: str | None = None) -> None:
        parts = self._parts if path is None else self._parts._replace(path=path)
        request = urllib.request.Request(  # noqa: S310 -- the scheme is checked
            urlunsplit(parts), json.dumps(fields).encode(), self._headers, method="POST"
        )

        def post() -> None:
            with urllib.request.urlopen(request, timeout=_ANSWER_S) as answer:  # noqa: S310
                answer.read(1)

        try:
            await asyncio.to_thread(post)
        except urllib.error.HTTPError as error:
            error.close()
            raise DeliveryError(f"{self.shown} answered {error.code} {error.reason}") from None
        except OSError as error:
            cause = error.reason if isinstance(error, urllib.error.URLError) else error
            why = explain_connection_error(cause) if isinstance(cause, OSError) else cause
            raise DeliveryError(f"{self.shown} cannot be reached: {why}") from None


class _Webhook(_Web):
    """A program that takes the fields of a notice."""

    def __init__(self, url: str) -> None:
        super().__init__(url, "webhook")

    async def send(self, notice: Notice) -> None:
        await self._post({**notice.fields})


class _Ntfy(_Web):
    """A topic of ntfy's, on any server; see https://docs.ntfy.sh/publish/#publish-as-json."""

    _PRIORITIES: ClassVar = {Occasion.LOW: 4}

    def __init__(self, url: str) -> None:
        super().__init__(url, "ntfy server")
        path, _, self._topic = self._parts.path.rstrip("/").rpartition("/")
        if not self._topic:
            raise UsageError("ntfy: the address ends with a topic, as in ntfy:https://HOST/TOPIC")
        self._path = f"{path}/"

    async def send(self, notice: Notice) -> None:
        priority = self._PRIORITIES.get(notice.occasion, 3)
        fields = {"topic": self._topic, "title": notice.title, "message": notice.text}
        await self._post({**fields, "priority": priority}, self._path)
