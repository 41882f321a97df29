"""Made-up sites of many shapes, with the truth: what templates must not make worse.

Each shape is a way in which pages of one site differ from what a template expects: an article that
is a single cell of a table, pages of two kinds, texts that several pages share, pages that are
empty or of another site. The same number gives the same page every time.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from tamis.lab.studies.sites.synthetic import ADS, MENU, sentence, word

PAGES_PER_SITE: Final = 18
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


def _prose(rng: random.Random, count: int) -> list[str]:
    """Return paragraphs."""
    return [
        " ".join(sentence(rng, rng.randint(9, 18)) for _ in range(rng.randint(2, 4)))
        for _ in range(count)
    ]


def _wrap_in_tags(texts: Sequence[str], tag: str = "p") -> str:
    """Return texts, each in an element."""
    return "".join(f"<{tag}>{text}</{tag.split()[0]}>" for text in texts)


def _frame(inner: str, rng: random.Random, *, side: str = "") -> str:
    """Return content with the frame of a site of today."""
    menu = "".join(f"<li><a href=/{name.lower()}>{name}</a></li>" for name in MENU)
    links = "".join(f"<li><a href=/s/{n}>{sentence(rng, 7)}</a></li>" for n in range(4))
    return (
        "<html lang=en><head><title>The Evening Sieve</title></head><body>"
        f"<header><a href=/>The Evening Sieve</a></header><nav><ul>{menu}</ul></nav>"
        f"<div class=ad>{rng.choice(ADS)}</div><div class=page>{inner}</div>"
        f"<div class=side>{side}<h4>Most read</h4><ul>{links}</ul></div>"
        "<footer><p>Copyright The Evening Sieve. All rights reserved.</p></footer></body></html>"
    )


def _frame_in_table(inner: str, rng: random.Random, bar: str = "") -> str:
    """Return content with the frame of a site of 1999: a table, and no names at all."""
    menu = "<br>".join(f"<a href=/{name.lower()}>{name}</a>" for name in MENU)
    links = "<br>".join(f"<a href=/s/{n}>{sentence(rng, 6)}</a>" for n in range(4))
    return (
        "<html><head><title>Sieve Online</title></head><body><table width=100%>"
        f"<tr><td colspan=3><b>Sieve Online</b> {bar}</td></tr>"
        f"<tr><td>{menu}</td><td>{inner}</td><td><b>Also today</b><br>{links}</td></tr>"
        "<tr><td colspan=3>Copyright Sieve Online. Write to the webmaster.</td></tr>"
        "</table></body></html>"
    )


def _story(
    number: int, rng: random.Random, count: int = 5, more: str = "", side: str = ""
) -> ShapedPage:
    """Return an article of today; `more` stands in the element of its text."""
    headline, texts = sentence(rng, 7), _prose(rng, count)
    inner = (
        f"<h1>{headline}</h1><p class=by>By {word(number % 7)}</p>"
        f"<div class=text>{_wrap_in_tags(texts)}{more}</div>"
    )
    return ShapedPage(_frame(inner, rng, side=side), "\n".join([headline, *texts]))


def _article(number: int, rng: random.Random) -> ShapedPage:
    """Return an article as most are."""
    return _story(number, rng, rng.randint(2, 8))


def _one_cell(number: int, rng: random.Random) -> ShapedPage:
    """Return an article that is one cell of a table, as one block."""
    texts = _prose(rng, rng.randint(1, 6))
    return ShapedPage(_frame_in_table("<br><br>".join(texts), rng), "\n".join(texts))


def _cell_of_paragraphs(number: int, rng: random.Random) -> ShapedPage:
    """Return an article of a table whose first paragraph is the cell's own text."""
    first, *texts = _prose(rng, rng.randint(3, 6))
    return ShapedPage(
        _frame_in_table(first + _wrap_in_tags(texts), rng), "\n".join([first, *texts])
    )


def _one_block(number: int, rng: random.Random) -> ShapedPage:
    """Return an article that is one block among nameless elements."""
    texts = _prose(rng, rng.randint(2, 5))
    inner = f"<div><div>{'<br>'.join(texts)}</div></div>"
    return ShapedPage(_frame(inner, rng), "\n".join(texts))


