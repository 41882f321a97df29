"""The inspector in a real Chromium: open, hover, click, mark, see the effect, save, test, undo."""

from __future__ import annotations

import csv
import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

import tamis
from helpers.chromium import needs_chromium
from serve.servers import SAMPLES, SOURCES, ServerProcess
from tamis.render import chromium_path
from tamis.store import Store

pytestmark = needs_chromium

HOST = "town.example"
HOSTILE = """<title>Hostile</title><p>Words &lt;script&gt;boom()&lt;/script&gt; of a page.</p>
<script>boom()</script><img src=http://127.0.0.1:9/x.png onerror=boom()>
<p onclick=boom()>More words here.</p>
<iframe src=http://127.0.0.1:9/></iframe><link rel=stylesheet href=http://127.0.0.1:9/x.css>
<svg onload=boom()></svg><a href=javascript:boom()>A link with words</a>
<style>@import 'http://127.0.0.1:9/';</style>"""


def town_page(number: int) -> str:
    return (
        f"<title>Story {number}</title><main><h1>Story {number}</h1><div class=story>"
        f"<p>Paragraph one of story {number} tells at length what happened in the old town.</p>"
        f"<p>Paragraph two of story {number} goes on for a while and then comes to its end.</p>"
        "</div><div class=plea>"
        f"<p>Write to the editor if you know more about case {number}.</p></div></main>"
    )


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    folder: Path = tmp_path_factory.mktemp("inspector")
    with Store.open(folder / "pages.db") as store:
        for number in range(8):
            store.put(f"https://{HOST}/{number}", town_page(number))
        url = f"https://{HOST}/0"
        store.put(url, town_page(0).replace("old town", "new town"), datetime.now(UTC))
        store.put("https://other.example/", "<p>A page of another site with a few words.</p>")
    options = ("--workers", "1", "--queue", "64", "--deadline", "240", "--store", "pages.db")
    with ServerProcess(*options, folder=folder) as up:
        yield up


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
        chromium = driver.chromium.launch(executable_path=chromium_path(), args=sandbox)
        yield chromium
        chromium.close()


class Tab:
    """A tab of the inspector that keeps errors and requests."""

    def __init__(self, browser: Any, running: ServerProcess, **options: Any) -> None:
        self.context = browser.new_context(viewport={"width": 1300, "height": 850}, **options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(120_000)
        self.errors: list[str] = []
        self.hosts: set[str] = set()
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.hosts.add(urlsplit(request.url).netloc))
        self.page.goto(f"{running.url}#token={running.token}")

    def _hear(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.errors.append(message.text)


@pytest.fixture
def tab(browser: Any, running: ServerProcess) -> Iterator[Tab]:
    opened = Tab(browser, running)
    yield opened
    opened.context.close()
    assert not opened.errors
    assert opened.hosts <= {f"127.0.0.1:{running.port}", ""}  # no request leaves the machine


def open_stored(page: Any, number: int) -> None:
    page.locator(".entry", has_text=f"https://{HOST}/{number}").first.click()
    page.wait_for_selector(".lines .block")


def frame(page: Any) -> Any:
    return page.frame_locator(".stage iframe")


def test_a_page_beside_its_document(tab: Tab) -> None:
    page = tab.page
    page.wait_for_selector(".entry")
    assert "token" not in page.url
    page.set_input_files("#files", [SAMPLES / "article.html"])
    page.wait_for_selector(".lines .block")
    document = tamis.extract((SAMPLES / "article.html").read_bytes())
    kept = [block for block in document.blocks if block.informative and block.text]
    assert page.locator(".lines .block").count() == len(kept)
    first = page.locator(".lines .block").first
    number = first.get_attribute("data-b")
    first.hover()  # here, and it shows there
    frame(page).locator(f'[data-b="{number}"].hover').first.wait_for()
    text = frame(page).locator(".k").nth(3)
    text.scroll_into_view_if_needed()
    box = text.bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)  # there, and it shows here
    page.wait_for_selector(".lines .block.hover")
    page.mouse.click(box["x"] + 5, box["y"] + 5)
    page.wait_for_selector(".lines .block.selected")
    details = page.locator(".details")
    page.wait_for_selector(".features .gauge")
    for word in ("score", "reason", "XPath", "/html/body", "span", "place", "form"):
        assert word in details.inner_text()
    page.check("#shows-noise")
    assert page.locator(".lines .block").count() > len(kept)


