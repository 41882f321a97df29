"""`tamis records`: list pages as tables, and patterns that are learned once and applied often."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from tamis.cli.messages import say, warn_if_uncompiled
from tamis.cli.options import (
    add_options,
    build_fetch,
    drop_unset,
    overwrite_option,
    page_options,
)

if TYPE_CHECKING:
    from tamis.content import Document
    from tamis.page import Page
    from tamis.records import Records
    from tamis.values import Value

_F = TypeVar("_F", bound=Callable[..., Any])

_PEEK_BYTES: Final = 200  # of a file that tell its format
_FORMATS: Final = ("table", "json", "jsonl", "csv", "parquet")
_TABLE_ENDINGS: Final = ("", "txt", "text")
# What a spreadsheet takes for the start of a formula, also in full width.
_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")


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
            click.option("--require", is_flag=True, help="A page without records is an error."),
        ],
    )


@click.group(
    cls=_GroupWithPage,
    no_args_is_help=True,
    subcommand_metavar="PAGE | learn PAGE | apply PATTERN PAGE",
)
def records() -> None:
    """Show the records of a list page as a table.

    PAGE is a file, a URL or -. `tamis records show --help` lists the options. A page without a list
    gives no records and a note on standard error; the exit code is 0 then, 1 with --require.
    """


@records.command()
@click.argument("page", metavar="FILE|URL|-")
@click.option("--regions", is_flag=True, help="Show all regions of the page that repeat.")
@_output_options
@page_options
def show(page: str, regions: bool, **options: Any) -> None:
    """Show the records of a page, or all its regions."""
    from tamis.cli.tables import render_regions

    output_format = _check_output(page, options)
    if regions and output_format != "table":
        raise click.UsageError(
            f"--regions gives a table, not {output_format}: leave --regions out, or -f"
        )
    document = _extract(page, options)
    if regions:
        _write(render_regions(document.regions), options["output"])
        return
    _write_records(document.records, output_format, options)
    if document.next_page:
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
@click.argument("page", metavar="FILE|URL|-")
@_output_options
@page_options
def apply(pattern: Path, page: str, **options: Any) -> None:
    """Read the records of another page of a site by a pattern that was learned.

    PATTERN is a file of `tamis records learn`, or of a site that has learned records.
    """
    from tamis.records import Pattern
    from tamis.site import Site

    is_site = _is_site_file(pattern)
    read_records = Site.load(pattern).records if is_site else Pattern.load(pattern).apply
    output_format = _check_output(page, options, pattern)
    _write_records(read_records(_extract(page, options).page), output_format, options)


def _is_site_file(path: Path) -> bool:
    """Say whether a file is that of a site, by its beginning."""
    try:
        with path.open("rb") as file:
            return b'"tamis site"' in file.read(_PEEK_BYTES)
    except OSError as error:
        raise click.UsageError(f"cannot read {path}: {error.strerror or error}") from error


def _extract(page: str, options: dict[str, Any]) -> Document:
    """Read and extract the page that an argument names."""
    from tamis.cli.pages import extract_single_page

    names = ("charset", "url", "max_bytes", "max_nodes", "deadline")
    limits = {name: options[name] for name in names}
    fetch = build_fetch(options["timeout"], limits, allow_private=options["allow_private"])
    warn_if_uncompiled()
    return extract_single_page(page, fetch, drop_unset(**limits))


def _check_output(page: str, options: dict[str, Any], *inputs: Path) -> str:
    """Return the format to write; raise an error if the output cannot or must not be written."""
    from tamis.cli.files import check_targets
    from tamis.source import expand_inputs

    output: Path | None = options["output"]
    output_format: str = options["output_format"] or _find_format(output)
    if output_format == "parquet" and output is None:
        raise click.UsageError("a Parquet file is not for a terminal: name it with -o")
    check_targets([output], [*expand_inputs([page]), *inputs], overwrite=options["overwrite"])
    return output_format


def _find_format(output: Path | None) -> str:
    """Return the format for the ending of a file name."""
    ending = output.suffix.lstrip(".").lower() if output else ""
    if ending in _TABLE_ENDINGS:
        return "table"
    if ending not in _FORMATS:
        endings = ", ".join(f".{name}" for name in _FORMATS[1:])
        raise click.UsageError(
            f"no format is called .{ending}: name {output} .txt (a table), {endings}, or give -f"
        )
    return ending


def _write_records(rows: Records, output_format: str, options: dict[str, Any]) -> None:
    """Write records; say so if there are none."""
    if not rows:
        say(f"no records: {rows.reason}")
        if options["require"]:
            raise click.exceptions.Exit(1)
    _write(_render(rows, output_format), options["output"])


def _render(rows: Records, output_format: str) -> str | bytes:
    """Return records in a format."""
    if output_format == "parquet":
        from tamis.records import write_parquet

        stream = io.BytesIO()
        write_parquet(rows, stream)
        return stream.getvalue()
    if output_format == "json":
        return json.dumps(rows.as_dict(), ensure_ascii=False, indent=2) + "\n"
    if output_format == "jsonl":
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    names = [field.name for field in rows.fields]
    cells = [list(row.values()) for row in rows]
    if output_format == "csv":
        return _render_csv(names, cells)
    from tamis.cli.tables import render_records

    return render_records(names, cells)


def _render_csv(names: list[str], rows: list[list[Value]]) -> str:
    """Return records as CSV, with an apostrophe before what a spreadsheet would run."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    if names:
        writer.writerow(map(escape_formula, names))
    writer.writerows(map(escape_formula, row) for row in rows)
    return stream.getvalue()


def escape_formula(value: Value) -> Value:
    """Return a value that no spreadsheet takes for a formula."""
    if isinstance(value, str) and value.startswith(_FORMULA_STARTS):
        return f"'{value}"
    return value


def _write(content: str | bytes, output: Path | None) -> None:
    """Write to a file, completely or not at all, or to standard output."""
    from tamis.cli.files import write_target
    from tamis.cli.output import write_stdout

    if output is not None:
        write_target(output, content)
        return
    write_stdout(content if isinstance(content, str) else content.decode())