def _two_templates(number: int, rng: random.Random) -> ShapedPage:
    """Return an article, or every third time a list of stories."""
    if number % 3:
        return _article(number, rng)
    rows = [(sentence(rng, 6), _prose(rng, 1)[0]) for _ in range(7)]
    inner = "".join(f"<li><h2><a href=/s>{head}</a></h2><p>{lead}</p></li>" for head, lead in rows)
    gold = "\n".join(f"{head}\n{lead}" for head, lead in rows)
    return ShapedPage(_frame(f"<ul class=front>{inner}</ul>", rng), gold)


def _ticker(number: int, rng: random.Random) -> ShapedPage:
    """Return an article beside what happened last: headlines and leads of the articles around it.

    So its own headline and lead stand on other pages as well.
    """
    rows = []
    for other in range(number + 1, number + 5):
        # The headline and the first paragraph of that article, as _story() draws them.
        draw = random.Random(f"ticker {other}")
        headline, texts = sentence(draw, 7), _prose(draw, 5)
        rows.append(f"<li><b>{headline}</b><p>{texts[0]}</p></li>")
    return _story(number, rng, 5, side=f"<ul class=ticker>{''.join(rows)}</ul>")


def _paywall(number: int, rng: random.Random) -> ShapedPage:
    """Return an article, every second time only its first paragraph and an offer."""
    if number % 2:
        return _article(number, rng)
    page = _story(number, rng, 1)
    offer = f"<div class=offer><p>{OFFER}</p></div></div></div><div class=side>"
    return ShapedPage(page.html.replace("</div></div><div class=side>", offer), page.gold)


def _empty_pages(number: int, rng: random.Random) -> ShapedPage:
    """Return an article, every fourth time the frame alone or nothing at all."""
    if number % 4:
        return _article(number, rng)
    return ShapedPage("" if number % 8 else _frame("", rng), "")


def _strangers(number: int, rng: random.Random) -> ShapedPage:
    """Return an article, every fourth time of another site."""
    return _article(number, rng) if number % 4 else _one_cell(number, rng)


def _comments(number: int, rng: random.Random) -> ShapedPage:
    """Return an article, every third time with comments in the element of its text."""
    if number % 3:
        return _article(number, rng)
    comment_list = "".join(
        f"<div class=comment><b>{word(rng.randrange(900))}</b> <i>{n} hours ago</i>"
        f"<p>{sentence(rng)}</p><a href=#>Reply</a></div>"
        for n in range(1, 6)
    )
    return _story(number, rng, 4, f"<div class=comments><h3>5 comments</h3>{comment_list}</div>")


def _manual(number: int, rng: random.Random) -> ShapedPage:
    """Return a page of a manual, whose headings are those of all pages."""
    parts = [sentence(rng, 3)]
    inner = f"<h1>{parts[0]}</h1>"
    for heading in ("Overview", "Parameters", "Return value", "Examples", "Notes"):
        texts = _prose(rng, rng.randint(1, 2))
        inner += f"<h2>{heading}</h2>{_wrap_in_tags(texts)}"
        parts += [heading, *texts]
    return ShapedPage(_frame(f"<div class=text>{inner}</div>", rng), "\n".join(parts))


def _shop(number: int, rng: random.Random) -> ShapedPage:
    """Return a product: a description, and properties whose names all products share."""
    name, texts = sentence(rng, 4), _prose(rng, 2)
    rows = [(key, sentence(rng, 2)) for key in ("Weight", "Colour", "Made of", "Made in")]
    cells = "".join(f"<tr><th>{key}</th><td>{value}</td></tr>" for key, value in rows)
    inner = (
        f"<h1>{name}</h1><p class=price>{rng.randint(5, 900)}.00 EUR</p>"
        f"<div class=text>{_wrap_in_tags(texts)}</div><table class=data>{cells}</table>"
        "<p class=ship>Delivered within three days. Returns are free for thirty days.</p>"
    )
    gold = [name, *texts, *(f"{key} {value}" for key, value in rows)]
    return ShapedPage(_frame(inner, rng), "\n".join(gold))


