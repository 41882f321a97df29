"""Routes for the files of the inspector."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final

from fastapi import APIRouter
from starlette.responses import Response

from tamis.serve.guard import PAGE_POLICY
from tamis.serve.problems import Problem

router: Final = APIRouter(include_in_schema=False)
_TYPES: Final = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}


@router.get("/")
async def index() -> Response:
    """Return the inspector."""
    return _file_response("index.html")


@router.get("/favicon.ico")
async def icon() -> Response:
    """Return the icon."""
    return _file_response("icon.svg")


@router.get("/assets/{name}")
async def asset(name: str) -> Response:
    """Return a file of the inspector."""
    return _file_response(name)


def _file_response(name: str) -> Response:
    content, kind = _read_assets().get(name), _TYPES.get(name.rpartition(".")[2])
    if content is None or kind is None:
        raise Problem(404, "no-such-route", "there is no such file")
    headers = {"Content-Security-Policy": PAGE_POLICY, "Cache-Control": "no-cache"}
    return Response(content, 200, headers, kind)


@cache
def _read_assets() -> dict[str, bytes]:
    """Return the files by name: only these are ever given out."""
    folder = files("tamis.serve").joinpath("assets")
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
