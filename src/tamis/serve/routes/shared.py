"""What routes have in common: the service, parameters, answers."""

from __future__ import annotations

from typing import Annotated, Any, Final

from fastapi import Depends, Path, Request
from starlette.responses import Response

from tamis.serve.inspector import Inspector
from tamis.serve.service import Service
from tamis.serve.tasks import encode_json

PAGE_PROBLEMS: Final = (400, 404, 408, 409, 413, 415, 422, 500, 502, 503, 504, 507)


async def _get_service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


async def _get_inspector(request: Request) -> Inspector:
    inspector: Inspector = request.app.state.inspector
    return inspector


TheService = Annotated[Service, Depends(_get_service)]
TheInspector = Annotated[Inspector, Depends(_get_inspector)]
Host = Annotated[
    str,
    Path(min_length=1, max_length=200, description="Host of a site.", examples=["example.org"]),
]


def json_response(content: bytes, status: int = 200) -> Response:
    """Return JSON that is encoded already."""
    return Response(content, status, media_type="application/json")


def respond(value: Any, status: int = 200) -> Response:
    """Return plain data as JSON."""
    return json_response(encode_json(value), status)