def _forum(number: int, rng: random.Random) -> ShapedPage:
    """Return a thread, whose writers sign all their posts."""
    gold, inner = [sentence(rng, 6)], ""
    for _ in range(rng.randint(2, 7)):
        who, texts = rng.randrange(5), _prose(rng, 1)
        sign = sentence(random.Random(f"sign {who}"), 8)
        inner += (
            f"<div class=post><b>{word(who + 60)}</b>{_wrap_in_tags(texts)}"
            f"<p class=sign>{sign}</p></div>"
        )
        gold += texts
    return ShapedPage(_frame(f"<h1>{gold[0]}</h1>{inner}", rng), "\n".join(gold))


def _slogan(number: int, rng: random.Random) -> ShapedPage:
    """Return an article below a text that looks like content and stands on all pages."""
    page = _article(number, rng)
    loud = f"<div class=page><div class=intro><p>{SLOGAN}</p></div>"
    return ShapedPage(page.html.replace("<div class=page>", loud), page.gold)


def _transcript(number: int, rng: random.Random) -> ShapedPage:
    """Return an article, every fourth time one of many short lines."""
    if number % 4:
        return _article(number, rng)
    headline = sentence(rng, 7)
    lines = [f"{word(n % 3 + 70)}: {sentence(rng, rng.randint(2, 5))}" for n in range(40)]
    inner = f"<h1>{headline}</h1><div class=text>{_wrap_in_tags(lines)}</div>"
    return ShapedPage(_frame(inner, rng), "\n".join([headline, *lines]))


def _redesign(number: int, rng: random.Random) -> ShapedPage:
    """Return an article, of another design from the half of the pages on."""
    return _article(number, rng) if number < PAGES_PER_SITE // 2 else _one_block(number, rng)


def _press(number: int, rng: random.Random) -> ShapedPage:
    """Return a press release, which ends like all of them, in the element of its text."""
    return _story(number, rng, rng.randint(2, 4), f"<p>{ABOUT}</p>")


def _notices(number: int, rng: random.Random) -> ShapedPage:
    """Return a notice of a sentence or two, far shorter than the frame."""
    text = sentence(rng, rng.randint(8, 30))
    return ShapedPage(_frame(f"<div class=text><p>{text}</p></div>", rng), text)


def _gallery(number: int, rng: random.Random) -> ShapedPage:
    """Return an article with pictures, whose captions are part of it."""
    captions = [sentence(rng, 8) for _ in range(rng.randint(1, 4))]
    figures = "".join(
        f"<figure><img src=/{n}.jpg><figcaption>{text}</figcaption></figure>"
        for n, text in enumerate(captions)
    )
    page = _story(number, rng, 4, figures)
    return ShapedPage(page.html, "\n".join([page.gold, *captions]))


def _recipes(number: int, rng: random.Random) -> ShapedPage:
    """Return a recipe, with steps that many recipes share."""
    steps = ("Heat the oven to 200 degrees.", "Let the dough rest.", "Serve while it is hot.")
    goods = [f"{rng.randint(1, 9)} {word(rng.randrange(400))}" for _ in range(5)]
    lead, what = _prose(rng, 1)[0], [steps[0], *_prose(rng, 2), steps[1], steps[2]]
    name = sentence(rng, 3)
    inner = (
        f"<h1>{name}</h1><div class=text><p>{lead}</p><ul>{_wrap_in_tags(goods, 'li')}</ul>"
        f"<ol>{_wrap_in_tags(what, 'li')}</ol></div>"
    )
    return ShapedPage(_frame(inner, rng), "\n".join([name, lead, *goods, *what]))


Shape = Callable[[int, random.Random], ShapedPage]
SHAPES: Final[Mapping[str, Shape]] = {
    shape.__name__.lstrip("_").replace("_", " "): shape
    for shape in (
        _article,
        _one_cell,
        _cell_of_paragraphs,
        _one_block,
        _two_templates,
        _ticker,
        _paywall,
        _empty_pages,
        _strangers,
        _comments,
        _manual,
        _shop,
        _forum,
        _slogan,
        _transcript,
        _redesign,
        _press,
        _notices,
        _gallery,
        _recipes,
    )
}


def make_shaped_pages(name: str, count: int = PAGES_PER_SITE) -> list[ShapedPage]:
    """Return pages of the site of a shape."""
    shape = SHAPES[name]
    return [shape(number, random.Random(f"{name} {number}")) for number in range(count)]
