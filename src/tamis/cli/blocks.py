"""`tamis blocks`: the blocks of a page with scores and reasons, as a table, JSON or screenshot."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tamis.cli.messages import say
from tamis.cli.options import (
    build_fetch,
    drop_unset,
    method_options,
    page_options,
    render_options,
)

if TYPE_CHECKING:
    from tamis.blocks import Block, Segmenter
    from tamis.cli.method_specs import Favor
    from tamis.cli.rendering import Rendering
    from tamis.source import Fetch, Input, Source


@click.command()
@click.argument("pages", nargs=-1, required=True, metavar="FILE|URL|- [FURTHER PAGE] …")
@method_options("Segmenter and identifier (learned); tamis methods lists all.")
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
    "output_format",
    type=click.Choice(("table", "json")),
    default="table",
    help="table for people (the default), json for programs.",
)
@render_options
@page_options
def blocks(
    pages: tuple[str, ...],
    method: str | None,
    favor: Favor | None,
    model: Path | None,
    parameters: tuple[tuple[str, str], ...],
    segmenter: str | None,
    informative: bool | None,
    picture: Path | None,
    overwrite: bool,
    output_format: str,
    javascript: bool,
    live: bool,
    timeout: float | None,
    allow_private: bool,
    **limits: Any,
) -> None:
    """Show the blocks of a page with their scores and reasons.

    Methods that compare pages of a site (ibdf, entropy, shingle, sitestyle) need further pages,
    which may be files, folders, archives or URLs; the blocks of the first page are shown.
    """
    from tamis.cli.files import check_targets
    from tamis.cli.method_specs import (
        build_segmenter,
        check_no_comparison,
        choose_method,
        fit_to_pages,
        needs_several_pages,
    )
    from tamis.cli.pages import find_single_input
    from tamis.cli.rendering import (
        check_screenshot_path,
        choose_rendering,
        method_needs_layout,
        segmenter_needs_layout,
        write_screenshot,
    )
    from tamis.cli.sinks import show_stdout, write_stdout
    from tamis.cli.tables import render_blocks
    from tamis.pipeline import MULTI_PAGE_METHODS
    from tamis.source import expand_inputs

    page, *further = pages
    chosen = choose_method(method, favor, model, () if segmenter else parameters)
    if chosen and segmenter:
        raise click.UsageError("a method already names a segmenter; give one of the two")
    if segmenter and informative is not None:
        raise click.UsageError(
            "a segmenter alone gives no verdict: leave --informative and --noise out, "
            "or name a --method"
        )
    if further and not needs_several_pages(chosen):
        raise click.UsageError(
            "further pages are for methods that compare pages "
            f"({', '.join(MULTI_PAGE_METHODS)}): name one"
        )
    fetch = build_fetch(timeout, limits, allow_private=allow_private)
    check_screenshot_path(picture)
    check_targets([picture], [*expand_inputs([page]), *filter(None, [model])], overwrite=overwrite)
    needed = picture is not None or method_needs_layout(chosen) or segmenter_needs_layout(segmenter)
    rendering = choose_rendering(fetch, javascript=javascript, live=live, needed=needed)
    if rendering is not None:
        check_no_comparison(chosen)
    if further:
        find_single_input(page)  # the blocks of one page are shown
    cut_by = build_segmenter(segmenter, parameters) if segmenter else None
    inputs = list(expand_inputs(pages))
    with fit_to_pages(chosen, inputs, limits, fetch, report=True) as (fitted, readable):
        origin = readable[0] if further else page
        settings = drop_unset(method=fitted, **limits)
        all_blocks, screenshot = _read_blocks(
            origin, cut_by, fetch, settings, rendering, with_screenshot=picture is not None
        )
    shown = [block for block in all_blocks if informative in (None, block.informative)]
    if not shown:
        kind = {None: "", True: "informative ", False: "noisy "}[informative]
        say(f"the page has no {kind}blocks")
    # The screenshot first: a reader of the table may stop early.
    if picture is not None and screenshot is not None:
        from tamis.render import blocks_page

        title = f"{page} · {segmenter or method or 'learned'}"
        write_screenshot(picture, blocks_page(shown, screenshot, title), limits["deadline"])
    if output_format == "json":
        rows = [block.as_dict() for block in shown]
        write_stdout(f"{json.dumps(rows, ensure_ascii=False, indent=2)}\n")
    else:
        show_stdout(render_blocks(shown, numbered=picture is not None))


def _read_blocks(
    origin: str | Input | Source,
    segmenter: Segmenter | None,
    fetch: Fetch,
    settings: Mapping[str, Any],
    rendering: Rendering | None,
    *,
    with_screenshot: bool,
) -> tuple[Sequence[Block], bytes | None]:
    """Return the blocks of a page, and a screenshot if it is wanted."""
    from tamis.blocks import Block
    from tamis.cli.pages import read_single_page
    from tamis.page import DEADLINE, Budget, Page, parse
    from tamis.pipeline import extract, segment

    page_input, source, page_settings = read_single_page(origin, fetch, settings)
    html: bytes | Page = source.data
    screenshot = None
    if rendering is not None:
        rendered = rendering.render(source, page_input, page_settings, screenshot=with_screenshot)
        html, screenshot = rendered.page, rendered.screenshot
        names = ("method", "deadline")
        page_settings = {name: page_settings[name] for name in names if name in page_settings}
    if segmenter is None:
        return extract(html, **page_settings).blocks, screenshot
    page = html if isinstance(html, Page) else parse(html, **page_settings)
    cut, budget = segment(page, segmenter), Budget(settings.get("deadline", DEADLINE))
    return [Block(cut, index, budget=budget) for index in range(len(cut))], screenshot
