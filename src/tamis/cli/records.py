"""`tamis records`: list pages as tables, and patterns that are learned once and applied often."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tamis.cli.messages import say
from tamis.cli.options import fetch_of, given, limit_options

if TYPE_CHECKING:
    from tamis.records import Records

F = TypeVar("F", bound=Callable[..., Any])

HEAD = 200  # bytes of a file that tell its format
FORMATS = ("table", "json", "jsonl", "csv", "parquet")
TABLES = ("", "txt", "text")  # endings of files that a table is written to


class WithPage(click.Group):
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


def output_options(function: F) -> F:
    """Add the options that say how records are written."""
    options = [
        click.option(
            "--format",
            "-f",
            "form",
            type=click.Choice(FORMATS),
            help="By default what the name of OUTPUT ends in, or a table.",
        ),
        click.option("--output", "-o", type=click.Path(path_type=Path), help="File to write."),
        click.option("--overwrite", is_flag=True, help="Replace an OUTPUT that exists."),
        click.option("--require", is_flag=True, help="A page without records is an error."),
    ]
    for option in reversed(options):
        function = option(function)
    return function


@click.group(
    cls=WithPage,
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
@output_options
@limit_options
def show(page: str, regions: bool, **options: Any) -> None:
    """Show the records of a page, or all its regions."""
    from tamis.cli.tables import regions_table

    form = checked_form(page, options)
    if regions and form != "table":
        raise click.UsageError(f"--regions gives a table, not {form}: leave --regions out, or -f")
    document = extracted(page, options)
    if regions:
        put(regions_table(document.regions), options["output"])
        return
    written(document.records, form, options)
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
@click.option("--overwrite", is_flag=True, help="Replace an OUTPUT that exists.")
@click.option(
    "--site",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="File of a site (tamis site learn) that the pattern is added to, instead of OUTPUT.",
)
@limit_options
def learn(page: str, output: Path, overwrite: bool, site: Path | None, **options: Any) -> None:
    """Learn what the records of a site look like from one of its pages."""
    from tamis.cli.targets import check_targets
    from tamis.records import Pattern
    from tamis.source import expand_inputs

    if site is not None:
        learn_for(site, extracted(page, options).page)
        return
    check_targets([output], expand_inputs([page]), overwrite=overwrite)
    pattern = Pattern.learn(extracted(page, options).records)
    pattern.save(output)
    names = ", ".join(field.name for field in pattern.fields)
    say(f"wrote {output}: {names}")


def learn_for(path: Path, page: Any) -> None:
    """Add the pattern of a page to the file of a site."""
    from tamis.site import Site

    site = Site.load(path).learn_records(page)
    site.save(path)
    names = ", ".join(field.name for field in site.patterns[-1].fields)
    say(f"added to {path}: {names}")


@records.command()
@click.argument("pattern", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("page", metavar="FILE|URL|-")
@output_options
@limit_options
def apply(pattern: Path, page: str, **options: Any) -> None:
    """Read the records of a further page of a site by a pattern that was learned.

    PATTERN is a file of `tamis records learn`, or of a site that has learned records.
    """
    from tamis.records import Pattern
    from tamis.site import Site

    known = Site.load(pattern).records if is_site(pattern) else Pattern.load(pattern).apply
    form = checked_form(page, options, pattern)
    written(known(extracted(page, options).page), form, options)


def is_site(path: Path) -> bool:
    """Say whether a file is that of a site, by its beginning."""
    try:
        with path.open("rb") as file:
            return b'"tamis site"' in file.read(HEAD)
    except OSError as error:
        raise click.UsageError(f"cannot read {path}: {error.strerror or error}") from error


def extracted(page: str, options: dict[str, Any]) -> Any:
    """Read and extract the page that an argument names."""
    from tamis.cli.show import extracted_page
    from tamis.cli.slow import tell_if_slow

    names = ("charset", "url", "max_bytes", "max_nodes", "deadline")
    limits = {name: options[name] for name in names}
    fetch = fetch_of(options["timeout"], limits, allow_private=options["allow_private"])
    tell_if_slow()
    return extracted_page(page, fetch, given(**limits))


def checked_form(page: str, options: dict[str, Any], *inputs: Path) -> str:
    """Return the format to write; an output that cannot or must not be written is told now."""
    from tamis.cli.targets import check_targets
    from tamis.source import expand_inputs

    output: Path | None = options["output"]
    form: str = options["form"] or form_of(output)
    if form == "parquet" and output is None:
        raise click.UsageError("a Parquet file is not for a terminal: name it with -o")
    check_targets([output], [*expand_inputs([page]), *inputs], overwrite=options["overwrite"])
    return form


def written(found: Records, form: str, options: dict[str, Any]) -> None:
    """Write records as the user wants them; say so where there are none."""
    from tamis.cli.tables import rendered

    if not found:
        say(f"no records: {found.reason}")
        if options["require"]:
            raise click.exceptions.Exit(1)
    put(rendered(found, form), options["output"])


def form_of(output: Path | None) -> str:
    """Return the format that the name of a file asks for."""
    ending = output.suffix.lstrip(".").lower() if output else ""
    if ending in TABLES:
        return "table"
    if ending not in FORMATS:
        known = ", ".join(f".{form}" for form in FORMATS[1:])
        raise click.UsageError(
            f"no format is called .{ending}: name {output} .txt (a table), {known}, or give -f"
        )
    return ending


def put(data: str | bytes, output: Path | None) -> None:
    """Write to a file, whole or not at all, or to standard output."""
    from tamis.cli.output import put_out
    from tamis.cli.targets import write_target

    if output is not None:
        write_target(output, data)
        return
    put_out(data if isinstance(data, str) else data.decode())
