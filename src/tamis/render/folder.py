"""The folder for a browser's own files; what a killed process leaves, the next one removes."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

PREFIX: Final = "tamis-chrome-"  # short: paths of sockets have a limit
UNHELD: Final = "tamis-chrome_"  # where folders cannot be held, nobody knows which are left over
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


def new_folder() -> OwnFolder:
    """Return a folder for a browser, and remove those that nobody holds any more."""
    remove_left_over()
    for _ in range(ATTEMPTS):
        path = tempfile.mkdtemp(prefix=PREFIX)
        hold = held(path)
        if hold is not None:
            return OwnFolder(path, hold)
        with suppress(OSError):  # another process may have taken it for left over
            os.rmdir(path)
    return OwnFolder(tempfile.mkdtemp(prefix=UNHELD), None)


def remove_left_over() -> None:
    """Remove the folders of processes that were killed."""
    with suppress(OSError):
        for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
            hold = held(str(path))
            if hold is not None:
                OwnFolder(str(path), hold).remove()


def held(path: str) -> int | None:
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
