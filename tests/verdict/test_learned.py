"""learned: two forests over the evidence, here with forests that are made up."""

from __future__ import annotations

import io
import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given

import tamis
from helpers.contracts import arrays, check_identifier
from helpers.growth import LINEAR, growth
from helpers.html_strategies import pages, patient
from helpers.samples import SAMPLES, sample
from helpers.shapes import shape
from tamis.blocks import Blocks, TagSet
from tamis.errors import InputError
from tamis.lab.train import build_forest
from tamis.page import Page
from tamis.verdict import Learned, PageVerdict, Verdict
from tamis.verdict.learned import (
    BUCKETS,
    CONFIDENCE_FEATURES,
    FIRST_FEATURES,
    MIN_EXPERT_PROBABILITY,
    MIN_LIKELY_PROBABILITY,
    PAGE_BUCKETS,
    PAGE_TABLE_COUNT,
    PAGE_TYPES,
    REASONS,
    SECOND_FEATURES,
    SHAPE_FEATURES,
    STACKED_FEATURES,
    TABLE_COUNT,
    TYPE_FEATURES,
    Expert,
    ExpertProbabilities,
    Forest,
    LearnedModel,
    PageAnswer,
    PageTokenWeights,
    Reason,
    TokenWeights,
    article_probability,
    bind_messages,
    bind_sections,
    choose_blocks,
    confidence_features,
    extract_features,
    find_units,
    first_features,
    load_model,
    model_arrays,
    read_model,
    refine_probabilities,
    round_page_weights,
    round_weights,
    shipped_model,
    type_features,
    type_probabilities,
    write_stacked_features,
)

Tree = dict[str, Any]
FAVORS: tuple[Literal["precision", "recall"] | None, ...] = ("precision", None, "recall")
HOME = "<nav><a href=x>Home</a></nav>"
TEXT = "<p>" + "many words of a story, told in order. " * 5


def random_forest(
    names: tuple[str, ...], seed: int, scale: float = 1.0, outputs: int = 1
) -> Forest:
    """Return a forest of twenty random trees for each of its sums."""
    dice = np.random.default_rng(seed)

    def tree(depth: int) -> Tree:
        if depth == 0:
            return {"leaf_value": float(dice.normal(0, scale))}
        return {
            "split_feature": int(dice.integers(len(names))),
            "threshold": float(dice.choice([-0.5, 0, 0.1, 0.5, 1, 5, 20])),
            "left_child": tree(depth - 1),
            "right_child": tree(depth - 1),
        }

    return build_forest([tree(int(dice.integers(4))) for _ in range(20 * outputs)], names, outputs)


def random_weights(seed: int) -> TokenWeights:
    """Return a weight for each token that is drawn at random."""
    dice = np.random.default_rng(seed)
    return round_weights(dice.normal(0, 0.2, (TABLE_COUNT, BUCKETS)))


def random_page_weights(seed: int) -> PageTokenWeights:
    """Return a weight for each token of a page and each type that is drawn at random."""
    dice = np.random.default_rng(seed)
    rows = PAGE_TABLE_COUNT * PAGE_BUCKETS
    return round_page_weights(dice.normal(0, 0.1, (rows, len(PAGE_TYPES))), np.zeros(7))


@cache
def made_up(seed: int = 0) -> LearnedModel:
    """Return a model that has learned nothing."""
    return LearnedModel(
        random_weights(seed + 30),
        random_page_weights(seed + 31),
        Expert(random_forest(FIRST_FEATURES, seed), random_forest(SECOND_FEATURES, seed + 1)),
        Expert(random_forest(FIRST_FEATURES, seed + 2), random_forest(SECOND_FEATURES, seed + 3)),
        random_forest(TYPE_FEATURES, seed + 4, outputs=len(PAGE_TYPES)),
        random_forest(SHAPE_FEATURES, seed + 20),
        random_forest(CONFIDENCE_FEATURES, seed + 10, 0.2),
    )


def constant(model: LearnedModel, value: float) -> LearnedModel:
    """Return a model whose forests for blocks say the same of all."""
    leaf = [{"leaf_value": value}]
    expert = Expert(build_forest(leaf, FIRST_FEATURES), build_forest(leaf, SECOND_FEATURES))
    return replace(model, article=expert, other=expert)


