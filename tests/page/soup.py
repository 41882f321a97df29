"""Hypothesis strategies for tag soup: what no author wrote and every parser must read."""

from __future__ import annotations

import re
from typing import Final

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

# No test depends on the clock, and building long soups takes a while.
patient = settings(deadline=None, max_examples=300, suppress_health_check=[HealthCheck.too_slow])

HTML_NAMES: Final = (
    "html head body title base link meta style script noscript template section address h1 h2 p p "
    "div div span a a b i font nobr code em br hr ul ol li dl dt dd pre listing xmp "
    "blockquote details summary dialog table table caption colgroup col thead tbody tfoot tr tr td "
    "td th form fieldset input button select optgroup option textarea selectedcontent img object "
    "applet marquee iframe frame frameset noframes noembed image rt rp rb rtc ruby x-y unknown "
    "keygen menu center main search slot param source track embed wbr area basefont video label"
).split()
FOREIGN_NAMES: Final = (
    "svg svg math foreignObject desc title mi mtext mglyph annotation-xml malignmark g path a "
    "input link"
).split()
ATTRIBUTES: Final = (
    *[""] * 12,
    " a=b", ' class="x y"', " id='q'", " color=red", " type=hidden", " encoding=text/html",
    " hidden", " /", " a b=c d", "=x", ' "a', " a='>' ", ' x="<p>"', " shadowrootmode=open",
    " open", " style='display: none'", " aria-hidden=true", " type=application/ld+json", "/",
    " a/b", " a=b/",
    "\f", "\v", " A=1 a=2", " a='&quot;&amp;\xa0'", " <=<", "\n\tb\r\n=\r\nc", " é=ü", " '=\"",
)  # fmt: skip
TEXTS: Final = (
    "x", "y z", " ", "\n", "&amp;", "&lt;b&gt;", "&nbsp;", "\0", "<", "é", "中文", "ไทย", "&#32;",
    "&", "< b", "a<3", "]]>", "-->", "\r\n", "&#0;", "\u00ad", "\u200b", "x\ty", "1,2. 3!", "😀",
    "𠀀𠀁", "don't", "हिन्दी",
)  # fmt: skip
# Raw text whose end is found by the same rules in any context that HTML may stand in.
WHOLE: Final = (
    "<!--c-->", "<!-->", "<!--->", "<!--a--!>b-->", "<!--a--b->c-->", "<!doctype html>", "</>",
    "<!doctype html public 'x'>", "<![CDATA[x<b>]]>", "<![CDATA[x>y]]z]]>", "<?pi x?>", "</ x>",
    "<!x>", "<!>", "<script>a<b</script>", "<style>p>a{}</style>", "<title><b></title>",
    "<script><!--<script></script>--></script>", "<textarea><b></textarea>", "<xmp><b></xmp>",
    "<script type=application/ld+json>{}</script>", "<script></script >",
)  # fmt: skip
_RAW_IN_FOREIGN: Final = re.compile(
    r"<(/?)(xmp|iframe|noembed|noframes|plaintext|script|style)\b", re.IGNORECASE
)


def tags(names: list[str]) -> st.SearchStrategy[str]:
    """Start and end tags with attributes that are anything but regular."""
    return st.builds(
        lambda name, attributes, form: form.format(name, attributes),
        st.sampled_from(names) | st.sampled_from(names).map(str.upper),
        st.sampled_from(ATTRIBUTES),
        st.sampled_from(("<{}{}>", "<{}{}>", "<{}{}>", "</{}>", "</{}>", "</{}{}>")),
    )


def without_raw_names(html: str) -> str:
    """Return HTML without the raw-text elements whose names SVG and MathML may hold, too.

    lexbor serialises text in them without escapes, whatever else stands there: then nobody can
    tell a tag from text.
    """
    return _RAW_IN_FOREIGN.sub(r"<\1q", html)


def soups(max_size: int = 40) -> st.SearchStrategy[str]:
    """Tags, texts, comments and declarations in any order."""
    rest = st.sampled_from(TEXTS) | st.sampled_from(WHOLE)
    html = st.lists(tags(HTML_NAMES) | rest, max_size=max_size)
    mixed = st.lists(tags(HTML_NAMES) | tags(FOREIGN_NAMES) | rest, max_size=max_size)
    start = st.sampled_from(("", "<!doctype html>", "<table>", "<select>", "<p><b>", "<template>"))
    return st.builds(
        lambda first, tokens: first + "".join(tokens),
        start,
        html | mixed.map(lambda tokens: [without_raw_names("".join(tokens))]),
    )


def repeated_soups() -> st.SearchStrategy[str]:
    """A few tokens, many times over, after a few others: what hostile pages are made of."""
    return st.builds(
        lambda start, unit, times: start + unit * times,
        soups(4),
        soups(5).map(without_raw_names),
        st.integers(10, 80),
    )
