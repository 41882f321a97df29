"""Results on disk: a second run measures only what has changed."""

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
from pathlib import Path
from typing import Any, Final

from tamis.errors import TamisError
from tamis.files import open_draft
from tamis.lab.datasets import Dataset
from tamis.lab.results import PageResult
from tamis.lab.systems.methods import System
from tamis.lab.versions import DIGEST_DIGITS

_FORMAT: Final = "tamis results 1"
_MAX_BYTES: Final = 2**28  # of the results of a system, unpacked
_MAX_MEASURE: Final = 1e15  # of what is measured
_MAX_VERSIONS: Final = 3  # of a system whose results are kept


@dataclass(frozen=True)
class Cache:
    """A folder of results: a file for each system, its version, and the data set."""

    folder: Path

    def path(self, system: System, dataset: Dataset) -> Path:
        """Return the file of a system's results."""
        key = f"{_FORMAT}\n{system.label}\n{system.version}\n{dataset.digest}"
        digest = hashlib.sha256(key.encode()).hexdigest()[:DIGEST_DIGITS]
        return self.folder / f"{self.stem(system, dataset)}-{digest}.jsonl.gz"

    def read(self, system: System, dataset: Dataset) -> dict[str, PageResult]:
        """Return the results by page; none if the file is missing or damaged."""
        try:
            data = unzip_results(self.path(system, dataset).read_bytes())
            results = [_parse_result(json.loads(line)) for line in data.splitlines()]
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
                "XDG_CACHE_HOME to a folder with space"
            ) from error

    def forget(self, system: System, dataset: Dataset) -> None:
        """Remove the results of all but the last few versions."""
        pattern = f"{glob.escape(self.stem(system, dataset))}-{'[0-9a-f]' * DIGEST_DIGITS}.jsonl.gz"
        paths = sorted(self.folder.glob(pattern), key=lambda path: -path.stat().st_mtime_ns)
        for path in paths[_MAX_VERSIONS:]:
            path.unlink(missing_ok=True)

    def stem(self, system: System, dataset: Dataset) -> str:
        """Return what the files of a system's results begin with."""
        return re.sub(r"[^\w.-]", "-", f"{dataset.name}-{system.name}")


def _parse_result(row: Mapping[str, Any]) -> PageResult:
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
    if not all(isinstance(text, str) for text in texts) or not all(map(_is_measure, numbers)):
        raise ValueError("a result with wrong types")
    if len(result.scores) != len(result.wanted) or not all(
        isinstance(wanted, bool) for wanted in result.wanted
    ):
        raise ValueError("a result with scores of other blocks than the truth has")
    return result


def _is_measure(value: object) -> bool:
    """Say whether a value is a number that a measure can have; NaN is the mean of nothing."""
    return isinstance(value, (int, float)) and not abs(value) > _MAX_MEASURE


def unzip_results(data: bytes) -> bytes:
    """Return what was compressed with gzip; ValueError for more than results ever are."""
    unzipper = zlib.decompressobj(wbits=31)
    unzipped = unzipper.decompress(data, _MAX_BYTES)
    if not unzipper.eof or unzipper.unused_data:
        raise ValueError("cut off, or far too large")
    return unzipped


def user_cache() -> Cache:
    """Return the cache in the user's cache folder."""
    home = os.environ.get("XDG_CACHE_HOME")
    return Cache((Path(home) if home else Path.home() / ".cache") / "tamis" / "evaluate")
