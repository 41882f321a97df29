"""The report: needs nothing but itself, and no page can break out of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tamis.lab import Results, SystemResult, evaluate, load, summarize
from tamis.lab.report import Box, Chart, Scale, line_chart, point_labels, render_html
from tamis.lab.studies.comparison import build_report
from tamis.lab.systems import Answer, Extractor, System, method_systems

from .conftest import Writer

HOSTILE = (
    '</pre></details><script>alert(1)</script><img src="https://evil.example/x.png" onerror=a()>'
)


class Elements(HTMLParser):
    """The start tags of a page with their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def elements(html: str) -> list[tuple[str, dict[str, str | None]]]:
    parser = Elements()
    parser.feed(html)
    parser.close()
    assert parser.open == []
    return parser.tags


def echo(name: str) -> System:
    """A peer with a hostile name that gives hostile text."""

    @contextmanager
    def started() -> Iterator[Extractor]:
        yield lambda html, item: Answer(HOSTILE)

    return System(name, "1", started, is_peer=True)


@pytest.fixture
def results(tiny: Path) -> Results:
    dataset = load(str(tiny))
    return evaluate(dataset, [*method_systems(("optimum", "kfeature"), dataset, "v"), echo("echo")])


def test_the_report_has_its_sections(results: Results) -> None:
    html = render_html(build_report(results, summarize(results)))
    for title in (
        "<h2>tiny, 4 pages</h2>",
        "F1 by kind of page",
        "against the others: F1, paired by page</h2>",
        "Quality against time",
        "Precision and recall",
        "Decisions on blocks",
        "Scores of blocks",
        "The worst pages of",
    ):
        assert title in html
    assert "Calibration" not in html  # no method said how sure it is
    assert html.count("<details>") == 4
    assert "prefers-color-scheme: dark" in html
    elements(html)


def test_the_report_loads_nothing(results: Results) -> None:
    html = render_html(build_report(results, summarize(results)))
    for tag, attributes in elements(html):
        assert tag not in ("script", "link", "img", "iframe", "object", "a", "base", "form")
        assert not {"src", "href", "srcset", "data", "action"} & attributes.keys()
        assert not [name for name in attributes if name.startswith("on")]
    assert not re.search(r"url\(|@import", html)
    assert "default-src 'none'" in html


def test_hostile_pages_stay_text(written: Writer) -> None:
    html = f"<body><p>{'Word. ' * 30}</p><p>{HOSTILE.replace('<', '&lt;')}\0\u202e</p></body>"
    row = {
        "id": HOSTILE.replace("/", "|")[:40],
        "url": f"javascript:{HOSTILE}",
        "domain": HOSTILE,
        "page_type": HOSTILE,
        "main_content": HOSTILE,
    }
    other = {"id": "b", "page_type": "b", "main_content": "x"}
    pages = {f"{r['id']}.html": html.encode() for r in (row, other)}
    dataset = load(str(written("hostile", [row, other], pages)))
    results = evaluate(dataset, [*method_systems(("optimum",), dataset, "v"), echo(HOSTILE)])
    page = render_html(build_report(results, summarize(results)))
    assert "&lt;script&gt;alert(1)" in page
    assert "<script" not in page
    assert "<img" not in page
    for tag, attributes in elements(page):
        assert tag not in ("script", "img", "a")
        assert not [name for name in attributes if name.startswith("on")]


def test_confidence_is_held_against_quality(results: Results) -> None:
    sure = [
        SystemResult(s.system, tuple(replace(p, confidence=0.8) for p in s.pages))
        for s in results.systems[:1]
    ]
    html = render_html(build_report(Results(results.dataset, tuple(sure)), summarize(results)))
    assert "Calibration of the confidence" in html
    assert "Expected calibration error" in html
    assert "Brier score" in html


def test_further_charts_have_a_section(results: Results) -> None:
    extra = Chart("F against pages <learned>", "More pages, more F.", "<svg></svg>")
    html = render_html(build_report(results, summarize(results), lambda: [extra]))
    assert html.count("<h2>F against pages &lt;learned&gt;</h2>") == 1
    assert "F against pages &lt;learned&gt;" in html


def test_a_report_on_peers_alone_has_no_worst_pages(tiny: Path) -> None:
    results = evaluate(load(str(tiny)), [echo("echo")])
    html = render_html(build_report(results, summarize(results)))
    assert "worst pages" not in html
    elements(html)


def test_labels_do_not_cover_each_other() -> None:
    points = [(100 + 4 * (n % 3), 100 + 3 * n) for n in range(12)]
    parts = point_labels(points, [f"system-{n}" for n in range(12)], Box(0, 0, 600, 300))
    texts = [re.search(r'x="([\d.]+)" y="([\d.]+)" text-anchor="(\w+)"', p) for p in parts]
    boxes = []
    for match in texts:
        if match:
            x, y, width = float(match[1]), float(match[2]), 60.0
            left = {"start": x, "end": x - width, "middle": x - width / 2}[match[3]]
            boxes.append(Box(left, y - 9, left + width, y + 3))
    assert len(boxes) == 12
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_names_of_lines_that_end_at_one_point_keep_off_the_lines() -> None:
    lines = {"first": [(1, 0.2), (2, 1.0)], "second": [(1, 0.5), (2, 1.0)], "third": [(2, 0.0)]}
    chart = line_chart(
        "title", "", lines, ("x", "y"), (0.0, 1.0), is_log=(False, False), margin=1.2
    )
    anchors = [re.search(rf'text-anchor="(\w+)">{name}<', chart.svg) for name in lines]
    assert [match and match[1] for match in anchors] == ["start", "middle", "start"]


def test_scales_have_round_ticks() -> None:
    assert Scale(0.0, 1.0, 0, 100).ticks == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1.0])
    assert Scale(1.5, 120, 0, 100, is_log=True).ticks == [2, 5, 10, 20, 50, 100]
    assert Scale(0, 10, 50, 150)(5) == 100
    assert Scale(1, 100, 0, 100, is_log=True)(10) == pytest.approx(50)
    assert Scale(3, 3, 0, 100)(3) == 50
