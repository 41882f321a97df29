"""Claims of the papers, each with the figure that tells whether it holds here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import mean
from typing import Any, Final

from tamis.lab.metrics.statistics import Difference, paired_difference
from tamis.lab.studies.papers.copies import CONTENT, FULL_TEXT
from tamis.lab.studies.papers.debnath_figures import growth, site_means
from tamis.lab.studies.papers.further_parts import WITHOUT_SIBLINGS
from tamis.lab.studies.papers.items import (
    FAILS,
    HOLDS,
    UNKNOWN,
    Outcomes,
    PaperItem,
    PaperRow,
    capitalise,
    judge_difference,
    show_difference,
)
from tamis.lab.studies.papers.published import (
    DEBNATH,
    KEY_PATTERN,
    KEY_PATTERN_MEANS,
    OPTIMUM_NODE,
    PHONE_SHOPS_MEAN,
    TAG_WINDOW,
    WIN_THWIN,
)
from tamis.lab.studies.papers.site_blocks import MEASURES

_SAME: Final = 0.02  # of a measure: no more is the same
_NEAR_LINEAR: Final = 1.15  # exponent
_ENOUGH: Final = 0.02  # of b-F that more pages may still add
_GOOD_RECALL: Final = 0.95

_Answer = tuple[str, str]  # verdict and figure
_Judge = Callable[[Any], _Answer]


def _sites(part: Any, name: str, measure: str) -> list[float]:
    return [row[MEASURES.index(measure)] for row in part["scores"][name]]


def _compare(part: Any, one: str, other: str, measure: str) -> Difference:
    """Return how much better one system is, page by page, each site with the same weight."""
    counts = {site: part["sites"].count(site) for site in set(part["sites"])}
    weights = [1 / counts[site] for site in part["sites"]]
    return paired_difference(_sites(part, one, measure), _sites(part, other, measure), weights)


def _better_than_lh(part: Any) -> _Answer:
    blocks, words = (_compare(part, "ibdf", "entropy", m) for m in ("b-F", "F1"))
    figure = f"b-F {show_difference(blocks)}, word F1 {show_difference(words)}"
    verdicts = {judge_difference(blocks), judge_difference(words)}
    return (HOLDS if verdicts == {HOLDS} else FAILS if FAILS in verdicts else UNKNOWN), figure


def _more_precise_than_lh(part: Any) -> _Answer:
    difference = _compare(part, "ibdf", "entropy", "b-P")
    return judge_difference(difference), f"b-P {show_difference(difference)}"


def _feature_is_more_precise(part: Any) -> _Answer:
    difference = _compare(part, "kfeature", "ibdf", "b-P")
    return judge_difference(difference), f"b-P of kfeature − ibdf: {show_difference(difference)}"


def _single_page_suffices(part: Any) -> _Answer:
    difference = _compare(part, "kfeature", "ibdf", "b-F")
    figure = (
        f"kfeature sees one page, ibdf the others of its site: b-F {show_difference(difference)}"
    )
    enough = difference.low >= -_SAME
    verdict = HOLDS if enough else FAILS if difference.high < -_SAME else UNKNOWN
    return verdict, figure


def _recall_is_good(part: Any) -> _Answer:
    recalls = {name: mean(_sites(part, name, "b-R")) for name in ("entropy", "ibdf", "kfeature")}
    figure = ", ".join(f"{name} {value:.3f}" for name, value in recalls.items())
    return (HOLDS if min(recalls.values()) >= _GOOD_RECALL else FAILS), f"b-R: {figure}"


def _feature_equals_kfeature(part: Any) -> _Answer:
    difference = _compare(part, "kfeature", "feature", "b-F")
    same = abs(difference.value) <= _SAME
    return (HOLDS if same else FAILS), f"b-F of kfeature − feature: {show_difference(difference)}"


def _feature_is_poor(part: Any) -> _Answer:
    def values(name: str) -> list[float]:
        return [row[2] for group in part["groups"].values() for row in group["scores"][name]]

    difference = paired_difference(values("kfeature"), values("feature"))
    figure = f"b-F of kfeature − feature: {show_difference(difference)}"
    return judge_difference(difference), figure


def _few_pages_suffice(part: Any) -> _Answer:
    curve = {
        int(size): mean(row[2] for row in rows) for size, rows in part["curve"]["ibdf"].items()
    }
    gain = paired_difference(*(site_means(part, "ibdf", size, 2) for size in ("20", "10")))
    figure = "b-F after " + ", ".join(f"{n}: {value:.3f}" for n, value in sorted(curve.items()))
    verdict = HOLDS if gain.high <= _ENOUGH else FAILS if gain.low > _ENOUGH else UNKNOWN
    return verdict, f"{figure} pages; 20 − 10: {show_difference(gain)}"


def _precision_grows(part: Any) -> _Answer:
    difference = paired_difference(*(site_means(part, "ibdf", size, 0) for size in ("20", "2")))
    figure = f"b-P after 20 pages − after 2: {show_difference(difference)}"
    return judge_difference(difference), figure


def _ratio(one: str, other: str, *, at_least: float = 1.0) -> _Judge:
    """Return a judge of the claim that one system takes more time than another."""

    def judge(part: Any) -> _Answer:
        ratios = {
            int(count): systems[one] / systems[other]
            for count, systems in part["seconds"]["real"].items()
            if int(count) >= 100
        }
        figure = ", ".join(f"{ratio:.2f} at {count}" for count, ratio in ratios.items())
        verdict = UNKNOWN
        if ratios and min(ratios.values()) >= at_least:
            verdict = HOLDS
        elif ratios and max(ratios.values()) < at_least:
            verdict = FAILS
        return verdict, f"time of {one} / {other}: {figure} real pages"

    return judge


def _near_linear(part: Any) -> _Answer:
    exponents = {kind: growth("ibdf", seconds) for kind, seconds in part["seconds"].items()}
    figure = ", ".join(
        f"n^{exponent:.2f} up to {max(map(int, part['seconds'][kind]))} {kind} pages"
        for kind, exponent in exponents.items()
    )
    return (HOLDS if max(exponents.values()) <= _NEAR_LINEAR else FAILS), f"time grows as {figure}"


def _same_storage(part: Any) -> _Answer:
    total = {
        way: sum(by_way[way] for by_way in part["bytes"].values())
        for way in ("raw", "ibdf", "shingle")
    }
    shares = {way: total[way] / total["raw"] for way in ("ibdf", "shingle")}
    figure = f"share of raw: ibdf {shares['ibdf']:.3f}, shingle {shares['shingle']:.3f}"
    return (HOLDS if abs(shares["ibdf"] - shares["shingle"]) <= 0.05 else FAILS), figure


def _saves_storage(part: Any) -> _Answer:
    names = ("raw", "ibdf", "store")
    raw, ibdf, store = (sum(b[way] for b in part["bytes"].values()) for way in names)
    figure = f"ibdf {ibdf / raw:.3f} of raw, the block store {store / raw:.3f}"
    return (HOLDS if ibdf < 0.8 * raw else FAILS), figure


def _same_quality(part: Any) -> _Answer:
    difference = _compare(part, "ibdf", "shingle", "b-F")
    words = _compare(part, "ibdf", "shingle", "F1")
    figure = f"b-F {show_difference(difference)}, word F1 {show_difference(words)}"
    return (HOLDS if abs(difference.value) <= 0.03 else FAILS), figure


def _copies_are_found(part: Any) -> _Answer:
    full, content = (list(map(float, part["hits"][name])) for name in (FULL_TEXT, CONTENT))
    difference = paired_difference(content, full)
    figure = (
        f"of {part['copies']} made-up copies {sum(content):.0f} are found by content, "
        f"{sum(full):.0f} by full text: {show_difference(difference)}"
    )
    return judge_difference(difference), figure


def _svm_is_accurate(part: Any) -> _Answer:
    point = part["points"][-1]
    majority = part["majority"][0]
    figure = f"{point['accuracy']:.3f} after {point['pages']} pages; all noise: {majority:.3f}"
    return (HOLDS if point["accuracy"] > majority + _SAME else FAILS), figure


def _noise_harms_search(part: Any) -> _Answer:
    full, content = part["arms"]["full text"], part["arms"]["informative blocks"]
    parts = []
    gains = []
    for kind in full["all_queries"]:
        before, after = (_hits_first(arm["all_queries"][kind]) for arm in (full, content))
        gains.append(paired_difference(after, before))
        parts.append(f"{kind} {mean(before):.3f}, {show_difference(gains[-1])}")
    verdicts = {judge_difference(gain) for gain in gains}
    verdict = verdicts.pop() if len(verdicts) == 1 else UNKNOWN
    return verdict, f"P@1 of full text, and what informative blocks add: {'; '.join(parts)}"


def _hits_first(quality: Any) -> list[float]:
    """Return for each query whether its page comes first."""
    return [float(rank == 1) for rank in quality["ranks"]]


def _noise_grows_index(part: Any) -> _Answer:
    full, content = (
        part["arms"][name]["index_bytes"] for name in ("full text", "informative blocks")
    )
    figure = f"the index of informative blocks is {content / full:.3f} of that of full text"
    return (HOLDS if content < full else FAILS), figure


def _segments_well(part: Any) -> _Answer:
    value = mean(row[2] for row in part["scores"]["keypattern"])
    pages = len(part["pages"])
    figure = f"F {value:.3f} on {pages} pages, the paper {KEY_PATTERN_MEANS[2]:.3f} on 19"
    return (HOLDS if value >= KEY_PATTERN_MEANS[2] - _SAME else FAILS), figure


def _elimination_helps(part: Any) -> _Answer:
    before = [row[0] for row in part["scores"]["keypattern, against content"]]
    after = [row[0] for row in part["scores"]["keypattern, after elimination, against content"]]
    difference = paired_difference(after, before)
    figure = f"precision against content, after − before: {show_difference(difference)}"
    return judge_difference(difference), figure


def _pages_f1(part: Any, name: str) -> list[float]:
    return [row[5] for row in part["scores"][name]]


def _siblings_help(part: Any) -> _Answer:
    difference = paired_difference(_pages_f1(part, "optimum"), _pages_f1(part, WITHOUT_SIBLINGS))
    return judge_difference(difference), f"word F1, with − without: {show_difference(difference)}"


def _optimum_outperforms(part: Any) -> _Answer:
    others = ("all text", "kfeature", "keypattern", "trafilatura")
    differences = {
        name: paired_difference(_pages_f1(part, "optimum"), _pages_f1(part, name))
        for name in others
        if name in part["scores"]
    }
    verdicts = {judge_difference(difference) for difference in differences.values()}
    figure = ", ".join(f"{name} {show_difference(d)}" for name, d in differences.items())
    verdict = HOLDS if verdicts == {HOLDS} else FAILS if FAILS in verdicts else UNKNOWN
    return verdict, f"word F1 of optimum against {figure}"


def _records_are_found(part: Any) -> _Answer:
    rows = part["scores"]["records"]
    precision, recall = (mean(row[index] for row in rows) for index in (0, 1))
    figure = (
        f"precision {precision:.3f}, recall {recall:.3f}; the paper {PHONE_SHOPS_MEAN[0]:.3f}, "
        f"{PHONE_SHOPS_MEAN[1]:.3f}"
    )
    reached = precision >= PHONE_SHOPS_MEAN[0] - _SAME and recall >= PHONE_SHOPS_MEAN[1] - _SAME
    return (HOLDS if reached else FAILS), figure


def _layout_f(part: Any, name: str) -> list[float]:
    return [row[2] for row in part["scores"][name]]


def _visual_beats(other: str) -> _Judge:
    """Return a judge of the claim that visual blocks are better than those of another segmenter."""

    def judge(part: Any) -> _Answer:
        name = f"{other}, site left out" if other == "vips" else other
        ours = _layout_f(part, "visual, site left out")
        difference = paired_difference(ours, _layout_f(part, name))
        figure = f"F of visual − {other}: {show_difference(difference)}"
        return judge_difference(difference), figure

    return judge


# Claims by paper: what is claimed, the part that tells, and how.
_Claim = tuple[str, str, _Judge]
_DEBNATH: Final[Sequence[_Claim]] = (
    ("ContentExtractor has a better b-F than LH (§6.4)", "sites", _better_than_lh),
    ("ContentExtractor is more precise than LH (Table 4)", "sites", _more_precise_than_lh),
    (
        "(K-)FeatureExtractor is more precise than ContentExtractor (Table 4)",
        "sites",
        _feature_is_more_precise,
    ),
    ("b-recall is always good (§6.4)", "sites", _recall_is_good),
    (
        "FeatureExtractor and K-FeatureExtractor are almost the same on news (Table 2)",
        "sites",
        _feature_equals_kfeature,
    ),
    (
        "K-FeatureExtractor is better than FeatureExtractor on shops and reviews (§5.2)",
        "shops",
        _feature_is_poor,
    ),
    ("5 to 10 pages of a site are enough (Table 4)", "curve", _few_pages_suffice),
    (
        "A single page is enough for (K-)FeatureExtractor (Table 4)",
        "sites",
        _single_page_suffices,
    ),
    ("The b-precision grows with the number of pages (§6.5)", "curve", _precision_grows),
    ("ContentExtractor is faster than LH (Figure 7)", "times", _ratio("entropy", "ibdf")),
    ("FeatureExtractor is the fastest (Figure 7)", "times", _ratio("ibdf", "feature")),
    (
        "ContentExtractor needs O(M²N) (§4.4.2): here it is near linear",
        "times",
        _near_linear,
    ),
    ("ContentExtractor is as good as shingling (Table 6)", "sites", _same_quality),
    (
        "ContentExtractor is much faster than shingling (Figure 9)",
        "times",
        _ratio("shingle", "ibdf", at_least=2.0),
    ),
    ("Both save about the same storage (Figure 8)", "storage", _same_storage),
    ("Removing noise saves much storage (§1)", "storage", _saves_storage),
    ("L-Extractor has a high accuracy (Figure 10)", "svm", _svm_is_accurate),
    (
        "Syndicated copies on different sites are found by their content blocks (§1)",
        "copies",
        _copies_are_found,
    ),
)
_OTHERS: Final[Sequence[tuple[str, _Claim]]] = (
    (KEY_PATTERN, ("Segmentation reaches an F of 0.74 (Table 1)", "segments", _segments_well)),
    (KEY_PATTERN, ("Elimination removes noise (§3.7)", "segments", _elimination_helps)),
    (KEY_PATTERN, ("Noise harms the precision of search (§1)", "search", _noise_harms_search)),
    (KEY_PATTERN, ("Noise makes the index larger (§1)", "search", _noise_grows_index)),
    (OPTIMUM_NODE, ("Adjusting by siblings improves the result (step 5)", "pages", _siblings_help)),
    (
        OPTIMUM_NODE,
        ("It outperforms several existing algorithms (abstract)", "pages", _optimum_outperforms),
    ),
    (TAG_WINDOW, ("97 % precision and 93 % recall of records", "records", _records_are_found)),
    (
        WIN_THWIN,
        ("EVBE is better than DOM-based segmentation", "layout", _visual_beats("tagset")),
    ),
    (WIN_THWIN, ("EVBE is better than VIPS", "layout", _visual_beats("vips"))),
)
_TABLE_4: Final = (1, 2, 3, 6, 7, 8, 9, 10, 11)
_TABLE_5: Final = (12, 13, 14, 15)


def _claim_row(claim: _Claim, outcomes: Outcomes, prefix: str = "") -> PaperRow:
    """Return a claim with its verdict and its figure."""
    text, part, judge = claim
    if part not in outcomes:
        return PaperRow(prefix + text, {"paper": "claimed"}, {"verdict": UNKNOWN, "figure": None})
    try:
        verdict, figure = judge(outcomes[part])
    except (KeyError, ValueError, ZeroDivisionError) as error:  # too few pages or systems
        verdict, figure = UNKNOWN, f"too little was measured ({error})"
    return PaperRow(prefix + text, {"paper": "claimed"}, {"verdict": verdict, "figure": figure})


def _claims_item(
    key: str, item: str, title: str, rows: Sequence[PaperRow], paper: str = DEBNATH
) -> PaperItem:
    return PaperItem(
        key,
        paper,
        item,
        title,
        ("verdict", "figure"),
        rows,
        "that of the tables and figures that the claims are about.",
        "A claim holds if the 95 % interval of the difference leaves out zero on the right side; "
        "“the same” is a difference of up to 0.02 (0.03 of b-F, 0.05 of storage).",
    )


def build_table_4(outcomes: Outcomes) -> PaperItem:
    """Return the properties of LH, ContentExtractor and FeatureExtractor as claims."""
    rows = [_claim_row(_DEBNATH[number], outcomes) for number in _TABLE_4]
    return _claims_item("debnath-table-4", "Table 4", "properties of the three algorithms", rows)


def build_table_5(outcomes: Outcomes) -> PaperItem:
    """Return the properties of shingling and ContentExtractor as claims."""
    rows = [_claim_row(_DEBNATH[number], outcomes) for number in _TABLE_5]
    return _claims_item("debnath-table-5", "Table 5", "properties of the two algorithms", rows)


def build_claims(outcomes: Outcomes) -> PaperItem:
    """Return all claims of the papers."""
    rows = [_claim_row(claim, outcomes, f"{DEBNATH}: ") for claim in _DEBNATH]
    rows += [_claim_row(claim, outcomes, f"{capitalise(paper)}: ") for paper, claim in _OTHERS]
    return _claims_item("claims", "what they claim", "verdicts and figures", rows, "all papers")


CLAIM_PARTS: Final = tuple(
    dict.fromkeys([part for _, part, _ in _DEBNATH] + [claim[1] for _, claim in _OTHERS])
)
