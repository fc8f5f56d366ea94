"""The repository's address: set in one place, and read from there by everything that names it."""

import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import ROOT, read_page

ADDRESS = "https://forge.example/club/ataxxd"


def set_address(text: str) -> str:
    """The project's table with this address, whether there was one or it was left open."""
    table = re.sub(r"^# (?=\[project\.urls\]|Repository = )", "", text, flags=re.MULTILINE)
    changed, count = re.subn(
        r'^Repository = ".*"$', f'Repository = "{ADDRESS}"', table, flags=re.MULTILINE
    )
    assert count == 1
    return changed


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of what makes the package's description and configures the site, with an address."""
    for name in ("README.md", "ataxxd/__init__.py", "deploy/pypi/hatch_readme.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text(set_address(text), encoding="utf-8")
    return tmp_path


def metadata(tree: Path) -> dict[str, Any]:
    """What the package says of itself."""
    command = [sys.executable, "-m", "hatchling", "metadata"]
    done = subprocess.run(command, cwd=tree, stdout=subprocess.PIPE, text=True, check=True)
    said: dict[str, Any] = json.loads(done.stdout)
    return said


def links(readme: dict[str, str], folder: Path) -> set[str]:
    """Where a description leads, but for places in itself."""
    page = folder / "description.md"
    page.write_text(readme["text"], encoding="utf-8")
    return {target for _, target in read_page(page).links if not target.startswith("#")}


def test_no_file_names_the_repository_but_the_table_of_the_project() -> None:
    table = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    # Where a host and an owner come before our name; hosts in .example are nobody's (RFC 2606).
    ours = r"(?:https?://|git@)(?![\w.-]+\.example\b)[\w.-]+[/:](?!OWNER/)[\w.-]+/ataxxd\b"
    if (address := table.get("urls", {}).get("Repository")) is not None:
        ours += f"|{re.escape(address)}"
    listed = subprocess.run(
        ["git", "grep", "--perl-regexp", "--line-number", ours, "--", ":!pyproject.toml"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert listed.returncode == 1, listed.stdout


def test_the_package_index_leads_into_the_repository(tree: Path, tmp_path: Path) -> None:
    said = metadata(tree)
    assert said["urls"] == {"Repository": ADDRESS}
    found = links(said["readme"], tmp_path)
    here = {target for _, target in read_page(ROOT / "README.md").links}
    pictures = {target for target in here if target.endswith(".png")}
    assert pictures
    assert {f"{ADDRESS}/raw/HEAD/{picture}" for picture in pictures} <= found
    assert f"{ADDRESS}/blob/HEAD/docs/tutorial/first-game.md" in found
    assert {target for target in found if not target.startswith("https://")} == set()


def test_without_an_address_the_description_leads_nowhere_but_to_others(
    tree: Path, tmp_path: Path
) -> None:
    project = tree / "pyproject.toml"
    text = project.read_text(encoding="utf-8")
    project.write_text(text.replace(f'Repository = "{ADDRESS}"', ""), encoding="utf-8")
    said = metadata(tree)
    assert {
        target for target in links(said["readme"], tmp_path) if "https://" not in target
    } == set()
    assert "Your first game · all pages" in said["readme"]["text"]


def test_a_page_of_the_site_leads_to_its_source(tree: Path) -> None:
    shutil.copytree(ROOT / "docs" / "site", tree / "docs" / "site")
    options = runpy.run_path(str(tree / "docs" / "site" / "conf.py"))["html_theme_options"]
    assert options["source_view_link"] == f"{ADDRESS}/blob/HEAD/{{filename}}"


@pytest.mark.parametrize(("owner", "released"), [("club", True), ("somebody", False)])
def test_a_workflow_releases_only_for_the_repository_that_it_runs_in(
    owner: str, released: bool, tree: Path
) -> None:
    shutil.copy(ROOT / "Makefile", tree)
    identity = ("-c", "user.name=Ann", "-c", "user.email=ann@forge.example")
    for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "all"), ("tag", "v0.1.0")):
        subprocess.run(["git", *identity, *words], cwd=tree, check=True)
    done = subprocess.run(
        ["make", "tagged", f"RELEASE={sys.prefix}"],
        cwd=tree,
        env={
            **os.environ,
            "GITHUB_SERVER_URL": "https://forge.example",
            "GITHUB_REPOSITORY": f"{owner}/ataxxd",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode == 0) is released, done.stderr
    advice = f'pyproject.toml first: Repository = "https://forge.example/{owner}/ataxxd"'
    assert (advice in done.stderr) is not released


@pytest.mark.parametrize("address", [ADDRESS, None])
def test_an_internal_error_says_where_to_report_it(address: str | None, tmp_path: Path) -> None:
    installed = tmp_path / "ataxxd-0.1.0.dist-info"
    installed.mkdir()
    lines = ["Metadata-Version: 2.4", "Name: ataxxd", "Version: 0.1.0"]
    lines += [f"Project-URL: Repository, {address}"] if address else []
    (installed / "METADATA").write_text("\n".join(lines))
    faulty = "from ataxxd.cli import app\ndef app_(*_, **__): 1 / 0\napp.app = app_\napp.main()"
    done = subprocess.run(
        [sys.executable, "-c", faulty, "play"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "internal error: ZeroDivisionError" in done.stderr
    end = f" to {ADDRESS}/issues" if address else ""
    assert done.stderr.endswith(f"Please report the output of: ataxxd -v play{end}\n")
