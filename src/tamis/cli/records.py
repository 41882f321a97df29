"""`tamis records`: list pages as tables, and patterns that are learned once and applied often."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from tamis.cli.messages import say
from tamis.cli.options import (
    add_options,
    build_fetch,
    drop_unset,
    overwrite_option,
    page_options,
)

if TYPE_CHECKING:
    from tamis.cli.record_tables import RecordTable
    from tamis.content import Document
    from tamis.page import Page
    from tamis.records import Records
    from tamis.source import Fetch

_F = TypeVar("_F", bound=Callable[..., Any])

_PEEK_BYTES: Final = 200  # of a file that tell its format
_FORMATS: Final = ("table", "json", "jsonl", "csv", "parquet")
_LIMITS: Final = ("charset", "url", "max_bytes", "max_nodes", "deadline")
_DEFAULT_MAX_PAGES: Final = 10  # with --follow
_ENDING_FORMATS: Final = {
    ".txt": "table",
    ".text": "table",
    ".json": "json",
    ".jsonl": "jsonl",
    ".csv": "csv",
    ".parquet": "parquet",
}


class _GroupWithPage(click.Group):
    """A group in which a first word that is no command is a page to show."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that words stand for."""
        if args and args[0] not in self.commands:
            return "show", self.commands["show"], args
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Leave options before the page to the command that shows it."""
        if args and args[0].startswith("-") and args[0] not in ("-h", "--help"):
            args = ["show", *args]
        return super().parse_args(ctx, args)


_pages_argument = click.argument(
    "pages", nargs=-1, required=True, metavar="FILE|DIR|GLOB|WARC|LIST|URL|- …"
)


def _output_options(function: _F) -> _F:
    """Add the options that say how records are written."""
    return add_options(
        function,
        [
            click.option(
                "--format",
                "-f",
                "output_format",
                type=click.Choice(_FORMATS),
                help="By default what the name of OUTPUT ends in, or a table.",
            ),
            click.option("--output", "-o", type=click.Path(path_type=Path), help="File to write."),
            overwrite_option,
            click.option("--require", is_flag=True, help="It is an error if there are no records."),
            click.option(
                "--columns",
                metavar="NAME,NAME=NEW,…",
                help="Columns to write, in this order; NAME=NEW renames one.",
            ),
            click.option("--follow", is_flag=True, help="Read on over the next pages of a list."),
            click.option(
                "--max-pages",
                type=click.IntRange(1),
                help="Pages to read with --follow, for each page that is named; "
                f"{_DEFAULT_MAX_PAGES} by default.",
            ),
        ],
    )


@click.group(
    cls=_GroupWithPage,
    no_args_is_help=True,
    subcommand_metavar="PAGE … | learn PAGE | apply PATTERN PAGE …",
)
def records() -> None:
    """Show the records of list pages as a table.

    PAGE is a file, a folder, a WARC, a URL or -; several are written into one table, with a column
    that names the page. `tamis records show --help` lists the options. A page without a list gives
    no records and a note on standard error; the exit code is 0 then, 1 with --require. It is 1 as
    well if one of several pages could not be read.
    """


@records.command()
@_pages_argument
@click.option("--regions", is_flag=True, help="Show all regions of one page that repeat.")
@_output_options
@page_options
def show(pages: tuple[str, ...], regions: bool, **options: Any) -> None:
    """Show the records of pages, or all regions of one page."""
    from tamis.cli.tables import render_regions

    output_format = _check_options(pages, options)
    if regions and output_format != "table":
        raise click.UsageError(
            f"--regions gives a table, not {output_format}: leave --regions out, or -f"
        )
    for name in ("columns", "follow"):
        if regions and options[name] not in (None, False):
            raise click.UsageError(
                f"--regions shows all regions as they are: leave --regions out, or --{name}"
            )
    if regions and len(pages) > 1:
        raise click.UsageError("--regions shows one page: name one")
    if regions:
        _write(render_regions(_extract(pages[0], options).regions), options["output"])
        return
    document = _show_records(pages, output_format, options, lambda document: document.records)
    if document is not None and document.next_page:
        say(f"the next page is {document.next_page}")


@records.command()
@click.argument("page", metavar="FILE|URL|-")
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("records.json"),
    help="File of the pattern, by default records.json.",
)
@overwrite_option
@click.option(
    "--site",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="File of a site (tamis site learn) that the pattern is added to, instead of OUTPUT.",
)
@page_options
def learn(page: str, output: Path, overwrite: bool, site: Path | None, **options: Any) -> None:
    """Learn what the records of a site look like from one of its pages."""
    from tamis.cli.files import check_targets
    from tamis.records import Pattern
    from tamis.source import expand_inputs

    if site is not None:
        _add_to_site(site, _extract(page, options).page)
        return
    check_targets([output], expand_inputs([page]), overwrite=overwrite)
    pattern = Pattern.learn(_extract(page, options).records)
    pattern.save(output)
    names = ", ".join(field.name for field in pattern.fields)
    say(f"wrote {output}: {names}")


def _add_to_site(path: Path, page: Page) -> None:
    """Add the pattern of a page to the file of a site."""
    from tamis.site import Site

    site = Site.load(path).learn_records(page)
    site.save(path)
    names = ", ".join(field.name for field in site.patterns[-1].fields)
    say(f"added to {path}: {names}")


@records.command()
@click.argument("pattern", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@_pages_argument
@_output_options
@page_options
def apply(pattern: Path, pages: tuple[str, ...], **options: Any) -> None:
    """Read the records of other pages of a site by a pattern that was learned.

    PATTERN is a file of `tamis records learn`, or of a site that has learned records.
    """
    from tamis.records import Pattern
    from tamis.site import Site

    is_site = _is_site_file(pattern)
    read_records = Site.load(pattern).records if is_site else Pattern.load(pattern).apply
    output_format = _check_options(pages, options, pattern)
    _show_records(pages, output_format, options, lambda document: read_records(document.page))


def _is_site_file(path: Path) -> bool:
    """Say whether a file is that of a site, by its beginning."""
    try:
        with path.open("rb") as file:
            return b'"tamis site"' in file.read(_PEEK_BYTES)
    except OSError as error:
        raise click.UsageError(f"cannot read {path}: {error.strerror or error}") from error


def _show_records(
    arguments: Sequence[str],
    output_format: str,
    options: dict[str, Any],
    read_records: Callable[[Document], Records],
) -> Document | None:
    """Write the records of the pages that arguments name; return the document of a single page.

    Several pages become one table.
    """
    from tamis.cli.inputs import check_single_url, find_inputs, names_many_pages
    from tamis.cli.record_tables import RecordPages, RecordTable, parse_columns

    columns = parse_columns(options["columns"])
    inputs = find_inputs(arguments, None, "records show")
    check_single_url(options["url"], inputs)
    many = names_many_pages(arguments, None, inputs) or options["follow"]
    if not many:
        document = _extract(arguments[0], options)
        rows = read_records(document)
        _write_page_records(inputs[0].name, rows, output_format, options, columns=columns)
        return document
    limits, fetch = _limits(options)
    table = RecordTable(with_page=True)
    max_pages = options["max_pages"] or _DEFAULT_MAX_PAGES
    following = max_pages - 1 if options["follow"] else 0
    pages = RecordPages(drop_unset(**limits), fetch, read_records, following)
    pages.fill(table, inputs)
    if columns is not None:
        table = table.pick(columns)
    _write(table.render(output_format), options["output"])
    for message in pages.summarize(table):
        say(message)
    if pages.failed or (options["require"] and not table.rows):
        raise click.exceptions.Exit(1)
    return None


def _write_page_records(
    page_name: str,
    rows: Records,
    output_format: str,
    options: dict[str, Any],
    *,
    columns: list[tuple[str, str]] | None,
) -> None:
    """Write the records of a single page; say so if there are none."""
    from tamis.cli.record_tables import PAGE_COLUMN, RecordTable

    if not rows:
        say(f"no records: {rows.reason}")
        if options["require"]:
            raise click.exceptions.Exit(1)
    # The name of the page can be picked, unless the records have a column of that name.
    has_page_field = any(field.name == PAGE_COLUMN for field in rows.fields)
    table = RecordTable(with_page=columns is not None and not has_page_field)
    table.add(page_name, rows)
    if columns is not None:
        table = table.pick(columns)
    if output_format == "json":  # with XPaths, and all about the region
        described = _describe_records(rows, table, columns)
        content: str | bytes = json.dumps(described, ensure_ascii=False, indent=2) + "\n"
    else:
        content = table.render(output_format)
    _write(content, options["output"])


def _describe_records(
    rows: Records, table: RecordTable, columns: list[tuple[str, str]] | None
) -> dict[str, Any]:
    """Return the records of a page as plain data, with the columns that were picked."""
    described = rows.as_dict()
    if columns is None:
        return described
    xpaths = {field["name"]: field["xpaths"] for field in described["fields"]}
    no_xpaths = [None] * len(rows)  # of the name of the page
    described["fields"] = [
        {"name": new, "type": table.types[new], "xpaths": xpaths.get(name, no_xpaths)}
        for name, new in columns
        if new in table.types
    ]
    described["rows"] = table.rows
    return described


def _extract(page: str, options: dict[str, Any]) -> Document:
    """Read and extract the page that an argument names."""
    from tamis.cli.pages import extract_single_page

    limits, fetch = _limits(options)
    return extract_single_page(page, fetch, drop_unset(**limits))


def _limits(options: dict[str, Any]) -> tuple[dict[str, Any], Fetch]:
    """Return the limits on a page, and what fetches pages."""
    limits = {name: options[name] for name in _LIMITS}
    fetch = build_fetch(options["timeout"], limits, allow_private=options["allow_private"])
    return limits, fetch


def _check_options(pages: Sequence[str], options: dict[str, Any], *inputs: Path) -> str:
    """Return the format to write; raise an error if the output cannot or must not be written.

    Options that have no effect without others are errors as well.
    """
    from tamis.cli.files import check_targets
    from tamis.source import expand_inputs

    if options["max_pages"] is not None and not options["follow"]:
        raise click.UsageError("--max-pages is the limit of --follow: give --follow as well")
    output: Path | None = options["output"]
    output_format: str = _choose_format(output, options["output_format"])
    if output_format == "parquet" and output is None:
        raise click.UsageError("a Parquet file is not for a terminal: name it with -o")
    check_targets([output], [*expand_inputs(pages), *inputs], overwrite=options["overwrite"])
    return output_format


def _choose_format(output: Path | None, output_format: str | None) -> str:
    """Return the format that the user names, or that of the output's ending, or a table."""
    from tamis.cli.output import choose_file_format

    if output is not None and not output.is_dir():
        output_format = choose_file_format(output, output_format, _ENDING_FORMATS)
    return output_format or "table"


def _write(content: str | bytes, output: Path | None) -> None:
    """Write to a file, completely or not at all, or to standard output.

    A file whose name ends in .gz is compressed.
    """
    from tamis.cli.files import write_target
    from tamis.cli.sinks import write_stdout

    if output is not None:
        if output.suffix == ".gz":
            data = content.encode() if isinstance(content, str) else content
            content = gzip.compress(data, mtime=0)
        write_target(output, content)
        return
    write_stdout(content if isinstance(content, str) else content.decode())
