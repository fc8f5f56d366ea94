"""The pages of the monitor: metrics, liveness, readiness and the whole status.

Nothing can be changed through them, and nothing secret is told; they are for this machine alone
all the same.
"""

from collections.abc import Callable
from dataclasses import asdict

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from ataxxd.serve.monitor.metrics import CONTENT_TYPE, Metrics
from ataxxd.serve.status import ServiceStatus

# Under another name a page of somebody else could ask in a visitor's browser.
_NAMES = ["127.0.0.1", "localhost", "[::1]"]


def make_application(status: Callable[[], ServiceStatus]) -> Starlette:
    """The monitor of the node that `status` tells of."""
    metrics = Metrics(status)

    # Coroutines, so that each answer is the event loop's: it lives when one comes.
    async def measured(_: Request) -> Response:
        return Response(metrics.text(), media_type=CONTENT_TYPE)

    async def alive(_: Request) -> Response:
        return PlainTextResponse("alive\n")

    async def ready(_: Request) -> Response:
        if why := not_ready(status()):
            return PlainTextResponse(f"{why}\n", status_code=503)
        return PlainTextResponse("ready\n")

    async def told(_: Request) -> Response:
        return JSONResponse(asdict(status()))

    return Starlette(
        routes=[
            Route("/metrics", measured),
            Route("/healthz", alive),
            Route("/readyz", ready),
            Route("/status", told),
        ],
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=_NAMES)],
    )


def not_ready(status: ServiceStatus) -> str:
    """Why no game should be brought to this node now; nothing when one may."""
    if status.draining:
        return "draining: no new game is begun"
    if not status.connected:
        return f"no connection to {status.broker}"
    if not status.ready:
        return "starting: games are taken up"
    return ""
