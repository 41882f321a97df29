"""Parts: what is measured for the items, each once, and kept in the user's cache folder."""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tamis.errors import TamisError
from tamis.files import open_draft
from tamis.lab import studies
from tamis.lab.cache import user_cache
from tamis.lab.datasets import load
from tamis.lab.studies.papers.copies import measure_copies_part
from tamis.lab.studies.papers.data_sets import USES, measure_data_part
from tamis.lab.studies.papers.further_parts import (
    CURVE_SET,
    PAGES_SET,
    RECORDS_SET,
    SEGMENTS_SET,
    measure_layout_part,
    measure_pages_part,
    measure_records_part,
    measure_search_part,
    measure_segments_part,
    measure_storage_part,
    measure_svm_part,
)
from tamis.lab.studies.papers.site_blocks import (
    SHOP_SETS,
    SITES_SET,
    measure_curve_part,
    measure_shops_part,
    measure_sites_part,
)
from tamis.lab.studies.papers.times import measure_times_part
from tamis.lab.study import Log
from tamis.lab.versions import DIGEST_DIGITS, code_version, hash_files

_SVM_FILES: Final = ("train/svm.py", "train/learning_curve.py")
_COPIES_FILES: Final = ("studies/papers/copies.py",)
_KEPT_VERSIONS: Final = 3  # of a part
# The code of studies that parts depend on; the rest only shows what they gave.
_MEASURING: Final = ("sites", "store")
_MEASURING_FILES: Final = (
    "segments.py",
    "papers/further_parts.py",
    "papers/site_blocks.py",
    "papers/times.py",
)


@dataclass(frozen=True)
class Part:
    """A measurement that gives plain data, on data sets.

    `files` of the lab are those that it depends on and other results do not.
    """

    measure: Callable[[Log], dict[str, Any]]
    datasets: tuple[str, ...]
    needs_browser: bool = False
    files: tuple[str, ...] = ()


PARTS: Final[Mapping[str, Part]] = {
    "data": Part(measure_data_part, tuple(USES), files=("studies/papers/data_sets.py",)),
    "sites": Part(measure_sites_part, (SITES_SET,)),
    "curve": Part(measure_curve_part, (SITES_SET,)),
    "shops": Part(measure_shops_part, SHOP_SETS),
    "times": Part(measure_times_part, (SITES_SET, CURVE_SET)),
    "storage": Part(measure_storage_part, (SITES_SET,)),
    "copies": Part(measure_copies_part, (SITES_SET,), files=_COPIES_FILES),
    "svm": Part(measure_svm_part, (CURVE_SET,), files=_SVM_FILES),
    "segments": Part(measure_segments_part, (SEGMENTS_SET,)),
    "records": Part(measure_records_part, (RECORDS_SET,)),
    "pages": Part(measure_pages_part, (PAGES_SET,)),
    "search": Part(measure_search_part, (PAGES_SET,)),
    "layout": Part(measure_layout_part, (SEGMENTS_SET,), needs_browser=True),
}


@dataclass(frozen=True)
class PartCache:
    """A folder with the outcomes of parts, by the code and the data that they depend on."""

    folder: Path
    version: str

    def read(self, name: str, part: Part) -> dict[str, Any] | None:
        """Return what was measured; None if it is not there, or damaged."""
        try:
            outcome = json.loads(gzip.decompress(self._path(name, part).read_bytes()))
        except (OSError, EOFError, zlib.error, ValueError):
            return None
        return outcome if isinstance(outcome, dict) else None

    def write(self, name: str, part: Part, outcome: Mapping[str, Any]) -> None:
        """Keep what was measured, as a whole or not at all."""
        path = self._path(name, part)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with open_draft(path) as draft:
                draft.write_bytes(gzip.compress(json.dumps(outcome).encode(), mtime=0))
        except OSError as error:
            raise TamisError(
                f"cannot write results to {path.parent}: {error.strerror or error}; set "
                "XDG_CACHE_HOME to a folder with space"
            ) from error
        older = sorted(self.folder.glob(f"{name}-*.json.gz"), key=lambda p: -p.stat().st_mtime_ns)
        for stale in older[_KEPT_VERSIONS:]:
            stale.unlink(missing_ok=True)

    def _path(self, name: str, part: Part) -> Path:
        digests = [_digest(dataset) for dataset in part.datasets]
        lab = Path(studies.__file__).parents[1]
        further = [hash_files((lab / file for file in part.files), lab)] if part.files else []
        key = "\n".join([name, self.version, *digests, *further])
        digest = hashlib.sha256(key.encode()).hexdigest()[:DIGEST_DIGITS]
        return self.folder / f"{name}-{digest}.json.gz"


def _digest(dataset: str) -> str:
    """Return what tells a data set from others; nothing if it is not there."""
    try:
        return load(dataset).digest
    except TamisError:
        return ""


def user_part_cache() -> PartCache:
    """Return the cache in the user's cache folder, for the code as it is."""
    folder = Path(studies.__file__).parent
    folders = (folder / name for name in _MEASURING)
    version = hash_files((path for part in folders for path in part.rglob("*.py")), folder)
    version += hash_files((folder / name for name in _MEASURING_FILES), folder)
    return PartCache(user_cache().folder.parent / "papers", f"{code_version()} {version}")


def measure_part(name: str, cache: PartCache, log: Log, *, fresh: bool = False) -> dict[str, Any]:
    """Return the outcome of a part, from the cache if it has it."""
    part = PARTS[name]
    cached = None if fresh else cache.read(name, part)
    if cached is not None:
        log.say(f"{name}: from the cache")
        return cached
    # What comes out of the cache is JSON, so that what comes out of measuring is, too.
    outcome: dict[str, Any] = json.loads(json.dumps(part.measure(log)))
    cache.write(name, part, outcome)
    return outcome
