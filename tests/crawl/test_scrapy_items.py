"""The pipeline and the mixin in a Scrapy project, run by Scrapy's own command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from .web import Reply, add_tree, serve

SETTINGS = """
BOT_NAME = "shop"
SPIDER_MODULES = ["shop.spiders"]
ITEM_PIPELINES = {"tamis.crawl.TamisPipeline": 300}
TAMIS_FIELDS = ["title", "text", "status"]
ROBOTSTXT_OBEY = False
TELNETCONSOLE_ENABLED = False
LOG_LEVEL = "WARNING"
"""
SPIDER = """
import scrapy
from tamis.crawl import TamisMixin

class Declared(scrapy.Item):
    url = scrapy.Field()
    html = scrapy.Field()
    title = scrapy.Field()

class ShopSpider(TamisMixin, scrapy.Spider):
    name = "shop"

    async def start(self):
        yield scrapy.Request(self.address)

    def parse(self, response):
        if response.url.endswith("/list"):
            yield self.build_item(response)
            return
        if response.url.endswith("/1"):
            yield Declared(url=response.url, html=response.text)
        else:
            yield {"url": response.url, "html": response.text, "mine": 1}
        yield from self.follow_pages(response)
"""


@pytest.mark.slow
def test_in_a_project(tmp_path: Path) -> None:
    package = tmp_path / "shop"
    (package / "spiders").mkdir(parents=True)
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = shop.settings\n")
    (package / "__init__.py").write_text("")
    (package / "settings.py").write_text(SETTINGS)
    (package / "spiders" / "__init__.py").write_text("")
    (package / "spiders" / "shop.py").write_text(SPIDER)
    cards = "".join(
        f'<div class="card"><h3><a href="/item/{n}">Kettle {n * 37}</a></h3>'
        f'<p class="price">€ {n}9.50</p><p>Boils {n} litres in {n + 2} minutes</p></div>'
        for n in range(1, 12)
    )
    with serve() as (server,):
        add_tree(server, 4)
        start = server.routes["/"]
        assert isinstance(start, Reply)
        links = '<p>All of our kettles are on <a href="/list">the list of kettles</a> today.</p>'
        server.routes["/"] = Reply(str(start.body).replace("</main>", f"{links}</main>"))
        server.routes["/list"] = Reply(f"<h1>Kettles</h1><div>{cards}</div>")
        command = [sys.executable, "-m", "scrapy", "crawl", "shop", "-O", "items.jsonl"]
        done = subprocess.run(
            [*command, "-a", f"address={server.url}/"],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert not done.stderr, done.stderr
    lines = (tmp_path / "items.jsonl").read_text().splitlines()
    items = {item["url"].removeprefix(server.url): item for item in map(json.loads, lines)}
    assert set(items) == {"/", "/1", "/2", "/3", "/list"}
    assert set(items["/2"]) == {"url", "mine", "title", "text", "status"}
    assert len(items["/2"]["text"]) > 200
    assert items["/1"]["title"]
    assert "text" not in items["/1"]  # its class has no such field
    assert items["/1"].get("html") is None
    assert len(items["/list"]["records"]) == 11
    assert items["/list"]["next_page"] is None
