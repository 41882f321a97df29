"""Pages and people that kill the browser: at most one page is lost, and nothing is left running."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest

from helpers.chromium import needs_chromium
from helpers.signals import INTERRUPTIBLE
from tamis.errors import DeadlineExceeded, RenderError, Unavailable
from tamis.render import Browser, Resource, ResourceRequest, measure_memory, process_tree

pytestmark = [needs_chromium, pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")]

FINE = "<p>fine"
LOOP = "<p>x<script>for (;;);</script>"
GLUTTON = "<script>const a = []; for (;;) a.push(new Array(1e5).fill(a.length))</script>"


def command(process: int) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().decode().replace("\0", " ")
    except OSError:
        return ""


def renderers(browser: Browser) -> list[int]:
    assert browser.process is not None
    return [n for n in process_tree(browser.process) if "--type=renderer" in command(n)]


def running(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def wait_until(condition: Callable[[], bool], seconds: float = 20) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return condition()


class Slow:
    """Resources that do something to the browser while a page waits for them."""

    def __init__(self, deed: Callable[[], None]) -> None:
        self.deed = deed

    def get(self, request: ResourceRequest) -> Resource | None:
        self.deed()
        time.sleep(30)
        return None


@pytest.fixture
def fresh_browser() -> Iterator[Browser]:
    with Browser(timeout=60) as browser:
        browser.render(FINE)
        yield browser


def while_loading(
    browser: Browser, deed: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Render a page whose image does a deed before it would arrive."""
    slow = Slow(deed)
    with monkeypatch.context() as patch:
        patch.setattr("tamis.render.browser.choose_resources", lambda files, live: slow)
        with pytest.raises(RenderError, match="the page could not be laid out"):
            browser.render("<p>x<img src=x.png>")


def kill_all(processes: list[int]) -> None:
    for number in processes:
        os.kill(number, signal.SIGKILL)


