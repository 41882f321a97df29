from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tamis
from helpers.news import address, news, sentences
from helpers.samples import FOLDER as SAMPLES
from tamis.store import Store, Tokenizer, detect_language, parse_query

DAY = datetime(2026, 3, 1, tzinfo=UTC)
LONG = (
    "It is known to everybody who lives by the water that floods come in spring, and that the "
    "keeper of the lock is the first to see them. He told the council so for years and years."
)


def page(text: str, lang: str = "en", title: str = "A page") -> str:
    noise = "<nav><a href=/a>Zebra crossing</a> <a href=/b>Yacht club</a></nav>"
    return (
        f"<html lang={lang}><head><title>{title}</title></head><body>{noise}"
        f"<article><h1>{title}</h1><p>{text}</p></article></body></html>"
    )


def test_words_are_found_by_their_stems_and_marked(store: Store) -> None:
    store.put("https://a.example/1", page(f"{LONG} Running dogs were running everywhere at night."))
    store.put("https://a.example/2", page(f"{LONG} Nothing of that kind happened here, they say."))
    hits = store.search("run dog")
    assert [hit.url for hit in hits] == ["https://a.example/1"]
    assert "**Running** **dogs** were **running** everywhere" in hits[0].snippet
    assert store.search("RUNS", marks=("<", ">"))[0].snippet.count("<Running>") == 1


def test_noise_is_not_searched(store: Store) -> None:
    for number in range(3):
        store.put(address(number), news(number))
    assert store.search("Imprint") == []
    assert store.search("Most read") == []
    assert store.search("story")


@pytest.mark.parametrize(
    ("lang", "text", "query"),
    [
        (
            "de",
            "Die Häuser am Fluss wurden alle wegen der Flut geräumt und die Leute gingen.",
            "Haus",
        ),
        (
            "fr",
            "Les chevaux étaient dans les prés, et les enfants jouaient avec eux.",
            "enfant joué",
        ),
        ("ru", "Книги лежали на столах, и никто их не читал уже много лет подряд.", "книга"),
        (
            "es",
            "Los gatos cantaban en los tejados de la ciudad durante toda la noche.",
            "cantar gato",
        ),
        ("zh", "清晨六点半，白芦河上的雾还没有散，老渡口已经热闹起来，船工解开了缆绳。", "老渡口"),
        ("zh", "清晨六点半，白芦河上的雾还没有散，老渡口已经热闹起来，船工解开了缆绳。", "绳"),
        (
            "ja",
            "東京都は日本の首都であり、人口がもっとも多い都市です。桜が咲いています。",
            "日本の首都",
        ),
        ("th", "กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทย และมีแม่น้ำเจ้าพระยาไหลผ่าน", "เมืองหลวง"),
        ("hi", "हिन्दी भारत की एक भाषा है और बहुत लोग इसे बोलते और समझते हैं।", "भाषा"),
        ("tr", "Çocuklar bahçede oynuyorlardı ve kuşlar ağaçlarda ötüyordu.", "bahçede"),
        ("en", "The café in the old town serves naïve painters and their friends.", "cafe naive"),
    ],
)
def test_every_language_is_searched_in_its_own_way(
    store: Store, lang: str, text: str, query: str
) -> None:
    store.put("https://a.example/1", page(text, lang))
    store.put("https://a.example/2", page(LONG))
    hits = store.search(query)
    assert [hit.url for hit in hits] == ["https://a.example/1"]
    assert "**" in hits[0].snippet


def test_characters_that_only_touch_are_no_hit(store: Store) -> None:
    store.put(
        "https://a.example/1", page("老人在渡船上看书，河口有一座桥，很多人都喜欢来这里。", "zh")
    )
    assert store.search("老渡口") == []


