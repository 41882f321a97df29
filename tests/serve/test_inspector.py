"""The inspector in a real Chromium: open, hover, click, compare, download, go back."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any

import tamis
from helpers.chromium import needs_chromium
from serve.inspecting import Tab, frame, open_stored
from serve.servers import SAMPLES, ServerProcess

pytestmark = needs_chromium

HOSTILE = """<title>Hostile</title><p>Words &lt;script&gt;boom()&lt;/script&gt; of a page.</p>
<script>boom()</script><img src=http://127.0.0.1:9/x.png onerror=boom()>
<p onclick=boom()>More words here.</p>
<iframe src=http://127.0.0.1:9/></iframe><link rel=stylesheet href=http://127.0.0.1:9/x.css>
<svg onload=boom()></svg><a href=javascript:boom()>A link with words</a>
<style>@import 'http://127.0.0.1:9/';</style>"""


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


def test_narrow_and_dark(browser: Any, inspected: ServerProcess) -> None:
    options = {"color_scheme": "dark"}
    opened = Tab(browser, inspected, **options)
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


def test_without_a_token_the_page_asks_for_it(browser: Any, inspected: ServerProcess) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(inspected.url)
    page.fill("#answer", inspected.token)
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
