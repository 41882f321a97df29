"""The locale of a page, from its language tag and its URL."""

from __future__ import annotations

import pytest

import tamis
from tamis.values import Locale, page_locale


@pytest.mark.parametrize(
    ("lang", "url", "expected"),
    [
        ("en-GB", None, Locale("en", "GB")),
        ("en", "https://a.co.uk/b", Locale("en", "GB")),
        ("de_CH", "https://a.example", Locale("de", "CH")),
        ("zh-Hant", None, Locale("zh", "TW")),
        ("da", "https://a.com", Locale("da", "DK")),
        ("", "https://a.se:80/", Locale("", "SE")),
        ("", "https://a.io/", Locale()),
        ("", "https://[", Locale()),
        ("", "", Locale()),
    ],
)
def test_page_locale(lang: str, url: str | None, expected: Locale) -> None:
    page = tamis.parse(f"<html lang='{lang}'><body><p>a", url=url or None)
    assert page_locale(page) == expected
