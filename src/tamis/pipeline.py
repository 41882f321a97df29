"""The whole flow on one page: bytes → page → blocks → verdict → document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

from tamis.blocks import Blocks, Segmenter, TagSet
from tamis.content import Document
from tamis.errors import InputError, UnknownName, WrongType
from tamis.method import Method as Method
from tamis.method import needs_layout as needs_layout
from tamis.page import (
    DEADLINE,
    MAX_BYTES,
    MAX_NODES,
    MAX_SOURCE_BYTES,
    Deadline,
    Page,
    check_url,
    parse,
)
from tamis.source import MAX_BYTES as MAX_FETCHED_BYTES
from tamis.source import MAX_REDIRECTS, TIMEOUT, Fetch
from tamis.verdict import Learned

if TYPE_CHECKING:
    from tamis.methods import METHODS as METHODS
    from tamis.methods import MULTI_PAGE_METHODS as MULTI_PAGE_METHODS

DEFAULT_METHOD: Final = "learned"
Favor = Literal["precision", "recall"]
_T = TypeVar("_T")


def extract(
    html: str | bytes | Page,
    url: str | None = None,
    *,
    method: str | Method = DEFAULT_METHOD,
    favor: Favor | None = None,
    comments: bool = False,
    charset: str | None = None,
    max_bytes: int | None = MAX_BYTES,
    max_nodes: int | None = MAX_NODES,
    deadline: float | None = DEADLINE,
    fetched: date | None = None,
) -> Document:
    """Extract the content of a page.

    `html` is a str, bytes (then `charset` is what HTTP declared) or a Page (then `url`, if given,
    replaces the page's own); for a URL there is `fetch`. `favor="precision"` keeps fewer doubtful
    blocks, "recall" more; `comments` takes the comments below a text for content. Only the learned
    method can do both. Raises TooLarge or DeadlineExceeded
    if a limit is exceeded; None removes a limit. Broken HTML is never an error. What is left of the
    deadline is the computing time for all that is computed later, when the document is used.
    `fetched` is the day on which the page was fetched, from which records date "2 days ago".
    """
    clock = Deadline(deadline)
    method_name, chosen = _resolve_method(method, favor, comments)
    if isinstance(html, Page):
        page = _replace_url(html, url)
    else:
        page = parse(
            html, url, charset=charset, max_bytes=max_bytes, max_nodes=max_nodes, deadline=clock
        )
    clock.check("segmenting")
    blocks = chosen.segmenter.segment(page)
    clock.check("identifying the informative blocks")
    verdict = chosen.identifier.identify(blocks)
    clock.check("building the document")
    return Document(page, blocks, verdict, method_name, clock.budget, fetched)


def fetch(
    url: str,
    *,
    method: str | Method = DEFAULT_METHOD,
    favor: Favor | None = None,
    comments: bool = False,
    charset: str | None = None,
    max_bytes: int | None = MAX_FETCHED_BYTES,
    max_nodes: int | None = MAX_NODES,
    deadline: float | None = DEADLINE,
    timeout: float = TIMEOUT,
    max_redirects: int = MAX_REDIRECTS,
    allow_private: bool = False,
) -> Document:
    """Fetch a page and extract its content; the document has the URL that the page came from.

    The options are those of `extract` and of `tamis.source.Fetch`: `timeout` is for the whole fetch
    with its redirects, in seconds, and a page on a private or loopback IP address is refused unless
    `allow_private` permits it. A FetchError says why a page was not fetched.
    """
    _resolve_method(method, favor, comments)  # a mistake is reported before anything is fetched
    source = Fetch(
        timeout=timeout,
        max_redirects=max_redirects,
        max_bytes=MAX_SOURCE_BYTES if max_bytes is None else max_bytes,
        allow_private=allow_private,
    ).get(url)
    return extract(
        source.data,
        source.url,
        method=method,
        favor=favor,
        comments=comments,
        charset=charset or source.charset,
        max_bytes=max_bytes,
        max_nodes=max_nodes,
        deadline=deadline,
        fetched=datetime.now(UTC).date(),
    )


def segment(page: Page | str | bytes, segmenter: str | Segmenter = "tagset") -> Blocks:
    """Cut a page into blocks, with a segmenter or the name of one."""
    return _resolve_segmenter(segmenter).segment(page if isinstance(page, Page) else parse(page))


def _replace_url(page: Page, url: str | None) -> Page:
    """Return a page with another URL, if one is given."""
    check_url(url)
    return page if url is None else replace(page, url=url)


def _resolve_segmenter(segmenter: str | Segmenter) -> Segmenter:
    """Return a segmenter; by its name, one with default parameters."""
    from tamis.blocks import SEGMENTERS

    if isinstance(segmenter, str):
        return look_up(SEGMENTERS, segmenter, "segmenter")()
    if not isinstance(segmenter, Segmenter) or isinstance(segmenter, type):
        raise _wrong_type_error("segmenter", segmenter, SEGMENTERS, "a segmenter such as TagSet()")
    return segmenter


def _resolve_method(
    method: str | Method, favor: Favor | None, comments: bool
) -> tuple[str, Method]:
    """Return the name of a method, and the method with what it favors and takes for content."""
    if method == DEFAULT_METHOD:
        name, chosen = DEFAULT_METHOD, _default_method()
    elif isinstance(method, str):
        name, chosen = method, look_up(_methods(), method, "method")
    elif isinstance(method, Method):
        parts = (type(method.segmenter).__name__, type(method.identifier).__name__)
        name, chosen = "+".join(parts).lower(), method
    else:
        raise _wrong_type_error("method", method, _methods(), "a Method(segmenter, identifier)")
    if favor is not None:
        chosen = _set_option(name, chosen, "favor", favor)
    return name, _set_option(name, chosen, "comments", True) if comments else chosen


def _set_option(name: str, method: Method, option: str, value: object) -> Method:
    """Return a method whose identifier has another value of an option; InputError if it has none.

    Only the learned method has them.
    """
    identifier: Any = method.identifier
    if option not in getattr(identifier, "__dataclass_fields__", {}):
        advice = f"leave {option} out, or method for the learned one"
        ability = f"favor {value!r}" if option == "favor" else "tell comments from content"
        raise InputError(f"the method {name} cannot {ability}: {advice}")
    return replace(method, identifier=replace(identifier, **{option: value}))


def look_up(table: Mapping[str, _T], name: str, kind: str) -> _T:
    """Return the entry of a table with a name, or raise an error that lists all names."""
    if name not in table:
        raise UnknownName(f"no {kind} {name!r}: take one of {', '.join(table)}")
    return table[name]


def _wrong_type_error(
    argument: str, value: object, table: Mapping[str, object], alternative: str
) -> WrongType:
    """Return the error for an argument that is neither a name in a table nor the alternative."""
    kind, names = type(value).__name__, ", ".join(table)
    return WrongType(f"{argument} is of type {kind}: give a name of {names}, or {alternative}")


def _methods() -> Mapping[str, Method]:
    """Return all methods by name, which are loaded when one of them is asked for."""
    from tamis.methods import METHODS

    return METHODS


@cache
def _default_method() -> Method:
    """Return the method that is used if none is named."""
    return Method(TagSet(), Learned())


def __getattr__(name: str) -> object:
    """Return a table of methods: only the default one is needed at once."""
    if name not in ("METHODS", "MULTI_PAGE_METHODS"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("tamis.methods"), name)
