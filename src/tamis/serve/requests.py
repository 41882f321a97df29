"""Reading requests: JSON or a raw page with its options in the address; pages from anywhere."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Final, TypeVar, cast
from urllib.parse import unquote

from pydantic import BaseModel
from starlette.requests import Request

from tamis.errors import TamisError
from tamis.page import check_url, find_codec
from tamis.serve.models import PageRequest, RenderingRequest, parse_json, parse_options
from tamis.serve.problems import Problem, error_problem
from tamis.serve.service import Service
from tamis.serve.tasks import PageInput, Rendering

_HTML_TYPES: Final = ("text/html", "application/xhtml+xml")
_JSON_TYPE: Final = "application/json"
_Options = TypeVar("_Options", bound=BaseModel)


async def read_request(
    request: Request,
    service: Service,
    model: type[PageRequest],
    options: type[_Options],
    *,
    patient: bool = False,
) -> tuple[PageInput, _Options]:
    """Return the page and the options of a request.

    A body of JSON holds both, as `model`. A body of HTML is the page, and its options are in the
    address: those of `options`, and `url`. Unless `patient`, a full queue is told before a page
    is read.
    """
    content_type, charset = media_type(request)
    if content_type == _JSON_TYPE:
        parsed = parse_json(model, await request.body())
        return await find_page(service, parsed), cast("_Options", parsed)
    if content_type not in _HTML_TYPES:
        raise Problem(
            415,
            "wrong-media-type",
            f"the body is {content_type or 'of no type'}: send application/json or text/html",
        )
    if charset and find_codec(charset) is None:
        raise Problem(400, "unknown-charset", f"{charset[:40]!r} is no character set")
    encoding = request.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("", "identity"):
        raise Problem(
            415,
            "wrong-encoding",
            f"the body is encoded as {encoding[:40]!r}: send it without Content-Encoding",
            {"Accept-Encoding": "identity"},
        )
    query = request.query_params  # what is given several times is a list of names
    values: dict[str, Any] = {name: ",".join(query.getlist(name)) for name in query}
    url = query.get("url")
    values.pop("url", None)
    parsed_options = parse_options(options, values)
    if not patient:
        service.check_queue()
    html = await request.body()
    _check_url(url)
    return PageInput(html, url, charset), parsed_options


def media_type(request: Request) -> tuple[str, str | None]:
    """Return the type of a body, and the character set that is declared for it."""
    declared, _, parameters = request.headers.get("content-type", "").partition(";")
    charset = None
    for parameter in parameters.split(";"):
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            charset = value.strip().strip('"') or None
    return declared.strip().lower(), charset


def _check_url(url: str | None) -> None:
    try:
        check_url(url)
    except TamisError as error:
        raise error_problem(error) from error


async def find_page(service: Service, page: PageRequest) -> PageInput:
    """Return the page that a request names: given, fetched or stored."""
    if page.stored is not None:
        return await service.read_stored(page.stored, page.version)
    _check_url(page.url)
    if page.html is not None:
        return PageInput(page.html, page.url)
    assert page.url is not None
    return await service.fetch(page.url)


def rendering(options: RenderingRequest) -> Rendering:
    """Return how a document is rendered, from the options of a request."""
    return Rendering(**{field.name: getattr(options, field.name) for field in fields(Rendering)})


def target_url(request: Request, prefix: str) -> str:
    """Return the address that stands in the path of a request, with its query."""
    raw = request.scope.get("raw_path") or request.url.path.encode()
    path = raw.decode("latin-1").partition("?")[0].removeprefix(prefix)
    head = path[:12].lower()
    if "%3a" in head and "://" not in head:  # the whole address is encoded
        path = unquote(path)
    query = request.scope["query_string"].decode("latin-1")
    url = f"{path}?{query}" if query else path
    if url.startswith(("http:/", "https:/")) and "://" not in url[:9]:  # a proxy merged slashes
        url = url.replace(":/", "://", 1)
    if not url.startswith(("http://", "https://")):
        raise Problem(
            422, "no-address", f"give an address such as {prefix}https://example.org/page"
        )
    return url
