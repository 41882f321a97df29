"""Sites of many shapes that are made up, with the truth: what templates must not make worse.

Each shape is a way in which pages of one site differ from what a template expects: an article that
is a single cell of a table, pages of two kinds, texts that several pages share, pages that are
empty or of another site. The same number gives the same page every time.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from tamis.lab.studies.site_times import ADS, MENU, sentence, word

PAGES: Final = 18  # of a site
OFFER: Final = (
    "You have read all free stories of this month. Take out a subscription today and read every "
    "story from the first word to the last, on paper and on all your screens, for the price of a "
    "cup of coffee a week. You can give it up whenever you want to."
)
SLOGAN: Final = (
    "We have been telling the truth since 1871, and we are proud of it. Our readers know that "
    "nobody else comes as close to what really happens, in this town and in all the others."
)
ABOUT: Final = (
    "About Brolo: Brolo makes tea for people who have no time for tea. It has 400 employees in "
    "nine countries, and its leaves are picked by hand before the sun is up."
)


class ShapedPage(NamedTuple):
    """A page and the text of its content."""

    html: str
    gold: str


def prose(chance: random.Random, count: int) -> list[str]:
    """Return so many paragraphs."""
    return [
        " ".join(sentence(chance, chance.randint(9, 18)) for _ in range(chance.randint(2, 4)))
        for _ in range(count)
    ]


def tagged(texts: Sequence[str], tag: str = "p") -> str:
    """Return texts, each in an element."""
    return "".join(f"<{tag}>{text}</{tag.split()[0]}>" for text in texts)


def framed(inner: str, chance: random.Random, *, side: str = "") -> str:
    """Return content with the frame of a site of today."""
    menu = "".join(f"<li><a href=/{name.lower()}>{name}</a></li>" for name in MENU)
    links = "".join(f"<li><a href=/s/{n}>{sentence(chance, 7)}</a></li>" for n in range(4))
    return (
        "<html lang=en><head><title>The Evening Sieve</title></head><body>"
        f"<header><a href=/>The Evening Sieve</a></header><nav><ul>{menu}</ul></nav>"
        f"<div class=ad>{chance.choice(ADS)}</div><div class=page>{inner}</div>"
        f"<div class=side>{side}<h4>Most read</h4><ul>{links}</ul></div>"
        "<footer><p>Copyright The Evening Sieve. All rights reserved.</p></footer></body></html>"
    )


def in_table(inner: str, chance: random.Random, bar: str = "") -> str:
    """Return content with the frame of a site of 1999: a table, and no names at all."""
    menu = "<br>".join(f"<a href=/{name.lower()}>{name}</a>" for name in MENU)
    links = "<br>".join(f"<a href=/s/{n}>{sentence(chance, 6)}</a>" for n in range(4))
    return (
        "<html><head><title>Sieve Online</title></head><body><table width=100%>"
        f"<tr><td colspan=3><b>Sieve Online</b> {bar}</td></tr>"
        f"<tr><td>{menu}</td><td>{inner}</td><td><b>Also today</b><br>{links}</td></tr>"
        "<tr><td colspan=3>Copyright Sieve Online. Write to the webmaster.</td></tr>"
        "</table></body></html>"
    )


def story(
    number: int, chance: random.Random, count: int = 5, more: str = "", side: str = ""
) -> ShapedPage:
    """Return an article of today; `more` stands in the element of its text."""
    headline, texts = sentence(chance, 7), prose(chance, count)
    inner = (
        f"<h1>{headline}</h1><p class=by>By {word(number % 7)}</p>"
        f"<div class=text>{tagged(texts)}{more}</div>"
    )
    return ShapedPage(framed(inner, chance, side=side), "\n".join([headline, *texts]))


def article(number: int, chance: random.Random) -> ShapedPage:
    """Return an article as most are."""
    return story(number, chance, chance.randint(2, 8))


def one_cell(number: int, chance: random.Random) -> ShapedPage:
    """Return an article that is one cell of a table, as one block."""
    texts = prose(chance, chance.randint(1, 6))
    return ShapedPage(in_table("<br><br>".join(texts), chance), "\n".join(texts))


def cell_of_paragraphs(number: int, chance: random.Random) -> ShapedPage:
    """Return an article of a table whose first paragraph is the cell's own text."""
    first, *texts = prose(chance, chance.randint(3, 6))
    return ShapedPage(in_table(first + tagged(texts), chance), "\n".join([first, *texts]))


