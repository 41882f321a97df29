"""A made-up site: header, navigation, sidebar, rotating advertisements and unique articles.

The same number gives the same page every time.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Final

_CONSONANTS: Final = "bdfgklmnprstvz"
_VOWELS: Final = "aeiou"
MENU: Final = ("Home", "Politics", "Business", "Science", "Sport", "Weather", "Travel", "Opinion")
ADS: Final = tuple(
    f"Advertisement: {name} makes your mornings brighter, order before Sunday"
    for name in ("Brolo tea", "Kanvar shoes", "Mildo lamps", "Pelt & Sons", "Zenna bikes")
)
_LINKS: Final = 60  # stories that the sidebar chooses from


def word(number: int) -> str:
    """Return a word that can be spoken, another one for every number."""
    letters = ""
    while not letters or number:
        number, rest = divmod(number, len(_CONSONANTS) * len(_VOWELS))
        letters += _CONSONANTS[rest % len(_CONSONANTS)] + _VOWELS[rest // len(_CONSONANTS)]
    return letters


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
    return _frame(
        f"<article><h1>{sentence(chance, 6)}</h1><p class=by>By {word(number % 40)}</p>{story}"
        f"</article>",
        chance,
    )


def index_page(number: int) -> str:
    """Return a list of stories, with another template than articles."""
    chance = random.Random(-number - 1)
    teasers = "".join(
        f"<li class=teaser><h2><a href=/s/{n}>{sentence(chance, 6)}</a></h2>"
        f"<div class=lead>{sentence(chance)}</div></li>"
        for n in range(8)
    )
    return _frame(f"<section class=front><ul class=teasers>{teasers}</ul></section>", chance)


def _frame(content: str, chance: random.Random) -> str:
    """Return content with the frame that all pages of the site have."""
    menu = "".join(f"<li><a href=/{name.lower()}>{name}</a></li>" for name in MENU)
    first = chance.randrange(_LINKS)
    side = "".join(
        f"<li><a href=/s/{n}>{sentence(random.Random(10_000 + n % _LINKS), 7)}</a></li>"
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
    """Yield URLs and pages of the site; one in `index_every` is a list of stories."""
    for number in range(first, first + count):
        is_index = index_every and number % index_every == index_every - 1
        html = index_page(number) if is_index else article_page(number)
        yield f"https://pane.example/{number}", html
