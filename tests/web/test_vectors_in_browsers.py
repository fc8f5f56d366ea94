"""Every vector in a worker of the page: the tests that Node.js runs, with the same counts."""

import asyncio
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.interop.browser_peer import PEER, needs_browser_peer, vectors_in_node
from tests.time_limits import BUILT
from tests.web.browser import Opens, chromium, firefox, needs_chromium, needs_firefox
from tests.web.test_page_without_a_program import served_page

pytestmark = needs_browser_peer


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """The folder of the page, with the tests of the vectors beside it."""
    folder = tmp_path / "page"
    shutil.copytree(PEER / "build" / "page", folder)
    subprocess.run(["node", "build_vectors.mjs", folder], cwd=PEER, timeout=BUILT, check=True)
    return folder


async def results_in(browser: Opens, page: Path) -> dict[str, Any]:
    """What the worker says, once it has run all tests."""
    with served_page(page) as address:
        async with browser(page.parent / "browser") as opened:
            sight = await opened.open(address)
            said = await sight.page.evaluate(
                """() => new Promise((resolve, reject) => {
                    const worker = new Worker("vectors_worker.js", { type: "module" });
                    worker.onmessage = ({ data }) => resolve(data);
                    worker.onerror = ({ message }) => reject(new Error(message));
                })"""
            )
    assert isinstance(said, dict)
    return said


@pytest.mark.gate("chromium")
@pytest.mark.parametrize(
    "browser",
    [
        pytest.param(chromium, marks=needs_chromium, id="chromium"),
        pytest.param(firefox, marks=needs_firefox, id="firefox"),
    ],
)
async def test_every_vector_holds_in_the_pages_worker_as_it_does_in_node(
    browser: Opens, page: Path
) -> None:
    said = await results_in(browser, page)
    names, counted = await asyncio.to_thread(vectors_in_node)
    assert said == {"results": dict.fromkeys(names), "counted": counted}


@needs_chromium
async def test_a_vector_that_does_not_hold_fails_in_the_worker(page: Path) -> None:
    file = page / "vectors.json"
    vectors = json.loads(file.read_text(encoding="utf-8"))
    vectors["signatures"]["signatures"][0]["holds"] ^= 1
    vectors["links"]["broken"] = [vectors["links"]["valid"][0]["fragment"]]
    vectors["rules"][0]["score"] = "1/2"
    file.write_text(json.dumps(vectors), encoding="utf-8")
    said = await results_in(chromium, page)
    failed = {name.partition(":")[0] for name, why in said["results"].items() if why is not None}
    assert failed == {
        "MP-ID-1, MP-ID-2, MP-SIGN-3, MP-SIGN-5",
        "MP-LINK-1, MP-LINK-2, MP-LINK-3, MP-LINK-4",
        "MP-RULE-1, MP-RULE-2",
    }
