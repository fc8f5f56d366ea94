"""What other programs read, in `deploy` and `.github`: by its schema, and by what pages say."""

import configparser
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.docs.pages import ROOT

DEPLOY = ROOT / "deploy"


def test_the_log_file_is_rotated_without_telling_the_program() -> None:
    text = (DEPLOY / "logrotate" / "ataxxd").read_text()
    (stanza,) = re.findall(r"^(/\S+) \{\n(.*?)^\}", text, re.MULTILINE | re.DOTALL)
    words = {line.split()[0] for line in stanza[1].splitlines() if not line.strip().startswith("#")}
    # It has the file open for months and takes no signal for it.
    assert {"copytruncate", "rotate", "maxsize", "compress", "missingok"} <= words


def test_the_journal_is_bounded_in_size_and_time() -> None:
    parser = configparser.ConfigParser()
    parser.read_string((DEPLOY / "journald" / "ataxxd.conf").read_text())
    assert {"systemmaxuse", "maxretentionsec"} <= set(parser["Journal"])


def schema_of(path: Path) -> str:
    """The schema that `check-jsonschema` has for a file."""
    return "vendor.dependabot" if path.stem == "dependabot" else "vendor.github-workflows"


@pytest.mark.parametrize(
    "path",
    [*(ROOT / ".github").glob("workflows/*.yml"), ROOT / ".github" / "dependabot.yml"],
    ids=lambda path: path.stem,
)
def test_a_workflow_is_one_by_its_schema(path: Path) -> None:
    command = (sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema_of(path), path)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_a_release_publishes_the_image_under_the_name_that_the_page_says() -> None:
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text()
    jobs = yaml.safe_load(text)["jobs"]
    built, named = (
        " ".join(str(step.get("run")) for step in jobs[job]["steps"]) for job in ("image", "images")
    )
    assert "--file deploy/docker/Containerfile" in built
    kinds = {each["architecture"] for each in jobs["image"]["strategy"]["matrix"]["include"]}
    assert kinds == set(re.findall(r"\$version-(\w+)", named)) == {"amd64", "arm64"}
    page = (ROOT / "docs" / "how-to" / "run-in-containers.md").read_text()
    assert "ghcr.io/OWNER/ataxxd" in page
    assert all("ghcr.io/${GITHUB_REPOSITORY,,}" in each for each in (built, named))