def test_methods_side_by_side(tab: Tab) -> None:
    page = tab.page
    page.wait_for_selector(".entry")
    page.set_input_files("#files", [SAMPLES / "article.html"])
    page.click("#tab-compare")
    page.wait_for_selector(".compare .only")
    assert page.locator(".compare .both").count() > 0
    page.select_option("#compare-second", "learned")
    page.get_by_text(re.compile("^0 lines of")).wait_for()
    assert page.locator(".compare .only").count() == 0
    page.select_option("#method", "kfeature")
    page.click("#tab-document")
    page.wait_for_selector("text=method kfeature")


def test_methods_with_other_blocks(tab: Tab) -> None:
    """Numbers of blocks mean others when a method cuts the page in its own way."""
    page = tab.page
    page.wait_for_selector(".entry")
    page.set_input_files("#files", [SAMPLES / "article.html"])
    page.locator(".head .title", has_text="129 blocks").wait_for()
    page.get_by_role("button", name="Screenshot").click()
    page.wait_for_selector(".stage img")
    page.locator(".lines .block").nth(4).click()
    page.wait_for_selector(".features .gauge")
    page.select_option("#method", "svm")
    page.wait_for_selector("text=method svm")
    blocks = tamis.extract((SAMPLES / "article.html").read_bytes(), method="svm").blocks
    page.locator(".head .title", has_text=f"{len(blocks)} blocks").wait_for()
    assert page.locator(".details").is_hidden()  # what was chosen is no block of this method
    page.wait_for_selector(".stage img")
    numbers = {int(box.get_attribute("data-b") or -1) for box in page.locator(".box").all()}
    assert numbers <= {number for number, block in enumerate(blocks) if block.text}
    page.click("#tab-compare")
    cell = page.locator(".compare .both").nth(3)
    text = cell.text_content()
    cell.click()
    page.wait_for_selector(".details h2")
    assert page.locator(".details h2").inner_text()[:40] in text
    assert "null" not in page.locator(".details").inner_text()
    page.click("#to-site")
    page.locator(".head .title", has_text="129 blocks").wait_for()


def test_the_browser_goes_back_and_forward(tab: Tab) -> None:
    page = tab.page
    page.wait_for_selector(".entry")
    open_stored(page, 1)
    page.go_back()
    page.wait_for_selector(".start")
    page.go_forward()
    page.wait_for_selector(".work")
    page.reload()
    page.wait_for_selector(".lines .block")


def test_records_are_a_table_with_csv(tab: Tab) -> None:
    page = tab.page
    page.wait_for_selector(".entry")
    page.set_input_files("#files", [SAMPLES / "shop.html"])
    page.click("#tab-records")
    page.wait_for_selector("tbody tr")
    records = tamis.extract((SAMPLES / "shop.html").read_bytes()).records
    assert page.locator("tbody tr").count() == len(records)
    at = [field.name for field in records.fields].index("title")
    page.get_by_role("button", name="title", exact=True).click()
    cells = page.locator(f"tbody tr td:nth-child({at + 1})").all_inner_texts()
    assert cells == sorted(cells, key=str.casefold)
    with page.expect_download() as download:
        page.click("#csv")
    rows = list(csv.DictReader(io.StringIO(Path(download.value.path()).read_text())))
    assert len(rows) == len(records)
    assert {row["title"] for row in rows} == {row["title"] for row in records}


