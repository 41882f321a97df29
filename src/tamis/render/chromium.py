"""Chromium: where it is, how it is started so that nothing gets out, and how it is ended."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tamis.errors import Unavailable

if TYPE_CHECKING:
    from playwright.async_api import Browser, Playwright

VARIABLE: Final = "TAMIS_CHROMIUM"
NAMES: Final = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome")

# Playwright's routing alone lets requests of scripts out (prefetches, WebRTC, pings). So names are
# not resolved, and what needs no name goes to a proxy that is not there, loopback included.
NO_NETWORK: Final = (
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=http://127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--dns-prefetch-disable",
    "--disable-background-networking",
    "--disable-quic",
)
FLAGS: Final = (*NO_NETWORK, "--disable-gpu", "--disk-cache-size=1", "--font-render-hinting=none")


def chromium_path() -> str:
    """Return the Chromium that is installed; Unavailable says how to get one."""
    named = os.environ.get(VARIABLE)
    if named:
        found = shutil.which(named)
        if found is None:
            raise Unavailable(f"{VARIABLE} names {named}, which is no program: correct it")
        return found
    for name in NAMES:
        if found := shutil.which(name):
            return found
    raise Unavailable(
        "rendering needs Chromium, and none is on PATH: install it (apt-get install chromium), or "
        f"set {VARIABLE} to one"
    )


async def launched(driver: Playwright, folder: str) -> tuple[Browser, int]:
    """Start Chromium, its own files in a folder; return it with the number of its process."""
    browser = await driver.chromium.launch(
        executable_path=chromium_path(),
        args=list(FLAGS),
        env={**os.environ, "TMPDIR": folder},
        chromium_sandbox=os.name != "posix" or os.geteuid() != 0,  # root has none
        # Signals are for the process that the user started, which ends this one.
        handle_sigint=False,
        handle_sigterm=False,
        handle_sighup=False,
    )
    session = await browser.new_browser_cdp_session()
    told = await session.send("SystemInfo.getProcessInfo")
    await session.detach()
    number = next(int(p["id"]) for p in told["processInfo"] if p["type"] == "browser")
    return browser, number


def family(process: int) -> list[int]:
    """Return a process and all that descend from it, where the system tells (Linux)."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError, IndexError):
            fields = entry.read_text().rpartition(")")[2].split()
            children.setdefault(int(fields[1]), []).append(int(entry.parent.name))
    found = [process]
    for number in found:
        found += children.get(number, [])
    return found


def memory(processes: Iterable[int]) -> int:
    """Return the bytes that processes have for themselves, as far as the system tells."""
    pages = 0
    for number in processes:
        with suppress(OSError, ValueError):
            fields = Path(f"/proc/{number}/statm").read_text().split()
            pages += int(fields[1]) - int(fields[2])
    return pages * os.sysconf("SC_PAGE_SIZE") if pages else 0


def kill(process: int) -> None:
    """End a process and all that descend from it at once."""
    for number in family(process):
        with suppress(OSError):
            os.kill(number, signal.SIGKILL)