def test_the_page_that_says_most_about_it_comes_first(store: Store) -> None:
    store.put("https://a.example/1", page(f"{LONG} There was a lantern."))
    store.put("https://a.example/2", page(f"{LONG} A lantern, and a lantern, one more lantern."))
    store.put(
        "https://a.example/3", page(f"{LONG} No light at all was seen on the road that night.")
    )
    assert [hit.url[-1] for hit in store.search("lantern")] == ["2", "1"]
    scores = [hit.score for hit in store.search("lantern")]
    assert scores == sorted(scores, reverse=True)


def test_a_rare_word_weighs_more_than_a_common_one(store: Store) -> None:
    for number in range(12):
        store.put(address(number), page(f"Ferry ferry ferry {number}. {LONG} Number {number * 7}."))
    store.put(address(99), page(f"{LONG} The theodolite of the surveyor stood in the rain."))
    assert store.search("ferry theodolite yonder")[0].url == address(99)


def test_all_words_are_wanted_and_some_will_do(store: Store) -> None:
    store.put("https://a.example/1", page(f"Copper kettle. {LONG}"))
    store.put("https://a.example/2", page(f"Copper beacon. {LONG} And more of it."))
    assert [hit.url[-1] for hit in store.search("copper kettle")] == ["1"]
    assert [hit.url[-1] for hit in store.search("kettle quasar")] == ["1"]
    assert store.search("quasar") == []


def test_words_in_quotes_stand_side_by_side(store: Store) -> None:
    store.put("https://a.example/1", page(f"The lock keeper was tired. {LONG}"))
    store.put("https://a.example/2", page(f"The keeper turned the lock, being quite alone. {LONG}"))
    assert [hit.url[-1] for hit in store.search('"lock keeper"')] == ["1"]
    assert len(store.search("lock keeper")) == 2


def test_filters_by_site_day_and_kind(store: Store) -> None:
    for host in ("a.example", "www.b.example"):
        for number in range(2):
            html = page(f"Granite. {sentences(number + 10 * len(host), 5)}")
            store.put(address(number, host), html, DAY + timedelta(days=number))
    dated = page(f"Granite of old. {sentences(77, 5)}").replace(
        "<head>", '<head><meta property="article:published_time" content="2011-05-06">'
    )
    store.put("https://c.example/", dated, DAY)
    assert len(store.search("granite")) == 5
    assert {hit.site for hit in store.search("granite", site="www.B.example")} == {"b.example"}
    assert len(store.search("granite", since="2026-03-02")) == 2
    assert len(store.search("granite", since=date(2026, 3, 1), until="2026-03-01")) == 2
    assert [hit.url for hit in store.search("granite", until="2011-12-31")] == [
        "https://c.example/"
    ]
    kinds = {hit.page_type for hit in store.search("granite")}
    for kind in kinds:
        assert {hit.page_type for hit in store.search("granite", page_type=kind)} == {kind}
    assert store.search("granite", page_type="nothing") == []
    assert len(store.search("granite", limit=2)) == 2
    assert store.search("granite", limit=0) == []


def test_copies_are_one_hit(store: Store) -> None:
    story = " ".join(f"{LONG} {word}." for word in ("One", "Two", "Three", "Four", "Five"))
    store.put("https://a.example/1", page(story))
    store.put("https://b.example/1", page(story))  # the same
    store.put("https://c.example/1", page(f"{story} As told by our neighbours."))  # nearly
    store.put("https://d.example/1", page(f"Another keeper, another lock. {LONG[:60]}"))
    hits = store.search("keeper lock")
    assert len(hits) == 2
    copies_by_url = {hit.url: hit.copies for hit in hits}
    first = next(
        urls for urls in ((url, *copies) for url, copies in copies_by_url.items()) if len(urls) > 1
    )
    assert sorted(first) == [f"https://{host}.example/1" for host in "abc"]
    assert copies_by_url["https://d.example/1"] == ()
    assert [(len(group.urls), group.exact) for group in store.duplicates()] == [(3, False)]
    assert [(len(group.urls), group.exact) for group in store.duplicates(near=False)] == [(2, True)]


