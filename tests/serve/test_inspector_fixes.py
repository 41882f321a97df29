"""The fix loop of the inspector in a real Chromium: mark, see the effect, save, test, undo."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import tamis
from helpers.chromium import needs_chromium
from serve.inspecting import HOST, Tab, frame, open_stored, town_page
from serve.servers import SAMPLES, SOURCES, ServerProcess

pytestmark = needs_chromium


def test_the_fix_loop(tab: Tab, inspected: ServerProcess) -> None:
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
    path = inspected.folder / "tamis-sites" / f"{HOST}.tamis"
    site = tamis.Site.load(path)
    assert [rule.kind for rule in site.rules] == ["noise"]
    assert "editor" not in site.extract(town_page(77)).text
    code = "from tamis.cli import main; main()"
    command = [sys.executable, "-c", code, "site", "test", str(path)]
    environment = {**os.environ, "PYTHONPATH": str(SOURCES)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    answer = inspected.post(f"/v1/sites/{HOST}/extract?formats=text", town_page(78).encode()).json()
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


def test_a_rule_that_breaks_a_case_is_named(tab: Tab, inspected: ServerProcess) -> None:
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


def test_columns_and_regions_are_mended(tab: Tab, inspected: ServerProcess) -> None:
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
    site = tamis.Site.load(inspected.folder / "tamis-sites" / "shop.example.com.tamis")
    assert [rule.kind for rule in site.rules] == ["region", "column"]
    assert [outcome.failures for outcome in site.run_cases()] == [()]


def test_keyboard_only(browser: Any, inspected: ServerProcess) -> None:
    """From opening a page to a saved rule and back, without a mouse."""
    opened = Tab(browser, inspected)
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