def blocks_of(html: str | Page) -> Blocks:
    return TagSet().segment(html if isinstance(html, Page) else tamis.parse(html))


def saved(model: LearnedModel, **others: Any) -> bytes:
    file = io.BytesIO()
    np.savez(file, **(model_arrays(model) | others))
    return file.getvalue()


def check_same(one: Verdict, other: Verdict) -> None:
    assert one.page == other.page
    for name, column in arrays(one).items():
        np.testing.assert_array_equal(column, getattr(other, name), name)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_is_judged_by_the_contract(name: str, seed: int) -> None:
    verdict = check_identifier(Learned(model=made_up(seed)), blocks_of(sample(name)))
    assert verdict.page
    assert verdict.page.page_type in PAGE_TYPES
    assert 0 <= verdict.page.confidence <= 1
    assert ((verdict.score >= 0) & (verdict.score <= 1)).all()


@patient
@given(pages())
def test_any_tree_is_judged_by_the_contract(page: Page) -> None:
    verdict = check_identifier(Learned(model=made_up()), blocks_of(page))
    assert verdict.page
    assert 0 <= verdict.page.confidence <= 1


@pytest.mark.parametrize("name", SAMPLES)
def test_the_shipped_model_knows_the_samples(name: str) -> None:
    blocks = blocks_of(sample(name))
    verdict = Learned().identify(blocks)
    assert verdict.informative.any()
    assert not verdict.informative.all()
    assert verdict.page
    assert verdict.page.page_type in PAGE_TYPES
    assert 0 < verdict.page.confidence <= 1
    check_same(verdict, Learned(model=shipped_model()).identify(blocks))


def logistic(sums: np.ndarray) -> np.ndarray:
    return np.asarray(1 / (1 + np.exp(-sums)))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", SAMPLES)
def test_the_score_is_the_mean_of_two_forests_by_the_views_that_are_possible(
    name: str, seed: int
) -> None:
    blocks, model = blocks_of(sample(name)), made_up(seed)
    found = extract_features(blocks)
    experts = (model.article, model.other)
    matrix = first_features(found, model.tokens)
    beliefs = np.concatenate([logistic(expert.first.sums(matrix)) for expert in experts])
    beliefs *= found.context.terms > 0
    traits = type_features(found, beliefs, model.page_tokens)
    assert traits.shape == (len(TYPE_FEATURES),)
    sums = model.types.sums(traits[:, None])[:, 0]
    types = np.exp(sums) / np.exp(sums).sum()
    np.testing.assert_allclose(type_probabilities(model.types, traits), types)
    article = article_probability(model.plain, found, traits, types)
    views = []
    for expert, belief, possible in zip(experts, beliefs, (article, 1 - article), strict=True):
        around = np.zeros((len(STACKED_FEATURES), len(blocks)), dtype=np.float32)
        write_stacked_features(found, belief, around)
        second = logistic(expert.second.sums(np.concatenate((matrix, around)))[0])
        asked = (belief >= MIN_LIKELY_PROBABILITY) & (found.context.terms > 0) & (possible > 0)
        views.append(np.where(asked, (belief + second) / 2, belief))
    headline = found.headline
    if found.plain and headline >= 0:
        views[0][headline] = max(views[0][headline:])
    bound = bind_messages(
        found,
        ExpertProbabilities(np.stack(views), np.array((article, 1 - article))),
        PAGE_TYPES[int(np.argmax(sums))],
        float(types[PAGE_TYPES.index("forum")]),
        comments=False,
    )
    units = find_units(blocks, found.context.terms)
    views = list(bind_sections(blocks, bound.experts.by_expert, found.context.terms, units))
    verdict = Learned(model=model).identify(blocks)
    score = article * views[0] + (1 - article) * views[1]
    np.testing.assert_allclose(verdict.score, score, atol=1e-9)
    both = ExpertProbabilities(np.stack(views), np.array((article, 1 - article)))
    cut = choose_blocks(both, found.context.terms, units=units)
    np.testing.assert_array_equal(verdict.informative, cut.informative)
    answer = PageAnswer(types, traits, both, None, cut, bound.is_thread)
    features = confidence_features(found, answer)
    assert features.shape == (len(CONFIDENCE_FEATURES),)
    assert np.isfinite(features).all()
    assert verdict.page
    assert verdict.page.page_type == answer.page_type
    sure = float(np.clip(model.confidence.sums(features[:, None])[0, 0], 0, 1))
    assert verdict.page.confidence == pytest.approx(sure)


