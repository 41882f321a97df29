"""What the papers print: the numbers of their tables, by their own names.

Figures have no numbers in our copies of the papers, only what the text says about them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

DEBNATH: Final = "Debnath et al. 2005"
KEY_PATTERN: Final = "the key-pattern paper"
OPTIMUM_NODE: Final = "the optimum-node paper"
TAG_WINDOW: Final = "the tag-window paper"
WIN_THWIN: Final = "Win & Thwin"

Triple = tuple[float, float, float]  # b-precision, b-recall, b-F

# Systems of Debnath et al. 2005, by our names.
PAPER_NAMES: Final[Mapping[str, str]] = {
    "entropy": "LH",
    "ibdf": "ContentExtractor",
    "feature": "FeatureExtractor",
    "kfeature": "K-FeatureExtractor",
    "shingle": "Shingling",
    "svm": "L-Extractor",
}

# Table 1: site, kind of pages, number of pages.
TABLE_1: Final[Sequence[tuple[str, str, int]]] = (
    ("ABC", "news", 415),
    ("BB", "news", 510),
    ("BBC", "news", 890),
    ("CBS", "news", 370),
    ("CNN", "news", 717),
    ("FOX", "news", 476),
    ("FOX23", "news", 658),
    ("IE", "news", 269),
    ("IT", "news", 454),
    ("MSNBC", "news", 647),
    ("YAHOO", "news", 505),
    ("Shopping", "products", 100),
    ("Amazon", "books", 100),
    ("Barnes And Noble", "books", 100),
    ("Epinion", "reviews", 100),
)

# Tables 2 and 3 by site: LH, ContentExtractor, (K-)FeatureExtractor, which are two with almost the
# same results in Table 2, and K-FeatureExtractor alone in Table 3.
TABLE_2: Final[Mapping[str, Mapping[str, Triple]]] = {
    site: {"entropy": entropy, "ibdf": ibdf, "feature": feature, "kfeature": feature}
    for site, entropy, ibdf, feature in (
        ("ABC", (0.811, 0.99, 0.89), (0.915, 0.99, 0.95), (1.0, 1.0, 1.0)),
        ("BB", (0.882, 0.99, 0.93), (0.997, 1.0, 0.998), (1.0, 1.0, 1.0)),
        ("BBC", (0.834, 0.99, 0.905), (0.968, 1.0, 0.983), (1.0, 1.0, 1.0)),
        ("CBS", (0.823, 1.0, 0.902), (0.972, 1.0, 0.985), (0.98, 0.977, 0.978)),
        ("CNN", (0.856, 1.0, 0.922), (0.977, 1.0, 0.988), (0.98, 0.98, 0.98)),
        ("FOX", (0.82, 1.0, 0.901), (0.967, 1.0, 0.983), (1.0, 0.99, 0.994)),
        ("FOX23", (0.822, 1.0, 0.902), (0.985, 1.0, 0.992), (1.0, 1.0, 1.0)),
        ("IE", (0.77, 0.95, 0.85), (0.911, 0.993, 0.95), (0.93, 0.99, 0.959)),
        ("IT", (0.793, 0.99, 0.878), (0.924, 0.981, 0.951), (0.96, 0.98, 0.969)),
        ("MSNBC", (0.802, 1.0, 0.89), (0.980, 1.0, 0.989), (0.92, 1.0, 0.95)),
        ("YAHOO", (0.730, 1.0, 0.84), (0.967, 1.0, 0.98), (1.0, 0.95, 0.974)),
    )
}
TABLE_3: Final[Mapping[str, Mapping[str, Triple]]] = {
    site: {"entropy": entropy, "ibdf": ibdf, "kfeature": kfeature}
    for site, entropy, ibdf, kfeature in (
        ("Shopping", (0.79, 1.0, 0.88), (0.971, 1.0, 0.985), (1.0, 0.99, 0.994)),
        ("Amazon", (0.771, 0.99, 0.86), (0.98, 1.0, 0.989), (1.0, 0.967, 0.983)),
        ("Barnes And Noble", (0.81, 1.0, 0.895), (0.982, 0.98, 0.98), (1.0, 0.968, 0.983)),
        ("Epinion", (0.79, 1.0, 0.88), (0.97, 1.0, 0.984), (1.0, 0.956, 0.977)),
    )
}
TABLE_6: Final[Mapping[str, Mapping[str, Triple]]] = {
    site: {"shingle": shingle, "ibdf": ibdf}
    for site, shingle, ibdf in (
        ("ABC", (0.92, 0.99, 0.953), (0.915, 0.99, 0.95)),
        ("BB", (0.98, 1.0, 0.989), (0.997, 1.0, 0.998)),
        ("BBC", (0.971, 1.0, 0.985), (0.968, 1.0, 0.983)),
        ("CBS", (0.97, 0.99, 0.979), (0.972, 1.0, 0.985)),
        ("CNN", (0.97, 1.0, 0.984), (0.977, 1.0, 0.988)),
    )
}
SVM_PAGES: Final = 250  # of Figure 10

# The key-pattern paper, Table 1: precision and recall of 19 pages; F follows from them.
KEY_PATTERN_PAGES: Final[Sequence[tuple[float, float, float]]] = (
    (0.666667, 1.0, 0.8),
    (1.0, 1.0, 1.0),
    (0.75, 0.33333333, 0.461538),
    (1.0, 1.0, 1.0),
    (0.666667, 0.5, 0.571429),
    (0.75, 1.0, 0.857143),
    (0.666667, 0.5, 0.571429),
    (0.666667, 1.0, 0.8),
    (0.333333, 0.5, 0.4),
    (0.666667, 0.66666667, 0.666667),
    (0.666667, 0.66666667, 0.666667),
    (0.75, 1.0, 0.857143),
    (1.0, 1.0, 1.0),
    (1.0, 0.4, 0.571429),
    (0.5, 1.0, 0.666667),
    (0.5, 1.0, 0.666667),
    (0.666667, 0.66666667, 0.666667),
    (0.666667, 1.0, 0.8),
    (1.0, 1.0, 1.0),
)
KEY_PATTERN_MEANS: Final[Triple] = (0.732456, 0.80175439, 0.73807596)

# The tag-window paper, Table 1 (brand and model, price) and Table 2 (precision, recall).
PHONES: Final[Sequence[tuple[str, str]]] = (
    ("Nokia Asha 200, graphite", "Rs 3,942"),
    ("Nokia Asha 200, white", "Rs 3,942"),
    ("Sony Ericsson Xperia U+, Samsung Bluetooth BHM 1200…", "Rs 12,149"),
    ("Samsung Champ Deluxe Duos+, 4GB memory card, Black", "Rs 3,890"),
)
PHONE_SHOPS: Final[Mapping[str, tuple[float, float]]] = {
    "yahoo.com": (0.98, 0.97),
    "amazon.com": (0.924, 0.875),
    "wirefly.com": (1.0, 0.98),
    "bestbuy.com": (0.98, 0.90),
}
PHONE_SHOPS_MEAN: Final = (0.971, 0.931)


def mean_by_system(table: Mapping[str, Mapping[str, Triple]]) -> dict[str, Triple]:
    """Return the mean over the sites of a table, by system."""
    names = next(iter(table.values()))
    return {name: _mean([row[name] for row in table.values()]) for name in names}


def _mean(rows: Sequence[Triple]) -> Triple:
    """Return the means of the columns."""
    first, second, third = (sum(column) / len(rows) for column in zip(*rows, strict=True))
    return first, second, third