def test_copies_with_other_titles_are_found_by_these(store: Store) -> None:
    for text in (LONG, "Too short to compare."):
        store.put("https://a.example/1", page(text, title="Zebra crossing story"))
        store.put("https://b.example/1", page(text, title="Walrus parade news"))
        for word, host in (("zebra", "a"), ("walrus", "b")):
            (hit,) = store.search(word)
            assert hit.url == f"https://{host}.example/1"
            assert hit.copies == ()  # the other one does not have the word
        story = page(text, title="The tale").replace("<h1>The tale</h1>", "")
        store.put("https://a.example/1", story.replace("The tale", "Zebra crossing story"))
        store.put("https://b.example/1", story.replace("The tale", "Walrus parade news"))
        (group,) = store.duplicates()
        assert group.exact
        assert sorted(group.urls) == ["https://a.example/1", "https://b.example/1"]


def test_a_new_title_is_found_and_an_old_one_is_not(store: Store) -> None:
    story = page(LONG, title="Zebra story").replace("<h1>Zebra story</h1>", "")
    store.put(address(1), story, DAY)
    store.put(address(1), story.replace("Zebra", "Walrus"), DAY + timedelta(1))
    assert [hit.title for hit in store.search("walrus")] == ["Walrus story"]
    assert store.search("zebra story") == store.search("story")  # some of the words


def test_what_a_page_says_again_is_found_after_garbage_was_collected(store: Store) -> None:
    old, new = page(f"The quokka of the lock. {LONG}"), page(f"The ferry is late. {LONG}")
    store.put(address(1), old, DAY)
    store.put(address(1), new, DAY + timedelta(1))
    for number in range(2, 9):
        store.put(address(number), news(number))
    for number in range(2, 9):
        store.delete(address(number))
    assert store.gc().contents == 7
    assert store.search("quokka") == []
    store.put(address(1), old, DAY + timedelta(2))
    assert [hit.url for hit in store.search("quokka")] == [address(1)]


def test_many_copies_leave_no_other_page_out(store: Store) -> None:
    copied = " ".join(f"{LONG} The gnu number {number} came." for number in range(12))
    for number in range(80):
        store.put(f"https://m{number}.example/", page(f"{copied} Told {number} times."))
    others = [f"https://o{number}.example/" for number in range(3)]
    for number, url in enumerate(others):
        store.put(url, page(f"{sentences(number + 40, 60)} One gnu only."))
    hits = store.search("gnu", limit=4)
    assert {hit.url for hit in hits} >= set(others)
    assert sorted(len(hit.copies) for hit in hits) == [0, 0, 0, 79]


