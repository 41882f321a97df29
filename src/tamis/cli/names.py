"""Names of pages → names of files, and what is said of pages."""

from __future__ import annotations

import hashlib
import re
from pathlib import PurePath

from tamis.printing import printable

MAX_PART = 120  # bytes of one part of a path; file systems allow 255
MAX_PATH = 800


def file_name(name: str, ending: str) -> PurePath:
    """Return the file of a page inside an output folder; no two pages get the same one.

    `a/b.html` becomes `a/b.txt`. A name of any other kind (a URL, one that leads out of the folder,
    one that is too long or that a file cannot have) is made harmless and gets a hash of itself.
    """
    stem = name.removesuffix(".html")
    parts = [part for part in stem.split("/") if part not in ("", ".", "..")] or ["page"]
    safe = [harmless(part) for part in parts]
    # A folder must not have the name that the file of another page may have.
    safe[:-1] = [f"{part}_" if part.endswith(f".{ending}") else part for part in safe[:-1]]
    if len("/".join(safe).encode()) > MAX_PATH:
        safe = safe[-1:]
    if stem == name or "/".join(safe) != stem:
        safe[-1] += f"-{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:12]}"
    return PurePath(*safe[:-1], f"{safe[-1]}.{ending}")


def harmless(part: str) -> str:
    """Return a part of a path that every file system can have."""
    clean = re.sub(r"[^\w.,=+@ -]", "_", part)
    return clean.encode()[:MAX_PART].decode("utf-8", "ignore") or "_"


def told(name: str, error: str) -> str:
    """Return an error with the page that it is about; many begin with its name or path already."""
    kinds = "folder |pattern |no file matches "
    if not name or re.match(rf"({kinds})?(.*/)?{re.escape(name)}[ :]", error, re.DOTALL):
        return printable(error)
    return f"{printable(name)}: {printable(error)}"


def counted(count: int, what: str) -> str:
    """Return a number of things in words."""
    return f"{count:,} {what}{'s' * (count != 1)}"
