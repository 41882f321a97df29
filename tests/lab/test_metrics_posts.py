"""The measures of posts."""

from __future__ import annotations

from tamis.content import Post
from tamis.lab.metrics import match_posts, post_measures


def build_post(text: str, author: str = "ann", date_text: str = "3 May 2020") -> Post:
    return Post(
        author=author,
        author_url=f"https://forum.example/member/{author}",
        date="2020-05-03",
        date_text=date_text,
        timestamp=None,
        text=text,
        quote=None,
        signature=None,
        depth=0,
        url=None,
        is_question=False,
        is_accepted=False,
        xpath="/html",
    )


def test_a_post_is_whole_partial_or_lost() -> None:
    words = "one two three four five six seven eight nine ten"
    wanted = [words, f"{words} eleven twelve thirteen", "something else altogether"]
    matches = match_posts([f"{words} more", words], wanted)
    assert [match.index for match in matches] == [1, 0, None]
    assert [match.is_whole for match in matches] == [True, False, False]


def test_too_many_other_words_make_a_post_partial() -> None:
    text = " ".join(map(str, range(10)))
    assert match_posts([f"{text} a b c d"], [text])[0].is_whole
    assert not match_posts([f"{text} a b c d e"], [text])[0].is_whole


def test_posts_without_words_match_in_order() -> None:
    matches = match_posts(["", "words", ""], ["", "", "words"])
    assert [match.index for match in matches] == [0, 2, 1]


def test_authors_and_dates_stand_in_the_fields_of_the_post() -> None:
    gold = [
        {"text": "first words", "author": "/member/Ann", "date": "May 3, 2020"},
        {"text": "second words here", "author": "bob", "date": "4 May 2020"},
    ]
    posts = [
        build_post("first words"),
        build_post("second words here", "bob", "Mon 4 May 2020, 9:00"),
    ]
    measures = post_measures(posts, gold, "first words second words here")
    assert (measures["author_common"], measures["date_common"]) == (2.0, 1.0)
    assert measures["all_whole"] == measures["posts_f1"] == 1.0
    reordered = post_measures(posts[::-1], gold, "first words second words here")
    assert reordered["whole_common"] == 2.0
    assert reordered["all_whole"] == 0.0


def test_a_page_without_posts_loses_all() -> None:
    measures = post_measures([], [{"text": "a b", "author": "x", "date": "y"}], "a b")
    assert measures["lost_recall"] == 1.0
    assert measures["posts_f1"] == measures["whole_recall"] == 0.0
