"""Chromium: where it is, how it is started without a network, its processes and its files."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tamis.errors import Unavailable

if TYPE_CHECKING:
    from playwright.async_api import Browser, Playwright

FOLDER_PREFIX: Final = "tamis-chrome-"  # short: paths of sockets have a limit
# Of folders that could not be locked: nobody can tell which of them are left over.
UNLOCKED_PREFIX: Final = "tamis-chrome_"

_VARIABLE: Final = "TAMIS_CHROMIUM"
_PROGRAMS: Final = (
    "chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome",
)  # fmt: skip
_MAX_ATTEMPTS: Final = 3  # to create and lock a folder
_ENVIRONMENT_LOCK: Final = threading.Lock()  # for the variables that other programs get

# Playwright's routing alone lets requests of scripts out (prefetches, WebRTC, pings). So names are
# not resolved, and what needs no name goes to a proxy that is not there, loopback included.
_NO_NETWORK: Final = (
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=http://127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--dns-prefetch-disable",
    "--disable-background-networking",
    "--disable-quic",
)
_FLAGS: Final = (*_NO_NETWORK, "--disable-gpu", "--disk-cache-size=1", "--font-render-hinting=none")


# The program --------------------------------------------------------------------------------------


def chromium_path() -> str:
    """Return the path of the installed Chromium; Unavailable says how to get one."""
    program = os.environ.get(_VARIABLE)
    if program:
        path = shutil.which(program)
        if path is None:
            raise Unavailable(f"{_VARIABLE} names {program}, which is no program: correct it")
        return path
    for name in _PROGRAMS:
        if path := shutil.which(name):
            return path
    raise Unavailable(
        "rendering needs Chromium, and none is on PATH: install it (apt-get install chromium), or "
        f"set {_VARIABLE} to one"
    )


async def launch(driver: Playwright, folder: str) -> tuple[Browser, int]:
    """Start Chromium with a folder for its temporary files; return it with its process id."""
    browser = await driver.chromium.launch(
        executable_path=chromium_path(),
        args=list(_FLAGS),
        env={**os.environ, "TMPDIR": folder},
        chromium_sandbox=os.name != "posix" or os.geteuid() != 0,  # root has none
        # Signals are for the process that the user started, which ends this one.
        handle_sigint=False,
        handle_sigterm=False,
        handle_sighup=False,
    )
    session = await browser.new_browser_cdp_session()
    info = await session.send("SystemInfo.getProcessInfo")
    await session.detach()
    process = next(int(p["id"]) for p in info["processInfo"] if p["type"] == "browser")
    return browser, process


# Its processes ------------------------------------------------------------------------------------


def process_tree(process: int) -> list[int]:
    """Return the ids of a process and all its descendants (of itself alone, if not on Linux)."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError, IndexError):
            fields = entry.read_text().rpartition(")")[2].split()
            children.setdefault(int(fields[1]), []).append(int(entry.parent.name))
    tree = [process]
    for parent in tree:  # grows on the way
        tree += children.get(parent, [])
    return tree


def measure_memory(processes: Iterable[int]) -> int:
    """Return the bytes that processes do not share with others; 0 if the system does not tell."""
    pages = 0
    for process in processes:
        with suppress(OSError, ValueError):
            fields = Path(f"/proc/{process}/statm").read_text().split()
            pages += int(fields[1]) - int(fields[2])
    return pages * os.sysconf("SC_PAGE_SIZE") if pages else 0


def kill_tree(process: int) -> None:
    """Kill a process and all its descendants."""
    for number in process_tree(process):
        with suppress(OSError):
            os.kill(number, signal.SIGKILL)


# Its files ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class BrowserFolder:
    """A folder that this process has locked until it removes it or ends, however it ends."""

    path: str
    lock: int | None  # an open descriptor, None where the system cannot lock folders

    def remove(self) -> None:
        """Remove the folder and all in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self.lock is not None:
            os.close(self.lock)


@contextmanager
def temporary_files_in(folder: str) -> Iterator[None]:
    """Let programs that are started meanwhile have their temporary files in a folder.

    The driver, which has no setting for it, makes two folders for each browser and leaves them
    behind when it is killed. In this one they are removed with it.
    """
    tempfile.gettempdir()  # remembered, so that this process keeps its own
    with _ENVIRONMENT_LOCK:
        before = os.environ.get("TMPDIR")
        os.environ["TMPDIR"] = folder
        try:
            yield
        finally:
            if before is None:
                del os.environ["TMPDIR"]
            else:
                os.environ["TMPDIR"] = before


def create_folder() -> BrowserFolder:
    """Create a folder for a browser, and remove those that killed processes left behind."""
    _remove_left_over()
    for _ in range(_MAX_ATTEMPTS):
        path = tempfile.mkdtemp(prefix=FOLDER_PREFIX)
        lock = lock_folder(path)
        if lock is not None:
            return BrowserFolder(path, lock)
        with suppress(OSError):  # another process may have taken it for left over
            os.rmdir(path)
    return BrowserFolder(tempfile.mkdtemp(prefix=UNLOCKED_PREFIX), None)


def _remove_left_over() -> None:
    """Remove the folders of processes that were killed."""
    with suppress(OSError):
        for path in Path(tempfile.gettempdir()).glob(f"{FOLDER_PREFIX}*"):
            lock = lock_folder(str(path))
            if lock is not None:
                BrowserFolder(str(path), lock).remove()


def lock_folder(path: str) -> int | None:
    """Lock a folder of this user; None if another process has locked it or it cannot be locked.

    The system unlocks it when the process ends. So no process id is needed, which would mean
    nothing in another container. Programs that this process starts do not inherit the lock.
    """
    if sys.platform == "win32":
        return None
    import fcntl

    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        status = os.fstat(descriptor)
        # The process that had locked it before may have removed it.
        if status.st_uid == os.geteuid() and os.path.samestat(status, os.lstat(path)):
            return descriptor
    except OSError:
        pass
    os.close(descriptor)
    return None
