"""Region → its records without what stands between them, and which of them are advertisements."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Final

import numpy as np

from tamis.page import Bools
from tamis.records.columns import FULL
from tamis.records.regions import Region
from tamis.records.tables import header_names

COMMON: Final = 0.5  # share of records that have a column which makes a record one of them

# Words that mean nothing else: what is paid may be an invoice.
_AD: Final = frozenset(
    "sponsored ad ads advert advertisement promoted anzeige gesponsert sponsorisé patrocinado "
    "publicidad sponsorizzato pubblicità reklama реклама 广告 広告".split()
) | {"featured ad"}
_AD_LENGTH: Final = 20  # more than any of these words has
_AD_CLASS: Final = re.compile(rb"(?i)sponsor|promoted|advert|[\s_-]ads?[\s_-]")


def drop_separators(region: Region) -> Region:
    """Return a region without the records that have nothing in common with most others.

    Headers of tables and banners inside a list are such; what says that it is an advertisement
    stays. All stay where nothing is common.
    """
    common = region.fill >= COMMON
    proper = np.zeros(len(region), dtype=np.bool_)
    proper[region.record[common[region.column]]] = True
    if proper.all():
        return region
    proper |= sponsored(region)
    if proper.sum() < 2 or proper.all():
        return region
    kept = proper[region.record]
    number = np.cumsum(proper) - 1
    return replace(
        region,
        start=region.start[proper],
        cell=region.cell[kept],
        column=region.column[kept],
        record=number[region.record[kept]],
    )


def says_ad(texts: Iterable[str]) -> bool:
    """Say whether all texts that are not empty are words for an advertisement."""
    return all(text.lower() in _AD for text in texts if text)


def sponsored(region: Region) -> Bools:
    """Return which records say, or whose class says, that they are advertisements."""
    page = region.page
    _, first, group = np.unique(
        page.class_key[region.start], return_index=True, return_inverse=True
    )
    heads = region.start[first]
    places = zip(page.class_start[heads].tolist(), page.class_stop[heads].tolist(), strict=True)
    found = [_AD_CLASS.search(b" %b " % page.source[start:stop]) for start, stop in places]
    marks = np.array([one is not None for one in found])[group]
    text = region.text_of
    said = {one for one in text.values() if len(one) < _AD_LENGTH and one.lower() in _AD}
    if said and not header_names(region):
        own = [place for place, cell in enumerate(region.cell.tolist()) if text[cell] in said]
        column, record = region.column.tolist(), region.record.tolist()
        status = {n for n in {column[n] for n in own} if is_status(region, n, said)}
        marks[[record[n] for n in own if column[n] not in status]] = True
    return marks


def is_status(region: Region, column: int, said: Collection[str]) -> bool:
    """Say whether all records have one of few texts in a column, as whether they were promoted.

    An advertisement has what others lack, or where each of them has a text of its own.
    """
    own = region.column == column
    records = region.record[own]
    if len(records) < FULL * len(region) or len(set(records.tolist())) < len(records):
        return False
    others = [
        text for cell in region.cell[own].tolist() if (text := region.text_of[cell]) not in said
    ]
    return bool(others) and 2 * len(set(others)) <= len(others)
