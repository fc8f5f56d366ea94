"""JSON Schemas of every message, made from the models: ``python -m tools.schemas``.

Writes one file a message type into protocol/schemas/ of the source tree. What a schema
cannot say (canonical form, signatures, fitting the game) is in SPEC.md.
"""

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from ataxxd_protocol.messages import (
    AnyLogLine,
    AnyMessage,
    LogProof,
    Message,
    Record,
    SignedMessage,
)


def _by_type(*models: type[Message]) -> dict[str, type[Message]]:
    return {str(model.model_fields["type"].default): model for model in models}


MODELS: Mapping[str, type[Message]] = _by_type(*get_args(AnyMessage), Record)
"""The model of each message type on the wire, and of the record file."""

LOG_MODELS: Mapping[str, type[Message]] = _by_type(*get_args(AnyLogLine), LogProof)
"""The model of each kind of line in a club's log, and of a proof."""

DIALECT = "https://json-schema.org/draft/2020-12/schema"
FOLDER = Path(__file__).parents[1] / "protocol" / "schemas"


def schema(kind: str) -> dict[str, Any]:
    """The JSON Schema of message type `kind`, as it is on the wire or in a file.

    Raises:
        KeyError: there is no such type.
    """
    model = {**MODELS, **LOG_MODELS}[kind]
    made = _wire_form(model.model_json_schema(by_alias=True, mode="validation"))
    assert isinstance(made, dict)
    _demand(made, signed=issubclass(model, SignedMessage))
    # A message inside another one (an offer in a record, a proof) is signed as well.
    for definition in made.get("$defs", {}).values():
        _demand(definition, signed="sig" in definition["properties"])
    return {"$schema": DIALECT, "$id": f"urn:ataxxd:1:{kind}", **made}


def schema_files() -> dict[str, bytes]:
    """File names and contents of all schemas."""
    return {
        f"{kind}.json": json.dumps(schema(kind), indent=2, sort_keys=True).encode() + b"\n"
        for kind in (*MODELS, *LOG_MODELS)
    }


def _wire_form(node: Any) -> Any:
    """The schema without what only pydantic needs: titles, defaults, null for absent options."""
    if isinstance(node, list):
        return [_wire_form(item) for item in node]
    if not isinstance(node, dict):
        return node
    made = {
        name: {field: _wire_form(inner) for field, inner in value.items()}
        if name in ("properties", "$defs")
        else _wire_form(value)
        for name, value in node.items()
        if not (name == "title" and isinstance(value, str))
        and name not in ("default", "discriminator")
    }
    if "patternProperties" in made:
        made["additionalProperties"] = False
    options = made.get("anyOf")
    if isinstance(options, list) and {"type": "null"} in options:
        options.remove({"type": "null"})
        if len(options) == 1:
            del made["anyOf"]
            made |= options[0]
    return made


def _demand(made: dict[str, Any], *, signed: bool) -> None:
    # In the models, type has a default and sig is added later; on the wire both are required.
    fields = made["properties"]
    required = set(made.get("required", ())) | ({"type"} & fields.keys())
    made["required"] = sorted(required | ({"sig"} if signed else set()))


def main() -> None:
    """Write the schemas, and remove those of messages that no longer exist."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.schemas", description="Write the JSON Schemas."
    )
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    files = schema_files()
    for stale in set(folder.glob("*.json")) - {folder / name for name in files}:
        stale.unlink()
    for name, content in files.items():
        (folder / name).write_bytes(content)


if __name__ == "__main__":
    main()
