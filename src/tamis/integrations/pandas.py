"""pandas: `series.tamis` for columns of HTML. Importing this module registers it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import asdict
from operator import attrgetter
from typing import Any, Final, Literal

from tamis.content import MAX_TOKENS, Chunk, Document, Tokenizer, count_tokens
from tamis.errors import TamisError, UnknownName, WrongType, unavailable
from tamis.pipeline import extract

try:
    import pandas as pd
except ModuleNotFoundError as error:
    raise unavailable("the pandas accessor needs pandas", "pandas") from error

__all__ = ["FIELDS", "TamisAccessor"]

Errors = Literal["coerce", "raise"]

_READERS: Final[dict[str, Callable[[Document], Any]]] = {
    "url": lambda document: document.page.url or document.metadata.url,
    **{
        name: attrgetter(f"metadata.{name}")
        for name in "title author date description site_name language image tags".split()
    },
    **{
        name: attrgetter(name)
        for name in "page_type confidence status text markdown html next_page".split()
    },
}
FIELDS: Final = tuple(_READERS)
_DEFAULT_FIELDS: Final = tuple(name for name in FIELDS if name not in ("html", "next_page"))


@pd.api.extensions.register_series_accessor("tamis")
class TamisAccessor:
    """What tamis reads from a series of HTML, as text or bytes; missing values stay missing.

    `url` is a URL for each page, as a series or list, and the options are those of `tamis.extract`.
    With `errors="coerce"` a page that cannot be read has missing values, with `errors="raise"` its
    error is raised.
    """

    def __init__(self, series: pd.Series) -> None:
        for value in series:
            if not isinstance(value, str | bytes) and not _is_missing(value):
                kind = type(value).__name__
                raise AttributeError(
                    f"only pages have .tamis: this has a {kind}, give str or bytes"
                )
        self._series = series

    def extract(
        self,
        url: Iterable[str | None] | None = None,
        *,
        fields: Iterable[str] = _DEFAULT_FIELDS,
        errors: Errors = "coerce",
        **options: Any,
    ) -> pd.DataFrame:
        """Return a row for each page, with the fields and the error of a page that has one."""
        names = tuple(fields)
        for name in names:
            if name not in FIELDS:
                raise UnknownName(f"no field {name!r}: take some of {', '.join(FIELDS)}")

        def read(document: Document) -> dict[str, Any]:
            return {name: _READERS[name](document) for name in names}

        rows = [
            {**(values or {}), "error": message}
            for _, values, message in self._read(read, url, errors, options)
        ]
        return pd.DataFrame(rows, index=self._series.index, columns=[*names, "error"])

    def text(
        self, url: Iterable[str | None] | None = None, *, errors: Errors = "coerce", **options: Any
    ) -> pd.Series:
        """Return the content of each page as plain text."""
        return self.extract(url, fields=("text",), errors=errors, **options)["text"]

    def markdown(
        self, url: Iterable[str | None] | None = None, *, errors: Errors = "coerce", **options: Any
    ) -> pd.Series:
        """Return the content of each page as Markdown."""
        return self.extract(url, fields=("markdown",), errors=errors, **options)["markdown"]

    def chunks(
        self,
        url: Iterable[str | None] | None = None,
        *,
        max_tokens: int = MAX_TOKENS,
        overlap: int = 0,
        tokenizer: Tokenizer = count_tokens,
        errors: Errors = "coerce",
        **options: Any,
    ) -> pd.DataFrame:
        """Return a row for each chunk of each page, under the index of its page."""
        columns = [*Chunk.__dataclass_fields__]

        def read(document: Document) -> list[dict[str, Any]]:
            return [asdict(chunk) for chunk in document.chunks(max_tokens, overlap, tokenizer)]

        return self._spread(read, columns, url, errors, options)

    def records(
        self, url: Iterable[str | None] | None = None, *, errors: Errors = "coerce", **options: Any
    ) -> pd.DataFrame:
        """Return a row for each record of each list page, under the index of its page."""

        def read(document: Document) -> list[dict[str, Any]]:
            return [dict(row) for row in document.records]

        return self._spread(read, None, url, errors, options)

    def _spread(
        self,
        read: Callable[[Document], list[dict[str, Any]]],
        columns: list[str] | None,
        url: Iterable[str | None] | None,
        errors: Errors,
        options: dict[str, Any],
    ) -> pd.DataFrame:
        """Return the rows of all pages, each under the index of its page."""
        labels: list[Hashable] = []
        rows: list[dict[str, Any]] = []
        for label, values, _ in self._read(read, url, errors, options):
            labels += [label] * len(values or ())
            rows += values or ()
        index = self._series.index[:0] if not rows else self._series.index[labels]
        return pd.DataFrame(rows, index=index, columns=columns)

    def _read(
        self,
        read: Callable[[Document], Any],
        url: Iterable[str | None] | None,
        errors: Errors,
        options: dict[str, Any],
    ) -> Iterator[tuple[int, Any, str | None]]:
        """Yield the position of each page, what is read from it, and its error."""
        if errors not in ("coerce", "raise"):
            raise UnknownName(f"no way {errors!r} to handle errors: take coerce or raise")
        urls = [None] * len(self._series) if url is None else list(url)
        if isinstance(url, str) or len(urls) != len(self._series):
            raise WrongType(
                f"url has {len(urls)} values for {len(self._series)} pages: give one each"
            )
        for position, (html, page_url) in enumerate(zip(self._series, urls, strict=True)):
            if _is_missing(html):
                yield position, None, None
                continue
            given_url = None if _is_missing(page_url) else page_url
            try:
                values, message = read(extract(html, given_url, **options)), None
            except TamisError as error:
                if errors == "raise" or isinstance(error, (WrongType, UnknownName)):
                    raise
                values, message = None, str(error)
            yield position, values, message


def _is_missing(value: object) -> bool:
    """Say whether a value stands for none: None, NaN or NA."""
    return value is None or (pd.api.types.is_scalar(value) and bool(pd.isna(value)))
