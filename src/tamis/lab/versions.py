"""Versions: hashes of the code that results depend on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Final

import tamis

DIGEST_DIGITS: Final = 20
# What measures depend on, given the answers of a system; what the answers of peers depend on,
# besides the peers. Answers that come as HTML are turned into text here.
_LAB_FILES: Final = (
    "gold.py",
    "datasets.py",
    "metrics/blocks.py",
    "metrics/records.py",
    "metrics/text.py",
    "results.py",
)
_PEER_FILES: Final = (
    "systems/peers.mjs",
    "systems/peers.py",
    "systems/processes.py",
    "systems/records.py",
    "systems/rs_trafilatura_peer.py",
)
_LIBRARIES: Final = ("selectolax", "numpy", "rapidfuzz")
_OUTSIDE: Final = (
    "cli",
    "lab/train",
    "store",
    "lab/report",
    "lab/studies",
)  # what no result depends on


def code_version() -> str:
    """Return a hash of all that the results of tamis depend on: its code, models, libraries."""
    root = Path(tamis.__file__).parent
    files = (path for path in root.rglob("*") if path.is_file() and is_code(path, root))
    libraries = " ".join(f"{name} {_library_version(name)}" for name in _LIBRARIES)
    return f"{hash_files(files, root)} {libraries}"


def lab_version() -> str:
    """Return a hash of what measures depend on, given the answers of a system."""
    root = Path(__file__).parent
    return hash_files((root / name for name in _LAB_FILES), root)


def peer_version(*, from_html: bool) -> str:
    """Return a hash of what the answers of peers depend on, besides the peers themselves.

    Of answers that come as HTML the text is taken here, by the parser of tamis.
    """
    root = Path(tamis.__file__).parent
    files = [root / "lab" / name for name in _PEER_FILES]
    if from_html:
        files += [path for path in (root / "page").rglob("*.py*") if is_code(path, root)]
    return hash_files(files, root)


def is_code(path: Path, root: Path) -> bool:
    """Say whether results depend on a file of the package."""
    inside = path.relative_to(root).as_posix()
    return (
        not inside.startswith(tuple(f"{folder}/" for folder in _OUTSIDE))
        and "__pycache__" not in inside
        and path.suffix != ".c"
    )


def hash_files(files: Iterable[Path], root: Path) -> str:
    """Return a hash of files, their names included."""
    digest = hashlib.sha256()
    for path in sorted(files):
        digest.update(f"{path.relative_to(root).as_posix()}\n".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:DIGEST_DIGITS]


@cache
def _library_version(name: str) -> str:
    """Return the version of a library, or nothing."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""