def test_a_renderer_that_is_killed_takes_one_page_with_it(
    fresh_browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    while_loading(fresh_browser, lambda: kill_all(renderers(fresh_browser)), monkeypatch)
    assert fresh_browser.render(FINE).text == "fine"


def test_a_browser_that_is_killed_takes_one_page_with_it(
    fresh_browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = fresh_browser.process
    assert first is not None
    while_loading(fresh_browser, lambda: kill_all([first]), monkeypatch)
    assert fresh_browser.render(FINE).text == "fine"
    assert fresh_browser.process != first
    assert wait_until(lambda: not running(first))


def test_a_browser_that_is_killed_while_a_tab_opens_costs_no_page(
    fresh_browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = fresh_browser.process
    assert first is not None
    open_tab = resolve_name("tamis.render.session:Session._open_tab")
    killed: list[int] = []

    async def open_and_kill(session: Any, visit: object) -> object:
        if not killed:
            killed.append(session.process)
            kill_all(killed)
            await asyncio.sleep(3600)  # as the driver does, which answers nobody any more
        return await open_tab(session, visit)

    monkeypatch.setattr("tamis.render.session.Session._open_tab", open_and_kill)
    started = time.monotonic()
    assert fresh_browser.render(FINE).text == "fine"
    assert time.monotonic() - started < fresh_browser.timeout
    assert killed == [first]


@pytest.mark.parametrize("victim", ["renderer", "browser", "driver"])
def test_what_is_killed_between_two_pages_costs_none(fresh_browser: Browser, victim: str) -> None:
    assert fresh_browser.process is not None
    stat = Path(f"/proc/{fresh_browser.process}/stat").read_text().rpartition(")")[2].split()
    victims = {
        "renderer": renderers(fresh_browser),
        "browser": [fresh_browser.process],
        "driver": [int(stat[1])],
    }
    assert victims[victim]
    kill_all(victims[victim])
    assert fresh_browser.render(FINE).text == "fine"
    assert fresh_browser.render(FINE).text == "fine"


def test_a_page_that_loops_is_cut_off() -> None:
    with Browser(timeout=3) as browser:
        start = time.monotonic()
        with pytest.raises(DeadlineExceeded, match="not laid out within 3 s"):
            browser.render(LOOP, javascript=True)
        assert time.monotonic() - start < 30
        assert browser.process is None
        browser.timeout = 60
        assert browser.render(FINE).text == "fine"


def test_a_page_that_eats_memory_is_cut_off() -> None:
    with Browser(timeout=60, max_memory=600 * 2**20) as browser:
        with pytest.raises(RenderError, match=r"took more than 600 MiB|could not be laid out"):
            browser.render(GLUTTON, javascript=True)
        assert browser.render(FINE).text == "fine"


def test_memory_of_processes_is_counted() -> None:
    assert measure_memory([os.getpid()]) > 2**20
    assert measure_memory([2**22 + 1]) == 0
    assert os.getpid() in process_tree(os.getppid())


def test_a_page_that_goes_elsewhere_stays(
    fresh_browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tamis.render.session._LOAD_SECONDS", 1.0)  # such a page never has loaded
    html = "<meta http-equiv=refresh content='0;url=http://example.org/'><p>here"
    assert fresh_browser.render(html).text == "here"
    assert fresh_browser.render(
        "<p>x<script>location = 'http://example.org/'</script>", javascript=True
    ).text


def test_closing_ends_all_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tempfile.mkdtemp()  # a short path: that of a socket in it has a limit
    monkeypatch.setattr("tempfile.tempdir", folder)
    browser = Browser(timeout=60)
    browser.render(FINE)
    assert browser.process is not None
    processes = process_tree(browser.process)
    browser.close()
    assert wait_until(lambda: not any(map(running, processes)))
    browser.close()  # a second time does no harm
    os.rmdir(folder)  # nothing is left in it


RUN = """
import sys, time
from tamis.render import Browser
with Browser(timeout=60) as browser:
    browser.render("<p>a")
    print(browser.process, flush=True)
    if sys.argv[1] == "rendering":
        browser.render("<script>for (;;);</script>", javascript=True)
    time.sleep(60)
"""


@pytest.mark.parametrize(
    ("when", "sign"),
    [
        ("idle", signal.SIGTERM),
        ("rendering", signal.SIGINT),
        ("rendering", signal.SIGKILL),
    ],
)
def test_nothing_is_left_running_however_it_ends(when: str, sign: signal.Signals) -> None:
    started = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE + RUN, when],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert started.stdout is not None
    number = int(started.stdout.readline())
    time.sleep(0.5)
    processes = [n for n in process_tree(started.pid) if n != started.pid]
    assert number in processes
    if sign is signal.SIGINT:
        os.killpg(started.pid, sign)  # as a terminal does
    else:
        os.kill(started.pid, sign)
    _, errors = started.communicate(timeout=30)
    assert wait_until(lambda: not any(map(running, processes)))
    if sign is signal.SIGINT:
        assert errors.rstrip().endswith("KeyboardInterrupt")


@pytest.mark.parametrize(
    "meddling",
    [
        "JSON.stringify = () => '{}'",
        "JSON.stringify = () => 'not JSON'",
        "JSON.stringify = () => { throw 7 }",
        "Map.prototype.set = () => 1",
        "document.getElementsByTagName = () => []",
        "document.write('<p>other'); document.close()",
    ],
)
@pytest.mark.filterwarnings("ignore::tamis.errors.Misaligned")
def test_a_page_that_meddles_is_an_error_or_a_page(browser: Browser, meddling: str) -> None:
    try:
        page = browser.render(f"<p>x<script>{meddling}</script>", javascript=True)
    except RenderError as error:
        assert "laid out" in str(error) or "returning its layout" in str(error)  # noqa: PT017
    else:
        assert page.layout is not None
    assert browser.render(FINE).text == "fine"


def test_a_browser_that_was_closed_says_so() -> None:
    browser = Browser()
    browser.close()
    with pytest.raises(RenderError, match="was closed"):
        browser.render(FINE)


def test_without_chromium_the_user_is_told_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAMIS_CHROMIUM", "/nowhere/chromium")
    with Browser() as browser, pytest.raises(Unavailable, match="TAMIS_CHROMIUM names /nowhere"):
        browser.render(FINE)
    monkeypatch.delenv("TAMIS_CHROMIUM")
    monkeypatch.setenv("PATH", "/nowhere")
    with Browser() as browser, pytest.raises(Unavailable, match="apt-get install chromium"):
        browser.render(FINE)


def test_a_program_that_is_no_browser_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAMIS_CHROMIUM", "/bin/false")
    with Browser() as browser, pytest.raises(Unavailable, match="Chromium does not start"):
        browser.render(FINE)
