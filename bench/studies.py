"""Small measurements that decisions rest on.

    TAMIS_BENCH=… python bench/studies.py bytes|noscript|hidden|detection|rendering

`detection` also needs chardet and charset-normalizer, `rendering` playwright and Chromium.
"""

from __future__ import annotations

import gzip
import os
import re
import sys
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pages
from quality import WORD, f1

import tamis
from tamis.page import join_text, tags


def bytes_study() -> None:
    """Print which share of the bytes of 200 pages is script and style sheet."""
    body = re.compile(rb"<(script|style)\b([^>]*)>(.*?)</\1\s*>", re.S | re.I)
    total: Counter[str] = Counter()
    for html in pages.sample(200):
        total["all"] += len(html)
        for match in body.finditer(html):
            kind = "json-ld" if b"ld+json" in match[2] else match[1].decode().lower()
            total[kind] += len(match[3])
    for kind, count in total.items():
        print(f"{kind}: {count / total['all']:.3f}")


def noscript_study() -> None:
    """Print, for pages with text in noscript, the terms inside, outside, and their ratio."""
    found = []
    for truth in pages.gold():
        page = tamis.parse(pages.page(truth["id"]))
        inside = (page.tag == tags.TEXT) & ((page.flags & tags.NOSCRIPT) != 0)
        terms = sum(
            len(WORD.findall(join_text(page, np.array([r])))) for r in np.flatnonzero(inside)
        )
        outside = int(page.terms[~inside].sum())
        if terms >= 50:
            found.append((outside / terms, terms, outside, truth["page_type"]))
    for ratio, terms, outside, kind in sorted(found):
        print(f"{ratio:8.3f} {terms:6} inside {outside:6} outside {kind}")


def hidden_study() -> None:
    """Print the word F1 of each method with and without hidden text, on every fourth page."""
    methods = [name for name, method in tamis.METHODS.items() if not method.needs_layout]
    scores: dict[str, list[tuple[float, float]]] = {name: [] for name in methods}
    for truth in list(pages.gold())[::4]:
        page = tamis.parse(pages.page(truth["id"]))
        wanted = Counter(WORD.findall(truth["main_content"].lower()))
        rows = np.flatnonzero(page.visible)
        for name in methods:
            document = tamis.extract(page, method=name)
            kept = rows[document.verdict.informative[document.segments.owner[rows]]]
            both = (kept, kept[~page.hidden[kept]])
            words = [Counter(WORD.findall(join_text(page, some).lower())) for some in both]
            scores[name].append((f1(words[0], wanted), f1(words[1], wanted)))
    for name, pairs in scores.items():
        kept_mean, dropped_mean = np.mean(pairs, axis=0)
        print(f"{name:12} kept {kept_mean:.4f} dropped {dropped_mean:.4f}")


ENCODINGS = {
    "el": ("iso-8859-7", "windows-1253"),
    "en": ("windows-1252",),
    "pl": ("iso-8859-2", "windows-1250"),
    "ru": ("windows-1251", "koi8-r"),
    "zh": ("gbk", "big5", "gb18030"),
}


def detection_study() -> None:
    """Print time and errors of detectors on pages put into legacy encodings."""
    wrong: Counter[str] = Counter()
    seconds: dict[str, float] = defaultdict(float)
    cases = list(legacy_pages())
    for data, encoding in cases:
        for name, detect in detectors().items():
            started = time.perf_counter()
            found = detect(data[:65536])
            seconds[name] += time.perf_counter() - started
            right = found and data.decode(found, "replace") == data.decode(encoding, "replace")
            wrong[name] += not right
    for name in seconds:
        took = 1000 * seconds[name] / len(cases)
        print(f"{name}: {took:.1f} ms a page, {wrong[name]} of {len(cases)} wrong")


def legacy_pages() -> Iterator[tuple[bytes, str]]:
    """Yield pages of languages-dev in other encodings, their declarations removed."""
    folder = Path(os.environ["TAMIS_BENCH"]) / "languages-dev"
    for path in sorted(folder.glob("*.html.gz"))[::8]:
        text = gzip.decompress(path.read_bytes()).decode("utf-8", "replace")
        bare = re.sub(r"charset=[^\"'> ]*", "", text)
        for encoding in ENCODINGS[path.name[:2]]:
            yield bare.encode(encoding, "ignore"), encoding


def detectors() -> dict[str, Callable[[bytes], str | None]]:
    """Return the detectors that were weighed."""
    import cchardet
    import chardet
    from charset_normalizer import from_bytes

    return {
        "faust-cchardet": lambda data: cchardet.detect(data)["encoding"],
        "charset-normalizer": lambda data: getattr(from_bytes(data).best(), "encoding", None),
        "chardet": lambda data: chardet.detect(data)["encoding"],
    }


def rendering_study() -> None:
    """Print how fast pages are laid out, and how many the browser understands differently."""
    from tamis.errors import Misaligned, TamisError
    from tamis.lab.datasets import load
    from tamis.lab.layouts import files_of
    from tamis.render import Browser

    marked = [(item.html, files_of(item)) for item in load("segments-dev").items]
    others = [(html, None) for html in pages.sample(200)]
    for name, group in (("segments-dev with its files", marked), ("200 pages alone", others)):
        seconds, busy, failed, apart = [], 0.0, 0, 0
        with Browser() as browser, warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always", Misaligned)
            browser.render("<p>The first page starts the browser.")
            busy -= cpu_seconds()
            for html, files in group:
                start = time.perf_counter()
                try:
                    browser.render(html, files=files)
                except TamisError as error:
                    failed += 1
                    print(error)
                seconds.append(time.perf_counter() - start)
            busy += cpu_seconds()
            apart = len(said)
        median = sorted(seconds)[len(seconds) // 2]
        print(
            f"{name}: {len(seconds) / sum(seconds):.2f} pages/s (median {median:.2f} s, "
            f"{busy / len(seconds):.2f} s of a core a page), "
            f"{failed} failed, {apart} of {len(seconds)} understood differently"
        )


def cpu_seconds() -> float:
    """Return the time that this process and all that descend from it spent on a core (Linux)."""
    from tamis.render import process_tree

    ticks = 0
    for number in process_tree(os.getpid()):
        with suppress(OSError):  # one that has ended meanwhile: its parent has its time
            fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


STUDIES = {
    "bytes": bytes_study,
    "noscript": noscript_study,
    "hidden": hidden_study,
    "detection": detection_study,
    "rendering": rendering_study,
}

if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in STUDIES:
        sys.exit(__doc__)
    STUDIES[sys.argv[1]]()
