"""Records of one or several pages as one table, and the pages that they are read from."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import click

from tamis.cli.inputs import has_archives
from tamis.cli.messages import count_things, describe_problem
from tamis.cli.rows import render_csv_row
from tamis.cli.tables import render_records
from tamis.content import Document
from tamis.errors import DeadlineExceeded, TamisError
from tamis.page import MAX_BYTES
from tamis.pipeline import extract
from tamis.records import Field, Records, write_parquet
from tamis.source import Failure, Fetch, Input, Source, read_pages
from tamis.terminal import Progress
from tamis.values import Type, Value

PAGE_COLUMN: Final = "page"
_MAX_NOTES: Final = 3  # of each kind; the others are counted


@dataclass
class RecordTable:
    """Rows of records with the union of their columns, in the order in which they come."""

    with_page: bool  # whether the first column names the page of each row
    types: dict[str, Type] = field(default_factory=dict)
    rows: list[dict[str, Value]] = field(default_factory=list)
    pages: list[dict[str, Any]] = field(default_factory=list)
    picked: list[str] = field(default_factory=list)  # names of columns, even without records

    def add(self, page_name: str, records: Records) -> None:
        """Add the records of a page."""
        self.pages.append({"page": page_name, "records": len(records), "reason": records.reason})
        if not records:
            return
        page_value: dict[str, Value] = {PAGE_COLUMN: page_name} if self.with_page else {}
        if self.with_page:
            self.types.setdefault(PAGE_COLUMN, "text")
        for column in records.fields:
            # Columns of different types have only their text in common.
            before = self.types.setdefault(column.name, column.type)
            self.types[column.name] = before if before == column.type else "text"
        self.rows += ({**row, **page_value} for row in records)

    def pick(self, columns: Sequence[tuple[str, str]]) -> RecordTable:
        """Return a table with some columns, each with the name that it gets."""
        unknown = [name for name, _ in columns if name not in self.types]
        if unknown and self.types:
            raise click.UsageError(
                f"--columns: no column {', '.join(map(repr, unknown))}; "
                f"there are {', '.join(self.types)}"
            )
        picked = [new for _, new in columns]
        columns = [(name, new) for name, new in columns if name in self.types]
        types = {new: self.types[name] for name, new in columns}
        rows = [{new: row.get(name) for name, new in columns} for row in self.rows]
        return replace(self, types=types, rows=rows, picked=picked)

    def render(self, output_format: str) -> str | bytes:
        """Return the table in a format."""
        names = list(self.types)
        if output_format == "parquet":
            stream = io.BytesIO()
            write_parquet(Records(None, "", pattern_fields=self._fields()), stream)
            return stream.getvalue()
        if output_format == "json":
            fields = [{"name": name, "type": kind} for name, kind in self.types.items()]
            described = {"pages": self.pages, "fields": fields, "rows": self._complete_rows()}
            return json.dumps(described, ensure_ascii=False, indent=2) + "\n"
        if output_format == "jsonl":
            rows = self._complete_rows()
            return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        cells = [[row.get(name) for name in names] for row in self.rows]
        if output_format == "csv":
            header = self.picked or names
            lines = [render_csv_row(header), *map(render_csv_row, cells)] if header else []
            return "".join(f"{line}\n" for line in lines)
        return render_records(names, cells)

    def _complete_rows(self) -> list[dict[str, Value]]:
        return [{name: row.get(name) for name in self.types} for row in self.rows]

    def _fields(self) -> tuple[Field, ...]:
        fields = []
        for name, kind in self.types.items():
            values = [row.get(name) for row in self.rows]
            if kind == "text":
                values = [None if value is None else str(value) for value in values]
            fields.append(Field(name, kind, tuple(values), (), ()))
        return tuple(fields)


def parse_columns(text: str | None) -> list[tuple[str, str]] | None:
    """Return the columns that the user picks, with their new names: `a,b=c` renames b to c."""
    if text is None:
        return None
    columns: list[tuple[str, str]] = []
    for part in filter(None, map(str.strip, text.split(","))):
        name, equals, new = map(str.strip, part.partition("="))
        if not name:
            raise click.UsageError(f"--columns: {part!r} names no column: write NAME{part}")
        if equals and not new:
            raise click.UsageError(
                f"--columns: {part!r} has no new name: write {name}=NEW, or {name} alone"
            )
        new = new or name
        if new in (column for _, column in columns):
            raise click.UsageError(f"--columns: the name {new!r} is there twice: each name once")
        columns.append((name, new))
    if not columns:
        raise click.UsageError("--columns: name columns as in title,price=cost")
    return columns


@dataclass
class RecordPages:
    """Reads pages and their records, and goes on over next pages if that is wanted."""

    settings: Mapping[str, Any]  # of extract()
    fetch: Fetch
    read_records: Callable[[Document], Records]
    max_following: int = 0  # pages to read after each page that was named
    read: int = 0
    failed: int = 0
    empty: int = 0  # pages without records
    messages: list[str] = field(default_factory=list)  # on next pages that were not read
    _is_single: bool = False  # whether the user named one page, which --url may stand for
    _visited: set[str] = field(default_factory=set)  # inputs and pages, by URL or real path
    _followed: set[str] = field(default_factory=set)  # URLs of pages that were not named

    def fill(self, table: RecordTable, inputs: Sequence[Input]) -> None:
        """Add the records of all pages to a table; what cannot be read is reported."""
        total = None if self.max_following else len(inputs)
        self._is_single = len(inputs) == 1 and not has_archives(inputs)
        if self.max_following:
            self._visited.update(_page_key(page) for page in inputs if page.problem is None)
        with Progress("reading", total, unit="pages") as progress:
            for page_input in inputs:
                for source in self._read(page_input, progress):
                    if source.url in self._followed:  # of an archive, or redirected
                        continue
                    url = self.settings.get("url") or source.url
                    document = self._extract(source, url, progress)
                    if document is None:
                        continue
                    self._add(table, source.name, document, progress)
                    if self.max_following:
                        try:
                            self._follow(table, page_input, document, progress)
                        except DeadlineExceeded as error:  # looking for a next page takes time
                            self.messages.append(f"{source.name}: {error}; not followed further")

    def summarize(self, table: RecordTable) -> Iterator[str]:
        """Yield the messages for the end; the last one counts pages and records."""
        yield from self.messages[:_MAX_NOTES]
        left = len(self.messages) - _MAX_NOTES
        if left > 0:
            yield f"the next pages of {count_things(left, 'more page')} were not read"
        if self.empty > _MAX_NOTES:
            yield f"no records on {count_things(self.empty, 'page')}"
        pages = count_things(self.read + self.failed, "page")
        failed = f", {self.failed:,} failed" if self.failed else ""
        yield f"{pages}, {count_things(len(table.rows), 'record')}{failed}"

    def _follow(
        self, table: RecordTable, origin: Input, document: Document, progress: Progress
    ) -> None:
        """Read the next pages of a page, none twice in a run and not more than the limit."""
        self._visited.add(document.page.url or "")
        for count in range(self.max_following + 1):
            target = _next_input(document, origin)
            if target is None:
                self._report_unfollowed(origin, document)
                return
            if _page_key(target) in self._visited:
                return
            if count == self.max_following:
                message = f"stopped at --max-pages; the next page is {document.next_page}"
                self.messages.append(message)
                return
            self._visited.add(_page_key(target))
            source = next(self._read(target, progress), None)
            if source is None or (source.url != target.location and source.url in self._visited):
                return
            following = self._extract(source, source.url, progress)
            if following is None:
                return
            if source.url is not None:
                self._visited.add(source.url)
                self._followed |= {target.location, source.url}
            self._add(table, source.name, following, progress)
            document, origin = following, target

    def _report_unfollowed(self, origin: Input, document: Document) -> None:
        """Keep the message that the next page of a page cannot be read, if there is one."""
        url = document.next_page
        if not url:
            return
        advice = "give --url to follow it"
        if not self._is_single:  # --url is for one page
            advice = f"read this page alone and {advice}"
        name = "" if self._is_single else origin.name
        self.messages.append(describe_problem(name, f"the next page is {url}: {advice}"))

    def _read(self, page_input: Input, progress: Progress) -> Iterator[Source]:
        max_bytes = self.settings.get("max_bytes", MAX_BYTES)
        for source in read_pages([page_input], max_bytes=max_bytes, fetch=self.fetch):
            if isinstance(source, Failure):
                self._report(source.name, source.error, progress)
            else:
                yield source

    def _extract(self, source: Source, url: str | None, progress: Progress) -> Document | None:
        settings = dict(self.settings)
        settings.pop("url", None)  # that of the page that the user named, not of those after it
        charset = settings.pop("charset", None) or source.charset
        try:
            fetched = source.fetched_at.date() if source.fetched_at else None
            return extract(source.data, url, charset=charset, fetched=fetched, **settings)
        except TamisError as error:
            self._report(source.name, error, progress)
            return None

    def _add(self, table: RecordTable, name: str, document: Document, progress: Progress) -> None:
        try:
            records = self.read_records(document)
            table.add(name, records)
        except TamisError as error:
            self._report(name, error, progress)
            return
        self.read += 1
        if not records:
            self.empty += 1
            if self.empty <= _MAX_NOTES:
                problem = describe_problem(name, f"no records: {records.reason}")
                progress.print(f"tamis: {problem}")
        progress.advance()

    def _report(self, name: str, error: TamisError, progress: Progress) -> None:
        self.failed += 1
        progress.print(f"tamis: {describe_problem(name, str(error))}")


def _page_key(page_input: Input) -> str:
    """Return what tells pages apart, however a file is named: a URL or a real path."""
    is_file = page_input.kind in ("file", "archive") and page_input.location != "-"
    return os.path.realpath(page_input.location) if is_file else page_input.location


def _next_input(document: Document, origin: Input) -> Input | None:
    """Return the page that goes on with the list: a URL, or a file beside a page that is a file."""
    url = document.next_page
    if not url:
        return None
    if urlsplit(url).scheme in ("http", "https"):
        return Input(url, "url", url)
    if origin.kind != "file" or urlsplit(url).scheme or url.startswith("/"):
        return None
    name = unquote(urlsplit(url).path)
    if "\0" in name:
        return None
    folder = os.path.dirname(os.path.realpath(origin.location))
    path = os.path.realpath(os.path.join(folder, name))
    # A page must not lead to files outside of its folder.
    if not path.startswith(os.path.join(folder, "")) or not os.path.isfile(path):
        return None
    name = os.path.join(os.path.dirname(origin.location), os.path.relpath(path, folder))
    return Input(name, "file", name)
