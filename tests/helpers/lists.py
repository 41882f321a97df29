"""Pages of lists and tables of made-up things, as their records."""

from __future__ import annotations

import tamis
from tamis.records import Records

NAMES = ("Oak chair", "Walnut table", "Pine shelf", "Linen sofa", "Brass lamp", "Wool rug")


def numbered(item: str, count: int = 6) -> Records:
    """The records of a list whose items have a title, and a number in place of #."""
    titled = f"<li><h3><a href=/#>Title number #</a></h3>{item}</li>"
    items = "".join(titled.replace("#", str(n)) for n in range(count))
    records = tamis.extract(f"<body><main><ul>{items}</ul></main>", method="tagwindow").records
    assert len(records) == count
    return records


def listed(*items: str, lang: str = "en", url: str | None = None) -> Records:
    """The records of a list of things with a name and what else is given of each."""
    rows = (
        f"<li><h3><a href=/{n}>{name}</a></h3>{item}</li>"
        for n, (name, item) in enumerate(zip(NAMES, items, strict=False))
    )
    html = f"<html lang={lang}><body><main><ul>{''.join(rows)}</ul></main>"
    return tamis.extract(html, url, method="tagwindow").records


def table(heads: str, *rows: str) -> Records:
    """The records of a table of things, texts parted by bars."""
    lines = [heads, *(f"{name}|{row}" for name, row in zip(NAMES, rows, strict=False))]
    cells = [line.split("|") for line in lines]
    first = "".join(f"<th>{cell}</th>" for cell in cells[0])
    rest = "".join(f"<tr>{''.join(f'<td>{c}</td>' for c in row)}</tr>" for row in cells[1:])
    html = f"<html lang=en><body><main><table><tr>{first}</tr>{rest}</table></main>"
    return tamis.extract(html, method="tagwindow").records
