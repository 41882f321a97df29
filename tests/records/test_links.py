"""Which of the URLs of an image is shown."""

from __future__ import annotations

import pytest

import tamis

BLANK = "data:image/gif;base64,R0lGODlhAQ"


def images(tags: list[str]) -> list[object]:
    items = "".join(
        f"<li>{tag}<h3><a href=/{n}>Title number {n}</a></h3><p>words of {n}</p></li>"
        for n, tag in enumerate(tags)
    )
    page = f"<body><main><ul>{items}</ul></main>"
    records = tamis.extract(page, url="https://a.example/", method="tagwindow").records
    assert len(records) == len(tags)
    return next(list(field.values) for field in records.all_fields if field.name == "image")


@pytest.mark.parametrize(
    "tag",
    [
        "<img src='/#.jpg'>",
        "<img src='/blank.gif' data-src='/#.jpg'>",
        "<img src='/blank.gif' data-lazy='/#.jpg'>",
        "<img src='/blank.gif' data-flickity-lazyload-src='/#.jpg'>",
        "<img src='/blank.gif' srcset='/#.jpg 300w, /large#.jpg 600w'>",
        f"<img src='{BLANK}' data-srcset='/#.jpg 1x, /large#.jpg 2x'>",
        f"<picture><source srcset='/#.jpg'><img src='{BLANK}'></picture>",
        f"<picture><source data-srcset='/#.jpg 1x'><img src='{BLANK}' data-lazy=yes></picture>",
        "<img src='/#.jpg' data-src-type=photo srcset='/large#.jpg 2x'>",
    ],
)
def test_the_image_is_what_differs_between_records(tag: str) -> None:
    urls = images([tag.replace("#", str(n)) for n in range(6)])
    assert urls == [f"https://a.example/{n}.jpg" for n in range(6)]


def test_the_first_images_may_be_there_at_once() -> None:
    later = "<img src='/blank.gif' data-lazy='/#.jpg'>"
    tags = [(later if n > 1 else "<img src='/#.jpg'>").replace("#", str(n)) for n in range(6)]
    assert images(tags) == [f"https://a.example/{n}.jpg" for n in range(6)]


def test_an_image_that_is_the_same_everywhere_is_read() -> None:
    assert images(["<img src=/icon.png>"] * 6) == ["https://a.example/icon.png"] * 6


def test_an_image_without_a_url_is_missing() -> None:
    tags = [f"<img src='/{n}.jpg'>" if n != 3 else f"<img src='{BLANK}'>" for n in range(6)]
    assert images(tags)[2:5] == ["https://a.example/2.jpg", None, "https://a.example/4.jpg"]
