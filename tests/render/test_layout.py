"""Pages with layout: boxes, styles, and what is not shown."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

import tamis
from helpers.chromium import needs_chromium
from helpers.contracts import arrays
from helpers.html_strategies import html_trees
from tamis.errors import InputError, WrongType
from tamis.page import CLEARS, DISPLAYS, FLOATS, POSITIONS, Layout, Page, find_row, tags
from tamis.render import Browser

pytestmark = needs_chromium

STYLED = """<!doctype html><style>
body { margin: 0; font: 16px sans-serif; color: #010203 }
#a { position: absolute; left: 30px; top: 40px; width: 200px; height: 50px; background: #ff000080;
     border: 1px solid; border-bottom-width: 4px; clear: both; font-weight: 700 }
#b { float: right; width: 10px; font-size: 20px; background: url(x.png) }
#none { display: none } #hidden { visibility: hidden } #odd { color: oklch(62.8% 0.258 29.2) }
#contents { display: contents }
</style><body><div id=a>one <i>two</i></div><div id=b>x</div><p id=none>no <b>no</b></p>
<p id=hidden>no <b style="visibility: visible">yes</b></p><p id=odd>red</p>
<div id=contents><p style="height: 30px; margin: 0">in</p></div>"""


def get_layout(page: Page) -> Layout:
    assert page.layout is not None
    return page.layout


@pytest.fixture(scope="module")
def page(browser: Browser) -> Page:
    return browser.render(STYLED)


def test_a_box_is_where_the_style_puts_it(page: Page) -> None:
    layout, row = get_layout(page), find_row(page, "/html/body/div[1]")
    box = (layout.x[row], layout.y[row], layout.width[row], layout.height[row])
    assert box == (30, 40, 202, 55)
    assert POSITIONS[layout.position[row]] == "absolute"
    assert CLEARS[layout.cleared[row]] == "both"
    assert layout.background[row] == 0xFF000080
    assert layout.colour[row] == 0x010203FF
    borders = (layout.border_top, layout.border_right, layout.border_bottom, layout.border_left)
    assert [float(side[row]) for side in borders] == [1, 1, 4, 1]
    assert (layout.font_size[row], layout.font_weight[row]) == (16, 700)
    assert DISPLAYS[layout.display[row]] == "block"
    assert layout.screen == (1280, 800)


def test_a_text_has_a_box_of_its_own_and_the_style_around_it(page: Page) -> None:
    layout, row = get_layout(page), find_row(page, "/html/body/div[1]/text()")
    inside = find_row(page, "/html/body/div[1]/i/text()")
    assert 31 <= layout.x[row] < layout.x[inside] < 100
    assert 0 < layout.width[row] < 60
    assert layout.font_weight[row] == 700
    assert DISPLAYS[layout.display[row]] == "inline"
    assert (layout.background[row], layout.border_top[row], layout.position[row]) == (0, 0, 0)


def test_floats_and_background_images_are_in_the_layout(page: Page) -> None:
    layout, row = get_layout(page), find_row(page, "/html/body/div[2]")
    assert FLOATS[layout.floated[row]] == "right"
    assert layout.x[row] == 1270
    assert layout.has_background_image[row]


def test_what_is_not_shown_is_in_the_layout(page: Page) -> None:
    layout = get_layout(page)
    for path in ("/html/head", "/html/body/p[1]", "/html/body/p[1]/b", "/html/body/p[1]/b/text()"):
        assert not layout.shown[find_row(page, path)], path
    assert not layout.shown[find_row(page, "/html/body/p[2]")]
    assert layout.shown[find_row(page, "/html/body/p[2]/b")]
    assert layout.shown[find_row(page, "/html/body/p[2]/b/text()")]


def test_a_colour_outside_srgb_is_converted(page: Page) -> None:
    colour = int(get_layout(page).colour[find_row(page, "/html/body/p[3]")])
    assert colour >> 24 > 240
    assert (colour >> 16 & 255) < 20


def test_an_element_without_a_box_has_that_of_its_children(page: Page) -> None:
    layout, row = get_layout(page), find_row(page, "/html/body/div[3]")
    assert (layout.width[row], layout.height[row]) == (1280, 30)
    assert layout.shown[row]


def test_columns_are_of_the_page_and_not_writeable(page: Page) -> None:
    for name, column in arrays(get_layout(page)).items():  # type: ignore[arg-type]
        assert len(column) == len(page), name
        assert not column.flags.writeable, name
    assert "Layout of" in repr(page.layout)


def test_bytes_are_decoded_as_parse_decodes_them(browser: Browser) -> None:
    data = "<meta charset=gb2312><p>渡口</p>".encode("gbk")
    assert browser.render(data).text == tamis.parse(data).text == "渡口"


@pytest.mark.parametrize("html", ["", "<p></p>", "<frameset><frame></frameset>", "\0<", "x" * 9999])
def test_any_page_gets_a_layout(browser: Browser, html: str) -> None:
    page = browser.render(html)
    assert len(get_layout(page)) == len(page)


def test_a_block_knows_its_box(browser: Browser) -> None:
    page = browser.render("<body style='margin: 0'><p style='margin: 0; height: 40px'>a<p>b")
    block = tamis.segment(page)[0]
    assert block.box == (0, 0, 1280, 40)
    assert block.as_dict()["box"] == [0, 0, 1280, 40]
    assert tamis.segment("<p>a")[0].box is None
    assert "box" not in tamis.segment("<p>a")[0].as_dict()


@settings(
    deadline=None, max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(html=html_trees(max_leaves=15))
def test_browser_and_parser_understand_pages_alike(browser: Browser, html: str) -> None:
    page = browser.render(html)  # a page understood differently warns, and a warning is an error
    layout = get_layout(page)
    texts = page.visible & layout.shown & (page.tag == tags.TEXT)
    assert (layout.display[texts] == DISPLAYS.index("inline")).all()


def test_scripts_run_only_when_asked_for(browser: Browser) -> None:
    html = "<p>one</p><script>document.body.append('two')</script>"
    assert browser.render(html).text == "one"
    scripted = browser.render(html, javascript=True)
    assert scripted.text == "one\n\ntwo"
    assert scripted.layout is not None


def test_a_page_that_needs_scripts_gets_its_content(browser: Browser) -> None:
    words = "The river rose by four inches, and nobody in the valley slept before noon. " * 8
    html = f"<div id=root></div><script>root.innerHTML = '<p>' + {words!r} + '</p>'</script>"
    assert tamis.extract(html).status == "needs-javascript"
    assert "nobody in the valley" in tamis.extract(browser.render(html, javascript=True)).text


def test_a_url_is_rendered_only_when_asked_for(browser: Browser) -> None:
    with pytest.raises(InputError, match="live=True"):
        browser.render("https://example.org/")


def test_other_types_are_refused(browser: Browser) -> None:
    with pytest.raises(WrongType, match="give str, bytes"):
        browser.render(7)  # type: ignore[arg-type]


def test_render_needs_no_browser_of_ones_own() -> None:
    page = tamis.render.render("<p>a", timeout=60, screen=(400, 300))
    assert get_layout(page).screen == (400, 300)


def test_more_pages_than_a_browser_lives_for(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tamis.render.browser._MAX_VISITS", 2)
    with Browser(timeout=60) as other:
        processes = []
        for number in range(4):
            assert other.render(f"<p>{number}").text == str(number)
            processes.append(other.process)
    assert len(set(processes)) == 2