def test_a_long_table_is_downloaded_whole(tab: Tab) -> None:
    page = tab.page
    page.wait_for_selector(".entry")
    item = "<li><a href=/{0}><h3>Item {0}</h3></a><b>€{0}.50</b><p>Words about item {0}.</p></li>"
    html = "<title>Items</title><ul>" + "".join(item.format(n) for n in range(2_600))
    file = {"name": "items.html", "mimeType": "text/html", "buffer": html.encode()}
    page.set_input_files("#files", [file])
    page.click("#tab-records")
    page.wait_for_selector("tbody tr")
    assert page.locator("tbody tr").count() == 500
    with page.expect_download() as download:
        page.click("#csv")
    assert len(Path(download.value.path()).read_text().splitlines()) == 2_601
    page.get_by_role("button", name="Show all 2,600").click()
    assert page.locator("tbody tr").count() == 2_600


def test_formats_metadata_search_and_history(tab: Tab) -> None:
    page = tab.page
    page.wait_for_selector(".entry")
    page.fill("#address", "editor case")
    page.keyboard.press("Enter")
    page.wait_for_selector(".entry mark")
    open_stored(page, 0)
    page.click("#tab-formats")
    page.wait_for_selector(".source >> text=# Story 0")
    page.click("text=JSON")
    assert '"blocks"' in page.locator(".source").inner_text()
    page.click("#tab-metadata")
    assert "Story 0" in page.locator(".pairs").first.inner_text()
    page.click("#tab-history")
    page.click("text=Version 2")
    page.wait_for_selector(".added")
    assert "new town" in page.locator(".added").inner_text()
    page.click("text=Open the one before")
    page.locator(".lines .block", has_text="the old town").wait_for()


def test_the_screenshot_has_boxes_that_answer(tab: Tab) -> None:
    page = tab.page
    page.wait_for_selector(".entry")
    open_stored(page, 1)
    page.get_by_role("button", name="Screenshot").click()
    page.wait_for_selector(".stage img")
    box = page.locator(".box.k").nth(1).bounding_box()
    page.mouse.move(box["x"] + 4, box["y"] + 4)
    page.wait_for_selector(".box.hover")
    page.mouse.click(box["x"] + 4, box["y"] + 4)
    page.wait_for_selector(".box.selected")
    page.wait_for_selector(".lines .block.selected")


