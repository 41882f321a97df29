"""`tamis site`: templates of sites, learned, applied, shown and updated."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tamis.cli.messages import say
from tamis.cli.options import (
    bound_options,
    check_kept,
    fetch_of,
    given,
    limit_options,
    run_options,
)

if TYPE_CHECKING:
    from tamis.site import Site

FORMATS = ("text", "markdown", "html", "json", "jsonl")
inputs_argument = click.argument("inputs", nargs=-1, metavar="FILE|DIR|GLOB|WARC|LIST|URL|- …")
list_option = click.option(
    "--from-list", type=click.Path(path_type=Path), help="File with one input a line."
)


def known_host(_: click.Context, __: click.Parameter, host: str | None) -> str | None:
    """Return the name of a host in lower case; bytes that are no text are a mistake."""
    try:
        (host or "").encode()
    except UnicodeEncodeError as error:
        raise click.BadParameter(f"{host!r} is no host such as example.org") from error
    return host.lower() if host else None


host_option = click.option(
    "--site", "host", callback=known_host, help="Take only the pages of this host."
)
site_argument = click.argument(
    "site", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="SITE"
)


@click.group()
def site() -> None:
    """Learn what the pages of a site have in common, and read its pages with that."""


@site.command()
@inputs_argument
@list_option
@host_option
@click.option(
    "--output",
    "-o",
    type=click.Path(),
    required=True,
    help="File of the template; a folder (with a / at its end) for pages of several hosts.",
)
@click.option("--overwrite", is_flag=True, help="Replace files that exist.")
@bound_options
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

    Pages are split by the host of their address: that of an archive or a fetch, or what the page
    says of itself (canonical link, og:url). A page without one belongs to the site that all the
    others are of. A LIST is a file (.txt, .lst, .list) with one input a line. The exit code is 1
    if a page could not be read.
    """
    from tamis.cli.items import named_places
    from tamis.cli.overlap import check_apart, named_files
    from tamis.cli.sites import Pages, learned_sites
    from tamis.cli.targets import check_targets
    from tamis.files import explain_write_errors

    is_folder = output.endswith("/") or Path(output).is_dir()
    if not is_folder:
        check_targets([Path(output)], overwrite=overwrite)
    places = named_places(inputs, from_list, "site learn")
    read = [*places, *named_files(inputs, from_list)]
    check_apart([Path(output)], read)
    fetch = fetch_of(timeout, limits, allow_private=allow_private)
    with Pages(places, given(**limits), fetch) as pages:
        found = learned_sites(pages, host)
    targets = target_files(found, Path(output), is_folder=is_folder)
    if is_folder:
        with explain_write_errors(Path(output)):
            Path(output).mkdir(parents=True, exist_ok=True)
    check_targets(targets.values(), read, overwrite=overwrite)
    for name, path in targets.items():
        found[name].save(path)
        say(f"wrote {path}: {summary(found[name])}")
    sys.exit(0 if pages.is_whole else 1)


def target_files(
    found: dict[str | None, Site], output: Path, *, is_folder: bool
) -> dict[Any, Path]:
    """Return the file of each site; many sites need a folder."""
    from tamis.cli.names import harmless

    if is_folder:
        return {name: output / f"{harmless(name or 'site')}.tamis" for name in found}
    if len(found) > 1:
        hosts = ", ".join(f"{name or '(none)'} ({one.pages})" for name, one in found.items())
        raise click.UsageError(
            f"the pages are of {len(found)} hosts: {hosts}; take one with --site, or name a folder "
            "with -o (and a / at its end) for a file each"
        )
    return dict.fromkeys(found, output)


def summary(found: Site) -> str:
    """Say what is known of a site."""
    from tamis.cli.names import counted

    blocks = sum(len(template.blocks) for template in found.templates)
    host = f"{found.host}, " if found.host else ""
    return (
        f"{host}{counted(found.pages, 'page')}, {counted(len(found.templates), 'template')}, "
        f"{counted(blocks, 'repeated block')}"
    )


@site.command()
@site_argument
@inputs_argument
@list_option
@host_option
@bound_options
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
    from tamis.cli.items import named_places
    from tamis.cli.sites import Pages, wanted_pages
    from tamis.errors import InputError
    from tamis.site import Site

    known = Site.load(site)
    places = named_places(inputs, from_list, "site update")
    fetch = fetch_of(timeout, limits, allow_private=allow_private)
    with Pages(places, given(**limits), fetch) as pages:
        after = known.update(wanted_pages(pages, host or known.host))
    if after.pages == known.pages:
        raise InputError(f"no page of {host or known.host or 'the site'} was learned from")
    after.save(site)
    say(f"wrote {site}: {summary(after)}")
    sys.exit(0 if pages.is_whole else 1)


@site.command()
@site_argument
@inputs_argument
@list_option
@click.option(
    "--format",
    "-f",
    "form",
    type=click.Choice(FORMATS),
    help="text for one page, jsonl for more, with how well each page matches.",
)
@run_options
@limit_options
@click.option(
    "--drift",
    type=click.IntRange(1),
    default=20,
    help="Pages after which a site that has changed is told (20).",
)
def apply(
    site: Path,
    inputs: tuple[str, ...],
    from_list: Path | None,
    form: str | None,
    output: str | None,
    jobs: int,
    resume: bool,
    overwrite: bool,
    drift: int,
    timeout: float | None,
    allow_private: bool,
    **limits: Any,
) -> None:
    """Extract the content of pages with what is known of their SITE.

    A page that the template does not fit is read without it, with a message; if most of the last
    pages do not fit, that is told as well. Output, formats and exit codes are those of extract.
    """
    from tamis.cli.choice import SiteChoice, made_method
    from tamis.cli.items import check_one_address, named_places
    from tamis.cli.job import job_of
    from tamis.cli.overlap import check_apart, named_files
    from tamis.cli.run import run
    from tamis.cli.sites import Drift

    check_kept(resume=resume, overwrite=overwrite)
    made_method(SiteChoice(site))
    if output:
        check_apart([Path(output)], named_files(inputs, from_list, site))
    places = named_places(inputs, from_list, "site apply")
    check_one_address(limits["url"], places)
    fetch = fetch_of(timeout, limits, allow_private=allow_private)
    job = job_of(places, form, given(method=SiteChoice(site), **limits), fetch)
    heard = Drift(drift)
    sys.exit(run(places, job, output, jobs, resume=resume, overwrite=overwrite, heard=heard))


@site.command()
@site_argument
@click.option("--places", is_flag=True, help="Show the places where text stands, not the blocks.")
@click.option("--limit", "-n", type=click.IntRange(1), help="Rows of each template.")
@click.option(
    "--format",
    "-f",
    "form",
    type=click.Choice(("table", "json")),
    default="table",
    help="table for people (the default), json for programs.",
)
def show(site: Path, places: bool, limit: int | None, form: str) -> None:
    """Show what is known of a site: its noise, with frequency, text and XPath."""
    from tamis.cli.output import put_out, show_out
    from tamis.cli.sites import shown_json, shown_site
    from tamis.site import Site

    known = Site.load(site)
    if form == "json":
        put_out(shown_json(known, places=places, limit=limit))
    else:
        show_out(shown_site(known, places=places, limit=limit))
