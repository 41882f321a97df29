"""Learning: pages → templates, one page after the other and each page once."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Final

from tamis.page import collapse_spaces, row_xpath
from tamis.site.sight import Sight
from tamis.site.template import Container, Once, Repeated, Spot, Structure, Template, place_weight

SAME: Final = 0.55  # likeness from which on two pages have one template
MOST_GROUPS: Final = 30  # templates of a site; what fits none joins the nearest
DIGITS: Final = 3  # of log odds and shares
RARE: Final = 0.01  # share of pages below which a block or a place is not kept
MOST_ONCE: Final = 1000  # blocks of a place, seen in one page each, that a template keeps


@dataclass
class Sums:
    """What adds up over the pages that have text in a place."""

    pages: int = 0
    blocks: int = 0
    terms: int = 0
    odds: float = 0.0  # times terms

    @property
    def mean_odds(self) -> float:
        """The mean over terms, with so many digits as a file has."""
        return round(self.odds / max(self.terms, 1), DIGITS)


@dataclass
class Learner:
    """Learns one template.

    Blocks that were seen in one page only are kept as nothing but their fingerprint: memory grows
    with different blocks.
    """

    pages: int = 0
    once: dict[str, str] = field(default_factory=dict)  # fingerprint → place
    repeated: dict[str, Repeated] = field(default_factory=dict)
    places: dict[str, Sums] = field(default_factory=dict)
    weights: dict[str, float] = field(default_factory=dict)  # of the places, over all pages
    total: float = 0.0  # of all weights
    containers: dict[str, Container] = field(default_factory=dict)  # by place

    def likeness(self, page: Sight) -> float:
        """Return how well a page fits what was learned so far."""
        return Structure(self.pages, self.weights, self.total).likeness(page.structure)

    def learn(self, page: Sight) -> None:
        """Learn from a page."""
        self.pages += 1
        for place in page.structure:
            self.places.setdefault(place, Sums()).pages += 1
        counts: dict[str, list[int]] = {}
        for index, said in enumerate(page.fingerprints):
            if said is None:
                continue
            counts.setdefault(said, []).append(index)
            sums, terms = self.places.setdefault(page.places[index], Sums()), page.terms[index]
            sums.blocks += 1
            sums.terms += int(terms)
            sums.odds += float(terms * page.odds[index])
        for place in page.structure:
            weight = place_weight(self.places[place].pages, self.places[place].terms)
            self.total += weight - self.weights.get(place, 0.0)
            self.weights[place] = weight
        for said, indices in counts.items():
            self._count(page, said, indices)
        if page.container is not None:
            _, place, share = page.container
            known = self.containers.get(place, Container(place, 0, 0.0))
            self.containers[place] = known.with_page(share)

    def _count(self, page: Sight, said: str, indices: list[int]) -> None:
        """Count a block that stands at some places of a page."""
        before = self.repeated.get(said)
        if before is not None:
            times = before.times + len(indices)
            self.repeated[said] = before._replace(pages=before.pages + 1, times=times)
        elif said in self.once:
            place, index = self.once.pop(said), indices[0]
            xpath = row_xpath(page.blocks.page, int(page.blocks.node[index]))
            text = collapse_spaces(page.blocks.text(index))
            self.repeated[said] = Repeated(said, 2, 1 + len(indices), place, xpath, text)
        else:
            self.once[said] = page.places[indices[0]]

    def template(self) -> Template:
        """Return what was learned, without what is rare; the most frequent first."""
        least = RARE * self.pages
        blocks = (block for block in self.repeated.values() if block.pages >= least or block.noise)
        spots = (
            Spot(place, sums.pages, sums.blocks, sums.terms, sums.mean_odds)
            for place, sums in self.places.items()
            if sums.pages >= least
        )
        places = tuple(sorted(spots, key=lambda spot: (-spot.pages, spot.place)))
        containers = (
            known._replace(share=round(known.share, DIGITS))
            for known in self.containers.values()
            if known.pages >= least
        )
        return Template(
            self.pages,
            tuple(sorted(blocks, key=lambda block: (-block.pages, block.place, block.id))),
            places,
            self._seen_once({spot.place for spot in places}),
            tuple(sorted(containers, key=lambda known: (-known.pages, known.place))),
        )

    def _seen_once(self, places: Collection[str]) -> tuple[Once, ...]:
        """Return the blocks that some places had once, of each place the newest."""
        found: dict[str, list[str]] = {}
        for said, place in self.once.items():
            if place in places:
                found.setdefault(place, []).append(said)
        return tuple(Once(place, tuple(ids[-MOST_ONCE:])) for place, ids in sorted(found.items()))


def learner_of(template: Template) -> Learner:
    """Return a learner that goes on where a template was made."""
    return Learner(
        template.pages,
        {said: once.place for once in template.once for said in once.ids},
        dict(template.by_id),
        {
            spot.place: Sums(spot.pages, spot.blocks, spot.terms, spot.odds * spot.terms)
            for spot in template.places
        },
        dict(template.structure.weights),
        template.structure.total,
        {known.place: known for known in template.containers},
    )


class Groups:
    """Learns the templates of one site, each page with those of its structure."""

    def __init__(self, templates: Iterable[Template] = ()) -> None:
        self.learners = [learner_of(template) for template in templates]

    def learn(self, page: Sight) -> None:
        """Learn from a page, with the pages that it is most like or as the first of its kind."""
        fits = [learner.likeness(page) for learner in self.learners]
        best = max(range(len(fits)), key=fits.__getitem__, default=-1)
        if best < 0 or (fits[best] < SAME and len(fits) < MOST_GROUPS):
            self.learners.append(Learner())
            best = len(self.learners) - 1
        self.learners[best].learn(page)

    def templates(self) -> tuple[Template, ...]:
        """Return what was learned, the template of most pages first."""
        made = [learner.template() for learner in self.learners]
        return tuple(sorted(made, key=lambda template: -template.pages))


def templates_of(
    pages: Iterable[Sight], templates: Iterable[Template] = ()
) -> tuple[Template, ...]:
    """Return the templates of pages, beside those that are known."""
    groups = Groups(templates)
    for page in pages:
        groups.learn(page)
    return groups.templates()
