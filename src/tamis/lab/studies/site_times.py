"""A made-up site: header, navigation, sidebar, rotating advertisements and unique articles.

Also the run time of methods against the number of pages, as in Figures 7 and 9 of Debnath et al.
2005.
"""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tamis.blocks import Fragments, Tables, TagSet
from tamis.page import Page, parse
from tamis.site import Site
from tamis.verdict import Entropy, Feature, Ibdf, Shingle

CONSONANTS, VOWELS = "bdfgklmnprstvz", "aeiou"
MENU = ("Home", "Politics", "Business", "Science", "Sport", "Weather", "Travel", "Opinion")
ADS = tuple(
    f"Advertisement: {name} makes your mornings brighter, order before Sunday"
    for name in ("Brolo tea", "Kanvar shoes", "Mildo lamps", "Pelt & Sons", "Zenna bikes")
)
LINKS = 60  # stories that the sidebar takes turns with


def word(number: int) -> str:
    """Return a word that can be spoken, another one for every number."""
    syllables = ""
    while not syllables or number:
        number, rest = divmod(number, len(CONSONANTS) * len(VOWELS))
        syllables += CONSONANTS[rest % len(CONSONANTS)] + VOWELS[rest // len(CONSONANTS)]
    return syllables


def sentence(chance: random.Random, length: int = 14) -> str:
    """Return a sentence of rare and frequent words."""
    words = (word(int(chance.paretovariate(0.5)) % 40_000) for _ in range(length))
    return " ".join(words).capitalize() + "."


def article_page(number: int, *, paragraphs: int = 6) -> str:
    """Return the page of an article."""
    chance = random.Random(number)
    story = "".join(
        f"<p>{' '.join(sentence(chance) for _ in range(chance.randint(2, 4)))}</p>"
        for _ in range(paragraphs)
    )
    return framed(
        f"<article><h1>{sentence(chance, 6)}</h1><p class=by>By {word(number % 40)}</p>{story}"
        f"</article>",
        chance,
    )


def index_page(number: int) -> str:
    """Return a list of stories, of another template than articles."""
    chance = random.Random(-number - 1)
    teasers = "".join(
        f"<li class=teaser><h2><a href=/s/{n}>{sentence(chance, 6)}</a></h2>"
        f"<div class=lead>{sentence(chance)}</div></li>"
        for n in range(8)
    )
    return framed(f"<section class=front><ul class=teasers>{teasers}</ul></section>", chance)


def framed(content: str, chance: random.Random) -> str:
    """Return content with what all pages of the site have around it."""
    menu = "".join(f"<li><a href=/{name.lower()}>{name}</a></li>" for name in MENU)
    first = chance.randrange(LINKS)
    side = "".join(
        f"<li><a href=/s/{n}>{sentence(random.Random(10_000 + n % LINKS), 7)}</a></li>"
        for n in range(first, first + 5)
    )
    return (
        "<html lang=en><head><title>The Daily Pane</title></head><body>"
        "<header><div class=logo>The Daily Pane</div><div class=slogan>News that lets the light in"
        f"</div></header><nav><ul>{menu}</ul></nav><div class=ad>{chance.choice(ADS)}</div>"
        f"<main>{content}</main><aside><h3>Most read this week</h3><ul>{side}</ul></aside>"
        "<footer><p>Copyright The Daily Pane. All rights reserved in this and other worlds.</p>"
        "<p><a href=/imprint>Imprint</a> <a href=/privacy>Privacy</a></p></footer></body></html>"
    )


def site_pages(count: int, *, first: int = 0, index_every: int = 0) -> Iterator[tuple[str, str]]:
    """Yield addresses and pages of the site; every so many of them is a list of stories."""
    for number in range(first, first + count):
        is_index = index_every and number % index_every == index_every - 1
        html = index_page(number) if is_index else article_page(number)
        yield f"https://pane.example/{number}", html


COUNTS: Final = (10, 30, 100, 300, 1000)


@dataclass(frozen=True)
class Timing:
    """Seconds of a system for so many pages, and how many times that of ibdf it is."""

    name: str
    pages: int
    seconds: float
    ratio: float


def ibdf(pages: Sequence[Page]) -> None:
    """Find the informative blocks of all pages by ContentExtractor."""
    blocks = [TagSet().segment(page) for page in pages]
    ready = Ibdf().fit(blocks)
    for page in blocks:
        ready.identify(page)


def entropy(pages: Sequence[Page]) -> None:
    """The same by Lin and Ho."""
    blocks = [Tables().segment(page) for page in pages]
    ready = Entropy().fit(blocks)
    for page in blocks:
        ready.identify(page)


def shingle(pages: Sequence[Page]) -> None:
    """The same by shared fragments."""
    blocks = [Fragments().segment(page) for page in pages]
    ready = Shingle().fit(blocks)
    for page in blocks:
        ready.identify(page)


def feature(pages: Sequence[Page]) -> None:
    """The same by FeatureExtractor, page by page."""
    for page in pages:
        Feature().identify(TagSet(tables="whole").segment(page))


def site(pages: Sequence[Page]) -> None:
    """The same by a site template, with the score of the default method for each page."""
    ready = Site.learn(pages)
    for page in pages:
        ready.identify(TagSet().segment(page))


SYSTEMS: Final[Mapping[str, Callable[[Sequence[Page]], None]]] = {
    "ibdf": ibdf,
    "entropy": entropy,
    "shingle": shingle,
    "feature": feature,
    "site": site,
}


def timings(counts: Sequence[int]) -> tuple[Timing, ...]:
    """Return the time of each system for several numbers of pages of a site that is made up.

    Times are of one thread, without parsing, the better of two.
    """
    rows = []
    for count in counts:
        pages = [parse(html, url) for url, html in site_pages(count)]
        seconds = {name: best(run, pages) for name, run in SYSTEMS.items()}
        rows += [
            Timing(name, count, value, value / seconds["ibdf"]) for name, value in seconds.items()
        ]
    return tuple(rows)


def best(work: Callable[[Sequence[Page]], None], pages: Sequence[Page]) -> float:
    """Return the lesser of two times."""
    times = []
    for _ in range(2):
        gc.collect()
        start = time.thread_time()
        work(pages)
        times.append(time.thread_time() - start)
    return min(times)
