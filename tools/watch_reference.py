"""Writes the published description of ``watch --json``: a reference page and a JSON Schema.

``python -m tools.watch_reference`` renews both in the source tree.
"""

import argparse
import inspect
import json
from pathlib import Path
from typing import Any

from ataxxd.cli.watch_json import WATCH_LINES, Line
from tools.page_reference import section

FOLDER = Path(__file__).parents[1] / "docs" / "reference"
PAGE, SCHEMA = "watch-json.md", "watch-json.schema.json"


def schema() -> dict[str, Any]:
    """The JSON Schema of one line."""
    made = WATCH_LINES.json_schema()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line of ataxxd watch --json",
        **made,
    }


def page() -> str:
    """The reference page."""
    made = schema()
    source = "[`watch_json.py`](../../ataxxd/cli/watch_json.py)"
    story = inspect.cleandoc(Line.__doc__ or "").partition("\n\n")[2].replace("``", "`") + "\n"
    parts = [
        "# The lines of `watch --json`\n",
        "`ataxxd watch NAME --json` writes one JSON object a line, and `event` says which.\n",
        story,
        "\n".join(
            [
                f"[The schema]({SCHEMA}) says the same for programs; both are made from {source}",
                "by `python -m tools.watch_reference`. A program in Python has",
                "[the same as values](../how-to/write-a-bot.md), without any text between.\n",
            ]
        ),
    ]
    names = [each["$ref"].rsplit("/", 1)[1] for each in made["oneOf"]]
    parts += [section(name, made["$defs"][name], "event").replace("###", "##") for name in names]
    return "\n".join(parts)


def main() -> None:
    """Write both files."""
    parser = argparse.ArgumentParser(prog="python -m tools.watch_reference")
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    folder = parser.parse_args().folder
    (folder / SCHEMA).write_text(json.dumps(schema(), indent=1) + "\n", encoding="utf-8")
    (folder / PAGE).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
