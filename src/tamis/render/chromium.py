"""The folder for a browser's own files; what a killed process leaves, the next one removes.

Chromium: where it is, how it is started so that nothing gets out, and how it is ended.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tamis.errors import Unavailable

if TYPE_CHECKING:
    from playwright.async_api import Browser, Playwright


FOLDER_PREFIX: Final = "tamis-chrome-"  # short: paths of sockets have a limit
UNLOCKED_PREFIX: Final = (
    "tamis-chrome_"  # where folders cannot be held, nobody knows which are left over
)
ATTEMPTS: Final = 3


@dataclass(frozen=True)
class OwnFolder:
    """A folder that this process holds until it removes it or ends, however it ends."""

    path: str
    hold: int | None  # an open descriptor, where the system can hold folders

    def remove(self) -> None:
        """Remove the folder and all in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self.hold is not None:
            os.close(self.hold)


def create_folder() -> OwnFolder:
    """Return a folder for a browser, and remove those that nobody holds any more."""
    remove_left_over()
    for _ in range(ATTEMPTS):
        path = tempfile.mkdtemp(prefix=FOLDER_PREFIX)
        hold = lock_folder(path)
        if hold is not None:
            return OwnFolder(path, hold)
        with suppress(OSError):  # another process may have taken it for left over
            os.rmdir(path)
    return OwnFolder(tempfile.mkdtemp(prefix=UNLOCKED_PREFIX), None)


def remove_left_over() -> None:
    """Remove the folders of processes that were killed."""
    with suppress(OSError):
        for path in Path(tempfile.gettempdir()).glob(f"{FOLDER_PREFIX}*"):
            hold = lock_folder(str(path))
            if hold is not None:
                OwnFolder(str(path), hold).remove()


def lock_folder(path: str) -> int | None:
    """Take hold of a folder of this user's; None if another has it or it cannot be held.

    The system lets go of it when the process ends, so no number of a process is needed, which
    would say nothing in another container. Programs that are started do not inherit the hold.
    """
    if sys.platform == "win32":
        return None
    import fcntl

    try:
        found = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.flock(found, fcntl.LOCK_EX | fcntl.LOCK_NB)
        own = os.fstat(found)
        # Whoever held it before may have removed it.
        if own.st_uid == os.geteuid() and os.path.samestat(own, os.lstat(path)):
            return found
    except OSError:
        pass
    os.close(found)
    return None


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


def process_tree(process: int) -> list[int]:
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


def measure_memory(processes: Iterable[int]) -> int:
    """Return the bytes that processes have for themselves, as far as the system tells."""
    pages = 0
    for number in processes:
        with suppress(OSError, ValueError):
            fields = Path(f"/proc/{number}/statm").read_text().split()
            pages += int(fields[1]) - int(fields[2])
    return pages * os.sysconf("SC_PAGE_SIZE") if pages else 0


def kill(process: int) -> None:
    """End a process and all that descend from it at once."""
    for number in process_tree(process):
        with suppress(OSError):
            os.kill(number, signal.SIGKILL)