def one_block(number: int, chance: random.Random) -> ShapedPage:
    """Return an article that is one block among nameless elements."""
    texts = prose(chance, chance.randint(2, 5))
    inner = f"<div><div>{'<br>'.join(texts)}</div></div>"
    return ShapedPage(framed(inner, chance), "\n".join(texts))


def two_templates(number: int, chance: random.Random) -> ShapedPage:
    """Return an article, or every third time a list of stories."""
    if number % 3:
        return article(number, chance)
    rows = [(sentence(chance, 6), prose(chance, 1)[0]) for _ in range(7)]
    inner = "".join(f"<li><h2><a href=/s>{head}</a></h2><p>{lead}</p></li>" for head, lead in rows)
    gold = "\n".join(f"{head}\n{lead}" for head, lead in rows)
    return ShapedPage(framed(f"<ul class=front>{inner}</ul>", chance), gold)


def ticker(number: int, chance: random.Random) -> ShapedPage:
    """Return an article beside what happened last: headlines and leads of the articles around it.

    So its own headline and lead stand on other pages as well.
    """
    rows = []
    for other in range(number + 1, number + 5):
        # The headline and the first paragraph of that article, as story() draws them.
        draw = random.Random(f"ticker {other}")
        headline, texts = sentence(draw, 7), prose(draw, 5)
        rows.append(f"<li><b>{headline}</b><p>{texts[0]}</p></li>")
    return story(number, chance, 5, side=f"<ul class=ticker>{''.join(rows)}</ul>")


def paywall(number: int, chance: random.Random) -> ShapedPage:
    """Return an article, every second time only its first paragraph and an offer."""
    if number % 2:
        return article(number, chance)
    page = story(number, chance, 1)
    offer = f"<div class=offer><p>{OFFER}</p></div></div></div><div class=side>"
    return ShapedPage(page.html.replace("</div></div><div class=side>", offer), page.gold)


def empty_pages(number: int, chance: random.Random) -> ShapedPage:
    """Return an article, every fourth time the frame alone or nothing at all."""
    if number % 4:
        return article(number, chance)
    return ShapedPage("" if number % 8 else framed("", chance), "")


def strangers(number: int, chance: random.Random) -> ShapedPage:
    """Return an article, every fourth time of another site."""
    return article(number, chance) if number % 4 else one_cell(number, chance)


def comments(number: int, chance: random.Random) -> ShapedPage:
    """Return an article, every third time with comments in the element of its text."""
    if number % 3:
        return article(number, chance)
    posts = "".join(
        f"<div class=comment><b>{word(chance.randrange(900))}</b> <i>{n} hours ago</i>"
        f"<p>{sentence(chance)}</p><a href=#>Reply</a></div>"
        for n in range(1, 6)
    )
    return story(number, chance, 4, f"<div class=comments><h3>5 comments</h3>{posts}</div>")


def manual(number: int, chance: random.Random) -> ShapedPage:
    """Return a page of a manual, whose headings are those of all pages."""
    parts = [sentence(chance, 3)]
    inner = f"<h1>{parts[0]}</h1>"
    for heading in ("Overview", "Parameters", "Return value", "Examples", "Notes"):
        texts = prose(chance, chance.randint(1, 2))
        inner += f"<h2>{heading}</h2>{tagged(texts)}"
        parts += [heading, *texts]
    return ShapedPage(framed(f"<div class=text>{inner}</div>", chance), "\n".join(parts))


def shop(number: int, chance: random.Random) -> ShapedPage:
    """Return a product: a description, and properties whose names all products share."""
    name, texts = sentence(chance, 4), prose(chance, 2)
    rows = [(key, sentence(chance, 2)) for key in ("Weight", "Colour", "Made of", "Made in")]
    cells = "".join(f"<tr><th>{key}</th><td>{value}</td></tr>" for key, value in rows)
    inner = (
        f"<h1>{name}</h1><p class=price>{chance.randint(5, 900)}.00 EUR</p>"
        f"<div class=text>{tagged(texts)}</div><table class=data>{cells}</table>"
        "<p class=ship>Delivered within three days. Returns are free for thirty days.</p>"
    )
    gold = [name, *texts, *(f"{key} {value}" for key, value in rows)]
    return ShapedPage(framed(inner, chance), "\n".join(gold))