def article_of(html: str, plain: float, types: tuple[float, ...]) -> float:
    """Return the chance of an article by forests of one leaf each."""
    blocks, model = blocks_of(html), made_up()
    found = extract_features(blocks)
    traits = type_features(found, np.full((2, len(blocks)), 0.5), model.page_tokens)
    forest = build_forest([{"leaf_value": plain}], SHAPE_FEATURES)
    assert model.types
    return article_probability(forest, found, traits, np.array(types))


def test_a_page_of_today_is_an_article_by_its_type_and_an_old_one_by_its_shape() -> None:
    types = (0.6, *[0.4 / 6] * 6)
    assert article_of(f"<main>{TEXT}</main>", -9.0, types) == 0.6
    assert article_of(f"<div>{TEXT}</div>", 0.0, types) == 0.5


@pytest.mark.parametrize(
    ("html", "believed"),
    [
        (f"<title>A ferry sails</title><div>A ferry sails</div>{TEXT}", [0.9, 0.9]),
        (f"<title>A ferry sails</title><div>Other news</div>{TEXT}", [0.2, 0.9]),
        (f"<title>A ferry sails</title>{TEXT}</p><div>A ferry sails</div>", [0.9, 0.2]),
        (f"<title>A ferry sails</title><div>A ferry sails</div><main>{TEXT}", [0.2, 0.9]),
    ],
    ids=["above", "no headline", "below", "of today"],
)
def test_the_headline_of_an_old_article_is_as_likely_as_its_text(
    html: str, believed: list[float]
) -> None:
    found = extract_features(blocks_of(html))
    beliefs = np.tile(np.where(found.context.terms > 10, 0.9, 0.2), (2, 1))
    views = refine_probabilities(
        made_up(), found, beliefs, article=0.0
    )  # so the second is not asked
    np.testing.assert_allclose(views.by_expert[0], believed)


def test_a_view_that_is_hardly_possible_is_dropped() -> None:
    rest = 6
    for chance, expected in (
        (MIN_EXPERT_PROBABILITY / 2, 0.0),
        (1 - MIN_EXPERT_PROBABILITY / 2, 1.0),
        (0.5, 0.5),
    ):
        types = (chance, *[(1 - chance) / rest] * rest)
        assert article_of(f"<main>{TEXT}</main>", 0.0, types) == expected


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", SAMPLES)
def test_precision_keeps_no_more_and_recall_no_less(name: str, seed: int) -> None:
    blocks = blocks_of(sample(name))
    some = extract_features(blocks).context.terms > 0
    strict, usual, loose = (
        Learned(favor, made_up(seed)).identify(blocks).informative & some for favor in FAVORS
    )
    assert not (strict & ~usual).any()
    assert not (usual & ~loose).any()


def test_the_answer_is_the_same_on_two_threads() -> None:
    blocks = [blocks_of(sample(name)) for name in SAMPLES] * 4
    judge = Learned(model=made_up())
    alone = [judge.identify(each) for each in blocks]
    with ThreadPoolExecutor(2) as threads:
        for one, other in zip(alone, threads.map(judge.identify, blocks), strict=True):
            check_same(one, other)


