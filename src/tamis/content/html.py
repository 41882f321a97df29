"""Kept rows → clean, safe HTML."""

from __future__ import annotations

from html import escape
from typing import Final

from tamis.content.code import code_language
from tamis.content.kept import Kept

# Elements that stay; all others are unwrapped.
_ALLOWED: Final = frozenset(
    "p h1 h2 h3 h4 h5 h6 ul ol li dl dt dd blockquote pre code table caption thead tbody tfoot tr "
    "td th a b strong i em u s del ins sub sup small mark q cite abbr dfn kbd samp var time ruby rt "
    "rp figure figcaption div section article aside header footer main nav address details summary "
    "hr br img".split()
)
_VOID: Final = frozenset({"br", "hr", "img"})
_ATTRIBUTES: Final[dict[str, tuple[str, ...]]] = {
    "td": ("colspan", "rowspan"),
    "th": ("colspan", "rowspan", "scope"),
    "ol": ("start", "reversed"),
    "li": ("value",),
    "time": ("datetime",),
    "abbr": ("title",),
}


def html(kept: Kept) -> str:
    """Return the kept content as HTML: known elements, no script, no styles, safe addresses."""
    parts: list[str] = []
    for event in kept.events():
        if event.kind == "text":
            parts.append(escape(event.text, quote=False))
        elif event.kind == "space":
            parts.append(event.text if event.text.strip(" ") else " ")
        elif event.kind == "open":
            parts.append(start_tag(kept, event.row))
        else:
            name = kept.page.name(event.row)
            parts.append(f"</{name}>" if name in _ALLOWED and name not in _VOID else "")
    return "".join(parts).strip()


def start_tag(kept: Kept, row: int) -> str:
    """Return the start tag of an element with the attributes that matter, or nothing."""
    name = kept.page.name(row)
    if name not in _ALLOWED:
        return ""
    if name == "img":
        picture = kept.picture(row)
        return f'<img src="{escape(picture[0])}" alt="{escape(picture[1])}">' if picture else ""
    found = kept.attributes(row)
    wanted = {key: found[key] for key in _ATTRIBUTES.get(name, ()) if key in found}
    if name == "a" and (address := kept.url(found.get("href", ""))):
        wanted["href"] = address
    if name == "code" and (language := code_language(kept, row)):
        wanted["class"] = f"language-{language}"
    written = "".join(f' {key}="{escape(value)}"' for key, value in wanted.items())
    return f"<{name}{written}>"