def forum(number: int, chance: random.Random) -> ShapedPage:
    """Return a thread, whose writers sign all their posts."""
    gold, inner = [sentence(chance, 6)], ""
    for _ in range(chance.randint(2, 7)):
        who, texts = chance.randrange(5), prose(chance, 1)
        sign = sentence(random.Random(f"sign {who}"), 8)
        inner += (
            f"<div class=post><b>{word(who + 60)}</b>{tagged(texts)}<p class=sign>{sign}</p></div>"
        )
        gold += texts
    return ShapedPage(framed(f"<h1>{gold[0]}</h1>{inner}", chance), "\n".join(gold))


def slogan(number: int, chance: random.Random) -> ShapedPage:
    """Return an article below a text that looks like content and stands on all pages."""
    page = article(number, chance)
    loud = f"<div class=page><div class=intro><p>{SLOGAN}</p></div>"
    return ShapedPage(page.html.replace("<div class=page>", loud), page.gold)


def transcript(number: int, chance: random.Random) -> ShapedPage:
    """Return an article, every fourth time one of many short lines."""
    if number % 4:
        return article(number, chance)
    headline = sentence(chance, 7)
    lines = [f"{word(n % 3 + 70)}: {sentence(chance, chance.randint(2, 5))}" for n in range(40)]
    inner = f"<h1>{headline}</h1><div class=text>{tagged(lines)}</div>"
    return ShapedPage(framed(inner, chance), "\n".join([headline, *lines]))


def redesign(number: int, chance: random.Random) -> ShapedPage:
    """Return an article, of another design from the half of the pages on."""
    return article(number, chance) if number < PAGES // 2 else one_block(number, chance)


def press(number: int, chance: random.Random) -> ShapedPage:
    """Return a press release, which ends like all of them, in the element of its text."""
    return story(number, chance, chance.randint(2, 4), f"<p>{ABOUT}</p>")


def notices(number: int, chance: random.Random) -> ShapedPage:
    """Return a notice of a sentence or two, far shorter than the frame."""
    text = sentence(chance, chance.randint(8, 30))
    return ShapedPage(framed(f"<div class=text><p>{text}</p></div>", chance), text)


def gallery(number: int, chance: random.Random) -> ShapedPage:
    """Return an article with pictures, whose captions are part of it."""
    captions = [sentence(chance, 8) for _ in range(chance.randint(1, 4))]
    figures = "".join(
        f"<figure><img src=/{n}.jpg><figcaption>{text}</figcaption></figure>"
        for n, text in enumerate(captions)
    )
    page = story(number, chance, 4, figures)
    return ShapedPage(page.html, "\n".join([page.gold, *captions]))


def recipes(number: int, chance: random.Random) -> ShapedPage:
    """Return a recipe, with steps that many recipes share."""
    steps = ("Heat the oven to 200 degrees.", "Let the dough rest.", "Serve while it is hot.")
    goods = [f"{chance.randint(1, 9)} {word(chance.randrange(400))}" for _ in range(5)]
    lead, what = prose(chance, 1)[0], [steps[0], *prose(chance, 2), steps[1], steps[2]]
    name = sentence(chance, 3)
    inner = (
        f"<h1>{name}</h1><div class=text><p>{lead}</p><ul>{tagged(goods, 'li')}</ul>"
        f"<ol>{tagged(what, 'li')}</ol></div>"
    )
    return ShapedPage(framed(inner, chance), "\n".join([name, lead, *goods, *what]))


Shape = Callable[[int, random.Random], ShapedPage]
SHAPES: Final[Mapping[str, Shape]] = {
    shape.__name__.replace("_", " "): shape
    for shape in (
        article,
        one_cell,
        cell_of_paragraphs,
        one_block,
        two_templates,
        ticker,
        paywall,
        empty_pages,
        strangers,
        comments,
        manual,
        shop,
        forum,
        slogan,
        transcript,
        redesign,
        press,
        notices,
        gallery,
        recipes,
    )
}


def shaped_pages(name: str, count: int = PAGES) -> list[ShapedPage]:
    """Return so many pages of the site of a shape."""
    shape = SHAPES[name]
    return [shape(number, random.Random(f"{name} {number}")) for number in range(count)]
