"""Sites: learned from pages without labels, applied to other pages."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tamis
from helpers.contracts import check_identifier
from helpers.html_strategies import pages, patient
from helpers.samples import SAMPLES, sample, sample_bytes
from helpers.sites import article_page, index_page, site_pages
from tamis import Site
from tamis.blocks import TagSet
from tamis.errors import InputError, PoorMatch, TooLarge, WrongType
from tamis.page import Page
from tamis.site import MAX_SEEN_ONCE, Input, PageProfile, Watch, build_profile
from tamis.verdict import Identifier

# A page whose noise looks like content: only other pages tell that it is none.
LOUD = (
    "<html><body><div class=intro><p>{noise}</p></div><div class=story><p>{story}</p>"
    "<p>{more}</p></div></body></html>"
)
NOISE = (
    "We have been telling the truth since 1871, and we are proud of it. Our readers know that "
    "nobody else comes as close to what really happens, in this town and in all the others."
)


def story(number: int) -> str:
    page = tamis.parse(article_page(number))
    return [block.text for block in tamis.segment(page) if block.tag == "p"][1 + number % 3]


def loud(number: int) -> str:
    return LOUD.format(noise=NOISE, story=story(number), more=story(number + 500))


@pytest.fixture(scope="module")
def site() -> Site:
    return Site.learn(site_pages(8))


def test_a_site_is_learned_from_html_pages_and_pairs() -> None:
    texts = [html for _, html in site_pages(4)]
    mixed: list[Input] = [
        texts[0],
        ("https://pane.example/1", texts[1]),
        tamis.parse(texts[2]),
        texts[3].encode(),
    ]
    assert Site.learn(mixed).templates == Site.learn(site_pages(4)).templates


def test_repeated_blocks_are_counted_with_text_and_path(site: Site) -> None:
    (template,) = site.templates
    assert site.pages == template.pages == 8
    copyright = next(block for block in template.blocks if block.text.startswith("Copyright"))
    assert (copyright.pages, copyright.times, copyright.path) == (8, 8, "footer/p")
    assert copyright.xpath == "/html/body/footer/p[1]"
    assert all(2 <= block.pages <= 8 for block in template.blocks)
    logo = next(block for block in template.blocks if block.text == "The Daily Pane")
    assert logo.path == "header/div.logo"


def test_noise_that_looks_like_content_is_known_by_its_frequency() -> None:
    learned = Site.learn(loud(n) for n in range(6))
    page = tamis.parse(loud(99))
    alone, together = tamis.extract(page).text, learned.extract(page).text
    assert "since 1871" in alone
    assert "since 1871" not in together
    assert story(99) in together
    assert story(599) in together
    block = next(block for block in learned.extract(page).blocks if "1871" in block.text)
    assert block.reason == "in 6 of 6 pages"
    assert not block.informative


def test_an_extraction_is_a_document(site: Site) -> None:
    document = site.extract(article_page(50), "https://pane.example/50")
    assert document.method == "site"
    assert document.page.url == "https://pane.example/50"
    assert document.verdict.page is not None
    assert document.verdict.page.match == pytest.approx(site.match(article_page(50)))
    assert document.confidence is not None
    assert "Advertisement" not in document.text
    with pytest.raises(TooLarge):
        site.extract(article_page(50), max_bytes=10)


def test_pages_of_several_structures_have_templates_of_their_own() -> None:
    learned = Site.learn(site_pages(20, index_every=4))
    assert [template.pages for template in learned.templates] == [15, 5]
    assert "li.teaser" in " ".join(stats.path for stats in learned.templates[1].paths)
    for html, number in ((article_page(77), 0), (index_page(77), 1)):
        template, similarity = learned.find_template(profile(html))
        assert template is learned.templates[number]
        assert similarity > 0.8


def profile(html: str) -> PageProfile:
    return build_profile(TagSet().segment(tamis.parse(html)))


def test_a_page_that_does_not_fit_is_noticed_and_read_without_the_template(site: Site) -> None:
    other = sample("product")
    assert site.match(other) < 0.1
    with pytest.warns(PoorMatch, match="redesigned"):
        document = site.extract(other)
    assert document.text == tamis.extract(other).text


def test_pages_of_the_site_match_without_a_warning(site: Site) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _, html in site_pages(5, first=200):
            site.extract(html)
            assert site.match(html) > 0.8


def test_drift_is_reported_after_enough_pages() -> None:
    watch = Watch(pages=4)
    assert [watch.add(match) for match in (0.9, 0.1, 0.1, 0.9)] == [False] * 4
    assert watch.add(0.0)
    assert watch.report.startswith("3 of the last 4 pages do not fit")
    assert not watch.add(1.0)
    assert not Watch(pages=4).has_drifted


def test_an_update_learns_from_further_pages(site: Site) -> None:
    updated = site.update(site_pages(4, first=100))
    assert (site.pages, updated.pages) == (8, 12)
    ids = {block.id: block.pages for block in updated.templates[0].blocks}
    logo = next(block for block in site.templates[0].blocks if block.text == "The Daily Pane")
    assert ids[logo.id] == 12
    more = updated.update(index_page(n) for n in range(3))
    assert [template.pages for template in more.templates] == [12, 3]


def test_what_stands_in_every_page_is_the_same_learned_at_once_or_in_two_steps() -> None:
    pages = list(site_pages(10))
    at_once, in_steps = Site.learn(pages), Site.learn(pages[:5]).update(pages[5:])
    often = {block.id: block.pages for block in at_once.templates[0].blocks if block.pages == 10}
    assert often == {b.id: b.pages for b in in_steps.templates[0].blocks if b.pages == 10}
    both = zip(at_once.templates[0].paths, in_steps.templates[0].paths, strict=True)
    for stats, other in both:
        assert stats[:4] == other[:4]
        assert stats.log_odds == pytest.approx(other.log_odds, abs=0.002)


def test_pages_learned_one_by_one_teach_what_they_teach_at_once(tmp_path: Path) -> None:
    pages = list(site_pages(8))
    at_once, path = Site.learn(pages), tmp_path / "site.tamis"
    Site.learn(pages[:1]).save(path)
    for page in pages[1:]:
        Site.load(path).update([page]).save(path)
    one_by_one = Site.load(path)
    assert one_by_one.templates[0].blocks == at_once.templates[0].blocks
    assert len(at_once.templates[0].blocks) == 25
    assert one_by_one.templates[0].seen_once == at_once.templates[0].seen_once


def test_what_was_seen_once_is_bounded_and_the_newest_is_kept() -> None:
    html = "<html><body><main>{}</main></body></html>"
    pages = [
        html.format("".join(f"<p>word{n}x{i} again</p>" for i in range(400))) for n in range(4)
    ]
    learned = Site.learn(pages)
    (template,) = learned.templates
    assert [len(once.ids) for once in template.seen_once] == [MAX_SEEN_ONCE]
    for number, repeated in ((3, 400), (0, 0)):
        again = learned.update([pages[number]]).templates[0].blocks
        assert len(again) == repeated


def test_a_block_is_explained(site: Site) -> None:
    document = site.extract(article_page(60))
    footer = next(block for block in document.blocks if block.text.startswith("Copyright"))
    why = site.explain(footer)
    assert (why.pages, why.template_pages, why.path, why.path_blocks) == (8, 8, "footer/p", 16)
    assert why.probability == pytest.approx(footer.score)
    assert why.repetition == 1.0
    assert str(why).startswith("probability ")
    assert "in 8 of 8 pages" in str(why)
    body = next(block for block in document.blocks if block.tag == "p" and block.informative)
    assert site.explain(body).pages == 0
    assert site.explain(body).probability > 0.5


def test_a_block_of_a_page_that_does_not_fit_is_explained_by_the_page_alone(site: Site) -> None:
    new = "".join(
        f"<section class=q{letter}><div class=r{letter}><p>{story(number)} {letter}</p></div>"
        for number, letter in enumerate("abcdefghijklmnopqrst")
    )
    html = article_page(99).replace("<main>", f"{new}<main>")
    assert 0.05 < site.match(html) < 0.3  # so that the template knows some of its blocks
    with pytest.warns(PoorMatch):
        document = site.extract(html)
    for block in document.blocks:
        why = site.explain(block)
        assert why.probability == why.page_probability == block.score
        assert not why.applied
        assert "is read without its template" in str(why)


def test_a_block_of_another_segmentation_cannot_be_explained(site: Site) -> None:
    with pytest.raises(InputError, match=r"site.extract\(\)"):
        site.explain(tamis.segment(sample("article"), "chunks")[1])


def test_a_block_at_an_unknown_path_is_explained_by_itself(site: Site) -> None:
    page = tamis.parse(
        article_page(3).replace("<main>", "<main><blockquote>Never seen</blockquote>")
    )
    block = next(block for block in site.extract(page).blocks if block.tag == "blockquote")
    assert "its path was not seen" in str(site.explain(block))


@pytest.mark.parametrize("wrong", ["<p>one page</p>", b"<p>one</p>", sample("article")])
def test_a_single_page_is_a_mistake(wrong: Sequence[str]) -> None:
    with pytest.raises(InputError, match="give a list of pages"):
        Site.learn(wrong)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([("u",)], r"a page is a tuple of 1: give \(url, html\)"),
        ([("u", "<p>", "more")], "a page is a tuple of 3"),
        ([()], "a page is a tuple of 0"),
        ([None], "html is of type NoneType: give"),
        ([("u", None)], "html is of type NoneType: give"),
        ([(5, "<p>x")], "url is of type int: give"),
        (5, "pages is of type int: give a list of pages"),
    ],
)
def test_what_is_no_page_is_of_the_wrong_type(wrong: Any, message: str) -> None:
    with pytest.raises(WrongType, match=message):
        Site.learn(wrong)


def test_a_host_that_no_file_can_hold_is_a_mistake() -> None:
    with pytest.raises(InputError, match="is no host: give a name"):
        Site.learn(["<p>x"], host="\ud800")
    with pytest.raises(WrongType, match="host is of type int: give"):
        Site.learn(["<p>x"], host=5)  # type: ignore[arg-type]


def test_no_page_is_a_mistake() -> None:
    with pytest.raises(InputError, match="no page to learn from"):
        Site.learn([])


@pytest.mark.parametrize("html", ["", "<p></p>", "<script>x</script>", "x", "<img src=a>"])
def test_pages_with_hardly_anything_are_learned_and_read(html: str) -> None:
    learned = Site.learn([html, html, html])
    assert learned.extract(html).text in ("", "x")
    assert 0 <= learned.match(html) <= 1


def test_a_site_keeps_the_contract_of_identifiers(site: Site) -> None:
    assert isinstance(site, Identifier)
    check_identifier(site, TagSet().segment(tamis.parse(article_page(9))))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PoorMatch)
        for name in SAMPLES:
            check_identifier(site, TagSet().segment(sample(name)))
    assert site == replace(site)
    assert hash(site) == hash(replace(site))


@settings(patient, max_examples=30)
@given(st.lists(pages(), min_size=1, max_size=4))
def test_any_pages_are_learned_and_read(parsed: list[Page]) -> None:
    learned = Site.learn(parsed)
    assert learned.pages == len(parsed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PoorMatch)
        for page in parsed:
            verdict = check_identifier(learned, TagSet().segment(page))
            assert ((verdict.score >= 0) & (verdict.score <= 1)).all()
            assert 0 <= learned.match(page) <= 1


def test_terms_in_chinese_are_characters() -> None:
    html = "<nav>首页 新闻 体育</nav><main><p>{}</p></main>"
    texts = [f"今天是第{n}天，天气很好，大家都很高兴地去看河。" for n in "一二三四五"]
    learned = Site.learn(html.format(text) for text in texts)
    assert {block.text for block in learned.templates[0].blocks} == {"首页 新闻 体育"}
    assert "首页" not in learned.extract(html.format("他们说明天会下雨，谁也不相信这句话。")).text


def test_the_order_of_equal_pages_does_not_matter_and_runs_are_equal() -> None:
    pages = list(site_pages(6))
    assert Site.learn(pages) == Site.learn(pages)
    forth, back = Site.learn(pages).templates, Site.learn(pages[::-1]).templates
    assert {b.id: b.pages for b in forth[0].blocks} == {b.id: b.pages for b in back[0].blocks}


def test_sample_pages_are_bytes_of_any_encoding() -> None:
    assert Site.learn([sample_bytes("chinese")] * 2).pages == 2
