"""Records that are none: separators and totals are dropped, advertisements are marked."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Final

import numpy as np

from tamis.page import Bools, tags
from tamis.records.column import MIN_FULL_SHARE
from tamis.records.regions import Region
from tamis.records.signatures import prefix_sums
from tamis.records.tables import find_header_names

_MIN_COMMON_SHARE: Final = 0.5  # share of records that have a common column

# Only words that mean nothing else: what is "paid" may be an invoice.
_AD_WORDS: Final = frozenset(
    "sponsored ad ads advert advertisement promoted anzeige gesponsert sponsorisé patrocinado "
    "publicidad sponsorizzato pubblicità reklama реклама 广告 広告".split()
) | {"featured ad"}
_TOTAL_WORDS: Final = frozenset(
    "total totals subtotal sum summe gesamt gesamtsumme insgesamt zwischensumme somme totale "
    "totaux suma razem итого всего 合计 总计 合計 総計 小计 합계 총계 toplam celkem összesen "
    "totaal yhteensä totalt ukupno σύνολο".split()
) | {"grand total", "sub total", "sub-total", "total général", "total general", "in total"}
_MAX_AD_LENGTH: Final = 20  # characters; all of these words have fewer
_TR: Final = tags.CODE["tr"]
_TFOOT: Final = tags.CODE["tfoot"]
_TH: Final = tags.CODE["th"]
_TD: Final = tags.CODE["td"]
_AD_CLASS: Final = re.compile(rb"(?i)sponsor|promoted|advert|[\s_-]ads?[\s_-]")


def drop_separators(region: Region) -> Region:
    """Return a region without totals and the records that have nothing in common with most others.

    Such are headers of tables and banners inside a list. Records that are marked as advertisements
    stay. All records stay if nothing is common.
    """
    is_common = region.fill_rate >= _MIN_COMMON_SHARE
    is_record = np.zeros(len(region), dtype=np.bool_)
    is_record[region.record[is_common[region.column]]] = True
    if not is_record.all():
        is_record |= find_ads(region)
    is_record &= ~_find_totals(region) & ~_find_header_rows(region)
    if is_record.sum() < 2 or is_record.all():
        return region
    is_included = is_record[region.record]
    new_index = np.cumsum(is_record) - 1
    return replace(
        region,
        start=region.start[is_record],
        cell=region.cell[is_included],
        column=region.column[is_included],
        record=new_index[region.record[is_included]],
    )


def _find_totals(region: Region) -> Bools:
    """Return which records are the last rows of a table and sum up those before.

    They are in the foot of the table, or their first text is a word for a total.
    """
    page = region.page
    is_total = np.zeros(len(region), dtype=np.bool_)
    if not (page.tag[region.start] == _TR).all():
        return is_total
    first_cell = region.cell[np.searchsorted(region.record, np.arange(len(region)))]
    for record in reversed(range(len(region))):
        is_in_foot = page.tag[page.parent[region.start[record]]] == _TFOOT
        text = region.cell_texts[int(first_cell[record])].rstrip(" :：").lower()
        if not is_in_foot and text not in _TOTAL_WORDS:
            break
        is_total[record] = True
    return is_total


def _find_header_rows(region: Region) -> Bools:
    """Return which records are rows of header cells alone, if most others are not.

    They may be like the others, whose first cells are headers of their rows.
    """
    page, start = region.page, region.start
    is_header: Bools = page.tag[start] == _TR
    if not is_header.any():
        return is_header
    stop, first = page.end[start], int(start.min())
    inside = page.tag[first : int(stop.max())]
    headers, values = (prefix_sums(inside == tag) for tag in (_TH, _TD))
    is_header &= headers[stop - first] > headers[start - first]
    is_header &= values[stop - first] == values[start - first]
    is_exception = 2 * int(is_header.sum()) < len(region)
    return is_header if is_exception else np.zeros_like(is_header)


def are_ad_words(texts: Iterable[str]) -> bool:
    """Say whether all texts that are not empty are words for an advertisement."""
    return all(text.lower() in _AD_WORDS for text in texts if text)


def find_ads(region: Region) -> Bools:
    """Return which records are advertisements by a text or by their class."""
    page = region.page
    _, first, group = np.unique(
        page.class_key[region.start], return_index=True, return_inverse=True
    )
    examples = region.start[first]  # one record for each class
    spans = zip(
        page.class_start[examples].tolist(), page.class_stop[examples].tolist(), strict=True
    )
    matches = [_AD_CLASS.search(b" %b " % page.source[start:stop]) for start, stop in spans]
    is_ad = np.array([match is not None for match in matches])[group]
    texts = region.cell_texts
    ad_texts = {
        text for text in texts.values() if len(text) < _MAX_AD_LENGTH and text.lower() in _AD_WORDS
    }
    if ad_texts and not find_header_names(region):
        column, record = region.column.tolist(), region.record.tolist()
        indexes = [n for n, cell in enumerate(region.cell.tolist()) if texts[cell] in ad_texts]
        candidates = {column[n] for n in indexes}
        status_columns = {n for n in candidates if _is_status(region, n, ad_texts)}
        is_ad[[record[n] for n in indexes if column[n] not in status_columns]] = True
    return is_ad


def _is_status(region: Region, column: int, ad_texts: Collection[str]) -> bool:
    """Say whether all records have one of few texts in a column, such as whether they got promoted.

    The mark of an advertisement is a text that others lack, or where each other record has a text
    of its own.
    """
    is_in_column = region.column == column
    records = region.record[is_in_column]
    if len(records) < MIN_FULL_SHARE * len(region) or len(set(records.tolist())) < len(records):
        return False
    texts = [region.cell_texts[cell] for cell in region.cell[is_in_column].tolist()]
    others = [text for text in texts if text not in ad_texts]
    return bool(others) and 2 * len(set(others)) <= len(others)
