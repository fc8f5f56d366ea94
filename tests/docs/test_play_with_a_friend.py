"""The tutorial for two machines, typed word by word at terminals of two machines.

```sh at=WHO           typed at a shell's prompt: of `you`, `friend`, or the broker's `server`
```text at=WHO types   typed into the program that runs there
```text at=WHO sees    each line must appear there, in this order
```sh install          what `make dist` tries in an environment of its own

The machines are network namespaces joined by a cable, with a name for the broker's.
"""

import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.brokers import Mosquitto
from tests.conftest import require
from tests.docs.pages import ROOT, Block, read_page
from tests.e2e.terminals import TerminalProgram, in_terminal
from tests.interop.browser_peer import needs_browser_peer
from tests.machines import machines_on_one_network

PAGE = read_page(ROOT / "docs" / "tutorial" / "play-with-a-friend.md")
PROMPT = "(ready) "
# The page's name for the broker's machine; here it is that of whoever hosts.
BROKER = "broker.example.org"


class Person:
    """Somebody at a shell on a machine.

    Attributes:
        terminal: where they sit.
        home: their folder, in which they begin.
    """

    def __init__(self, terminal: TerminalProgram, home: Path) -> None:
        self.terminal, self.home = terminal, home
        self._seen = 0
        self._running = False
        self._run(f"unset ATAXXD_HOME ATAXXD_BROKER; PS1='{PROMPT}'; cd '{home}'")

    def enter(self, command: str) -> None:
        """Type a command when the last one has ended."""
        self.rest()
        self._run(command)

    def rest(self) -> None:
        """Wait until the last command has ended."""
        if self._running:
            self._seen = self.terminal.read_until(PROMPT, self._seen)
            self._running = False

    def type(self, line: str) -> None:
        """Type a line into what runs."""
        self.terminal.type(line.encode() + b"\n")

    def see(self, text: str) -> None:
        """Wait until something new is there."""
        self._seen = self.terminal.read_until(text, self._seen)

    def find(self, pattern: str) -> str:
        """What was there already."""
        found = re.findall(pattern, self.terminal.text)
        assert found, f"{pattern} is not there:\n{self.terminal.text}"
        return str(found[-1])

    def _run(self, command: str) -> None:
        self.terminal.type(command.encode() + b"\n")
        # The terminal says it first: only what comes after it is an answer.
        self._seen = self.terminal.read_until("\n", self._seen)
        self._running = True


@pytest.fixture
def people(tmp_path: Path) -> Iterator[dict[str, Person]]:
    """Everybody of the page, each with the program installed and nothing else of ours."""
    programs = tmp_path / "bin"
    programs.mkdir()
    program = programs / "ataxxd"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ataxxd "$@"\n')
    program.chmod(0o755)
    with ExitStack() as stack:
        machines = stack.enter_context(machines_on_one_network(2, BROKER))
        if not machines:
            pytest.skip("no two networks can be made here")
        yours, friends = machines
        made = {}
        for who, machine in (("you", yours), ("friend", friends), ("server", yours)):
            home = tmp_path / who
            home.mkdir()
            shell = in_terminal(
                ["--norc", "--noprofile", "-i"],
                program=(*machine.prefix, str(shutil.which("bash"))),
                size=(200, 50),
                environment={
                    "HOME": str(home),
                    "XDG_STATE_HOME": str(home / "state"),
                    "PATH": f"{programs}:{os.environ['PATH']}:/usr/sbin",
                },
            )
            made[who] = Person(stack.enter_context(shell), home)
        try:
            yield made
        finally:
            # A broker takes the end of its terminal for "read your configuration again".
            made["server"].type("\x03")
            made["server"].see(PROMPT)


@needs_browser_peer
def test_who_follows_the_page_word_by_word_gets_there(people: dict[str, Person]) -> None:
    require(Mosquitto)
    server = people["server"]
    shutil.copytree(ROOT / "deploy" / "mosquitto", server.home / "deploy" / "mosquitto")
    # As root, which everybody is on a machine made by `unshare`, it would give up the right to
    # read its own files, unless told not to.
    door = server.home / "deploy" / "mosquitto" / "tls.conf"
    door.write_text(f"user root\n{door.read_text()}")
    followed = 0
    for block in PAGE.blocks:
        place = [mark.removeprefix("at=") for mark in block.marks if mark.startswith("at=")]
        if place:
            _follow(block, place[0], people)
            followed += 1
    assert followed >= 40


def _follow(block: Block, who: str, people: dict[str, Person]) -> None:
    person = people[who]
    for line in block.text.splitlines():
        if "sees" in block.marks:
            person.see(line)
        elif "types" in block.marks:
            person.type(line)
        else:
            person.enter(_meant(line, people))
            if line.startswith("mosquitto -c"):
                person.see("running")
                for other in ("you", "friend"):
                    shutil.copy(person.home / "ourbroker" / "ca.pem", people[other].home)


def _meant(line: str, people: dict[str, Person]) -> str:
    """A line with what a reader puts in place of what stands for it."""
    for words, who in (("YOUR-USER-NAME", "you"), ("YOUR-FRIENDS-USER-NAME", "friend")):
        if words in line:
            people[who].rest()
            line = line.replace(words, people[who].find(r"user name +(\w+)"))
    if "INVITATION" in line:
        return (
            people["you"].find(r"Invite somebody: (ataxxd join faraway\S+)")
            + line.partition("INVITATION")[2]
        )
    return line


def test_the_page_installs_as_the_readme_does() -> None:
    (install,) = [block.text for block in PAGE.blocks if "install" in block.marks]
    readme = [block.text for block in read_page(ROOT / "README.md").blocks]
    assert install.splitlines()[-1] + "\n" in readme
