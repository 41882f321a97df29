"""Pages of any size: real content many times over, and shapes that are hard on algorithms."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

import tamis
from helpers.samples import sample
from tamis.page import Page, tags

NODES: Final = 10_000_000


def _content(size: int) -> str:
    """The body of a sample page, again and again."""
    page = sample("article")
    body = page.html(int((page.tag == tags.CODE["body"]).argmax()))
    inner = body.partition(">")[2].removesuffix("</body>")
    return inner * (size // len(page))


def _children(names: list[str]) -> str:
    return "<div>" + "".join(f"<{name}>a b, c.</{name}>" for name in names) + "</div>"


def _random(size: int) -> str:
    return _children(random.Random(size).choices(["p", "h2", "section", "aside"], k=size))


def _runs(size: int) -> str:
    runs = (["p"] * (length % 20) + ["h2"] for length in range(size // 10))
    return _children([name for run in runs for name in run])


# For a size, about so many elements.
SHAPES: Final[dict[str, Callable[[int], str]]] = {
    "content": _content,
    "siblings": lambda n: "<p>a b, c.</p>" * n,
    "alternating tags": lambda n: _children(["p", "h2"] * (n // 2)),
    "random tags": _random,
    "runs of all lengths": _runs,
    "list items": lambda n: "<ul>" + "<li><a href=x>one</a> two</li>" * (n // 2) + "</ul>",
    "table rows": lambda n: "<table>" + "<tr><td>a<td>b<td>c</tr>" * (n // 4) + "</table>",
    "500 levels of div": lambda n: "<div>x. " * 500 + "<p>y.</p>" * n,
    "500 levels of span": lambda n: "<div>" + "<span>" * 500 + "<hr>x. " * n,
    "nests of 100": lambda n: ("<div>x. " * 100 + "</div>" * 100) * (n // 100),
    "nested tables": lambda n: ("<table><tr><td>" * 25 + "x." + "</table>" * 25) * (n // 100),
    "forms": lambda n: "<form>a, b.<input></form>" * (n // 2),
    "custom elements": lambda n: _children([f"x-{i % 50}" for i in range(n)]),
    "one long text": lambda n: "<p>" + "word, " * n * 5,
    "one long word": lambda n: "<p>" + "a" * n * 20,
    "e-mail addresses": lambda n: "<p>a@b.org</p>" * (n // 2) + "<p>" + "@" * n,
    "noise words": lambda n: "<p>contact help privacy copyright imprint sitemap</p>" * n,
}


def shape(name: str, size: int) -> Page:
    """Return a page of a shape with about so many elements."""
    return tamis.parse(SHAPES[name](size), max_nodes=NODES, deadline=None)
