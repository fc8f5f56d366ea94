"""The files that make the page: small, compressed, and sent once."""

import asyncio
import gzip
import re
from http.client import HTTPConnection

import pytest

from ataxxd_clients.web.server import Auth
from tests.time_limits import DEADLINE
from tests.web.browser import local_table, shown

pytestmark = pytest.mark.gate


def get(auth: Auth, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    connection = HTTPConnection("127.0.0.1", auth.port, timeout=DEADLINE)
    connection.request("GET", path, headers={"Cookie": f"{auth.cookie}={auth.secret}"} | headers)
    response = connection.getresponse()
    content = response.read()
    connection.close()
    return response.status, {name.lower(): text for name, text in response.getheaders()}, content


async def test_all_of_the_page_is_under_150_kilobytes_compressed() -> None:
    async with shown(local_table("reversi/standard")) as (_, auth, _):
        page = (await asyncio.to_thread(get, auth, "/"))[2].decode()
        linked = set(re.findall(r'(?:href|src)="(/static/[^"]+)"', page))
        # What a script imports is asked for at once, and not when its importer has come.
        preloaded = set(re.findall(r'rel="modulepreload" href="([^"]+)"', page))
        total = 0
        for path in {"/", *linked}:
            status, headers, content = await asyncio.to_thread(
                get, auth, path, **{"Accept-Encoding": "gzip"}
            )
            assert (status, headers["content-encoding"]) == (200, "gzip")
            plain = (await asyncio.to_thread(get, auth, path))[2]
            assert gzip.decompress(content) == plain
            if path in preloaded:
                imported = re.findall(r'^import .* from "\./(.+)";$', plain.decode(), re.MULTILINE)
                folder = path.rpartition("/")[0]
                assert {f"{folder}/{name}" for name in imported} <= preloaded, path
            total += len(content)
        assert total < 150_000


async def test_a_file_that_the_browser_has_is_not_sent_again() -> None:
    async with shown(local_table("reversi/standard")) as (_, auth, _):
        _, headers, _ = await asyncio.to_thread(get, auth, "/static/main.js")
        status, _, content = await asyncio.to_thread(
            get, auth, "/static/main.js", **{"If-None-Match": headers["etag"]}
        )
        assert (status, content) == (304, b"")
        assert (await asyncio.to_thread(get, auth, "/static/nothing.js"))[0] == 404
