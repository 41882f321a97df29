"""Results on disk, so that a second run measures only what has changed."""

from __future__ import annotations

import glob
import gzip
import hashlib
import json
import os
import re
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, Final

import tamis
from tamis.errors import TamisError
from tamis.files import open_draft
from tamis.lab.datasets import Dataset
from tamis.lab.results import PageResult
from tamis.lab.systems.methods import System

FORMAT: Final = "tamis results 1"
DIGEST: Final = 20  # digits of hashes
MAX_BYTES: Final = 2**28  # of the results of a system, unpacked
LARGEST: Final = 1e15  # of what is measured
VERSIONS: Final = 3  # of a system whose results are kept
# What measures depend on, given the answers of a system; what the answers of peers depend on,
# besides the peers; and what those depend on that come as HTML and are made text here.
LAB: Final = (
    "gold.py",
    "datasets.py",
    "metrics/blocks.py",
    "metrics/records.py",
    "metrics/text.py",
    "results.py",
)
CALLS: Final = ("systems/peers.mjs", "systems/peers.py", "systems/records.py")
LIBRARIES: Final = ("selectolax", "numpy", "rapidfuzz")
OUTSIDE: Final = ("cli", "lab/train", "store", "lab/report")  # what no result depends on


@dataclass(frozen=True)
class Cache:
    """A folder of results: a file for each system, its version, and the data set."""

    folder: Path

    def path(self, system: System, dataset: Dataset) -> Path:
        """Return the file of a system's results."""
        key = f"{FORMAT}\n{system.label}\n{system.version}\n{dataset.digest}"
        digest = hashlib.sha256(key.encode()).hexdigest()[:DIGEST]
        return self.folder / f"{self.stem(system, dataset)}-{digest}.jsonl.gz"

    def read(self, system: System, dataset: Dataset) -> dict[str, PageResult]:
        """Return the results by page; of a damaged file, or one that is not there, none."""
        try:
            data = unzipped(self.path(system, dataset).read_bytes())
            results = [result_of(json.loads(line)) for line in data.splitlines()]
        except (OSError, zlib.error, ValueError, KeyError, TypeError, RecursionError):
            return {}
        return {result.id: result for result in results}

    def write(self, system: System, dataset: Dataset, results: Iterable[PageResult]) -> None:
        """Write results as a whole or not at all."""
        path = self.path(system, dataset)
        lines = "\n".join(json.dumps(asdict(result)) for result in results)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with open_draft(path) as draft:
                draft.write_bytes(gzip.compress(lines.encode(), compresslevel=3, mtime=0))
            self.forget(system, dataset)
        except OSError as error:
            raise TamisError(
                f"cannot write results to {path.parent}: {error.strerror or error}; set "
                "XDG_CACHE_HOME to a folder with room"
            ) from error

    def forget(self, system: System, dataset: Dataset) -> None:
        """Remove the results of all but the last few versions."""
        pattern = f"{glob.escape(self.stem(system, dataset))}-{'[0-9a-f]' * DIGEST}.jsonl.gz"
        known = sorted(self.folder.glob(pattern), key=lambda path: -path.stat().st_mtime_ns)
        for path in known[VERSIONS:]:
            path.unlink(missing_ok=True)

    def stem(self, system: System, dataset: Dataset) -> str:
        """Return what the files of a system's results begin with."""
        return re.sub(r"[^\w.-]", "-", f"{dataset.name}-{system.name}")


def result_of(row: Mapping[str, Any]) -> PageResult:
    """Return a result that was written as JSON; raises TypeError or ValueError if it is none."""
    fields = dict(row)
    fields["scores"], fields["wanted"] = tuple(fields["scores"]), tuple(fields["wanted"])
    result = PageResult(**fields)
    texts = [result.id, result.stamp, result.run, result.lab, result.text]
    texts += [] if result.error is None else [result.error]
    if not isinstance(result.measures, dict) or "f1" not in result.measures:
        raise ValueError("a result without measures")
    numbers = [result.seconds, *result.scores, *result.measures.values()]
    numbers += [] if result.confidence is None else [result.confidence]
    if not all(isinstance(one, str) for one in texts) or not all(map(is_measure, numbers)):
        raise ValueError("a result with something else in the place of texts or numbers")
    if len(result.scores) != len(result.wanted) or not all(
        isinstance(one, bool) for one in result.wanted
    ):
        raise ValueError("a result with scores of other blocks than those that are wanted")
    return result


def is_measure(value: object) -> bool:
    """Say whether a value is a number that something can come to; NaN is the mean of nothing."""
    return isinstance(value, (int, float)) and not abs(value) > LARGEST


def unzipped(data: bytes) -> bytes:
    """Return what was compressed with gzip; ValueError for more than results ever are."""
    made = zlib.decompressobj(wbits=31)
    found = made.decompress(data, MAX_BYTES)
    if not made.eof or made.unused_data:
        raise ValueError("cut off, or far too large")
    return found


def user_cache() -> Cache:
    """Return the cache in the user's cache folder."""
    home = os.environ.get("XDG_CACHE_HOME")
    return Cache((Path(home) if home else Path.home() / ".cache") / "tamis" / "evaluate")


def code_version() -> str:
    """Return a hash of all that the results of tamis depend on: its code, models, libraries."""
    root = Path(tamis.__file__).parent
    files = (path for path in root.rglob("*") if path.is_file() and is_code(path, root))
    libraries = " ".join(f"{name} {library_version(name)}" for name in LIBRARIES)
    return f"{hash_of(files, root)} {libraries}"


def lab_version() -> str:
    """Return a hash of what measures depend on, given the answers of a system."""
    root = Path(__file__).parent
    return hash_of((root / name for name in LAB), root)


def peer_version(*, from_html: bool) -> str:
    """Return a hash of what the answers of peers depend on, besides the peers themselves.

    Of answers that come as HTML the text is taken here, by the parser of tamis.
    """
    root = Path(tamis.__file__).parent
    files = [root / "lab" / name for name in CALLS]
    if from_html:
        files += [path for path in (root / "page").rglob("*.py*") if is_code(path, root)]
    return hash_of(files, root)


def is_code(path: Path, root: Path) -> bool:
    """Say whether results depend on a file of the package."""
    inside = path.relative_to(root).as_posix()
    return (
        not inside.startswith(tuple(f"{folder}/" for folder in OUTSIDE))
        and "__pycache__" not in inside
        and path.suffix != ".c"
    )


def hash_of(files: Iterable[Path], root: Path) -> str:
    """Return a hash of files, their names included."""
    found = hashlib.sha256()
    for path in sorted(files):
        found.update(f"{path.relative_to(root).as_posix()}\n".encode())
        found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()[:DIGEST]


@cache
def library_version(name: str) -> str:
    """Return the version of a library, or nothing."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""
