"""Sites at scale: pages sorted by host and shape; a template is learned where there are enough.

The pages of a shape follow each other, so that a template is learned from the first of them and
applied to all, with no more than those first ones in memory. The first row of a shape carries the
template: `rows.where("template is not null")` is the table of templates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import pyarrow as pa

from tamis.errors import InputError
from tamis.page import parse
from tamis.scale.batches import extract_batches
from tamis.scale.columns import repair_batch, repair_text
from tamis.scale.options import Options
from tamis.scale.pages import PagePool
from tamis.scale.schema import CHARSET, SITE, check_schema
from tamis.site import Site, site_text, url_shape
from tamis.store import url_site
from tamis.workers import Pool

HOST: Final = "site_host"
SHAPE: Final = "site_shape"
TEMPLATE: Final = "template"
MIN_PAGES: Final = 5  # of a shape, for a template
_MAX_SAMPLE: Final = 10  # pages from which a template is learned
_CODED: Final = pa.dictionary(pa.int32(), pa.string())

_Page = tuple[str | None, str | bytes, str | None]  # URL, HTML, charset
_Key = tuple[str | None, str | None]


def add_site_keys(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield batches with the columns `site_host` and `site_shape`; null where there is no URL."""
    for batch in batches:
        urls = repair_text(batch.column("url")).to_pylist()
        keys = [_site_key(url) for url in urls]
        for number, name in enumerate((HOST, SHAPE)):
            column = pa.array([key[number] for key in keys], pa.string())
            batch = batch.append_column(name, column)
        yield batch


def extract_sites(
    batches: Iterable[pa.RecordBatch], options: Options, *, pool: PagePool
) -> Iterator[pa.RecordBatch]:
    """Extract pages that are sorted by host and shape, with a template for each shape.

    The batches come from `add_site_keys`. The rows are those of `extract_batches`, with host, shape
    and, in the first row of each shape that has one, the template.
    """
    learner: Pool[tuple[_Page, ...], str]
    with Pool(_build_learner, workers=1, deadline=60.0, memory=options.memory) as learner:
        yield from extract_batches(_add_templates(batches, options, learner), options, pool=pool)


def _add_templates(
    batches: Iterable[pa.RecordBatch], options: Options, learner: Pool[tuple[_Page, ...], str]
) -> Iterator[pa.RecordBatch]:
    """Yield batches with the template of each page."""
    for group in _group_runs(batches):
        sample: list[pa.RecordBatch] = []
        count, is_learned, text = 0, False, None
        for run in group:
            if count == 0:
                check_schema(run.schema, options)
            sample.append(repair_batch(run, options))
            count += run.num_rows
            if not is_learned and count < _MAX_SAMPLE:
                continue
            if not is_learned:
                text, is_learned = _learn(sample, options, learner), True
                yield from _mark(sample, text)
            else:
                yield from _mark(sample, text, is_first=False)
            sample = []
        if sample:
            yield from _mark(sample, _learn(sample, options, learner))


def _group_runs(batches: Iterable[pa.RecordBatch]) -> Iterator[Iterator[pa.RecordBatch]]:
    """Yield the parts of batches that share host and shape, one iterator for each pair."""
    parts = (part for batch in batches for part in _split_runs(batch))
    pending = next(parts, None)
    while pending is not None:
        key = _key(pending)

        def group(first: pa.RecordBatch = pending, key: _Key = key) -> Iterator[pa.RecordBatch]:
            nonlocal pending
            part: pa.RecordBatch | None = first
            while part is not None and _key(part) == key:
                yield part
                part = next(parts, None)
            pending = part

        yield group()


def _split_runs(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Yield the parts of a batch with one host and shape."""
    keys = list(zip(*(batch.column(name).to_pylist() for name in (HOST, SHAPE)), strict=True))
    start = 0
    for stop in range(1, len(keys) + 1):
        if stop == len(keys) or keys[stop] != keys[start]:
            yield batch.slice(start, stop - start)
            start = stop


def _key(batch: pa.RecordBatch) -> _Key:
    return batch.column(HOST)[0].as_py(), batch.column(SHAPE)[0].as_py()


def _mark(
    runs: Iterable[pa.RecordBatch], text: str | None, *, is_first: bool = True
) -> Iterator[pa.RecordBatch]:
    """Yield parts with the template for each page, and for the table in the first row."""
    for run in runs:
        coded = pa.array([text] * run.num_rows, pa.string()).dictionary_encode().cast(_CODED)
        shown = pa.array([text if is_first else None] + [None] * (run.num_rows - 1), pa.string())
        is_first = False
        yield run.append_column(SITE, coded).append_column(TEMPLATE, shown)


def _learn(
    runs: list[pa.RecordBatch], options: Options, learner: Pool[tuple[_Page, ...], str]
) -> str | None:
    """Return a template as text; None for too few pages, or if learning it fails."""
    if _key(runs[0])[0] is None:
        return None
    pages: list[_Page] = []
    for run in runs:
        charset = run.column(CHARSET).to_pylist() if CHARSET in run.schema.names else None
        for index, html in enumerate(run.column(options.html_column).to_pylist()):
            if html is not None:
                url = run.column("url")[index].as_py()
                pages.append((url, html, charset[index] if charset else None))
    if len(pages) < MIN_PAGES:
        return None
    outcome = learner.submit(tuple(pages[:_MAX_SAMPLE])).result()
    return outcome.value  # what fails is extracted without a template


def _build_learner() -> Callable[[tuple[_Page, ...]], str]:
    return _learn_here


def _learn_here(pages: tuple[_Page, ...]) -> str:
    """Return the file of the site that is learned from pages; runs in a worker."""
    parsed = [
        parse(html, url, charset=charset if isinstance(html, bytes) else None)
        for url, html, charset in pages
    ]
    return site_text(Site.learn(parsed))


def _site_key(url: Any) -> _Key:
    try:
        return url_site(url), url_shape(url)
    except (InputError, ValueError):
        return None, None
