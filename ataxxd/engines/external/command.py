"""How a user names an engine: the words of its command, with settings before them.

    ./zataxx
    limit=500ms option.Hash=64 dir=engines/zataxx ./zataxx --fast

As with env(1), words of the form NAME=VALUE before the command are settings. No shell reads
the words: quotes hold them together, and nothing else in them means anything.
"""

import re
import shlex
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from ataxxd.errors import UsageError
from ataxxd.rules.limits import Limits

_SETTING = re.compile(r"(dir|protocol|limit|option\.[^=]+)=(.*)", re.DOTALL)
_INTERPRETER = re.compile(r"(?:python|pypy)[\d.]*|node|perl|ruby|sh|bash")
_LIMIT = re.compile(r"(?:(nodes|depth):([1-9][0-9]{0,14})|([1-9][0-9]{0,9})(ms|s))", re.ASCII)


@dataclass(frozen=True, slots=True)
class EngineCommand:
    """An engine as the user named it.

    Attributes:
        words: the program and its arguments.
        folder: where it runs; an absolute path.
        protocol: what it speaks; None for what its game's engines speak.
        limit: what a move may cost it where nobody says more; None for the protocol's own.
        options: set before the first game.
    """

    words: tuple[str, ...]
    folder: Path
    protocol: str | None = None
    limit: Limits | None = None
    options: dict[str, str] = field(default_factory=dict)

    @property
    def program(self) -> str:
        """The program's name without its folder, for people; the script's where one is run."""
        name = Path(self.words[0]).name
        if _INTERPRETER.fullmatch(name) and len(self.words) > 1 and self.words[1][:1] != "-":
            return Path(self.words[1]).name
        return name

    @classmethod
    def parse(cls, text: str) -> "EngineCommand":
        """Read the command of an engine.

        A path relative to this folder is made absolute: what is written into a journal means
        the same elsewhere.

        Raises:
            UsageError: it names no program, or there is none; or a setting is wrong.
        """
        try:
            words = shlex.split(text)
        except ValueError as error:
            raise UsageError(f"The engine {text!r} cannot be read: {error}.") from None
        settings: dict[str, str] = {}
        options: dict[str, str] = {}
        while words and (found := _SETTING.fullmatch(words[0])) is not None:
            name, value = found.groups()
            if name.startswith("option."):
                options[name.removeprefix("option.")] = value
            else:
                settings[name] = value
            del words[0]
        if not words:
            raise UsageError(
                f"The engine {text!r} names no program. Write its command, such as: ./zataxx"
            )
        folder = _folder(settings.get("dir", "."))
        program = _program(words[0], folder)
        return cls(
            (program, *words[1:]),
            folder,
            settings.get("protocol"),
            parse_limit(settings["limit"]) if "limit" in settings else None,
            options,
        )

    def __str__(self) -> str:
        """The text that `parse` reads, the same wherever it does."""
        settings = [("dir", str(self.folder))]
        if self.protocol is not None:
            settings.append(("protocol", self.protocol))
        if self.limit is not None:
            settings.append(("limit", limit_text(self.limit)))
        settings += [(f"option.{name}", value) for name, value in self.options.items()]
        return shlex.join([*(f"{name}={value}" for name, value in settings), *self.words])


def parse_limit(text: str) -> Limits:
    """What one move may cost: ``500ms``, ``2s``, ``nodes:100000`` or ``depth:8``.

    Raises:
        UsageError: it is none of these.
    """
    found = _LIMIT.fullmatch(text)
    if found is None:
        raise UsageError(
            f"{text!r} is not a limit for a move: write 500ms, 2s, nodes:100000 or depth:8."
        )
    kind, amount, time, unit = found.groups()
    if kind == "nodes":
        return Limits(nodes=int(amount))
    if kind == "depth":
        return Limits(depth=int(amount))
    return Limits(time_ms=int(time) * (1000 if unit == "s" else 1))


def limit_text(limit: Limits) -> str:
    """The text that `parse_limit` reads."""
    if limit.nodes is not None:
        return f"nodes:{limit.nodes}"
    if limit.depth is not None:
        return f"depth:{limit.depth}"
    return f"{limit.time_ms}ms"


def _folder(text: str) -> Path:
    folder = Path(text).expanduser().absolute()
    if not folder.is_dir():
        raise UsageError(f"dir={text}: there is no such folder to run the engine in.")
    return folder


def _program(word: str, folder: Path) -> str:
    """The program's path: a name is looked for in PATH, a path from the engine's folder on."""
    if "/" not in word:
        found = shutil.which(word)
        if found is None:
            raise UsageError(
                f"The engine {word!r} is not found in PATH. Install it, or give its path: ./{word}"
            )
        return found
    path = folder / Path(word).expanduser()
    if shutil.which(str(path)) is None:
        what = "cannot be executed" if path.exists() else "does not exist"
        raise UsageError(f"The engine {path} {what}. Check the path and its permissions.")
    return str(path)
