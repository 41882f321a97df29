"""Pages of sites for the commands that learn, and what there is to show of a site."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self
from urllib.parse import urlsplit

from tamis.cli.items import has_archives
from tamis.cli.job import Outcome
from tamis.cli.names import counted, told
from tamis.cli.progress import Progress
from tamis.cli.slow import tell_if_slow
from tamis.errors import InputError, TamisError
from tamis.metadata import read_metadata
from tamis.page import MAX_BYTES, Page, parse
from tamis.printing import printable
from tamis.site import (
    METHOD,
    PageProfile,
    Site,
    SiteLearner,
    Template,
    Watch,
    build_profile,
    to_probability,
)
from tamis.source import Failure, Fetch, Input, Source
from tamis.source import read_pages as pages_of

if TYPE_CHECKING:
    from rich.table import Table

WIDE = 160  # columns where there is no terminal to ask
LONG = 400  # characters of a text, more than any terminal shows


class Pages(Progress):
    """The pages of what the user named; what cannot be read is told."""

    def __init__(self, places: Sequence[Input], limits: Mapping[str, Any], fetch: Fetch) -> None:
        super().__init__(None if has_archives(places) else len(places), what="learning")
        self.places = places
        self.limits = limits  # of parse()
        self.fetch = fetch

    def __enter__(self) -> Self:
        tell_if_slow()
        return super().__enter__()

    def __iter__(self) -> Iterator[tuple[Input | Source, Page]]:
        """Yield pages, each with what it can be read from again."""
        for place in self.places:
            for source in self.sources(place):
                page = self.parsed(source)
                if page is not None and isinstance(source, Source):
                    self.count(Outcome(source.name, None))
                    yield place if place.kind == "file" else source, page

    def sources(self, place: Input) -> Iterator[Source | Failure]:
        """Return what is at a place."""
        most = self.limits.get("max_bytes", MAX_BYTES)
        return pages_of([place], max_bytes=most, fetch=self.fetch)

    def parsed(self, source: Source | Failure) -> Page | None:
        """Return a page, or None if it cannot be read, which is counted and told."""
        try:
            if isinstance(source, Failure):
                raise source.error
            charset = self.limits.get("charset") or source.charset
            return parse(source.data, source.url, **{**self.limits, "charset": charset})
        except TamisError as error:
            of_archive = isinstance(source, Failure) and source.of_archive
            counts_as: Literal["archive", "page"] = "archive" if of_archive else "page"
            self.count(Outcome(source.name, None, str(error), counts_as=counts_as))
            return None

    def again(self, places: Iterable[Input | Source]) -> Iterator[Page]:
        """Yield pages once more."""
        for place in places:
            for source in [place] if isinstance(place, Source) else self.sources(place):
                page = self.parsed(source)
                if page is not None:
                    yield page


def page_host(page: Page) -> str | None:
    """Return the host of a page, by its address or by what it says of itself."""
    address = page.url or read_metadata(page).url
    try:
        return (urlsplit(address).hostname or None) if address else None
    except ValueError:
        return None


def learned_sites(pages: Pages, wanted: str | None) -> dict[str | None, Site]:
    """Return the sites of pages by host, or the one of a wanted host.

    A page whose host nobody knows belongs to the wanted one, or to the only one there is.
    """
    groups: dict[str | None, SiteLearner] = {}
    unknown: list[Input | Source] = []
    for place, page in pages:
        host = page_host(page)
        if host is None:
            unknown.append(place)
        elif wanted is None or host == wanted:
            groups.setdefault(host, SiteLearner()).learn(seen(page))
    home = wanted or (next(iter(groups)) if len(groups) == 1 else None)
    for page in pages.again(unknown):
        groups.setdefault(home, SiteLearner()).learn(seen(page))
    if not groups:
        raise InputError(
            f"no page{f' of {wanted}' if wanted else ''} was learned from: check what was named"
        )
    return {host: Site.from_templates(found.templates(), host) for host, found in groups.items()}


def wanted_pages(pages: Pages, host: str | None) -> Iterator[Page]:
    """Yield the pages of a host, and those of which nobody knows it."""
    for _, page in pages:
        if host is None or page_host(page) in (None, host):
            yield page


def seen(page: Page) -> PageProfile:
    """Return what learning sees of a page."""
    return build_profile(METHOD.segmenter.segment(page))


class Drift:
    """Hears outcomes, and says once when a site seems to have changed."""

    def __init__(self, pages: int) -> None:
        self.watch = Watch(pages)
        self.is_told = False

    def __call__(self, outcome: Outcome) -> str | None:
        """Return what there is to say after an outcome."""
        if outcome.match is None:
            return None
        lines = []
        if outcome.match < self.watch.limit:
            said = f"matches the site only by {outcome.match:.2f}, read without its template"
            lines.append(f"tamis: {told(outcome.name, said)}")
        if self.watch.add(outcome.match) and not self.is_told:
            self.is_told = True
            lines.append(f"tamis: {self.watch.report}")
        return "\n".join(lines) or None


def shown_site(site: Site, *, places: bool, limit: int | None) -> str:
    """Return what is known of a site as tables, one for each template."""
    from rich.console import Console

    asked = sys.stdout.isatty() or "COLUMNS" in os.environ
    console = Console(width=None if asked else WIDE, highlight=False)
    with console.capture() as capture:
        host = f"{site.host}: " if site.host else ""
        said = f"{host}{counted(site.pages, 'page')}, learned {site.learned.isoformat()}"
        console.print(printable(said), markup=False, soft_wrap=True)
        for number, template in enumerate(site.templates, 1):
            console.print()
            pages = counted(template.pages, "page")
            title = f"template {number} of {len(site.templates)}: {pages}"
            console.print(title, markup=False, style="bold")
            if not (template.paths if places else template.blocks):
                console.print("nothing repeats", style="dim")
                continue
            console.print(place_table(template, limit) if places else block_table(template, limit))
    return capture.get()


def block_table(template: Template, limit: int | None) -> Table:
    """Return the repeated blocks of a template, the most frequent first, and declared noise."""
    rows = [
        (
            f"{block.pages:,}",
            "noise" if block.noise else f"{block.pages / template.pages:.0%}",
            block.text,
            block.xpath,
        )
        for block in template.blocks[:limit]
    ]
    return table(("pages", "share", "text", "XPath"), rows)


def place_table(template: Template, limit: int | None) -> Table:
    """Return the places of a template, with the mean chance of content and how much repeats."""
    rows = [
        (
            f"{spot.pages:,}",
            f"{spot.blocks:,}",
            f"{to_probability(spot.log_odds):.2f}",
            f"{template.repetition.get(spot.path, 0.0):.0%}",
            spot.path,
        )
        for spot in template.paths[:limit]
    ]
    return table(("pages", "blocks", "chance", "repeats", "place"), rows)


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    """Return a table in which numbers stand right and texts are cut to one line."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    made = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for place, head in enumerate(heads):
        is_text = head in ("text", "XPath", "place")
        ratio = {"text": 3, "XPath": 2}.get(head)
        made.add_column(
            head,
            justify="left" if is_text else "right",
            no_wrap=True,
            overflow="ellipsis",
            ratio=ratio,
            min_width=None if is_text else max(len(row[place]) for row in (heads, *rows)),
        )
    for row in rows:
        made.add_row(*(Text(printable(cell[:LONG])) for cell in row))
    return made


def shown_json(site: Site, *, places: bool, limit: int | None) -> str:
    """Return what is known of a site as JSON."""
    data = {
        "host": site.host,
        "learned": site.learned.isoformat(),
        "pages": site.pages,
        "templates": [
            {
                "pages": template.pages,
                **(
                    {"places": [spot._asdict() for spot in template.paths[:limit]]}
                    if places
                    else {"blocks": [block._asdict() for block in template.blocks[:limit]]}
                ),
            }
            for template in site.templates
        ],
    }
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"
