"""The files of the page, read and compressed once: a page wants a dozen of them at a time."""

import gzip
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

STATIC = Path(__file__).parent / "static"
_TYPES = {
    ".css": "text/css",
    ".html": "text/html",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}


@dataclass(frozen=True, slots=True)
class _File:
    plain: bytes
    packed: bytes
    tag: str
    media_type: str


def file_response(request: Request, name: str) -> Response:
    """A file of the page; 404 when there is no such file, 304 when the browser has it.

    Args:
        request: who asks.
        name: such as ``pieces/discs.js``.
    """
    file = _files().get(name)
    if file is None:
        return Response(status_code=404)
    headers = {"etag": file.tag, "vary": "accept-encoding"}
    if request.headers.get("if-none-match") == file.tag:
        return Response(status_code=304, headers=headers)
    content = file.plain
    if "gzip" in request.headers.get("accept-encoding", ""):
        content = file.packed
        headers["content-encoding"] = "gzip"
    return Response(content, headers=headers, media_type=file.media_type)


async def static_file(request: Request) -> Response:
    """The file that a route's ``name`` names."""
    return file_response(request, request.path_params["name"])


@cache
def _files() -> dict[str, _File]:
    return {
        path.relative_to(STATIC).as_posix(): _file(path.read_bytes(), path.suffix)
        for path in STATIC.rglob("*")
        if path.suffix in _TYPES
    }


def _file(plain: bytes, suffix: str) -> _File:
    tag = f'"{sha256(plain).hexdigest()[:16]}"'
    return _File(plain, gzip.compress(plain, mtime=0), tag, _TYPES[suffix])
