"""Foreign text made safe to print, and URLs that hide nothing."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tamis
from tamis.blocks import TagSet
from tamis.printing import encode_url, escape_for_terminal, printable
from tamis.verdict import Importance

FORBIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
EVERYTHING = tamis.Method(TagSet(), Importance(threshold=0.0))
EVIL = "\x1b[31m\x07\x9b\x7f\u202e\u2066"


@given(st.text())
def test_what_is_for_a_terminal_keeps_its_lines_and_commands_nothing(text: str) -> None:
    shown = escape_for_terminal(text)
    assert not FORBIDDEN.search(shown.replace("\n", "").replace("\t", ""))
    shown.encode()  # no surrogates, which a stream cannot write
    assert shown.count("\n") == text.count("\n")
    assert escape_for_terminal(shown) == shown


@given(st.text())
def test_json_for_a_terminal_is_the_same_data(text: str) -> None:
    assert json.loads(escape_for_terminal(json.dumps([text], ensure_ascii=False))) == [text]


@pytest.mark.parametrize(
    "text", ["می\u200cخواهم", "👩\u200d🔬", "全角\u3000空白", "a\xa0b\u200f", "a\tb\nc"]
)
def test_what_writing_needs_is_left_as_it_is(text: str) -> None:
    assert escape_for_terminal(text) == text


@given(st.text())
def test_a_url_hides_nothing(url: str) -> None:
    encoded = encode_url(url)
    assert not FORBIDDEN.search(encoded)
    assert encode_url(encoded) == encoded
    assert printable(encoded) == encoded or not encoded.isprintable()


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://example.org/a?b=c#d", "https://example.org/a?b=c#d"),
        (" \x1f/a\t\r\nb\x00", "/ab"),
        ("/a\x1b\x9b\u202eb", "/a%1B%C2%9B%E2%80%AEb"),
        ("/a b\u3000c\u2028d", "/a b%E3%80%80c%E2%80%A8d"),
        ("/中文/می\u200cخواهم", "/中文/می\u200cخواهم"),
    ],
)
def test_urls_are_read_as_browsers_read_them(url: str, expected: str) -> None:
    assert encode_url(url) == expected


@pytest.mark.parametrize("base", ["", f'<base href="https://b.example/{EVIL}/">'])
@pytest.mark.parametrize("url", [None, f"https://example.org/{EVIL}/"])
def test_every_address_that_a_document_gives_out_is_encoded(base: str, url: str | None) -> None:
    items = "".join(
        f'<li><h3><a href="i{n}{EVIL}">Item number {n} of all</a></h3><p>It costs ${n}.50 now.</p>'
        f'<img src="p{n}{EVIL}.png"></li>'
        for n in range(1, 9)
    )
    html = (
        f'<head>{base}<link rel=canonical href="https://example.org/{EVIL}">'
        f'<meta property="og:image" content="https://example.org/{EVIL}.png"></head>'
        f'<ul>{items}</ul><p>1 <a rel=next href="?page=2{EVIL}">2</a></p>'
    )
    doc = tamis.extract(html, url, method=EVERYTHING)
    links = [
        *re.findall(r"\]\(([^)]*)\)", doc.markdown),
        *re.findall('(?:src|href)="([^"]*)', doc.html),
    ]
    rows = [link for row in doc.records for link in (row["url"], row["image"])]
    stated = [doc.metadata.url, doc.metadata.image, doc.next_page]
    assert len(rows) == 16
    assert len(links) >= 8
    for link in (*links, *rows, *stated, *([doc.json["url"]] if url else [])):
        assert isinstance(link, str)
        assert "%1B" in link
        assert not FORBIDDEN.search(link)