@pytest.mark.parametrize("html", ["", "<p></p>", "<script>x</script>"])
def test_an_empty_page_needs_no_model(html: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = made_up()
    monkeypatch.setattr(Forest, "sums", None)
    verdict = Learned(model=model).identify(blocks_of(html))
    assert len(verdict.score) == 0
    assert verdict.page == PageVerdict(None, 0.5)


@pytest.mark.parametrize("html", ["x", "<p>one two three</p>", "<img src=x>", "<h1>a</h1>"])
def test_a_page_of_one_block(html: str) -> None:
    for value in (-9.0, 9.0):
        verdict = check_identifier(Learned(model=constant(made_up(), value)), blocks_of(html))
        assert len(verdict.score) == 1
        assert verdict.informative.tolist() == ["img" not in html]  # it is all there is


def test_a_shell_is_given_no_answer() -> None:
    blocks = blocks_of(TEXT * 5)
    assert not Learned(model=constant(made_up(), -3.0)).identify(blocks).informative.any()
    assert Learned(model=constant(made_up(), 3.0)).identify(blocks).informative.all()


@pytest.mark.parametrize(
    ("html", "reason"),
    [
        (HOME, "in nav, probability 0.05"),
        (f"<header>{HOME}</header>", "in nav, probability 0.05"),
        ("<header><p>one</p></header>", "in header, probability 0.05"),
        ("<footer hidden><p>one</p></footer>", "in footer, probability 0.05"),
        ("<aside><p>one</p></aside>", "in aside, probability 0.05"),
        ("<p><a href=x>one</a></p>", "mostly links, probability 0.05"),
        ("<p hidden><a href=x>one</a></p>", "hidden, probability 0.05"),
        ("<p>one</p>", "probability 0.05"),
        ("<p><img></p>", "no text"),
    ],
)
def test_a_reason_says_what_stands_out(html: str, reason: str) -> None:
    blocks = blocks_of(html + TEXT * 5)
    verdict = Learned(model=constant(made_up(), -3.0)).identify(blocks)
    assert verdict.reason(0) == reason


def test_a_reason_to_keep_a_block_is_its_chance() -> None:
    verdict = Learned(model=constant(made_up(), 3.0)).identify(blocks_of(HOME + TEXT))
    assert {verdict.reason(0), verdict.reason(1)} == {"content, probability 0.95"}


@pytest.mark.parametrize("favor", ["", "Precision", "both", 1, True])
def test_nothing_else_can_be_favored(favor: Any) -> None:
    with pytest.raises(InputError, match="take precision, recall or None"):
        Learned(favor)


def test_parameters_tell_objects_apart() -> None:
    assert Learned() == Learned()
    assert Learned("recall") != Learned()
    assert Learned(model=made_up()) == Learned(model=made_up())
    assert len({Learned(), Learned(model=made_up()), Learned(model=made_up(1))}) == 3


def test_a_model_is_read_as_it_was_written(tmp_path: Path) -> None:
    (tmp_path / "m.npz").write_bytes(saved(made_up()))
    blocks = blocks_of(sample("forum"))
    expected = Learned(model=made_up()).identify(blocks)
    for path in (tmp_path / "m.npz", str(tmp_path / "m.npz")):
        check_same(Learned(model=read_model(path)).identify(blocks), expected)
    check_same(pickle.loads(pickle.dumps(Learned(model=made_up()))).identify(blocks), expected)


def test_one_of_several_models_in_a_file_is_read() -> None:
    file = io.BytesIO()
    both: dict[str, Any] = model_arrays(made_up(), "a.") | model_arrays(made_up(1), "b.")
    np.savez(file, **both)
    blocks = blocks_of(sample("forum"))
    for prefix, seed in (("a.", 0), ("b.", 1)):
        read = Learned(model=load_model(file.getvalue(), prefix))
        check_same(read.identify(blocks), Learned(model=made_up(seed)).identify(blocks))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"junk",
        b"PK\x03\x04junk",
        saved(made_up())[:-100],
        saved(made_up(), format=np.array(1)),
        saved(made_up(), format=np.array([2, 2])),
        saved(made_up(), **{"article.first.names": np.array(["none", "such"] * 100)}),
    ],
    ids=["empty", "junk", "zip", "cut off", "format", "formats", "names"],
)
def test_what_is_no_model_is_a_clear_error(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "m.npz"
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"m\.npz is no model of this version.*tamis train"):
        read_model(path)


def test_a_model_that_is_not_there_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read the model .*m\.npz: No such file"):
        read_model(tmp_path / "m.npz")


def test_every_reason_has_its_words_in_its_place() -> None:
    assert tuple(REASONS) == tuple(Reason) == tuple(range(len(Reason)))


@pytest.mark.parametrize("kind", ["content", "siblings", "500 levels of div"])
def test_time_grows_linearly(kind: str) -> None:
    small, large = (blocks_of(shape(kind, size)) for size in (1500, 12_000))
    judge = Learned(model=made_up())
    assert growth(lambda: judge.identify(small), lambda: judge.identify(large)) < LINEAR
