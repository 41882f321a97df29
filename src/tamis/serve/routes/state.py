"""Routes that tell how the service is."""

from __future__ import annotations

from typing import Any, Final

from fastapi import APIRouter
from starlette.responses import Response

from tamis.serve.answers import HealthAnswer, ReadyAnswer, VersionOfTamis
from tamis.serve.openapi import problems
from tamis.serve.problems import Problem
from tamis.serve.routes.shared import TheService

router: Final = APIRouter(tags=["state"])


@router.get("/healthz", responses={200: {"model": HealthAnswer}})
async def healthz() -> dict[str, str]:
    """Say that the service runs."""
    return {"status": "ok"}


@router.get("/readyz", responses={200: {"model": ReadyAnswer}, **problems(503)})
async def readyz(service: TheService) -> dict[str, Any]:
    """Say whether the service can read pages."""
    if not service.is_ready:
        raise Problem(503, "not-ready", "workers are starting", {"Retry-After": "1"})
    return {"status": "ready", "pages_under_way": service.pages_under_way}


@router.get("/version", responses={200: {"model": VersionOfTamis}, **problems()})
async def version() -> dict[str, str]:
    """Return the version of tamis."""
    from tamis import __version__

    return {"version": __version__}


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {}}}, **problems()},
)
async def metrics(service: TheService) -> Response:
    """Return counters for Prometheus."""
    return Response(service.metrics.render(), media_type="text/plain; version=0.0.4")