@pytest.mark.parametrize("length", [1_000, 3_000])
def test_a_copy_with_an_added_paragraph_is_one(store: Store, length: int) -> None:
    words = [f"word{number * 7919 % 10_007}" for number in range(length)]
    for copy in range(5):
        own = [f"{word}x{copy}" for word in words]
        more = [f"more{copy}x{number}" for number in range(length // 8)]
        store.put(f"https://a.example/{copy}", page(" ".join(own)))
        store.put(f"https://b.example/{copy}", page(" ".join([*own, *more])))
    assert len(store.duplicates()) == 5


def test_the_end_of_a_long_text_is_found(store: Store) -> None:
    many = " ".join(f"word{number}" for number in range(18_000))
    store.put("https://a.example/1", page(f"{many} the elephant sings"))
    assert [hit.url for hit in store.search("elephant")] == ["https://a.example/1"]


def test_cells_of_a_table_are_told_apart(store: Store) -> None:
    fruit = (("Apple", 45, "Spain"), ("Banana", 17, "Peru"), ("Cherry", 726, "Chile"))
    rows = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in fruit * 9)
    table = f"<table><tr><th>Kind</th><th>Price</th><th>Origin</th></tr>{rows}</table>"
    links = "".join(f"<li><a href=/{number}>Link {number}</a></li>" for number in range(20))
    html = f"<article><h1>Prices</h1><p>{LONG}</p><nav><ul>{links}</ul></nav>{table}</article>"
    for keep in ("all", "content"):
        url = f"https://{keep}.example/"
        store.put(url, html, DAY, keep=keep)
        stored = store.get(url)
        assert stored is not None
        assert stored.text.split() == tamis.extract(html).text.split()
        assert any("Banana 17 Peru" in piece.text for piece in stored.pieces)
        (hit,) = store.search("banana peru", site=f"{keep}.example")
        assert "**Banana** 17 **Peru**" in hit.snippet
        store.put(url, html.replace("Banana", "Mango"), DAY + timedelta(1), keep=keep)
        changed = store.diff(url)
        assert "Mango 17 Peru" in changed.added[0].text
        assert all(piece.text for piece in (*changed.added, *changed.removed))


def test_days_before_1970_are_told_as_any_other(store: Store) -> None:
    store.put("https://a.example/1", page(LONG), datetime(1960, 1, 1, 13, tzinfo=UTC))
    assert store.search("keeper", since="1960-01-01", until="1960-01-01")
    assert store.search("keeper", since="1960-01-02") == []


def test_pages_that_share_noise_only_are_no_duplicates(store: Store) -> None:
    for number in range(10):
        store.put(address(number), news(number))
    assert store.duplicates() == []


def test_only_the_newest_version_is_found(store: Store) -> None:
    store.put(address(1), page(f"Thunder. {LONG}"), DAY)
    store.put(address(1), page(f"Chimney. {LONG}"), DAY + timedelta(1))
    assert store.search("thunder") == []
    assert [hit.url for hit in store.search("chimney")] == [address(1)]


ODD = """
    " "" * ^a a:b NEAR(a a)AND -a ( ' \\ % 🦊 {title}:x &|!<-> a'OR'1'='1'-- \u0301 \u0e31
""".split()


LONG_ONES = ("a" * 10_000, "x " * 1000, f'"{"word " * 20_000}"', "鑫" * 20_000)


@pytest.mark.parametrize("query", ["", " ", "\0", "\ud800", *LONG_ONES, *ODD])
def test_nothing_that_can_be_typed_raises(store: Store, query: str) -> None:
    store.put("https://a.example/1", page(LONG))
    assert isinstance(store.search(query), list)
    assert store.search("keeper", site=query or "x") == []
    assert store.search("keeper", page_type=query or "x") == []
    assert store.search("keeper", limit=10**30)


@given(st.text(max_size=60))
def test_any_text_is_words_without_spaces_and_quotes(text: str) -> None:
    words = Tokenizer()
    for language in ("en", "zh", None):
        for word in words.tokens(text, language):
            assert word
            assert not set(word) & set("\"'\\ \n()*:")
    for part in parse_query(text, words, ["en", None]):
        assert all(phrase and all(phrase) for phrase in part.phrases)


@given(st.text(alphabet="abc 船上河", max_size=12), st.text(alphabet="abc 船上河", max_size=30))
def test_a_text_is_found_by_each_of_its_runs(before: str, after: str) -> None:
    words = Tokenizer()
    run = "船上河"
    wanted = parse_query(run, words, [None])[0].phrases[0]
    tokens = words.tokens(f"{before} {run} {after}", None)
    assert any(tuple(tokens[at : at + len(wanted)]) == wanted for at in range(len(tokens)))


def test_the_language_is_that_of_the_text() -> None:
    assert detect_language(LONG, "de-DE") == "en"
    assert (
        detect_language("Die Katze ist auf dem Dach und nicht im Haus bei den Leuten", "en") == "de"
    )
    assert detect_language("nothing", "pl") == "pl"
    assert detect_language((SAMPLES / "chinese.html").read_text("gbk"), None) is not None
    assert detect_language("東京都は日本の首都です", None) == "ja"
    assert detect_language("", None) is None
