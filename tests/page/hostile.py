"""Pages that no author meant well: made here by size, never stored.

Run as a program it reads one of them in a process of its own and says what that took.
"""

from __future__ import annotations

import functools
import json
import random
import sys
import time
from collections.abc import Callable
from typing import Any, Final

from tamis.errors import TamisError
from tamis.page import Page, find_row, join_text, parse, row_xpath, tags

Maker = Callable[[int], str | bytes]


def times(unit: str, *, before: str = "", after: str = "") -> Maker:
    """A page of one piece over and over; `#` in it is a running number."""

    def make(size: int) -> str:
        count = max(1, size // len(unit))
        if "#" not in unit:
            return before + unit * count + after
        return before + "".join(unit.replace("#", str(n)) for n in range(count)) + after

    return make


def nested(start: str, end: str, inside: str = "x") -> Maker:
    """A page of elements in elements, all of them closed."""

    def make(size: int) -> str:
        count = max(1, size // (len(start) + len(end)))
        return start * count + inside + end * count

    return make


def binary_junk(size: int) -> bytes:
    """Bytes of no meaning."""
    return random.Random(1).randbytes(size)


def markup_junk(size: int) -> str:
    """Characters that mean something in markup, in no order."""
    return "".join(random.Random(2).choices("<>/=\"'&;!-?[]abp \n\0", k=size))


def unclosed_everything(size: int) -> str:
    """Every element, opened and never closed."""
    return "".join(f"<{name} class=x>x" for name in tags.TAGS[2:]) * max(1, size // 2800)


def deep_then_wide(size: int) -> str:
    """A deep tree with wide leaves."""
    return "<div>" * 1000 + "<p>x</p>" * (size // 8)


def wide_then_deep(size: int) -> str:
    """A wide tree with a deep last leaf."""
    return "<p>x</p>" * (size // 16) + "<div>" * (size // 10)


def many_attributes(size: int) -> str:
    """One tag with nothing but attributes."""
    return "<p " + " ".join(f"a{n}=b" for n in range(size // 9)) + ">x"


LOST: Final = "<p>" + "".join(f"<b id={n}>" for n in range(60)) + "</p>"
LONG_LOST: Final = f"<p><b title='{'x' * 5000}'></p>"

CASES: Final[dict[str, Maker]] = {
    # bytes and characters
    "binary junk": binary_junk,
    "markup junk": markup_junk,
    "NUL bytes": times("\0"),
    "NUL bytes in SVG": times("\0", before="<svg>"),
    "NUL bytes in tags": times("<p\0 a\0=\0>\0"),
    "invalid UTF-8": lambda size: b"<p>" + b"\xff\xc3(\xe2\x82" * (size // 5),
    "UTF-16 without a mark": lambda size: ("<html><p>" + "Дом " * (size // 8)).encode("utf-16-le"),
    "lone surrogates": times("\ud800<p>\udfff"),
    "references": times("&CounterClockwiseContourIntegral;&nGt;&#x1F600;&"),
    "unfinished references": times("&CounterClockwiseContourIntegra"),
    "a number without end": times("9", before="&#"),
    "ampersands": times("&"),
    "less-than signs": times("<"),
    "less-than signs and letters": times("<a"),
    "spaces": times(" \n\t"),
    "spaces in pre": times(" \n\t", before="<pre>"),
    "carriage returns": times("\r"),
    "invisible joiners": times("\u00ad\u200b"),
    "quotes in an attribute": times('"', before="<p a='", after="'>"),
    "one word": times("x"),
    "combining characters": times("\u0301", before="e"),
    # depth
    "unclosed everything": unclosed_everything,
    "deep then wide": deep_then_wide,
    "wide then deep": wide_then_deep,
    "divisions": nested("<div>", "</div>"),
    "lists": nested("<ul><li>", "</li></ul>"),
    "list items and divisions": times("<li><div>"),
    "definitions": nested("<dl><dt>x<dd>", "</dd></dl>"),
    "definition and heading": times("<dd><h1>"),
    "quotes": nested("<blockquote><p>", "</blockquote>"),
    "tables in tables": nested("<table><tr><td>", "</td></tr></table>"),
    "unclosed tables": times("<table><tr><td>"),
    "table in caption": times("<table><caption>"),
    "columns out of tables": times("<caption><section><menu>"),
    "cells out of tables": times("<center><td><blockquote>"),
    "rows and spans": times("<tr><span>"),
    "inline": nested("<span>", "</span>"),
    "unknown elements": nested("<x-y>", "</x-y>"),
    "closed by another": times("<x-y></isindex><hr>"),
    "buttons": times("<button><div>"),
    "options": times("<select><optgroup><option><div>"),
    "select in select": times("<select><div><select>"),
    "rules in a select": times("<hr><path>", before="<select>"),
    "objects": times("<object><p>"),
    "marquees": times("<marquee><b>"),
    "templates": nested("<template>", "</template>"),
    "rows in templates": times("<template><tr><div>"),
    "columns in templates": times("<template><col><template>"),
    "framesets": nested("<frameset>", "</frameset>"),
    "framesets after a space": times("<frameset>", before="&#32;"),
    "framesets after text in SVG": times("<frameset>", before="<svg>\0</svg>"),
    "frames and text areas": times("<frameset><textarea>"),
    "SVG": nested("<svg><g>", "</g></svg>"),
    "SVG and HTML": nested("<svg><foreignObject><div>", "</div></foreignObject></svg>"),
    "SVG titles": times("<svg><title>"),
    "MathML": times("<math><mtext>"),
    "MathML and SVG": times("<math><annotation-xml><svg><desc>"),
    "breaking out of SVG": times("<svg><g><p>"),
    "breaking out by font": times("<svg><font><font color=x>"),
    "body in MathML": times("<body a#><math><keygen>"),
    "void names in SVG": times("<svg><input><link>"),
    "raw names in SVG": times("<svg><style><xmp><plaintext>"),
    "CDATA": times("<![CDATA[<p>]]>", before="<svg>"),
    "CDATA without end": times("]]<p>", before="<svg><![CDATA["),
    # formatting
    "links": times("<a>"),
    "links in divisions": times("<a><div>"),
    "nobr": times("<nobr>x"),
    "nobr in paragraphs": times("<p><nobr>"),
    "misnested": times("<a><p><b><div><i></a></b>"),
    "misnested, other": times("<b><i><p></b></i>"),
    "misnested in tables": times("<table><b><tr><i><td></b>"),
    "unclosed formatting": times("<b id=#>"),
    "unclosed formatting in paragraphs": times("<p><font size=#>x"),
    "formatting in capitals": times("<p><b id=a><b id=A><b ID=a>"),
    "lost formatting": times("<p>x", before=LOST),
    "lost formatting, long": times("<p>x", before=LONG_LOST),
    "lost formatting in text areas": times("<textarea>x</textarea>", before=LOST),
    "lost formatting in tables": times("<table>x</table>", before=LOST),
    "lost formatting in cells": times("<table><td>x</table>", before=LOST),
    "ended eight times": times("</b>", before="<b>" * 60 + "<div>" * 440),
    "ended through spans": times("<b>" + "<span>" * 99 + "<div></b>"),
    "stale markers": times("<table><td><object></table><b>"),
    "applets": times("<applet><b></applet>"),
    # attributes and names
    "attributes": many_attributes,
    "the same attribute": times(" a=b", before="<p", after=">x"),
    "attributes without space": times("a='b'", before="<p ", after=">x"),
    "equals signs": times("=", before="<p ", after=">x"),
    "slashes": times("/", before="<p", after=">x"),
    "attribute names": times("<p a#>"),
    "attribute names in SVG": times("<path a#/>", before="<svg>"),
    "tag names": times("<x#></x#>"),
    "end tag names": times("x</x#>"),
    "a long name": times("x", before="<", after=">"),
    "long names": times("<" + "x" * 999 + "#>"),
    "a long attribute": times("x ", before="<p class='", after="'>"),
    "classes": times("<p class='a#'>"),
    "style attributes": times("<p style='d d d d display: non'>"),
    "attributes of body": times("<body a#>"),
    "attributes of html": times("<p><html a#>"),
    "attributes of end tags": times("</p a=b c=d>"),
    # text moved about
    "text in tables": times("x<!---->", before="<table>"),
    "text between cells": times("x<tr><td>y", before="<table>"),
    "text between tables": times("x<tr><td><table></table>", before="<table>"),
    "text in front of hidden inputs": times("x<input type=hidden a=b>", before="<table>"),
    "text at the greatest depth": times("x<!----><div>", before="<div>" * 600 + "<table>"),
    "spaces in tables": times(" <b a=b>y</b>", before="<table>"),
    "spaces after the head": times(" <title>x</title>", before="</head>"),
    "comments after the body": times("x</body><!--y-->", before="<p>"),
    "ignored end tags": times("x</section>"),
    "ignored start tags": times("x<td a=b>"),
    "doctypes": times("<!doctype html>x"),
    "end of paragraph": times("</p>"),
    "end of line": times("x</br>"),
    # raw text, comments, declarations
    "a comment": times("x", before="<!--"),
    "a comment of dashes": times("-", before="<!--"),
    "a comment of ends": times("--!x->", before="<!--"),
    "comments": times("<!---->"),
    "instructions": times("<?x y?>"),
    "a script": times("x", before="<script>"),
    "a script of scripts": times("<!--<script>", before="<script>"),
    "scripts": times("<script>x</script>"),
    "a text area": times("</textare", before="<textarea>"),
    "a title": times("</titl<", before="<title>"),
    "plain text": times("</plaintext>", before="<plaintext>"),
    "plain texts in SVG": times("<plaintext>", before="<svg>"),
    "a style sheet": times(".a#,#b{display:none}", before="<style>"),
    "a style sheet of one rule": times("display:none;", before="<style>.a{", after="}"),
    "a style sheet of comments": times("/*", before="<style>"),
    "style sheets": times("<style>.a{display:none}</style><p class=a>"),
    "everything hidden": nested("<div class=a>", "</div>", "<style>.a{display:none}</style>"),
    "noscript": nested("<noscript><p>", "</noscript>"),
    "noscript in the head": times("<noscript><p>x", before="<head>"),
    "iframes": times("<iframe><p></iframe>"),
}


def tag_cases() -> dict[str, Maker]:
    """Each element in itself, never closed."""
    return {f"<{name}>": times(f"<{name}>") for name in tags.TAGS[2:]}


def random_cases(count: int = 100) -> dict[str, Maker]:
    """Some of the many ways to repeat a few tags."""
    chance = random.Random(3)
    starts = [f"<{name}>" for name in tags.TAGS[2:]] + ["<b id=#>", "<p a#>", "<x#>", "<g/>"]
    ends = [f"</{name}>" for name in tags.TAGS[2:]]
    rest = ["x", " ", "&amp;", "<!--c-->", "<![CDATA[x]]>", "<?x>", "\0", "<"]
    contexts = [
        "",
        "",
        "<table>",
        "<table><tr><td>",
        "<select>",
        "<svg>",
        "<math><mtext>",
        "<p><b>",
    ]
    contexts += [
        "<svg><foreignObject>",
        "<template>",
        "<frameset>",
        "<button>",
        "<ul><li>",
        "</body>",
    ]
    cases: dict[str, Maker] = {}
    while len(cases) < count:
        kinds = chance.choices([starts, ends, rest], [6, 3, 1], k=chance.randint(1, 5))
        unit = "".join(chance.choice(kind) for kind in kinds)
        context = chance.choice(contexts)
        cases[f"{context} {unit}"] = times(unit, before=context)
    return cases


@functools.cache
def all_cases() -> dict[str, Maker]:
    """All pages that there are."""
    return {**CASES, **tag_cases(), **random_cases()}


def read(name: str, size: int, **limits: Any) -> dict[str, Any]:
    """Read a page and use what is made of it; say what came of it and how long it took."""
    page = all_cases()[name](size)
    start = time.thread_time()
    try:
        outcome = used(parse(page, **limits))
    except TamisError as error:
        outcome = {"error": type(error).__name__}
    length = len(page) if isinstance(page, bytes) else len(page.encode("utf-8", "replace"))
    return {"seconds": time.thread_time() - start, "bytes": length, **outcome}


def used(page: Page) -> dict[str, Any]:
    """Compute what a page computes when asked, and say how large it is."""
    texts = page.end[page.tag == tags.TEXT] - 1
    last = len(page) - 1
    assert find_row(page, row_xpath(page, last)) == last
    assert len(join_text(page, texts)) <= len(page.text)
    assert page.hidden.shape == page.in_link.shape == page.visible.shape
    return {"rows": len(page), "depth": int(page.depth.max()), "truncated": list(page.truncated)}


def peak() -> int:
    """Return the most memory that this process ever had, in bytes."""
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def main(name: str, size: int, limits: dict[str, Any]) -> None:
    """Read one page and print what came of it, with the memory it took beyond the page itself."""
    parse("<p>x").hidden  # noqa: B018 what is made once is no page's
    all_cases()[name](size)
    before = peak()
    outcome = read(name, size, **limits)
    print(json.dumps({**outcome, "memory": peak() - before}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3]))
