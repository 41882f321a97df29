"""Templates on all domains with several pages, also of sets that nothing was chosen on."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from tamis.errors import InputError, PoorMatch, TamisError
from tamis.lab.datasets import Dataset, load
from tamis.lab.report.report import Report, ReportTable
from tamis.lab.studies.sites.effect import Effect, measure_site_effect
from tamis.lab.studies.sites.systems import LabPage, build_lab_page
from tamis.lab.study import Log, Study
from tamis.lab.systems.methods import registered_domain
from tamis.site import Weights

CHOSEN_ON: Final = "sites-dev"  # the set that the weights of templates were chosen on
SETS: Final = ("wcxb-dev", "languages-dev", "articles-dev", "news-dev", "forums-dev", CHOSEN_ON)
SIZES: Final = (3, 5, 10, 20)  # pages to learn from
_MIN_PAGES: Final = 5  # of a domain
_DRAWS: Final = 5


@dataclass(frozen=True)
class SiteDomainsStudy(Study):
    """Compares pages read with a template with the same pages by themselves, domain by domain.

    All registered domains with five pages or more count, whatever set they are in.
    """

    name: ClassVar[str] = "site-domains"

    draws: int = _DRAWS

    def run(self, log: Log) -> Report:
        """Learn from a few pages of each domain and read its others, set by set."""
        effects: dict[str, dict[str, list[Effect]]] = {}
        remarks = []
        for name in SETS:
            try:
                domains = group_by_domain(load(name))
            except TamisError as error:  # one set that fails does not stop the others
                remarks.append(f"Left out: {name} ({error}).")
                continue
            if domains:
                log.say(f"{name}: {len(domains)} domains")
                effects[name] = self._measure(domains, log)
        if not effects:
            raise InputError(
                f"no set with {_MIN_PAGES} pages of a domain: put {' or '.join(SETS)} into "
                "$TAMIS_BENCH"
            )
        return Report("tamis: templates by domain", [_build_table(effects)], remarks=remarks)

    def _measure(
        self, domains: Mapping[str, Sequence[LabPage]], log: Log
    ) -> dict[str, list[Effect]]:
        """Return the effects on each domain, by the number of pages learned from."""
        effects = {}
        with warnings.catch_warnings(), log.progress(len(domains)) as progress:
            warnings.simplefilter("ignore", PoorMatch)
            for domain, pages in domains.items():
                effects[domain] = [
                    measure_site_effect(domain, pages, size, Weights(), self.draws)
                    for size in SIZES
                    if len(pages) > size
                ]
                progress.advance()
        return effects


def group_by_domain(dataset: Dataset) -> dict[str, list[LabPage]]:
    """Return the pages of the domains that have several in a set."""
    if dataset.truth != "text":
        raise InputError(f"{dataset.name} has no main_content")
    groups: defaultdict[str, list[LabPage]] = defaultdict(list)
    for item in dataset.items:
        groups[registered_domain(item.group)].append(build_lab_page(item, dataset))
    return {domain: pages for domain, pages in groups.items() if len(pages) >= _MIN_PAGES}


def _build_table(effects: Mapping[str, Mapping[str, Sequence[Effect]]]) -> ReportTable:
    """Return the gain of each domain by the number of pages learned from."""
    rows = []
    for name, by_domain in effects.items():
        for domain, of_domain in by_domain.items():
            cells = {effect.learned: f"{effect.gain:+.4f}" for effect in of_domain}
            worst = min(effect.worst for effect in of_domain)
            losing = sum(effect.losing for effect in of_domain)
            pages = sum(effect.pages for effect in of_domain)
            rows.append(
                [
                    f"{domain} ({name})",
                    f"{of_domain[0].alone:.3f}",
                    *(cells.get(size, "") for size in SIZES),
                    f"{worst:+.3f}",
                    f"{losing} of {pages}",
                ]
            )
    rows += _mean_rows(effects)
    heads = ["domain", "page by page", *(f"after {size}" for size in SIZES), "worst page"]
    heads.append("lose over 0.02")
    caption = (
        "F1 in words of pages by themselves, and what templates add that were learned from so "
        f"many other pages of the domain, drawn several times. Weights of templates were chosen on "
        f"{CHOSEN_ON} alone; models have not seen the domain."
    )
    return ReportTable("Templates by registered domain", heads, rows, caption)


def _mean_rows(
    effects: Mapping[str, Mapping[str, Sequence[Effect]]],
) -> Iterator[list[str]]:
    """Yield the means over the domains that have so many pages, and how many those are."""
    parts = {
        "other sets": [e for name in effects if name != CHOSEN_ON for e in effects[name].values()],
        CHOSEN_ON: list(effects.get(CHOSEN_ON, {}).values()),
    }
    for label, domains in parts.items():
        if not domains:
            continue
        cells = []
        for size in SIZES:
            gains = [effect.gain for of in domains for effect in of if effect.learned == size]
            cells.append(f"{sum(gains) / len(gains):+.4f} ({len(gains)})" if gains else "")
        alone = sum(of[0].alone for of in domains) / len(domains)
        worst = min(effect.worst for of in domains for effect in of)
        losing = sum(effect.losing for of in domains for effect in of)
        pages = sum(effect.pages for of in domains for effect in of)
        yield [
            f"mean of {label} (domains)", f"{alone:.3f}", *cells, f"{worst:+.3f}",
            f"{losing} of {pages}",
        ]  # fmt: skip
