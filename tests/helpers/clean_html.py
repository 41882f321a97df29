"""The elements and attributes that `doc.html` may have."""

from __future__ import annotations

ALLOWED = set(
    "p h1 h2 h3 h4 h5 h6 ul ol li dl dt dd blockquote pre code table caption thead tbody tfoot tr "
    "td th a b strong i em u s del ins sub sup small mark q cite abbr dfn kbd samp var time ruby "
    "rt figure figcaption div section article aside header footer main nav address details "
    "summary br img".split()
)
ATTRIBUTES = {
    "a": {"href"},
    "img": {"src", "alt"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan", "scope"},
    "ol": {"start", "reversed"},
    "li": {"value"},
    "time": {"datetime"},
    "abbr": {"title"},
    "code": {"class"},
}
