"""Writes the published description of the pages' interfaces: JSON Schemas and reference pages.

``python -m tools.page_reference`` renews them in the source tree.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from pydantic import TypeAdapter

from ataxxd_clients.web import lobby, messages, study
from ataxxd_clients.web.lobby import LOBBY_COMMANDS, LOBBY_MESSAGES
from ataxxd_clients.web.messages import COMMANDS, SERVER_MESSAGES, VERSION
from ataxxd_clients.web.study import STUDY_COMMANDS, STUDY_SERVER_MESSAGES

FOLDER = Path(__file__).parents[1] / "docs" / "reference"
_WAY_IN = """\
The program listens on a free port of 127.0.0.1 and writes a link with a ticket to standard
error. The first `GET` of it answers with a redirection and a cookie; from then on the ticket is
worth nothing. The websocket is `/table`: it wants the cookie, and an `Origin` that is the
server's own; without them the handshake is refused with status 403. `GET /session` answers 204
to whoever has the cookie and 403 to others. `GET /export/NAME` answers with the game
as a file, or with 409 and the reason where it cannot be written so. At most 16 pages are let in at
a time. What is no command ends the connection with code 1008; a table that was left, with 1001."""


@dataclass(frozen=True)
class Interface:
    """What a page and the program say to each other.

    Attributes:
        name: what its files are called.
        title: the title of its page.
        about: what it is for.
        way_in: how a program connects to it.
        module: the module that defines it, whose docstring describes it.
        commands: what pages send.
        answers: what the server sends.
        parts: the definitions that are described at the end.
    """

    name: str
    title: str
    about: str
    way_in: str
    module: ModuleType
    commands: TypeAdapter[Any]
    answers: TypeAdapter[Any]
    parts: Sequence[str]

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of all that is sent: either a command or a message of the server."""
        made = {"command": self.commands.json_schema(), "message": self.answers.json_schema()}
        definitions: dict[str, Any] = {}
        for part in made.values():
            definitions |= part.pop("$defs")
        return {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": f"ataxxd {self.name} interface, version {VERSION}",
            "oneOf": [*made.values()],
            "$defs": dict(sorted(definitions.items())),
        }

    def page(self) -> str:
        """The reference page."""
        file = self.module.__name__.replace(".", "/") + ".py"
        made = self.schema()
        head = (
            f"{self.about} This is version {VERSION}. [The schema]({self.name}.schema.json) says "
            f"the same for programs; both\nare made from "
            f"[`{Path(file).name}`](../../clients/{file}) by\n"
            "`python -m tools.page_reference`.\n"
        )
        parts = [
            f"# {self.title}\n",
            head,
            f"## To get in\n\n{self.way_in}\n",
            "## How it goes\n",
            self._story(),
        ]
        for title, part in zip(("Commands", "Messages of the server"), made["oneOf"], strict=True):
            parts.append(f"## {title}\n")
            names = [each["$ref"].rsplit("/", 1)[1] for each in part["oneOf"]]
            parts += [section(name, made["$defs"][name]) for name in names]
        parts.append("## Parts of a state\n")
        parts += [section(name, made["$defs"][name]) for name in self.parts]
        return "\n".join(parts)

    def _story(self) -> str:
        """What the module says about the messages, after its first line."""
        return (self.module.__doc__ or "").partition("\n\n")[2].replace("``", "`")


TABLE = Interface(
    "control",
    "The control interface over websockets",
    "How the page of `--display` and the program talk, and how another program on the same\n"
    "machine can.",
    _WAY_IN,
    messages,
    COMMANDS,
    SERVER_MESSAGES,
    ("Player", "PlayedMove", "LegalMove", "Premoved", "Ending", "File", "Verdict"),
)
STUDY = Interface(
    "study",
    "The interface of a study over websockets",
    "How the page of `ataxxd study --display` and the program talk.",
    "As to [a table](control.md#to-get-in); the websocket has the same name.",
    study,
    STUDY_COMMANDS,
    STUDY_SERVER_MESSAGES,
    ("StudyNode", "NodeVerdict", "Verdict", "LegalMove", "Ending", "File"),
)
LOBBY = Interface(
    "lobby",
    "The lobby over websockets",
    "How the page of [`ataxxd lobby`](../how-to/lobby.md) and the program talk, and how another\n"
    "program on the same machine can.",
    "As to [a table](control.md#to-get-in); the websocket is `/lobby`. The page of table `ID` is\n"
    "`/table/ID`, and its websocket, which speaks as [a table does](control.md),\n"
    "`/table/ID/socket`. `GET /table/ID/export/NAME` answers with its game as a file. `--port`\n"
    "says where the program listens.",
    lobby,
    LOBBY_COMMANDS,
    LOBBY_MESSAGES,
    ("Fault", "Rules", "ListedPlayer", "Challenge", "Listed", "Kept", "Finished", "OpenTable"),
)
INTERFACES = (TABLE, STUDY, LOBBY)


def section(name: str, model: dict[str, Any], tag: str = "type") -> str:
    """Describe one object's schema as a section of a page.

    Args:
        name: the object's name, for one without a tag.
        model: its JSON Schema.
        tag: the field that says which kind of object it is.
    """
    fields = model["properties"]
    kind = fields.get(tag, {}).get("const")
    title = f"### {kind}" if kind else f"### {name}"
    lines = [title, "", " ".join(model["description"].replace("``", "`").split()), ""]
    shown = {field: about for field, about in fields.items() if field not in (tag, "id")}
    if shown:
        lines += ["| field | type | meaning |", "|---|---|---|"]
        lines += [
            f"| `{field}` | {_type(about)} | {about.get('description', '')} |"
            for field, about in shown.items()
        ]
        lines.append("")
    return "\n".join(lines)


def _type(about: dict[str, Any]) -> str:
    if "$ref" in about:
        name = about["$ref"].rsplit("/", 1)[1]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in about:
        return " or ".join(_type(each) for each in about["anyOf"])
    if "enum" in about:
        return ", ".join(f"`{value}`" for value in about["enum"])
    if "const" in about:
        return f"`{about['const']}`"
    if about["type"] == "array":
        return f"list of {_type(about['items'])}"
    if "minimum" in about and "maximum" in about:
        return f"{about['minimum']} to {about['maximum']}"
    return str(about["type"])


def main() -> None:
    """Write all files."""
    parser = argparse.ArgumentParser(prog="python -m tools.page_reference")
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    folder = parser.parse_args().folder
    for each in INTERFACES:
        schema = json.dumps(each.schema(), indent=1) + "\n"
        (folder / f"{each.name}.schema.json").write_text(schema, encoding="utf-8")
        (folder / f"{each.name}.md").write_text(each.page(), encoding="utf-8")


if __name__ == "__main__":
    main()
