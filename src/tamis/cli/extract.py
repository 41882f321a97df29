"""`tamis extract`: the content of pages."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from tamis.cli.options import (
    build_fetch,
    check_resume,
    drop_unset,
    format_option,
    from_list_option,
    inputs_argument,
    method_options,
    page_options,
    render_options,
    run_options,
)

if TYPE_CHECKING:
    from tamis.cli.method_specs import Favor

# Which parts of a page can be chosen in each format.
_PARTS: Final = {
    "markdown": ("front_matter", "title", "links", "images", "tables", "comments"),
    "text": ("title", "tables", "comments"),
    "html": ("links", "images", "tables"),
}


@click.command()
@inputs_argument
@from_list_option
@format_option(
    "By default what the name of OUTPUT ends in, else text for one page and jsonl for folders, "
    "lists and several inputs. json has the blocks too; many pages are one line each."
)
@click.option(
    "--fields",
    metavar="NAME,…",
    help="Columns of rows, such as url,title,markdown (with jsonl, json, csv, parquet).",
)
@click.option(
    "--front-matter", is_flag=True, help="Begin Markdown with title, URL, date, author, language."
)
@click.option(
    "--title/--no-title",
    default=None,
    help="Begin with the title if the content does not (by default in Markdown).",
)
@click.option("--no-links", is_flag=True, help="Leave out links, not their texts (md, html).")
@click.option("--no-images", is_flag=True, help="Leave out images (md, html).")
@click.option("--no-tables", is_flag=True, help="Leave out tables (text, md, html).")
@click.option("--comments", is_flag=True, help="Add the comments of readers (text, md).")
@method_options("How content is identified (learned); tamis methods lists all.")
@run_options
@render_options
@page_options
def extract(
    inputs: tuple[str, ...],
    from_list: Path | None,
    output_format: str | None,
    fields: str | None,
    front_matter: bool,
    title: bool | None,
    no_links: bool,
    no_images: bool,
    no_tables: bool,
    comments: bool,
    method: str | None,
    favor: Favor | None,
    model: Path | None,
    parameters: tuple[tuple[str, str], ...],
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

    A LIST is a file (.txt, .lst, .list) with one input per line. Files that start with HTML are
    treated as pages, and so is any text given as -.

    OUTPUT ends in .txt, .md, .html, .json, .jsonl, .jsonl.gz, .csv or .parquet. In a folder each
    page is a file with a short name. Rows always have name and error.

    Data goes to standard output or OUTPUT, messages to standard error. The exit code is 0 if all
    pages were extracted, 1 if some failed (each failure is a row or a message with its reason), 2
    for a mistake in the call or an output that cannot be written, 130 after Ctrl-C.
    """
    from tamis.cli.files import check_no_input, list_read_files
    from tamis.cli.inputs import check_single_url, find_inputs, names_many_pages
    from tamis.cli.method_specs import check_no_comparison, choose_method, fit_to_pages
    from tamis.cli.output import choose_fields, choose_format, open_sink
    from tamis.cli.rendering import choose_rendering, method_needs_layout
    from tamis.cli.runner import run
    from tamis.cli.tasks import PageTask

    check_resume(resume=resume, overwrite=overwrite)
    chosen = choose_method(method, favor, model, parameters)
    if output:
        check_no_input([Path(output)], list_read_files(inputs, from_list, model))
    pages = find_inputs(inputs, from_list, "extract")
    check_single_url(limits["url"], pages)
    fetch = build_fetch(timeout, limits, allow_private=allow_private)
    rendering = choose_rendering(
        fetch, javascript=javascript, live=live, needed=method_needs_layout(chosen)
    )
    if rendering is not None:
        check_no_comparison(chosen)
    many = names_many_pages(inputs, from_list, pages)
    page_format = choose_format(output, output_format, many=many)
    parts = _choose_parts(
        page_format,
        front_matter=front_matter or None,
        title=title,
        links=False if no_links else None,
        images=False if no_images else None,
        tables=False if no_tables else None,
        comments=comments or None,
    )
    task = PageTask(
        page_format,
        drop_unset(method=chosen, **limits),
        fetch,
        many,
        rendering,
        choose_fields(page_format, fields),
        parts,
    )
    sink = open_sink(output, task, pages, resume=resume, overwrite=overwrite)
    with closing(sink), fit_to_pages(chosen, pages, limits, fetch) as (fitted, readable):
        sys.exit(run(readable, task.with_method(fitted), sink, jobs=jobs))


def _choose_parts(page_format: str, **chosen: bool | None) -> dict[str, bool]:
    """Return which parts of a page are wanted or not; a usage error if the format has none such."""
    parts = {name: choice for name, choice in chosen.items() if choice is not None}
    for name, choice in parts.items():
        if name not in _PARTS.get(page_format, ()):
            formats = [label for label, names in _PARTS.items() if name in names]
            labels = " and ".join({"markdown": "Markdown"}.get(label, label) for label in formats)
            option = f"--{'' if choice else 'no-'}{name.replace('_', '-')}"
            advice = f"give -f {formats[0]}"
            raise click.UsageError(f"{option} is for {labels}, not for {page_format}: {advice}")
    return parts
