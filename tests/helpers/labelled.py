"""A small labelled data set to train on, and settings with which that takes no time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

SENTENCE = "the river rose by {} inches and nobody in the valley slept before noon"
TYPES = ("article", "forum")
# One thread: several wait for each other where the machine is busy, for minutes.
QUICK = {"rounds": 8, "min_data_in_leaf": 3, "learning_rate": 0.4, "num_threads": 1}
BARE = "<html><body><script>start()</script></body></html>"  # a page without blocks


def labelled_page(number: int) -> tuple[str, str]:
    """Return a page with a menu of links, two paragraphs and a form, and its content."""
    menu = "".join(f"<li><a href=x>menu {n}</a></li>" for n in range(3 + number % 3))
    sentences = [SENTENCE.format(f"{number}x{n}") for n in range(2)]
    text = "".join(f"<p>{sentence}</p>" for sentence in sentences)
    html = f"<nav><ul>{menu}</ul></nav><main>{text}</main><footer>your name <input></footer>"
    return html, "\n".join(sentences)


def write_labelled(folder: Path, sites: int = 24) -> Path:
    """Write a set: one page per site, and two pages without blocks, of which one has no content."""
    (folder / "html").mkdir(parents=True)
    pages = [*(labelled_page(number) for number in range(sites)), (BARE, ""), (BARE, "a loss")]
    rows = []
    for number, (html, content) in enumerate(pages):
        (folder / "html" / f"p{number}.html").write_text(html, encoding="utf-8")
        about: dict[str, Any] = {"id": f"p{number}", "domain": f"site{number}.example"}
        rows.append(about | {"page_type": TYPES[number % 2], "main_content": content})
    (folder / "gold.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return folder


def train_quickly(patch: pytest.MonkeyPatch) -> None:
    """Have small forests that learn from few blocks."""
    from tamis.lab.train import SETTINGS

    for settings in SETTINGS.values():
        for name, value in QUICK.items():
            patch.setitem(settings, name, value)
