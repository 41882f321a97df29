"""Buttons that copy code are no content, wherever the code is; all else that says copy is."""

from __future__ import annotations

import pytest

import tamis
from tamis.blocks import TagSet
from tamis.verdict import Importance

EVERYTHING = tamis.Method(TagSet(), Importance(threshold=0.0))
FORMS = ("text", "markdown", "html")
CODE = "<pre><code>pip install sieve</code></pre>"


def forms(html: str) -> list[str]:
    document = tamis.extract(html, method=EVERYTHING)
    return [getattr(document, form) for form in FORMS]


@pytest.mark.parametrize(
    "button",
    [
        "<button>Copy</button>",
        "<button type=button class='btn x1'><span>Copy code</span></button>",
        "<button>Copy <b>code</b></button>",
        "<button><img src=/c.svg alt=Copy>Copy<span>Copied!</span></button>",
        "<div role=button tabindex=0>Copy to clipboard</div>",
        "<a class=copy-btn href=#>Copy</a>",
        "<span class='CopyButton_x3'>COPY</span>",
        "<div class=clipboard><i>Copied!</i></div>",
        "<button>Code kopieren</button>",
        "<button>复制代码</button>",
    ],
)
@pytest.mark.parametrize(
    "around",
    [
        "<pre>{}<code>pip install sieve</code></pre>",
        "<pre><code>pip install sieve</code>{}</pre>",
        "<div class=highlight>{}" + CODE + "</div>",
        "<div class=highlight>" + CODE + "{}</div>",
        "<div><div><span>Shell</span>{}</div>" + CODE + "</div>",
        "<div><div>{}<span>Shell</span></div><div>" + CODE + "</div></div>",
        "{}" + CODE,
    ],
)
def test_a_button_that_copies_code_is_no_content(around: str, button: str) -> None:
    before, after = "<article><p>Copy this line:</p>", "<p>Then run it.</p></article>"
    assert forms(before + around.format(button) + after) == forms(
        before + around.format("") + after
    )


@pytest.mark.parametrize(
    "html",
    [
        "<p><code>copy</code> makes a <span class=term>copy</span></p>",
        "<pre>x = <span class=copy>copy</span>(y)</pre>",
        "<pre>x = <code class=copy>Copy</code>(y)</pre>",
        "<p class=card-copy>Copy</p><p>Words of a shop.</p><pre>x</pre>",
        f"<div><button>Copy the whole of this long page to somebody else</button>{CODE}</div>",
        f"<div><button>Run</button>{CODE}</div>",
        f"<div><p>Copy</p>{CODE}</div>",
        f"<article><p>a</p>{CODE}<p>b</p><button>Copy</button><p>c</p></article>",
        "<p>Nothing here is code.</p><button class=copy>Copy</button>",
    ],
)
def test_what_only_looks_like_such_a_button_stays(html: str) -> None:
    document = tamis.extract(html, method=EVERYTHING)
    text = "".join("".join(block.text for block in document.blocks).split())
    assert sorted("".join(document.text.split())) == sorted(text)


def test_code_keeps_its_indent_behind_a_button() -> None:
    for button in ("<button>Copy</button>", "<span class=copy>Copy</span>", ""):
        code = f"<pre>{button}    a\n  b</pre>"
        assert tamis.extract(code, method=EVERYTHING).markdown == "```\n    a\n  b\n```"


def test_the_blocks_of_a_page_still_show_the_button() -> None:
    document = tamis.extract(f"<div><button>Copy</button></div>{CODE}", method=EVERYTHING)
    assert "Copy" in [block.text for block in document.blocks]
