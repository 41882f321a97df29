"""The whole flow on one page: bytes → page → blocks → verdict → document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeVar

from tamis.blocks import SEGMENTERS, Blocks, Chunks, KeyPattern, Segmenter, TagSet, Visual
from tamis.content import Document
from tamis.errors import InputError, UnknownName, WrongType
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
from tamis.source import MAX_BYTES as MAX_FETCHED
from tamis.source import MAX_REDIRECTS, TIMEOUT, Fetch
from tamis.verdict import (
    Eifce,
    Feature,
    Identifier,
    Importance,
    KFeature,
    Learned,
    Optimum,
    Svm,
    TagWindow,
)

T = TypeVar("T")
Favor = Literal["precision", "recall"]


def check_component(name: str, part: object, kind: type, such_as: str) -> None:
    """Raise WrongType for what is no segmenter or identifier, such as its name or its class."""
    if isinstance(part, type) or not isinstance(part, kind):
        given = f"the class {part.__name__}" if isinstance(part, type) else repr(part)
        raise WrongType(f"{given} is no {name}: give one such as {such_as}")


@dataclass(frozen=True)
class Method:
    """A pair of a segmenter and an identifier that goes from page to content."""

    segmenter: Segmenter
    identifier: Identifier

    def __post_init__(self) -> None:
        check_component("segmenter", self.segmenter, Segmenter, "TagSet()")
        check_component("identifier", self.identifier, Identifier, "Learned()")

    @property
    def needs_layout(self) -> bool:
        """Whether it takes only pages with layout: see `tamis.render`."""
        return needs_layout(self.segmenter) or needs_layout(self.identifier)


METHODS: Final[Mapping[str, Method]] = {
    "feature": Method(TagSet(tables="whole"), Feature()),
    "kfeature": Method(TagSet(), KFeature()),
    "optimum": Method(TagSet(), Optimum()),
    "tagwindow": Method(Chunks(), TagWindow()),
    "keypattern": Method(KeyPattern(), Importance()),
    "svm": Method(TagSet("classic"), Svm()),
    "eifce": Method(Visual(), Eifce()),  # needs a page with layout
    "learned": Method(TagSet(), Learned()),
}
DEFAULT_METHOD: Final = "learned"


def extract(
    html: str | bytes | Page,
    url: str | None = None,
    *,
    method: str | Method = DEFAULT_METHOD,
    favor: Favor | None = None,
    charset: str | None = None,
    max_bytes: int | None = MAX_BYTES,
    max_nodes: int | None = MAX_NODES,
    deadline: float | None = DEADLINE,
) -> Document:
    """Extract the content of a page.

    `html` may be text, bytes (then `charset` is what HTTP declared) or a Page (then `url`, where
    given, takes the place of the page's own); `fetch` takes an address. `favor="precision"` keeps
    fewer doubtful blocks, "recall" more, with the learned method. Raises TooLarge or
    DeadlineExceeded where a limit is passed, and None lifts a limit; broken HTML is never an error.
    What is left of the deadline is the computing time of all that the document is asked for later.
    """
    clock = Deadline(deadline)
    name, chosen = resolve_method(method)
    chosen = favored(name, chosen, favor)
    if isinstance(html, Page):
        check_url(url)
        page = html if url is None else replace(html, url=url)
    else:
        page = parse(
            html, url, charset=charset, max_bytes=max_bytes, max_nodes=max_nodes, deadline=clock
        )
    clock.check("segmenting")
    blocks = chosen.segmenter.segment(page)
    clock.check("identifying the informative blocks")
    verdict = chosen.identifier.identify(blocks)
    clock.check("handing on the content")
    return Document(page, blocks, verdict, name, clock.budget)


def fetch(
    url: str,
    *,
    method: str | Method = DEFAULT_METHOD,
    favor: Favor | None = None,
    charset: str | None = None,
    max_bytes: int | None = MAX_FETCHED,
    max_nodes: int | None = MAX_NODES,
    deadline: float | None = DEADLINE,
    timeout: float = TIMEOUT,
    max_redirects: int = MAX_REDIRECTS,
    allow_private: bool = False,
) -> Document:
    """Fetch a page and extract its content; the document has the address that it came from.

    The options are those of `extract`, and those of a `tamis.source.Fetch`: `timeout` is for the
    whole fetch with its redirects, in seconds, and a page on a private or loopback address is
    refused unless `allow_private` permits it. A FetchError says why a page was not fetched.
    """
    favored(*resolve_method(method), favor)  # a mistake is told before anything is fetched
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
        charset=charset or source.charset,
        max_bytes=max_bytes,
        max_nodes=max_nodes,
        deadline=deadline,
    )


def segment(page: Page | str | bytes, segmenter: str | Segmenter = "tagset") -> Blocks:
    """Cut a page into blocks, with a segmenter or the default one of a name."""
    if isinstance(segmenter, str):
        segmenter = look_up(SEGMENTERS, segmenter, "segmenter")()
    elif not isinstance(segmenter, Segmenter) or isinstance(segmenter, type):
        raise wrong_type_error("segmenter", segmenter, SEGMENTERS, "a segmenter such as TagSet()")
    return segmenter.segment(page if isinstance(page, Page) else parse(page))


def needs_layout(part: Segmenter | Identifier) -> bool:
    """Say whether a segmenter or an identifier takes only pages with layout."""
    return bool(getattr(part, "needs_layout", False))


def resolve_method(method: str | Method) -> tuple[str, Method]:
    """Return a method with its name."""
    if isinstance(method, str):
        return method, look_up(METHODS, method, "method")
    if not isinstance(method, Method):
        raise wrong_type_error("method", method, METHODS, "a Method(segmenter, identifier)")
    return f"{type(method.segmenter).__name__}+{type(method.identifier).__name__}".lower(), method


def favored(name: str, method: Method, favor: Favor | None) -> Method:
    """Return a method that keeps more or fewer doubtful blocks; InputError if it has no choice."""
    if favor is None:
        return method
    identifier: Any = method.identifier
    if "favor" not in getattr(identifier, "__dataclass_fields__", {}):
        what = "leave favor out, or method for the learned one"
        raise InputError(f"the method {name} cannot favor {favor!r}: {what}")
    return replace(method, identifier=replace(identifier, favor=favor))


def look_up(table: Mapping[str, T], name: str, kind: str) -> T:
    """Return what a table has under a name, or raise an error that lists the names."""
    if name not in table:
        raise UnknownName(f"no {kind} {name!r}: take one of {', '.join(table)}")
    return table[name]


def wrong_type_error(
    argument: str, value: object, table: Mapping[str, object], other: str
) -> WrongType:
    """Return the error for what is neither a name in a table nor the other thing to give."""
    kind = type(value).__name__
    return WrongType(f"{argument} is of type {kind}: give a name of {', '.join(table)}, or {other}")
