"""What a plain installation leaves out, and how to add it to this one."""

import shutil
import sys
from importlib.util import find_spec
from pathlib import Path


def installing(extra: str) -> str:
    """The command that adds an extra of the package where this program is installed."""
    what = f"'ataxxd[{extra}]'"
    place = Path(sys.prefix)
    if (place / "pipx_metadata.json").exists():
        return f"pipx install --force {what}"
    if (place / "uv-receipt.toml").exists():
        return f"uv tool install {what}"
    if "archive-v0" in place.parts:  # where uvx keeps environments for one run
        return f"uvx --from {what} ataxxd"
    if find_spec("pip") is None:
        return f"uv pip install --python {sys.executable} {what}"
    pip = shutil.which("pip")
    if pip is not None and Path(pip).parent == Path(sys.executable).parent:
        return f"pip install {what}"
    return f"{sys.executable} -m pip install {what}"
