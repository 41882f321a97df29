"""sitestyle: the site style tree (Yi, Liu & Li 2003).

The trees of a site's pages are merged. What looks the same and says the same on all of them is
noise.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

import numpy as np

from tamis.blocks import Blocks, leaf_rows, term_pattern
from tamis.errors import InputError, check_number
from tamis.page import Page, freeze, row_attributes, tags
from tamis.verdict.verdict import Floats, Verdict, build_verdict

# Attributes of presentation, as pages of the paper's time had them.
DISPLAY_ATTRIBUTES: Final = (
    *("align", "background", "bgcolor", "border", "color", "face", "height", "size"),
    *("style", "valign", "width"),
)
_ATTRIBUTE_NAME: Final = re.compile(r"[a-z][a-z0-9-]*")
_IMAGE_TAGS: Final = ("img", "image")
_A: Final = tags.CODE["a"]
_UNKNOWN: Final = -1  # a row that the tree does not know

ElementSequence = tuple[str, ...]  # the elements below an element, in order


@dataclass(frozen=True)
class StyleTree:
    """The style tree of a site's pages, flat: element nodes have numbers, the root has 0.

    A style is an element node, the sequence of elements below it, and the number of the first of
    these; the others follow. `importance` is CompImp of each element node.
    """

    pages: int
    styles: tuple[tuple[int, ElementSequence, int], ...]
    importance: tuple[float, ...]

    @cached_property
    def children(self) -> Mapping[tuple[int, ElementSequence], int]:
        """The first element node below an element node, by sequence."""
        return {(node, sequence): first for node, sequence, first in self.styles}

    @cached_property
    def importances(self) -> Floats:
        """CompImp of each element node, as a column."""
        return freeze(np.array(self.importance))

    @cached_property
    def greatest(self) -> Floats:
        """For each element node the greatest importance at it and below it."""
        greatest = list(self.importance)
        for node, sequence, first in reversed(self.styles):
            greatest[node] = max(greatest[node], *greatest[first : first + len(sequence)])
        return freeze(np.array(greatest))


@dataclass(frozen=True)
class SiteStyle:
    """Takes what is presented or worded differently on the pages of one site.

    Element nodes have a tag, display `attributes`, and styles: sequences of the elements below
    them, with the number of pages that have each. With m pages that have element node E, p_i the
    shares of its l styles and γ = `gamma`: NodeImp(E) = −Σ p_i log_m p_i, and CompImp(E) =
    (1 − γ^l)·NodeImp(E) + γ^l·Σ p_i·(mean of CompImp over the elements of style i). For a leaf it
    is 1 − the mean entropy over the m pages of its features: words, image names, link targets. It
    is 1 where m = 1 or a leaf has no features. An element is noise if CompImp is below `threshold`
    for it and for all below it. What the tree does not know stays. `fit` learns from pages.
    """

    threshold: float = 0.94  # best on sites-dev: tamis evaluate papers --only sitestyle
    gamma: float = 0.9
    attributes: tuple[str, ...] = DISPLAY_ATTRIBUTES
    template: StyleTree | None = None

    def __post_init__(self) -> None:
        check_number("threshold", self.threshold, 0, 1)
        check_number("gamma", self.gamma, 0, 1)
        for name in self.attributes:
            if not _ATTRIBUTE_NAME.fullmatch(name):
                raise InputError(f"no attribute {name!r}: take names in lower case such as bgcolor")

    def fit(self, pages: Iterable[Blocks]) -> SiteStyle:
        """Return an identifier that has learned from pages of one site; blocks do not matter."""
        builder = _TreeBuilder()
        for blocks in pages:
            builder.add(blocks.page, self.attributes)
        if not builder.page_count:
            raise InputError("there is no page to learn from: give at least one")
        return replace(self, template=builder.build(self.gamma))

    def identify(self, blocks: Blocks) -> Verdict:
        """Return blocks as informative of which more than half is not noise."""
        if self.template is None:
            raise InputError("sitestyle needs several pages of one site: call fit(pages) first")
        page, template = blocks.page, self.template
        nodes = self._walk(page)
        in_tree = nodes != _UNKNOWN
        importance = np.ones(len(page))
        importance[in_tree] = template.importances[nodes[in_tree]]
        is_noise = np.zeros(len(page), dtype=np.bool_)
        is_noise[in_tree] = template.greatest[nodes[in_tree]] < self.threshold
        weight = np.maximum(page.chars, leaf_rows(page))
        total = np.maximum(blocks.owned(weight), 1)
        noise = blocks.owned(weight * is_noise)  # leaves: below noise the tree has nothing else
        informative = 2 * noise < total
        unknown = blocks.owned(weight * ~in_tree) == total
        mean = np.clip(blocks.owned(weight * importance) / total, 0.0, 1.0)
        return build_verdict(
            mean,
            informative,
            np.where(informative, np.where(unknown, 2, 0), 1),
            mean,
            f"importance {{:.2f}} over {template.pages} pages",
            f"importance {{:.2f}}, below {self.threshold:g}",
            "not in the style tree",
        )

    def _walk(self, page: Page) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """Return the element node of each row, found by walking the page beside the tree."""
        assert self.template is not None
        children = self.template.children
        nodes = np.full(len(page), _UNKNOWN, dtype=np.int64)
        nodes[:1] = 0
        for row, below, sequence in _sequences(page, self.attributes):
            first = children.get((int(nodes[row]), sequence))
            if first is not None:
                nodes[below] = np.arange(first, first + len(below))
        return nodes


def _sequences(
    page: Page, attributes: Iterable[str]
) -> Iterator[tuple[int, list[int], ElementSequence]]:
    """Yield, from the root down, each element with the rows below it that show something.

    The third value is what these rows are in a style: tag and display attributes. Text is `#text`.
    """
    shown = np.flatnonzero(page.below(leaf_rows(page)) > 0)
    below: defaultdict[int, list[int]] = defaultdict(list)
    for row, parent in zip(shown.tolist(), page.parent[shown].tolist(), strict=True):
        if parent >= 0:
            below[parent].append(row)
    names = _Presentation(page, frozenset(attributes))
    for row in sorted(below):
        yield row, below[row], tuple(map(names.describe, below[row]))


@dataclass(frozen=True)
class _Presentation:
    """Describes elements by tag and display attributes; equal start tags are read once."""

    page: Page
    attributes: frozenset[str]
    cache: dict[bytes, str] = field(default_factory=dict)

    def describe(self, row: int) -> str:
        """Return how an element is presented, as a start tag."""
        page = self.page
        if page.tag[row] == tags.TEXT:
            return "#text"
        head = page.source[page.start[row] : page.head[row]]
        if head not in self.cache:
            pairs = sorted(row_attributes(page, row).items()) if b'="' in head else ()
            shown = (f' {name}="{value}"' for name, value in pairs if name in self.attributes)
            self.cache[head] = page.name(row) + "".join(shown)
        return self.cache[head]


def _leaf_features(page: Page, row: int) -> list[str]:
    """Return the features of a leaf: words, the name of an image, the target of a link."""
    features: list[str] = []
    if page.tag[row] == tags.TEXT:
        text = page.text[page.text_start[row] : page.text_stop[row]]
        features += term_pattern().findall(text.casefold())
    elif page.name(row) in _IMAGE_TAGS:
        source = row_attributes(page, row).get("src", "")
        features += [f"image {source.rsplit('/', 1)[-1]}"] if source else []
    link = _enclosing_link(page, row)
    if link is not None and (target := row_attributes(page, link).get("href")):
        features.append(f"link {target.strip()}")
    return features


def _enclosing_link(page: Page, row: int) -> int | None:
    """Return the link that a row is in, if it is in one."""
    if not page.in_link[row]:
        return None
    while row >= 0 and page.tag[row] != _A:
        row = int(page.parent[row])
    return row if row >= 0 else None


class _TreeBuilder:
    """Merges pages, one after the other, into a style tree."""

    def __init__(self) -> None:
        self.page_count = 0
        self.counts = [0]  # pages of each element node
        self.styles: dict[tuple[int, ElementSequence], int] = {}  # the first element node below
        self.uses: dict[tuple[int, ElementSequence], int] = {}  # pages with each style
        self.totals: dict[int, dict[str, int]] = {}  # occurrences of the features of leaves
        self.spreads: dict[int, dict[str, float]] = {}  # Σ_j c_j log c_j of the same

    def add(self, page: Page, attributes: Iterable[str]) -> None:
        """Merge a page into the tree."""
        self.page_count += 1
        nodes = {0: 0}  # element nodes by row
        if len(page):
            self.counts[0] += 1
        inner = set()
        for row, below, sequence in _sequences(page, attributes):
            node = nodes[row]
            inner.add(row)
            first = self._use_style(node, sequence)
            nodes.update(zip(below, range(first, first + len(below)), strict=True))
        for row, node in nodes.items():
            if row not in inner and len(page):
                self._count_features(node, _leaf_features(page, row))

    def _use_style(self, node: int, sequence: ElementSequence) -> int:
        """Count a page with a style of an element node; return the first element node below."""
        key = (node, sequence)
        if key not in self.styles:
            self.styles[key] = len(self.counts)
            self.counts += [0] * len(sequence)
        self.uses[key] = self.uses.get(key, 0) + 1
        first = self.styles[key]
        for child in range(first, first + len(sequence)):
            self.counts[child] += 1
        return first

    def _count_features(self, node: int, features: Iterable[str]) -> None:
        """Count the features of a leaf of one page."""
        totals = self.totals.setdefault(node, {})
        spreads = self.spreads.setdefault(node, {})
        on_page: dict[str, int] = {}
        for feature in features:
            on_page[feature] = on_page.get(feature, 0) + 1
        for feature, times in on_page.items():
            totals[feature] = totals.get(feature, 0) + times
            spreads[feature] = spreads.get(feature, 0.0) + times * math.log(times)

    def build(self, gamma: float) -> StyleTree:
        """Return the tree, with the importance of all element nodes from the leaves up."""
        styles = tuple((node, sequence, first) for (node, sequence), first in self.styles.items())
        of_node: defaultdict[int, list[tuple[int, ElementSequence, int]]] = defaultdict(list)
        for style in styles:
            of_node[style[0]].append(style)
        importance = [1.0] * len(self.counts)
        for node in range(len(self.counts) - 1, -1, -1):  # what is below has greater numbers
            if node in of_node:
                importance[node] = self._inner_importance(of_node[node], importance, gamma)
            else:
                importance[node] = self._leaf_importance(node)
        return StyleTree(self.page_count, styles, tuple(importance))

    def _inner_importance(
        self, styles: list[tuple[int, ElementSequence, int]], importance: list[float], gamma: float
    ) -> float:
        """Return CompImp of an element node with styles.

        On pages where it has nothing below it is a leaf: one more style, with features of its own.
        """
        node = styles[0][0]
        pages = self.counts[node]
        if pages == 1:
            return 1.0
        uses = [self.uses[node, sequence] for _, sequence, _ in styles]
        means = [
            sum(importance[first : first + len(sequence)]) / len(sequence)
            for _, sequence, first in styles
        ]
        if sum(uses) < pages:
            uses.append(pages - sum(uses))
            means.append(self._leaf_importance(node))
        shares = [use / pages for use in uses]
        entropy = -sum(share * math.log(share) for share in shares) / math.log(pages)
        composite = sum(share * mean for share, mean in zip(shares, means, strict=True))
        attenuation = gamma ** len(shares)
        return (1 - attenuation) * min(entropy, 1.0) + attenuation * composite

    def _leaf_importance(self, node: int) -> float:
        """Return CompImp of a leaf: 1 − the mean entropy of its features over pages."""
        pages, totals = self.counts[node], self.totals.get(node)
        if pages <= 1 or not totals:
            return 1.0
        spreads, base = self.spreads[node], math.log(pages)
        entropies = sorted(
            min(max(math.log(total) - spreads[feature] / total, 0.0) / base, 1.0)
            for feature, total in totals.items()
        )
        return min(max(1 - sum(entropies) / len(entropies), 0.0), 1.0)
