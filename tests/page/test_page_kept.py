"""Sources that were kept and changed since: read to their end, whatever they are."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest

from helpers.samples import SAMPLES, sample
from tamis.page import Page, scan_source

PATIENCE = 300  # seconds until it is sure that something does not come to an end
SIGNS = (
    *(b"<", b">", b"</", b"<table>", b"<!--", b"-->", b'"', b"'", b"=", b"<svg>", b"</p>", b"\xff"),
    *(b"&", b"&n", b"&a", b"&amp", b"<plaintext>", b"<script>", b"<td>", b"\0", b"<p ", b"</html>"),
    *(b"\xfc9o-", b"\xc0\x80", b"\xe0\x80\xaf", "é".encode()[:1], "鑫".encode()[1:]),
)


def changed(source: bytes, draw: random.Random) -> bytes:
    """Return a source with a few bytes changed, put in or left out."""
    made = bytearray(source[: draw.choice((40, 400, 3000))])
    for _ in range(draw.choice((1, 3, 20))):
        place = draw.randrange(len(made) + 1)
        match draw.randrange(3):
            case 0:
                made[place : place + draw.randrange(30)] = b""
            case 1:
                made[place:place] = draw.choice(SIGNS)
            case _:
                made[place : place + 1] = bytes((draw.randrange(256),))
    return bytes(made)


def check_page(page: Page) -> None:
    """All that rows say of places is inside the page."""
    size, rows = len(page.source), len(page)
    for name in ("start", "head", "stop", "class_start", "class_stop", "id_start", "id_stop"):
        column = getattr(page, name)
        assert ((column >= 0) & (column <= size)).all(), name
    assert (page.parent < range(rows)).all()
    assert ((page.end > range(rows)) & (page.end <= rows)).all()


def read_changed(seed: int, times: int) -> None:
    draw = random.Random(seed)
    sources = [sample(name).source for name in SAMPLES]
    for _ in range(times):
        if draw.random() < 0.2:
            sources.append(draw.randbytes(200))
        check_page(scan_source(changed(draw.choice(sources), draw)))


@pytest.mark.parametrize("seed", range(2))
def test_a_changed_source_is_read_to_its_end(seed: int) -> None:
    """In a process of its own: nothing stops compiled code that does not come to its end."""
    done = subprocess.run(
        [sys.executable, __file__, str(seed), "1500"],
        env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (b"a &amp; b &lt;c&gt; d&nbsp;e", "a & b <c> d e"),
        (b"!D&ng ", "!D&ng"),
        (b"&nbsp", "&nbsp"),
        (b"a&am", "a&am"),
        (b"x &quot; y", "x &quot; y"),
    ],
)
def test_only_the_references_of_a_serialised_page_are_read(source: bytes, text: str) -> None:
    page = scan_source(source)
    assert page.text == text
    check_page(page)


if __name__ == "__main__":
    read_changed(int(sys.argv[1]), int(sys.argv[2]))
