"""`tamis site`: templates of sites, learned, applied, shown and updated."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tamis.cli.messages import count_things, say
from tamis.cli.options import (
    build_fetch,
    check_resume,
    drop_unset,
    format_option,
    from_list_option,
    inputs_argument,
    limit_options,
    page_options,
    run_options,
)

if TYPE_CHECKING:
    from tamis.site import Site


def _check_host(_: click.Context, __: click.Parameter, host: str | None) -> str | None:
    """Return the name of a host in lower case; bytes that are no text are a mistake."""
    try:
        (host or "").encode()
    except UnicodeEncodeError as error:
        raise click.BadParameter(f"{host!r} is no host such as example.org") from error
    return host.lower() if host else None


_host_option = click.option(
    "--site", "host", callback=_check_host, help="Take only the pages of this host."
)
_site_argument = click.argument(
    "site", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="SITE"
)


@click.group()
def site() -> None:
    """Learn what the pages of a site have in common, and read its pages with that."""


@site.command()
@inputs_argument
@from_list_option
@_host_option
@click.option(
    "--output",
    "-o",
    type=click.Path(),
    required=True,
    help="File of the template; a folder (with a / at its end) for pages of several hosts.",
)
@click.option("--overwrite", is_flag=True, help="Replace files that exist.")
@limit_options
def learn(
    inputs: tuple[str, ...],
    from_list: Path | None,
    host: str | None,
    output: str,
    overwrite: bool,
    timeout: float | None,
    allow_private: bool,
    **limits: Any,
) -> None:
    """Learn a site from pages, without labels; five to ten pages are enough.

    Pages are split by the host of their URL, which an archive or a fetch gives, or else the page
    itself (canonical link, og:url). A page without a URL belongs to the site of all the others.
    A LIST is a file (.txt, .lst, .list) with one input per line. The exit code is 1 if a page
    could not be read.
    """
    from tamis.cli.files import check_no_input, check_targets, list_read_files
    from tamis.cli.inputs import find_inputs
    from tamis.cli.site_pages import SitePages, learn_sites
    from tamis.files import explain_write_errors

    is_folder = output.endswith("/") or Path(output).is_dir()
    if not is_folder:
        check_targets([Path(output)], overwrite=overwrite)
    page_inputs = find_inputs(inputs, from_list, "site learn")
    read_files = [*page_inputs, *list_read_files(inputs, from_list)]
    check_no_input([Path(output)], read_files)
    fetch = build_fetch(timeout, limits, allow_private=allow_private)
    with SitePages(page_inputs, drop_unset(**limits), fetch) as pages:
        sites = learn_sites(pages, host)
    targets = _site_files(sites, Path(output), is_folder=is_folder)
    if is_folder:
        with explain_write_errors(Path(output)):
            Path(output).mkdir(parents=True, exist_ok=True)
    check_targets(targets.values(), read_files, overwrite=overwrite)
    for name, path in targets.items():
        sites[name].save(path)
        say(f"wrote {path}: {_summarize(sites[name])}")
    sys.exit(0 if pages.is_success else 1)


def _site_files(
    sites: dict[str | None, Site], output: Path, *, is_folder: bool
) -> dict[str | None, Path]:
    """Return the file of each site; several sites need a folder."""
    from tamis.cli.files import make_safe_name

    if is_folder:
        return {host: output / f"{make_safe_name(host or 'site')}.tamis" for host in sites}
    if len(sites) > 1:
        hosts = ", ".join(f"{host or '(none)'} ({site.pages})" for host, site in sites.items())
        raise click.UsageError(
            f"the pages are of {len(sites)} hosts: {hosts}; take one with --site, or name a folder "
            "with -o (and a / at its end) for a file each"
        )
    return dict.fromkeys(sites, output)


def _summarize(learned: Site) -> str:
    """Return what was learned of a site, in one line."""
    blocks = sum(len(template.blocks) for template in learned.templates)
    host = f"{learned.host}, " if learned.host else ""
    return (
        f"{host}{count_things(learned.pages, 'page')}, "
        f"{count_things(len(learned.templates), 'template')}, "
        f"{count_things(blocks, 'repeated block')}"
    )


@site.command()
@_site_argument
@inputs_argument
@from_list_option
@_host_option
@limit_options
def update(
    site: Path,
    inputs: tuple[str, ...],
    from_list: Path | None,
    host: str | None,
    timeout: float | None,
    allow_private: bool,
    **limits: Any,
) -> None:
    """Learn from further pages, into the same file SITE."""
    from tamis.cli.inputs import find_inputs
    from tamis.cli.site_pages import SitePages, select_pages
    from tamis.errors import InputError
    from tamis.site import Site

    before = Site.load(site)
    page_inputs = find_inputs(inputs, from_list, "site update")
    fetch = build_fetch(timeout, limits, allow_private=allow_private)
    with SitePages(page_inputs, drop_unset(**limits), fetch) as pages:
        after = before.update(select_pages(pages, host or before.host))
    if after.pages == before.pages:
        raise InputError(f"no page of {host or before.host or 'the site'} was learned from")
    after.save(site)
    say(f"wrote {site}: {_summarize(after)}")
    sys.exit(0 if pages.is_success else 1)


@site.command()
@_site_argument
@inputs_argument
@from_list_option
@format_option("As with tamis extract; rows have how well each page matches.")
@run_options
@page_options
@click.option(
    "--drift",
    type=click.IntRange(1),
    default=20,
    help="Pages after which a site that has changed is reported (20).",
)
def apply(
    site: Path,
    inputs: tuple[str, ...],
    from_list: Path | None,
    output_format: str | None,
    output: str | None,
    jobs: int,
    resume: bool,
    overwrite: bool,
    drift: int,
    timeout: float | None,
    allow_private: bool,
    **limits: Any,
) -> None:
    """Extract the content of pages with what was learned of their SITE.

    A page that the template does not fit is read without it, with a message; if most of the last
    pages do not fit, that is reported as well. Output, formats and exit codes are those of extract.
    """
    from tamis.cli.files import check_no_input, list_read_files
    from tamis.cli.inputs import check_single_url, find_inputs, names_many_pages
    from tamis.cli.method_specs import SiteSpec, build_method
    from tamis.cli.output import choose_fields, choose_format, open_sink
    from tamis.cli.runner import run
    from tamis.cli.site_pages import DriftWarnings
    from tamis.cli.tasks import PageTask

    check_resume(resume=resume, overwrite=overwrite)
    build_method(SiteSpec(site))  # a bad file is reported before any work
    if output:
        check_no_input([Path(output)], list_read_files(inputs, from_list, site))
    pages = find_inputs(inputs, from_list, "site apply")
    check_single_url(limits["url"], pages)
    fetch = build_fetch(timeout, limits, allow_private=allow_private)
    many = names_many_pages(inputs, from_list, pages)
    page_format = choose_format(output, output_format, many=many)
    settings = drop_unset(method=SiteSpec(site), **limits)
    fields = choose_fields(page_format, None)
    task = PageTask(page_format, settings, fetch, many, fields=fields)
    sink = open_sink(output, task, pages, resume=resume, overwrite=overwrite)
    sys.exit(run(pages, task, sink, jobs=jobs, on_outcome=DriftWarnings(drift)))


@site.command()
@_site_argument
@click.option(
    "--paths",
    "with_paths",
    is_flag=True,
    help="Show the paths at which text stands, not the blocks.",
)
@click.option("--limit", "-n", type=click.IntRange(1), help="Rows of each template.")
@click.option(
    "--format",
    "-f",
    "output_format",
    type=click.Choice(("table", "json")),
    default="table",
    help="table for people (the default), json for programs.",
)
def show(site: Path, with_paths: bool, limit: int | None, output_format: str) -> None:
    """Show what was learned of a site: its noise, with frequency, text and XPath."""
    from tamis.cli.sinks import show_stdout, write_stdout
    from tamis.cli.tables import render_site
    from tamis.site import Site

    learned = Site.load(site)
    if output_format == "json":
        rows = _describe(learned, with_paths=with_paths, limit=limit)
        write_stdout(json.dumps(rows, ensure_ascii=False, indent=2) + "\n")
    else:
        show_stdout(render_site(learned, with_paths=with_paths, limit=limit))


@site.command("test")
@_site_argument
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON per case.")
def run_tests(site: Path, as_json: bool) -> None:
    """Run the test cases of a SITE again, and say which no longer hold.

    Cases are pages on which people made rules, with what they said about them; the inspector saves
    them. The exit code is 1 if a case no longer holds.
    """
    from tamis.cli.sinks import write_stdout
    from tamis.printing import printable
    from tamis.site import Site

    outcomes = Site.load(site).run_cases()
    for outcome in outcomes:
        case = outcome.case
        if as_json:
            row: dict[str, Any] = {"case": case.id, "url": case.url, "holds": outcome.holds}
            row |= {"failures": list(outcome.failures)}
            write_stdout(json.dumps(row, ensure_ascii=False) + "\n")
            continue
        name = printable(case.url or case.id)
        write_stdout(f"{'ok    ' if outcome.holds else 'FAILED'} {name}\n")
        for failure in outcome.failures:
            write_stdout(f"       {printable(failure)}\n")
    broken = sum(not outcome.holds for outcome in outcomes)
    cases = count_things(len(outcomes), "case")
    if not outcomes:
        say(f"{site} has no cases: mark blocks of a page in `tamis inspect`")
    elif broken:
        say(f"{broken} of {cases} no longer hold")
    else:
        say(f"{'all ' * (len(outcomes) > 1)}{cases} hold{'s' * (len(outcomes) == 1)}")
    sys.exit(1 if broken else 0)


def _describe(learned: Site, *, with_paths: bool, limit: int | None) -> dict[str, Any]:
    """Return what was learned of a site as plain data."""
    templates = []
    for template in learned.templates:
        if with_paths:
            rows = {"paths": [path._asdict() for path in template.paths[:limit]]}
        else:
            rows = {"blocks": [block._asdict() for block in template.blocks[:limit]]}
        templates.append({"pages": template.pages, **rows})
    return {
        "host": learned.host,
        "learned": learned.learned.isoformat(),
        "pages": learned.pages,
        "rules": [{**rule.as_dict(), "meaning": rule.explain()} for rule in learned.rules],
        "cases": len(learned.cases),
        "templates": templates,
    }
