"""Templates of sites: learned from a crawl's first pages, used, and learned again."""

from __future__ import annotations

import json
from collections.abc import Coroutine
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tamis.crawl import Answer, ReadPage, SiteLearner

from .forks import Forks
from .web import Reply, article, serve

# Writes down each learning and each page that is read, and changes neither.
SPY = """
import json
from tamis.crawl import reader, sites

def note(**event):
    with open({path!r}, "a") as file:
        print(json.dumps(event), file=file, flush=True)

learn, extract = sites.SiteLearner._learn, reader.Reader._extract

async def noted_learn(self, site):
    await learn(self, site)
    note(learned=site.path)

def noted_extract(self, task):
    document, fits = extract(self, task)
    note(url=task.answer.url, site=task.site, fits=fits)
    return document, fits

sites.SiteLearner._learn, reader.Reader._extract = noted_learn, noted_extract
"""


def redesigned(number: int, links: list[str]) -> str:
    """Return a page in another design, whose blocks are none of those that the first had."""
    page = article(number, links)
    title = page.partition("<h1>")[2].partition("</h1>")[0]
    paragraphs = page.partition("</h1>")[2].partition("</main>")[0]
    cells = "".join(
        f"<section class=part><div class=words>{paragraph}</div></section>"
        for paragraph in paragraphs.replace("<p>", "").split("</p>")
        if paragraph
    )
    return (
        f"<!doctype html><html lang=en><head><title>{title}</title></head><body><div class=shell>"
        "<div class=bar><ul><li><a href=/>Start</a></li><li><a href=/new>What is new</a></li></ul>"
        f"</div><div class=column><div class=big>{title}</div>{cells}</div><div class=end>"
        "<ul><li>Imprint</li><li>Contact</li></ul></div></div></body></html>"
    )


@pytest.mark.slow
def test_a_site_is_learned_used_and_learned_again(forks: Forks, tmp_path: Path) -> None:
    """Pages come in a chain, and the site has another design from the 31st on."""
    log, count, change = tmp_path / "log.jsonl", 80, 30
    with serve() as (server,):
        for number in range(count):
            following = [f"/news/{number + 1}"] if number + 1 < count else []
            design = article if number < change else redesigned
            server.routes[f"/news/{number}"] = Reply(design(number, following))
        summary = forks.run(
            f"{server.url}/news/0", tmp_path / "cache.db", setup=SPY.format(path=str(log))
        )
    assert summary.total.pages == count
    events: list[dict[str, Any]] = [json.loads(line) for line in log.read_text().splitlines()]
    learned = [event["learned"] for event in events if "learned" in event]
    assert len(learned) == 2
    assert all(learned)
    sites = {int(e["url"].rpartition("/")[2]): e["site"] for e in events if "url" in e}
    fits = {int(e["url"].rpartition("/")[2]): e["fits"] for e in events if "url" in e}
    assert sites[0] is None
    assert sites[change - 1] == learned[0]  # it is used
    assert fits[change - 1]
    assert not fits[change]
    assert sites[count - 1] == learned[1]  # and the second one later
    assert fits[count - 1]


def test_shapes_of_few_pages_do_not_keep_others_from_being_learned() -> None:
    """Samples are bounded: those of shapes of which no more pages come make room."""
    learning: list[Coroutine[Any, Any, None]] = []
    learner = SiteLearner(lambda _: Future(), learning.append, 1_000_000)
    read = ReadPage(None, [], [], None, np.array([], dtype=np.uint32), None, "good")
    large = b"x" * 3_000_000
    for number in range(100):
        learner.add_page("http://a.example", f"/rare{number}", Answer("", large), read)
    assert not learning
    for _ in range(8):
        learner.add_page("http://a.example", "/news/0", Answer("", large), read)
    assert len(learning) == 1
    learning[0].close()
    learner.close()
