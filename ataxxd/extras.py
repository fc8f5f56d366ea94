"""What a plain installation leaves out, and how to add it to this one."""

import json
import shutil
import sys
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path


def explain_missing(what: str, package: str, extra: str) -> str:
    """What to say if `what` needs a package of an extra, which is not installed."""
    return (
        f"{what} needs the package {package}, which a plain installation leaves out. Install it: "
        f"{install_command(extra)}"
    )


def install_command(extra: str) -> str:
    """The command that installs an extra of the package for this installation."""
    what = f"'ataxxd[{extra}]'"
    anew = f"'ataxxd[{extra}]{direct_reference()}'"
    place = Path(sys.prefix)
    if (place / "pipx_metadata.json").exists():
        return f"pipx install --force {anew}"
    if (place / "uv-receipt.toml").exists():
        return f"uv tool install {anew}"
    if "archive-v0" in place.parts:  # where uvx keeps environments for one run
        return f"uvx --from {anew} ataxxd"
    if find_spec("pip") is None:
        return f"uv pip install --python {sys.executable} {what}"
    pip = shutil.which("pip")
    if pip is not None and Path(pip).parent == Path(sys.executable).parent:
        return f"pip install {what}"
    return f"{sys.executable} -m pip install {what}"


def direct_reference() -> str:
    """This installation's direct reference (PEP 508); empty if it is from the package index."""
    try:
        text = distribution("ataxxd").read_text("direct_url.json")
    except PackageNotFoundError:  # run from its sources
        return ""
    if text is None:
        return ""
    direct = json.loads(text)
    version_control = direct.get("vcs_info", {}).get("vcs")
    return f" @ {version_control}+{direct['url']}" if version_control else f" @ {direct['url']}"
