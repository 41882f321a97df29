"""Pages of a made-up news site: the same frame around articles that are all different."""

from __future__ import annotations

WORDS = (
    "river bridge council harvest lantern orchard ferry quarry meadow weaver thunder granite "
    "kettle saddle violin copper beacon harbour pasture chimney"
).split()


def sentences(seed: int, count: int) -> str:
    """So many sentences, the same for the same seed."""
    made = []
    for number in range(count):
        words = [
            WORDS[(seed * 7 + number * 5 + place * (3 + seed % 4)) % len(WORDS)]
            for place in range(9)
        ]
        made.append(f"The {' '.join(words)} number {seed * 31 + number} came to town.")
    return " ".join(made)


def news(number: int, *, host: str = "news.example", paragraphs: int = 3, extra: str = "") -> str:
    """A page of a site: header, navigation, an article, a footer."""
    links = "".join(f'<li><a href="/{word}">{word.title()}</a></li>' for word in WORDS[:12])
    body = "".join(f"<p>{sentences(number * 10 + part, 4)}</p>\n" for part in range(paragraphs))
    return (
        f'<!DOCTYPE html><html lang="en"><head><title>Story {number} of the day</title></head>'
        f'<body><header><a href="/">The {host} Courier</a></header><nav><ul>{links}</ul></nav>'
        f'<article class="story"><h1>Story {number} of the day</h1>{body}{extra}</article>'
        f"<aside><h2>Most read</h2><ul>{links}</ul></aside>"
        '<footer><a href="/imprint">Imprint</a> <a href="/privacy">Privacy</a></footer>'
        "</body></html>"
    )


def address(number: int, host: str = "news.example") -> str:
    return f"https://{host}/story/{number}"
