"""tagwindow: noise filter and weight of tag windows (the tag-window paper §3.3 to §3.5)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import tamis
from helpers.html_strategies import pages, patient
from helpers.instances import SEGMENTER_NAMES, segmenter
from helpers.phones import LAYOUTS, PHONES, shop_page
from tamis.blocks import Blocks, Chunks
from tamis.page import Page
from tamis.verdict import (
    NOISE_WORDS,
    TagWindow,
    chunk_attributes,
    count_emails,
    count_noise_words,
    find_innermost,
    measure_densities,
    noise_features,
)

TEXT = "The river rose, slowly at first, then faster. By noon it was over the wall; nobody slept. "
LINKS = "<a href=x>home page</a> <a href=y>all the news</a> "


def chunks(html: str) -> Blocks:
    return Chunks().segment(tamis.parse(html))


def kept(html: str, window: TagWindow = TagWindow()) -> list[str]:  # noqa: B008
    """Return the labels of the chunks that are kept."""
    blocks = chunks(html)
    verdict = window.identify(blocks)
    return [label for label, yes in zip(blocks.labels, verdict.informative, strict=True) if yes]


# Attributes and noise features --------------------------------------------------------------------

# 10 letters a paragraph, 4 of 14 in links in the first window.
FEATURES = (
    "<div><p>abcdefghij</p><a href=x>klmn</a><img src=i></div>"
    "<div>abcdefghij <a href=m>a@b.org</a> <a href=x></a> c@d.org e@f.org</div>"
    "<form><input><select></select><button>go</button></form>"
)


def test_the_attributes_of_a_chunk_are_those_of_the_paper() -> None:
    blocks = chunks(FEATURES)
    assert blocks.labels == ["B-1", "B-1-1", "B-1-1-1", "B-1-2", "B-1-3"]
    found = {name: values.tolist() for name, values in chunk_attributes(blocks).items()}
    sizes = {tag: float(len(html)) for tag, html in {
        "img": '<img src="i">',
        "controls": "<input><select></select>",
        "form": "<form><input><select></select><button>go</button></form>",
    }.items()}  # fmt: skip
    assert found == {
        "ImgNum": [1, 1, 0, 0, 0],
        "ImgSize": [sizes["img"], sizes["img"], 0, 0, 0],
        "LinkNum": [3, 1, 0, 2, 0],
        "LinkTextLen": [11, 4, 0, 7, 0],
        "InteractionNum": [2, 0, 0, 0, 2],
        "InteractionSize": [sizes["controls"], 0, 0, 0, sizes["controls"]],
        "FormNum": [1, 0, 0, 0, 1],
        "FormSize": [sizes["form"], 0, 0, 0, sizes["form"]],
        "EmailNum": [3, 0, 0, 3, 0],
        "TextLen": [47, 14, 10, 31, 2],
    }


def test_the_noise_features_are_those_of_the_paper() -> None:
    email, hub, no_paragraph, links = noise_features(chunks(FEATURES)).tolist()
    assert email == [1, 0, 0, 1, 0]
    assert hub == pytest.approx([11 / 47, 4 / 14, 0, 7 / 31, 0])
    assert no_paragraph == [0, 0, 0, 1, 1]
    assert links == pytest.approx([1, 1 / 3, 0, 2 / 3, 0])


def test_features_are_0_where_the_page_has_none() -> None:
    assert noise_features(chunks("<div><p>text</p></div>")).tolist() == [[0.0] * 3] * 4
    email, hub, _, links = noise_features(chunks("<div><img></div>")).tolist()
    assert email == hub == links == [0, 0]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("write to a.b+c@mail.example.org, today", 1),
        ("a@b.org, c@d.org; e@f.org.", 3),
        ("пётр@почта.рф", 1),
        ("@home, me@home, a @ b.org, me@.org @b.org", 0),
        ("@" * 500, 0),
    ],
)
def test_e_mail_addresses_are_counted(text: str, count: int) -> None:
    assert count_emails(tamis.parse(f"<p>{text}</p>")).sum() == count


def test_an_address_is_counted_where_it_is_seen() -> None:
    page = tamis.parse(f"<p>{TEXT}</p><noscript>a@b.org</noscript><div>x</div><p>c@d.org</p>")
    rows = np.flatnonzero(count_emails(page))
    assert [page.text[page.text_start[r] : page.text_stop[r]] for r in rows] == ["c@d.org"]


# The noise score ----------------------------------------------------------------------------------


def test_the_noise_score_is_the_weighted_sum() -> None:
    blocks = chunks(FEATURES)
    features = noise_features(blocks)
    for alpha in ((0.25, 0.25, 0.25, 0.25), (0.2, 0.2, 0.2, 0.2), (1.0, 0.0, 0.0, 0.0)):
        verdict = TagWindow(alpha=alpha, noise=-1.0).identify(blocks)
        out = np.flatnonzero(~verdict.informative)
        np.testing.assert_allclose(verdict.reason_value[out], (np.array(alpha) @ features)[out])


def test_a_window_above_the_threshold_is_out_and_one_at_it_is_not() -> None:
    html = f"<div>{LINKS}</div><div><p>{TEXT}</p></div>"
    blocks = chunks(html)
    score = float((np.full(4, 0.25) @ noise_features(blocks))[1])
    assert score == 0.75
    assert TagWindow(noise=0.74).identify(blocks).reason(1) == "noise score 0.75"
    assert TagWindow(noise=0.75).identify(blocks).reason(1).startswith("weight")


def test_the_papers_alphas_let_a_menu_through_that_ours_filter() -> None:
    blocks = chunks(f"<div>{LINKS}</div><div><p>{TEXT} <a href=z>z</a></p></div>")
    ours, papers = TagWindow(), TagWindow(alpha=(0.2, 0.2, 0.2, 0.2))
    assert ours.identify(blocks).reason(1) == "noise score 0.67"
    assert papers.identify(blocks).reason(1) == "noise score 0.53"
    assert TagWindow(alpha=(0.1, 0.1, 0.1, 0.1)).identify(blocks).reason(1).startswith("weight")


def test_noisy_windows_inside_the_winner_are_left_out() -> None:
    menu = f"<div>{LINKS * 3}</div>"
    assert kept(f"<div><p>{TEXT * 3}</p>{menu}<p>{TEXT * 3}</p></div>") == [
        "B-1-1",
        "B-1-1-1",
        "B-1-1-3",
    ]


# Weights ------------------------------------------------------------------------------------------

# 8 of 16 letters in links and 1 of 4 marks in the first window; the second has the rest.
WEIGHED = "<div>abcdefg. <a href=x>hijklmno</a></div><div>abcdefghijklm,,,</div>"


def test_the_weight_is_that_of_the_paper() -> None:
    blocks = chunks(WEIGHED)
    verdict = TagWindow().identify(blocks)
    nltd, natd, pmd = (
        np.array([8 / 32, 0.5, 0]),
        np.array([1, 8 / 24, 16 / 24]),
        np.array([1, 0.25, 0.75]),
    )
    np.testing.assert_allclose(verdict.score, (1 - nltd) + natd + 0.7 * pmd)
    printed = TagWindow(as_printed=True).identify(blocks)
    np.testing.assert_allclose(printed.score, nltd + natd + 0.7 * pmd)
    without = TagWindow(beta=0.0).identify(blocks)
    np.testing.assert_allclose(without.score, (1 - nltd) + natd)


@patient
@given(page=pages())
def test_densities_are_shares_of_the_page(page: Page) -> None:
    measured = measure_densities(page, page.visible)
    for column in (measured.link, measured.plain, measured.marks):
        assert ((column >= 0) & (column <= 1)).all()
    for row in range(len(page)):
        rows = slice(row, page.end[row])
        chars, linked = page.chars[rows].sum(), page.chars[rows][page.in_link[rows]].sum()
        whole = page.chars[~page.in_link].sum()
        assert measured.link[row] == pytest.approx(linked / chars if chars else 1)
        assert measured.plain[row] == pytest.approx((chars - linked) / whole if whole else 1)


def test_of_nested_windows_that_qualify_the_innermost_wins() -> None:
    html = f"<div><p>x</p><div><div><p>{TEXT}</p><p>{TEXT}</p></div></div></div>"
    assert kept(html) == ["B-1-1-2-1", "B-1-1-2-1-1", "B-1-1-2-1-2"]


@pytest.mark.parametrize(
    ("parameters", "winner"),
    [
        ({}, "B-1-1"),
        ({"min_marks": 0.6}, "B-1-1-1"),
        ({"min_plain": 0.7, "min_marks": 0.6}, "B-1-1"),
    ],
)
def test_the_judgment_parameters_decide_what_qualifies(
    parameters: dict[str, float], winner: str
) -> None:
    html = f"<div><p>{TEXT}{TEXT}</p><p>{TEXT}</p></div>"
    assert kept(html, TagWindow(**parameters))[0] == winner  # type: ignore[arg-type]


def test_links_disqualify_a_window() -> None:
    html = f"<div><div><p>{TEXT}<a href=x>{TEXT}</a></p></div><p>Rest, and more.</p></div>"
    assert kept(html, TagWindow(max_link=0.6))[0] == "B-1-1-1-1"
    assert "B-1-1" in kept(html, TagWindow(max_link=0.49))


def test_where_none_qualifies_all_survivors_compete_by_weight() -> None:
    html = f"<div><p>{TEXT}</p><p>{TEXT}{TEXT}</p><p>{TEXT}</p></div><footer>© us.</footer>"
    strict = TagWindow(min_plain=1.1)
    blocks = chunks(html)
    assert strict.identify(blocks).score.argmax() == 0
    assert kept(html, strict) == blocks.labels
    # The body is ruled out by its links and addresses: of what is left the greatest wins.
    noisy = f"<div>{TEXT}</div><nav>{LINKS * 3}<br>a@b.org</nav>"
    assert chunks(noisy).labels == ["B-1", "B-1-1", "B-1-2"]
    assert kept(noisy, TagWindow(noise=0.3, min_plain=1.1)) == ["B-1-1"]


def test_as_printed_is_the_paper_to_the_letter() -> None:
    html = f"<div>{LINKS}</div><div><p>{TEXT} <a href=z>z</a></p></div>"
    printed = TagWindow(as_printed=True)
    papers = TagWindow(alpha=(0.2, 0.2, 0.2, 0.2), as_printed=True)
    assert printed.identify(chunks(html)).reason(1) == "noise score 0.53"
    assert papers.identify(chunks(html)).reason(1) == "noise score 0.53"
    # No judgment parameter: the innermost window that qualifies does not win over the body.
    story = f"<div><div><p>{TEXT}</p><p>{TEXT}</p></div></div><footer>© us</footer>"
    assert kept(story) == ["B-1-1-1", "B-1-1-1-1", "B-1-1-1-2"]
    assert kept(story, printed) == chunks(story).labels


@patient
@given(page=pages())
def test_innermost_are_the_blocks_that_hold_no_other(page: Page) -> None:
    blocks = Chunks().segment(page)
    among = np.arange(len(blocks)) % 3 > 0
    expected = [
        among[i]
        and not any(
            among[j] and i != j and blocks.first[i] <= blocks.first[j] < blocks.stop[i]
            for j in range(len(blocks))
        )
        for i in range(len(blocks))
    ]
    assert find_innermost(blocks, among).tolist() == expected


# Table 1 of the paper -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("window", "linked"),
    [
        pytest.param(TagWindow(), False, id="ours"),
        pytest.param(TagWindow(as_printed=True), False, id="as printed"),
        pytest.param(TagWindow(as_printed=True), True, id="as printed, links"),
    ],
)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_phones_of_the_papers_table_1_are_found(
    layout: str, window: TagWindow, linked: bool
) -> None:
    page = shop_page(layout, linked=linked)
    text = tamis.extract(page, method=tamis.Method(Chunks(), window)).text
    assert all(model in text for _, model, _ in PHONES)
    assert text.count("Rs ") == len(PHONES)
    assert "Section" not in text


# Noise words --------------------------------------------------------------------------------------

FOOTERS = {
    "English": "Contact · Company Profile · COPYRIGHT · Sitemap · Privacy",
    "German": "Kontakt · Impressum · DATENSCHUTZ · AGB · ÜBER UNS",
    "French": "Contactez · Mentions légales · CONFIDENTIALITÉ · Plan du site · Qui sommes-nous",
    "Spanish": "Contacto · Aviso legal · Privacidad · QUIÉNES SOMOS · Mapa del sitio",
    "Polish": "Kontakt · Polityka prywatności · O nas · REGULAMIN · Mapa strony",
    "Russian": "Контакты · О компании · АВТОРСКИЕ ПРАВА · Реклама · Карта сайта",
    "Greek": "Επικοινωνία · Όροι χρήσης · Σχετικά με · Διαφήμιση · Copyright",
    "Chinese": "联系我们 · 关于我们 · 版权 · 公司简介 · 网站地图",
    "Japanese": "お問い合わせ · 会社概要 · プライバシー · 著作権 · Help",
}


@pytest.mark.parametrize("language", FOOTERS)
def test_five_noise_words_are_found_in_many_languages(language: str) -> None:
    blocks = chunks(f"<p>{TEXT}</p><div>{FOOTERS[language]}</div>")
    assert count_noise_words(blocks).tolist() == [5, 0, 5]


def test_five_different_noise_words_take_0_6_from_the_weight() -> None:
    five = chunks("<div>contact, copyright, sitemap, privacy, imprint</div><p>x</p>")
    four = chunks("<div>contact, copyright, sitemap, privacy, impress</div><p>x</p>")
    lost = TagWindow().identify(four).score - TagWindow().identify(five).score
    np.testing.assert_allclose(lost, [0.6, 0.6, 0], atol=1e-12)
    harsh = TagWindow(noise_words=4, penalty=1.5).identify(four).score
    np.testing.assert_allclose(harsh, TagWindow().identify(four).score - [1.5, 1.5, 0])


def test_one_word_many_times_is_one_noise_word() -> None:
    assert count_noise_words(chunks("<p>contact contact CONTACT contacts contact</p>")).max() == 1


def test_no_noise_word_is_counted_as_two() -> None:
    for word in NOISE_WORDS:
        assert [other for other in NOISE_WORDS if other in word] == [word]
        assert word == word.lower()


def test_letters_that_grow_in_lower_case_do_not_shift_the_words() -> None:
    blocks = chunks(f"<p>{'İ' * 30}</p><div>Contact, Copyright, Privacy</div><p>none</p>")
    assert count_noise_words(blocks).tolist() == [3, 0, 3, 0]


def test_a_footer_full_of_noise_words_does_not_win() -> None:
    footer = f"<p>{FOOTERS['English']}, , , , , , , ,</p>"
    # The address, a link, rules out the body but neither of the two windows.
    html = f"{footer}<p>{TEXT}</p><div><a href=x>a@b.org</a></div>"
    harmless = TagWindow(min_plain=1.1, penalty=0.0)
    assert kept(html, harmless) == ["B-1-1"]
    assert kept(html, TagWindow(min_plain=1.1)) == ["B-1-2"]


# Never an empty answer ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "html",
    [
        LINKS,
        f"<div>{LINKS}</div>",
        f"<div><img></div><div>{LINKS}</div>",
        f"<div>{LINKS}</div><p></p>",
        f"<p><img></p><div>{LINKS}</div><div>{LINKS}</div>",
        "<p>a@b.org</p>",
        "<ul><li><a href=x>a</a></ul><p><img></p>",
        "。",
    ],
)
@pytest.mark.parametrize("name", SEGMENTER_NAMES)
def test_a_page_with_text_never_gets_an_empty_answer(name: str, html: str) -> None:
    blocks = segmenter(name).segment(tamis.parse(html))
    for window in (TagWindow(), TagWindow(as_printed=True), TagWindow(noise=-1.0)):
        verdict = window.identify(blocks)
        assert any(block.text for block in blocks if verdict.informative[block.index])


def test_noise_words_count_where_they_are_read_and_are_words() -> None:
    hidden = "<p>Some words <noscript>contact copyright privacy help feedback</noscript></p>"
    parts = "<p>A vintage shop, unhelpful to nasty people, sent a recontact form.</p>"
    assert count_noise_words(chunks(hidden + parts)).max() == 0
    assert count_noise_words(chunks("<p>请联系我们吧。 Help! (contact)</p>")).max() == 3
