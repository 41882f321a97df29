"""Draw the pictures of docs/inspector.md: the inspector in Chromium, with the samples.

Run it after changes of the inspector: `.venv/bin/python tools/inspector_pictures.py`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import sync_playwright

from tamis.render import chromium_path
from tamis.store import Store

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "samples"
PICTURES = ROOT / "docs" / "pictures"
HOST = "https://courier.example.com"
TOKEN = "token-of-the-pictures"
PAGES = 8
PATIENCE = 300_000  # milliseconds
COMMAND = "from tamis.cli import main; main()"


def fill_store(path: Path) -> None:
    """Store an article at some addresses of a site, one of them in two versions."""
    html = (SAMPLES / "article.html").read_text(encoding="utf-8")
    with Store.open(path) as store:
        for number in range(1, PAGES + 1):
            store.put(f"{HOST}/valley/{number}", html.replace("eleven", "twelve"))
        store.put(f"{HOST}/valley/1", html, datetime.now(UTC))


@contextmanager
def run_service(folder: Path) -> Iterator[str]:
    """Run a service over a folder, and give its address."""
    options = ["--port", "0", "--workers", "1", "--queue", "64", "--store", "pages.db", "--quiet"]
    process = subprocess.Popen(
        [sys.executable, "-c", COMMAND, "serve", *options],
        cwd=folder,
        env={**os.environ, "TAMIS_TOKEN": TOKEN},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        line = next(line for line in process.stderr if "http://" in line)
        address = re.findall(r"http://\S+", line)[0]
        headers = {"Authorization": f"Bearer {TOKEN}"}
        while True:
            with suppress(httpx.TransportError):
                if httpx.get(f"{address}readyz", headers=headers).status_code == 200:
                    break
            time.sleep(0.1)
        yield address
    finally:
        process.terminate()
        process.wait()
        process.stderr.close()


def open_page(browser: Any, address: str, number: int, width: int, scheme: str) -> Any:
    """Open a stored page in a tab of its own."""
    size = {"width": width, "height": 800}
    page = browser.new_context(viewport=size, color_scheme=scheme).new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(f"{address}#token={TOKEN}")
    page.locator(".entry", has_text=f"{HOST}/valley/{number}").first.click()
    page.wait_for_selector(".lines .block")
    return page


def choose_caption(page: Any) -> None:
    """Choose the caption of the photograph, which is taken for noise."""
    page.check("#shows-noise")
    page.locator(".lines .block", has_text="One of the nine gauges").click()
    page.wait_for_selector(".features .gauge")


def draw_pictures(browser: Any, address: str) -> None:
    """Draw a block and why, a rule and what it changes, records, and a narrow screen."""
    page = open_page(browser, address, 1, 1280, "light")
    choose_caption(page)
    page.screenshot(path=PICTURES / "inspector-block.png")
    page.click("#mark-content")
    page.wait_for_selector(f".draft .result >> text=of {PAGES}:")
    page.locator(".change summary").first.click()
    page.screenshot(path=PICTURES / "inspector-rule.png")
    page.click("#discard-rule")
    page.set_input_files("#files", [SAMPLES / "shop.html"])
    page.locator(".head .title", has_text="shop.example.com").wait_for()
    page.click("#tab-records")
    page.wait_for_selector("tbody tr")
    page.screenshot(path=PICTURES / "inspector-records.png")
    narrow = open_page(browser, address, 2, 400, "dark")
    narrow.screenshot(path=PICTURES / "inspector-narrow.png")


def main() -> None:
    """Draw all pictures."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        fill_store(Path(folder) / "pages.db")
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
        quiet = ["--disable-background-networking", "--disable-component-update"]
        browser = driver.chromium.launch(executable_path=chromium_path(), args=[*sandbox, *quiet])
        with run_service(Path(folder)) as address:
            draw_pictures(browser, address)
        browser.close()


if __name__ == "__main__":
    main()
