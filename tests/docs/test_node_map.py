"""The map of the node's modules, at the top of its package."""

import re
from pathlib import Path

import ataxxd.node


def test_the_map_of_the_node_names_each_of_its_modules_and_no_other() -> None:
    folder = Path(ataxxd.node.__file__).parent
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    packages = {path.parent.name for path in folder.glob("*/__init__.py")}
    assert ataxxd.node.__doc__ is not None
    assert set(re.findall(r"`(\w+)`", ataxxd.node.__doc__)) == modules | packages