def test_the_fix_loop(tab: Tab, running: ServerProcess) -> None:
    page = tab.page
    page.wait_for_selector(".entry")
    open_stored(page, 2)
    page.locator(".lines .block", has_text="Write to the editor").click()
    page.click("#mark-noise")
    page.wait_for_selector(".draft .result >> text=8 pages change, of 8")
    assert page.locator(".change").count() == 8
    dropped = page.locator(".lines .block.to-n")  # on this page it is shown before it is saved
    assert dropped.all_inner_texts()[0].endswith(
        "Write to the editor if you know more about case 2."
    )
    frame(page).locator(".to-n", has_text="Write to the editor").wait_for()
    page.locator(".change summary").first.click()
    assert "dropped: Write to the editor" in page.locator(".change li").first.inner_text()
    page.click("#save-rule")
    page.wait_for_selector("text=Saved to the rules")
    page.locator(".lines .block", has_text="Write to the editor").wait_for(state="detached")
    path = running.folder / "tamis-sites" / f"{HOST}.tamis"
    site = tamis.Site.load(path)
    assert [rule.kind for rule in site.rules] == ["noise"]
    assert "editor" not in site.extract(town_page(77)).text
    code = "from tamis.cli import main; main()"
    command = [sys.executable, "-c", code, "site", "test", str(path)]
    environment = {**os.environ, "PYTHONPATH": str(SOURCES)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    answer = running.post(f"/v1/sites/{HOST}/extract?formats=text", town_page(78).encode()).json()
    assert "editor" not in answer["text"]
    page.click(".message button >> text=Undo")
    page.wait_for_selector("text=Undone")
    page.locator(".lines .block", has_text="Write to the editor").click()
    page.click("#mark-noise")
    page.wait_for_selector(".draft .result >> text=8 pages change, of 8")
    page.click("#save-rule")
    page.locator(".lines .block", has_text="Write to the editor").wait_for(state="detached")
    page.click("#tab-rules")
    assert page.locator(".details").is_hidden()
    page.wait_for_selector(".rule .badge.ok")
    page.click("#run-cases")
    page.wait_for_selector("text=The test case holds")
    page.click(".rule .undo")
    page.wait_for_selector("text=No rules yet")
    page.click("#tab-document")
    page.locator(".lines .block", has_text="Write to the editor").wait_for()
    assert not tamis.Site.load(path).rules


def test_a_rule_that_breaks_a_case_is_named(tab: Tab, running: ServerProcess) -> None:
    """A rule on every block of a place, then another on some of them: the first case fails."""
    page = tab.page
    page.wait_for_selector(".entry")
    page.fill("#address", town_page(50).replace("<p>", "<p class=x>"))
    page.keyboard.press("Enter")
    page.locator(".lines .block", has_text="Paragraph one").click()
    page.select_option("#reach", "path")
    page.click("#mark-noise")
    page.wait_for_selector(".draft .result >> text=1 page changes")
    page.click("#save-rule")
    page.locator(".lines .block", has_text="Paragraph one").wait_for(state="detached")
    page.check("#shows-noise")
    page.locator(".lines .block", has_text="Paragraph two").click()
    page.select_option("#reach", "form")
    page.click("#mark-content")
    page.wait_for_selector(".draft .result >> text=1 page changes")
    page.click("#save-rule")
    page.wait_for_selector(".message.bad >> text=a test case no longer holds")
    page.click("#tab-rules")
    page.locator(".cases .rule", has_text="Story 50").locator(".failed").wait_for()
    page.click("#tab-document")
    page.click(".message button >> text=Undo")
    page.wait_for_selector("text=Undone")
    page.click("#tab-rules")
    page.wait_for_selector("text=The test case holds")
    page.click(".rule .undo")
    page.wait_for_selector("text=No rules yet")


def test_columns_and_regions_are_mended(tab: Tab, running: ServerProcess) -> None:
    page = tab.page
    page.wait_for_selector(".entry")
    page.set_input_files("#files", [SAMPLES / "shop.html"])
    page.click("#tab-records")
    page.wait_for_selector("tbody tr")
    page.get_by_role("button", name="Rename title").click()
    page.fill("#answer", "product")
    page.keyboard.press("Enter")
    page.wait_for_selector(".draft .result >> text=1 page changes")
    page.click("#save-rule")
    page.get_by_role("button", name="product", exact=True).wait_for()
    site = tamis.Site.load(running.folder / "tamis-sites" / "shop.example.com.tamis")
    assert [rule.kind for rule in site.rules] == ["region", "column"]
    assert [outcome.failures for outcome in site.run_cases()] == [()]


def test_keyboard_only(browser: Any, running: ServerProcess) -> None:
    """From opening a page to a saved rule and back, without a mouse."""
    opened = Tab(browser, running)
    page = opened.page
    page.wait_for_selector(".entry")
    page.keyboard.press("/")
    page.keyboard.type(
        "<title>K</title><section class=keys><h1>Keys</h1>"
        "<p>The first paragraph of the page says enough.</p>"
    )
    page.keyboard.press("Enter")
    page.wait_for_selector(".lines .block")
    page.keyboard.press("?")
    page.wait_for_selector("dialog[open]")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.wait_for_selector(".block.selected")
    page.keyboard.press("n")
    page.wait_for_selector(".draft .result >> text=1 page changes")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Saved to the rules")
    page.keyboard.press("]")
    page.wait_for_selector('#tab-compare[aria-selected="true"]')
    page.keyboard.press("[")
    page.wait_for_selector('#tab-document[aria-selected="true"]')
    page.keyboard.press("o")
    page.wait_for_selector(".start")
    opened.context.close()
    assert not opened.errors


def test_a_hostile_page_does_nothing(tab: Tab) -> None:
    page = tab.page
    page.wait_for_selector(".entry")
    page.click("#paste")
    page.fill("#pasted", HOSTILE)
    page.click("#open-pasted")
    page.wait_for_selector(".lines .block")
    assert (
        frame(page)
        .locator("script, img, iframe, link[href*='127'], [onclick], [href^=java]")
        .count()
        == 0
    )
    assert "<script>boom()" in page.locator(".lines").inner_text()


def test_a_large_page_works(tab: Tab) -> None:
    """Five megabytes: it opens, and a block can be chosen."""
    page = tab.page
    page.wait_for_selector(".entry")
    paragraph = "<p>This is paragraph {} of a very long page, and it has words that count.</p>"
    html = "<title>Long</title><main>" + "".join(paragraph.format(n) for n in range(66_000))
    assert len(html) > 5_000_000
    file = {"name": "long.html", "mimeType": "text/html", "buffer": html.encode()}
    page.set_input_files("#files", [file])
    page.wait_for_selector(".lines .block", timeout=240_000)
    page.locator(".lines .block").nth(5).click()
    page.wait_for_selector(".features .gauge", timeout=240_000)
    page.click("#mark-noise")
    page.wait_for_selector(".draft .result >> text=1 page changes", timeout=240_000)
    assert frame(page).locator(".to-n").count() == 5_000
    page.click("#discard-rule")
    page.click("#tab-compare")
    page.wait_for_selector(".compare .cell", timeout=240_000)
    assert page.locator(".compare .cell").count() <= 4_000
    page.click("#tab-formats")
    page.wait_for_selector("text=Only the first 300,000 characters are shown", timeout=240_000)


def test_errors_say_what_to_do(tab: Tab) -> None:
    page = tab.page
    page.wait_for_selector(".entry")
    page.fill("#address", "http://127.0.0.1:1/")
    page.keyboard.press("Enter")
    page.wait_for_selector(".message.bad")
    assert "not a public address" in page.locator(".message.bad").inner_text()
    page.fill("#address", "zeppelin")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=0 pages for")
    assert page.locator(".message.bad").count() == 0
    page.wait_for_selector("text=Try fewer of them")
    tab.errors[:] = [error for error in tab.errors if "403" not in error]  # Chromium's own words


def test_a_token_that_no_longer_holds_is_explained(tab: Tab) -> None:
    page = tab.page
    page.wait_for_selector(".entry")
    open_stored(page, 3)
    page.route("**/formats?*", lambda route: route.fulfill(status=401, json={"detail": "x"}))
    page.click("#tab-formats")
    page.wait_for_selector(".message.bad >> text=Open the address that the service printed")
    tab.errors[:] = [error for error in tab.errors if "401" not in error]  # Chromium's own words


def test_narrow_and_dark(browser: Any, running: ServerProcess) -> None:
    options = {"color_scheme": "dark"}
    opened = Tab(browser, running, **options)
    page = opened.page
    page.set_viewport_size({"width": 380, "height": 760})
    page.wait_for_selector(".entry")
    open_stored(page, 3)
    assert page.evaluate("document.documentElement.classList.contains('dark')")
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= 380
    page.get_by_role("button", name="Page", exact=True).click()
    frame(page).locator("h1").wait_for()
    opened.context.close()
    assert not opened.errors


def test_without_a_token_the_page_asks_for_it(browser: Any, running: ServerProcess) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(running.url)
    page.fill("#answer", running.token)
    page.keyboard.press("Enter")
    page.wait_for_selector(".entry")
    context.close()


def test_tamis_inspect_opens_pages(tmp_path: Path, browser: Any) -> None:
    options = [str(SAMPLES / "docs.html"), "--no-browser", "--workers", "1"]
    with ServerProcess(*options, command="inspect", token=None, folder=tmp_path) as up:
        context = browser.new_context()
        page = context.new_page()
        page.goto(f"{up.url}#token={up.token}")
        page.wait_for_selector(".lines .block")
        context.close()
