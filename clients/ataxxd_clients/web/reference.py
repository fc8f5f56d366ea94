"""Writes what is published of the control interface: its JSON Schema and its reference page.

``python -m ataxxd_clients.web.reference`` renews both in the source tree.
"""

import argparse
import json
from pathlib import Path
from typing import Any

from ataxxd_clients.web import messages
from ataxxd_clients.web.messages import COMMANDS, SERVER_MESSAGES, VERSION

FOLDER = Path(__file__).parents[3] / "docs" / "reference"
SCHEMA_FILE, PAGE_FILE = "control.schema.json", "control.md"
_HEAD = f"""# The control interface over websockets

How the page of `--display` and the program talk, and how another program on the same machine
can. This is version {VERSION}. [The schema]({SCHEMA_FILE}) says the same for programs; both
are made from [`messages.py`](../../clients/ataxxd_clients/web/messages.py) by
`python -m ataxxd_clients.web.reference`.

## To get in

The program listens on a free port of 127.0.0.1 and writes a link with a ticket to standard
error. The first `GET` of it answers with a redirection and a cookie; from then on the ticket is
worth nothing. The websocket is `/table`: it wants the cookie, and an `Origin` that is the
server's own; without them the handshake is refused with status 403. `GET /session` answers 204
to whoever has the cookie and 403 to others. `GET /export/NAME` answers with the game
as a file, or with 409 and the reason where it cannot be written so. At most 16 pages are let in at
a time. What is no command ends the connection with code 1008; a table that was left, with 1001.
"""


def schema() -> dict[str, Any]:
    """The JSON Schema of everything that is sent: either a command or a message of the server."""
    parts = {"command": COMMANDS.json_schema(), "message": SERVER_MESSAGES.json_schema()}
    definitions: dict[str, Any] = {}
    for part in parts.values():
        definitions |= part.pop("$defs")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"ataxxd control interface, version {VERSION}",
        "oneOf": [*parts.values()],
        "$defs": dict(sorted(definitions.items())),
    }


def page() -> str:
    """The reference page."""
    made = schema()
    parts = [_HEAD, "## How it goes\n", _story()]
    for title, part in zip(("Commands", "Messages of the server"), made["oneOf"], strict=True):
        parts.append(f"## {title}\n")
        names = [each["$ref"].rsplit("/", 1)[1] for each in part["oneOf"]]
        parts += [_section(name, made["$defs"][name]) for name in names]
    parts.append("## Parts of a state\n")
    parts += [
        _section(name, made["$defs"][name])
        for name in ("Player", "PlayedMove", "LegalMove", "Premoved", "Ending", "File", "Verdict")
    ]
    return "\n".join(parts)


def _story() -> str:
    """What the module says of the messages, after its first line."""
    return (messages.__doc__ or "").partition("\n\n")[2].replace("``", "`")


def _section(name: str, model: dict[str, Any]) -> str:
    fields = model["properties"]
    kind = fields.get("type", {}).get("const")
    title = f"### {kind}" if kind else f"### {name}"
    lines = [title, "", " ".join(model["description"].replace("``", "`").split()), ""]
    shown = {field: about for field, about in fields.items() if field not in ("type", "id")}
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
    """Write both files."""
    parser = argparse.ArgumentParser(prog="python -m ataxxd_clients.web.reference")
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    folder = parser.parse_args().folder
    (folder / SCHEMA_FILE).write_text(json.dumps(schema(), indent=1) + "\n", encoding="utf-8")
    (folder / PAGE_FILE).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
