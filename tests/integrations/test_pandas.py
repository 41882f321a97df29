from __future__ import annotations

import pandas as pd
import pytest

import tamis
from tamis.errors import TooLarge, UnknownName, WrongType
from tamis.integrations import pandas

from .conftest import SAMPLES, URL

PATHS = sorted(SAMPLES.glob("*.html"))


@pytest.fixture
def pages() -> pd.Series:
    """The samples by their names, and a page that is missing."""
    names = [path.stem for path in PATHS]
    return pd.Series([*(path.read_bytes() for path in PATHS), None], index=[*names, "missing"])


def test_importing_the_module_registers_the_accessor(pages: pd.Series) -> None:
    assert isinstance(pages.tamis, pandas.TamisAccessor)


def test_a_page_is_a_row(pages: pd.Series) -> None:
    frame = pages.tamis.extract()
    assert list(frame.index) == list(pages.index)
    for path in PATHS:
        document = tamis.extract(path.read_bytes())
        row = frame.loc[path.stem]
        assert (row["text"], row["markdown"]) == (document.text, document.markdown)
        assert (row["title"], row["status"]) == (document.metadata.title, document.status)
        assert (row["page_type"], row["confidence"]) == (document.page_type, document.confidence)
    assert frame.loc["missing"].isna().all()
    assert frame["error"].isna().all()


def test_urls_make_links_absolute() -> None:
    pages = pd.Series(["<p>See <a href=/x>the other page</a> for more of it.", "<p>Nothing."])
    assert "(https://example.org/x)" in pages.tamis.markdown(url=[URL, None])[0]
    assert pages.tamis.extract(url=pd.Series([URL, None]), fields=["url"])["url"][0] == URL


@pytest.mark.parametrize("url", [["https://example.org/"], "https://example.org/"])
def test_there_is_one_url_for_each_page(url: list[str] | str, pages: pd.Series) -> None:
    with pytest.raises(WrongType):
        pages.tamis.extract(url=url)


def test_fields_are_chosen_by_name(pages: pd.Series) -> None:
    frame = pages.tamis.extract(fields=["html", "date"], favor="recall")
    assert list(frame.columns) == ["html", "date", "error"]
    page = (SAMPLES / "article.html").read_bytes()
    assert frame["html"]["article"] == tamis.extract(page, favor="recall").html
    with pytest.raises(UnknownName):
        pages.tamis.extract(fields=["words"])


def test_a_page_that_cannot_be_read_is_a_row_with_its_error(pages: pd.Series) -> None:
    limit = len((SAMPLES / "article.html").read_bytes())
    frame = pages.tamis.extract(max_bytes=limit)
    assert "limit" in frame["error"]["shop"]
    assert frame["text"].isna()["shop"]
    assert frame["text"]["article"]
    assert pages.tamis.text(max_bytes=limit).isna()["shop"]
    with pytest.raises(TooLarge):
        pages.tamis.extract(max_bytes=limit, errors="raise")
    with pytest.raises(UnknownName):
        pages.tamis.extract(errors="ignore")
    with pytest.raises(UnknownName):
        pages.tamis.extract(method="magic")


def test_chunks_and_records_stand_under_the_index_of_their_page(pages: pd.Series) -> None:
    chunks = pages.tamis.chunks(max_tokens=100)
    joined = chunks.groupby(level=0, sort=False)["text"].apply("".join)
    markdown = pages.tamis.markdown().dropna()
    assert joined.to_dict() == markdown.to_dict()
    records = pages.tamis.records()
    shop = tamis.extract((SAMPLES / "shop.html").read_bytes())
    assert records.loc["shop"]["title"].tolist() == [row["title"] for row in shop.records]


def test_no_pages_give_no_rows() -> None:
    empty = pd.Series([], dtype=object)
    assert (
        len(empty.tamis.extract()) == len(empty.tamis.chunks()) == len(empty.tamis.records()) == 0
    )
    assert "tokens" in empty.tamis.chunks().columns


def test_a_column_of_strings_works_and_one_of_numbers_does_not(docs_html: str) -> None:
    frame = pd.DataFrame({"html": pd.array([docs_html, pd.NA], dtype="string"), "n": [1, 2]})
    assert frame["html"].tamis.text()[0] == tamis.extract(docs_html).text
    with pytest.raises(AttributeError, match="only pages"):
        _ = frame["n"].tamis
