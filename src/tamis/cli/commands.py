"""The commands and their options; what they do is imported when they run."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tamis.cli.ends import Tamis
from tamis.cli.evaluate import evaluate
from tamis.cli.messages import say
from tamis.cli.options import (
    check_kept,
    fetch_of,
    given,
    limit_options,
    render_options,
    run_options,
)
from tamis.cli.records import records
from tamis.cli.site import site
from tamis.cli.store import search, store
from tamis.cli.train import train

if TYPE_CHECKING:
    from tamis.cli.choice import Favor

F = TypeVar("F", bound=Callable[..., Any])

FORMATS = ("text", "markdown", "html", "json", "jsonl")
METHOD_NAMES = (
    "feature",
    "kfeature",
    "optimum",
    "tagwindow",
    "keypattern",
    "svm",
    "eifce",
    "learned",
)


def version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    """Print the version and end."""
    if wanted:
        from tamis import __version__

        click.echo(f"tamis {__version__}")
        ctx.exit()


@click.group(cls=Tamis, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=version,
    help="Show the version and exit.",
)
def tamis() -> None:
    """Cut web pages into blocks and tell the informative ones from the noise."""


def method_options(what: str) -> Callable[[F], F]:
    """Return what adds the options that choose a method and tune the learned one."""

    def add(function: F) -> F:
        path = click.Path(exists=True, dir_okay=False, path_type=Path)
        options = [
            click.option("--method", "-m", type=click.Choice(METHOD_NAMES), help=what),
            click.option(
                "--favor",
                type=click.Choice(("precision", "recall")),
                help="Keep fewer doubtful blocks, or more (learned method).",
            ),
            click.option("--model", type=path, help="Model of tamis train (learned method)."),
        ]
        for option in reversed(options):
            function = option(function)
        return function

    return add


@tamis.command()
@click.argument("inputs", nargs=-1, metavar="FILE|DIR|GLOB|WARC|LIST|URL|- …")
@click.option("--from-list", type=click.Path(path_type=Path), help="File with one input a line.")
@click.option(
    "--format",
    "-f",
    "form",
    type=click.Choice(FORMATS),
    help="text for one page, jsonl for more. json has the blocks too; many pages are a line each.",
)
@method_options("How content is found (learned).")
@run_options
@render_options
@limit_options
def extract(
    inputs: tuple[str, ...],
    from_list: Path | None,
    form: str | None,
    method: str | None,
    favor: Favor | None,
    model: Path | None,
    output: str | None,
    jobs: int,
    resume: bool,
    overwrite: bool,
    javascript: bool,
    live: bool,
    timeout: float | None,
    allow_private: bool,
    **limits: Any,
) -> None:
    """Extract the content of pages.

    A LIST is a file (.txt, .lst, .list) with one input a line; one that begins as a page does is a
    page, and so is any text given as -.

    Data goes to standard output or OUTPUT, messages to standard error. The exit code is 0 if all
    pages were extracted, 1 if some failed (each failure is a row or a message with its reason), 2
    for a mistake in the call or an output that cannot be written, 130 after Ctrl-C.
    """
    from tamis.cli.choice import chosen_method
    from tamis.cli.items import check_one_address, named_places
    from tamis.cli.job import job_of
    from tamis.cli.overlap import check_apart, named_files
    from tamis.cli.rendering import chosen_rendering, method_looks
    from tamis.cli.run import run

    check_kept(resume=resume, overwrite=overwrite)
    chosen = chosen_method(method, favor, model)
    if output:
        check_apart([Path(output)], named_files(inputs, from_list, model))
    places = named_places(inputs, from_list, "extract")
    check_one_address(limits["url"], places)
    fetch = fetch_of(timeout, limits, allow_private=allow_private)
    look = chosen_rendering(fetch, javascript=javascript, live=live, needed=method_looks(chosen))
    job = job_of(places, form, given(method=chosen, **limits), fetch, look)
    sys.exit(run(places, job, output, jobs, resume=resume, overwrite=overwrite))


@tamis.command()
@click.argument("page", metavar="FILE|URL|-")
@method_options("Segmenter and identifier (learned).")
@click.option("--segmenter", "-s", help="Cut with this segmenter and give no verdict.")
@click.option("--informative/--noise", default=None, help="Show only these blocks.")
@click.option(
    "--picture",
    type=click.Path(path_type=Path),
    help="Draw the blocks over the page: a .png, or a .html to point at them.",
)
@click.option("--overwrite", is_flag=True, help="Replace a picture that exists.")
@click.option(
    "--format",
    "-f",
    "form",
    type=click.Choice(("table", "json")),
    default="table",
    help="table for people (the default), json for programs.",
)
@render_options
@limit_options
def blocks(
    page: str,
    method: str | None,
    favor: Favor | None,
    model: Path | None,
    segmenter: str | None,
    informative: bool | None,
    picture: Path | None,
    overwrite: bool,
    form: str,
    javascript: bool,
    live: bool,
    timeout: float | None,
    allow_private: bool,
    **limits: Any,
) -> None:
    """Show the blocks of a page with their scores and reasons."""
    from tamis.cli.choice import chosen_method
    from tamis.cli.output import put_out, show_out
    from tamis.cli.rendering import (
        check_picture,
        chosen_rendering,
        method_looks,
        segmenter_looks,
        write_picture,
    )
    from tamis.cli.show import block_table, blocks_json, found_blocks
    from tamis.cli.slow import tell_if_slow
    from tamis.cli.targets import check_targets
    from tamis.source import expand_inputs

    chosen = chosen_method(method, favor, model)
    if chosen and segmenter:
        raise click.UsageError("a method already names a segmenter; give one of the two")
    if segmenter and informative is not None:
        raise click.UsageError(
            "a segmenter alone gives no verdict: leave --informative and --noise out, "
            "or name a --method"
        )
    fetch = fetch_of(timeout, limits, allow_private=allow_private)
    tell_if_slow()
    check_picture(picture)
    check_targets([picture], [*expand_inputs([page]), *filter(None, [model])], overwrite=overwrite)
    needed = picture is not None or method_looks(chosen) or segmenter_looks(segmenter)
    look = chosen_rendering(fetch, javascript=javascript, live=live, needed=needed)
    found, screenshot = found_blocks(
        page, segmenter, fetch, given(method=chosen, **limits), (look, picture is not None)
    )
    shown = [b for b in found if informative is None or b.informative == informative]
    if not shown:
        kind = {None: "", True: "informative ", False: "noisy "}[informative]
        say(f"the page has no {kind}blocks")
    if picture is not None and screenshot is not None:  # first: who reads the table may stop early
        from tamis.render import blocks_page

        title = f"{page} · {segmenter or method or 'learned'}"
        write_picture(picture, blocks_page(shown, screenshot, title), limits["deadline"])
    if form == "json":
        put_out(f"{blocks_json(shown)}\n")
    else:
        show_out(block_table(shown, numbered=picture is not None))


tamis.add_command(records)
tamis.add_command(evaluate)
tamis.add_command(site)
tamis.add_command(search)
tamis.add_command(store)
tamis.add_command(train)
