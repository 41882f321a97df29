"""Table 1 of the tag-window paper, the records of a shop's list, as HTML in several layouts."""

from __future__ import annotations

PHONES = (
    ("1.", "Nokia Asha 200, graphite", "Rs 3,942"),
    ("2.", "Nokia Asha 200, white", "Rs 3,942"),
    ("3.", "Sony Ericsson Xperia U+, Samsung Bluetooth BHM 1200…", "Rs 12,149"),
    ("4.", "Samsung Champ Deluxe Duos+, 4GB memory card, Black", "Rs 3,890"),
)
LAYOUTS = {
    "table": (
        "<tr><td>{0}<td>{1}<td>{2}</tr>",
        "<table><tr><th>Serial No.<th>Brand and model<th>Price</tr>{}</table>",
    ),
    "ul": ("<li>{0} {1} <b>{2}</b></li>", "<ul>{}</ul>"),
    "divs": ("<div><div>{1}</div><div>{2}</div></div>", "<div>{}</div>"),
    "cards": ("<article><img src=i><h3>{1}</h3><p>{2}</p></article>", "<main>{}</main>"),
    "dl": ("<dt>{1}</dt><dd>{2}</dd>", "<dl>{}</dl>"),
    "paragraphs": ("<p>{0} {1}<br>{2}</p>", "<div>{}</div>"),
    "lines": ("{0} {1} {2}<br>", "<div>{}</div>"),
    "nested tables": (
        "<tr><td><table><tr><td><img src=i></td><td>{1}</td></tr>"
        "<tr><td></td><td><b>{2}</b></td></tr></table></td></tr>",
        "<table><tr><td><table>{}</table></td></tr></table>",
    ),
}
SHOP = (
    "<title>Phones</title><div><h1>Mobile Store</h1></div><ul>"
    + "".join(f"<li><a href=/{n}>Section {n}</a></li>" for n in range(6))
    + "</ul>{}<div>Copyright 2012, Mobile Store, Inc. All rights reserved. Prices, photos and "
    "offers may change; taxes, freight and handling are extra. See our terms, please.</div>"
)


def shop_page(layout: str, *, linked: bool = False) -> str:
    """Return the phones in one layout, their names as links or not, on the page of a shop."""
    row, around = LAYOUTS[layout]
    name = "<a href=/phone>{}</a>" if linked else "{}"
    rows = (row.format(number, name.format(model), price) for number, model, price in PHONES)
    return SHOP.format(around.format("".join(rows)))
