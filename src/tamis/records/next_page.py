"""What a link says → whether it leads to the next page.

Page → the address of the page that goes on where it ends.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from enum import IntEnum
from itertools import islice
from typing import Final, NamedTuple

import numpy as np

from tamis.page import UNLIMITED, Budget, Page, base_url, rows_with_bytes, tags
from tamis.records.links import around, link, plain
from tamis.records.pagers import (
    ALIKE,
    COUNTED,
    REPEATED,
    Parts,
    above,
    called_next,
    follows_list,
    goes_back,
    is_in_prose,
    is_marked,
    is_off,
    likeness,
    parts,
    place,
)


class Saying(IntEnum):
    """What a link says about where it leads."""

    NOTHING = 0  # no text, signs alone, or the name of an icon
    NEXT = 1
    ARROW = 2
    MORE = 3
    ELSEWHERE = 4  # the first, the last or the page before
    OTHER = 5
    NUMBER = 6


def phrases(text: str) -> frozenset[str]:
    """Return phrases that are parted by commas and lines."""
    return frozenset(part.strip() for part in text.replace("\n", ",").split(",")) - {""}


_NEXT: Final = phrases("""
    next, the next, next page, next results, next result, next posts, next items, next entries
    next page of results, older, older posts, older entries, older articles, older stories
    weiter, nächste, nächste seite, zur nächsten seite, folgende seite, ältere beiträge
    suivant, suivante, suivants, suivantes, page suivante, articles plus anciens, folgende
    siguiente, siguientes, página siguiente, siguiente página, próximo, entradas antiguas
    successiva, successivo, pagina successiva, avanti, prossima, prossima pagina, pagina seguente
    próxima, próximos, próxima página, seguinte, página seguinte, avançar, següent
    volgende, volgende pagina, nästa, nästa sida, næste, næste side, neste, neste side
    seuraava, seuraava sivu, næsta, järgmine, nākamā, kitas, toliau
    następna, następny, następna strona, dalej, další, další strana, další stránka, následující
    ďalšia, ďalšie, ďalej, ďalšia strana, következő, következő oldal, tovább
    următoarea, următorul, pagina următoare, sljedeća, sljedeće, naslednja, sledeća
    вперед, вперёд, следующая, следующая страница, дальше, далее, наступна, наступна сторінка
    далі, следваща, следваща страница, επόμενη, επόμενο, επόμενη σελίδα
    sonraki, sonraki sayfa, ileri, التالي, التالية, الصفحة التالية, بعدی, صفحه بعد, صفحه بعدی
    הבא, הבאה, העמוד הבא, עמוד הבא, לעמוד הבא, לדף הבא, הדף הבא
    下一页, 下一頁, 下页, 下頁, 后一页, 次へ, 次, 次ページ, 次のページ, 次のページへ
    다음, 다음 페이지, tiếp, tiếp theo, trang sau, selanjutnya, berikutnya, halaman berikutnya
    ถัดไป, หน้าถัดไป, अगला, अगला पृष्ठ
""")
_MORE: Final = phrases("""
    more, load more, show more, view more, see more, more results, more posts, more items
    mehr, mehr laden, mehr anzeigen, weitere ergebnisse, mehr ergebnisse, voir plus, charger plus
    afficher plus, plus de résultats, ver más, cargar más, mostrar más, más resultados
    carica altri, mostra altri, ver mais, carregar mais, mostrar mais, meer laden, meer tonen
    visa fler, vis flere, näytä lisää, pokaż więcej, zobrazit další, показать ещё, показать еще
    загрузить ещё, загрузить еще, ещё, еще, daha fazla, المزيد, עוד, もっと見る, 加载更多
    查看更多, 更多, 더 보기, 더보기
""")
_ELSEWHERE: Final = phrases("""
    next slide, next image, next photo, next video, next month, next week, next day, next year
    last, last page, end, first, first page, start, previous, previous page, prev, back, newest
    newer, newer posts, letzte, letzte seite, erste, erste seite, zurück, vorherige, vorige
    vorherige seite, dernière, dernier, dernière page, première, première page, précédent
    précédente, page précédente, última, último, última página, primera, anterior
    página anterior, ultima, ultima pagina, prima, precedente, indietro, laatste, laatste pagina
    vorige pagina, eerste, sista, föregående, sidste, forrige, siste, ostatnia, poprzednia
    poslední, předchozí, последняя, назад, предыдущая, son, önceki, الأخيرة, الأخير, السابق
    אחרון, הקודם, 末页, 末頁, 尾页, 尾頁, 最后一页, 上一页, 上一頁, 最後, 最後へ, 前へ, 맨끝, 이전
""")
_FRAMED: Final = re.compile(  # what is said with a number or with what to do
    r"(?:(?:go|skip|move|move on|continue|on|view|show|see|load|get) )?(?:to )?(?:the )?(?:"
    r"next page(?:\W{1,3}\d{1,4})?|next \d+(?: (?:results?|items|entries|posts|records|articles|"
    r"products|hits|matches|topics|threads|messages|comments|stories|pages))?|next)|"
    r"(?:the )?next (?:results|page) .{0,2}\d+.{1,3}\d+.?|"
    r"(?:nächste|suivants|siguientes|volgende|следующие) \d+|次の\d+件|下\d+[页頁条]"
)
_MORE_FRAMED: Final = re.compile(
    r"(?:load|show|view|see|get) (?:\d+ )?more (?:results|items|entries|posts|records|articles|"
    r"products|hits|topics|threads|stories|news|jobs|events|listings)|more (?:results|stories)"
)
_NUMBER: Final = re.compile(
    r"(?:(?:[^\W\d]+ ){0,3}(?:page|seite|página|pagina|strona|sida|side|sivu)\s?)?"
    r"\d{1,4}(?:\s?[-–]\s?\d{1,4})?"
)
_ARROW: Final = re.compile(r"[›»→>⟩❯▶►▸⟶➔➜➡]️?|>>|[-=–—]+>")
_ICON: Final = re.compile(r"\W*|[a-z]+(?:_[a-z]+)+")
_GLYPH: Final = re.compile(r"[\ue000-\uf8ff]")  # of an icon font
_ICON_NEXT: Final = re.compile(r"(?:chevron|arrow|navigate|keyboard_arrow)_(?:right|next|forward)")
_AROUND: Final = " \t\n\r\xa0‹›«»<>→←⟩⟨❯❮▶►▸◀◄➔➜…-–—=|[](){}:.,·•*+/\\'\"\u200e\u200f"


def saying(text: str) -> Saying:
    """Return what a text says; arrows and brackets around words say nothing."""
    if not text:
        return Saying.NOTHING
    said = text.casefold().strip(_AROUND)
    if said in _NEXT or (("next" in said or said[-1:].isdigit()) and _FRAMED.fullmatch(said)):
        return Saying.NEXT
    if said in _MORE or ("more" in said and _MORE_FRAMED.fullmatch(said)):
        return Saying.MORE
    if said in _ELSEWHERE:
        return Saying.ELSEWHERE
    if said[-1:].isdigit() and _NUMBER.fullmatch(said):
        return Saying.NUMBER
    if said and "_" not in said:
        return Saying.NOTHING if _GLYPH.fullmatch(said) else Saying.OTHER
    if _ARROW.fullmatch(text) or _ICON_NEXT.fullmatch(said):
        return Saying.ARROW
    if said == "last_page":
        return Saying.ELSEWHERE
    return Saying.NOTHING if _ICON.fullmatch(said) else Saying.OTHER


LONGEST: Final = 40  # characters of a link that leads to the next page
BETWEEN: Final = 30  # characters in a piece of text between two numbers of pages
INSIDE: Final = 8  # rows of a link that are searched for labels
MOST: Final = 200  # links that are looked at closely
LEAST: Final = {Saying.OTHER: COUNTED, Saying.MORE: ALIKE}  # likeness of what says little
ON: Final = {Saying.NEXT, Saying.ARROW, Saying.NOTHING}  # what may be said twice

_A: Final = tags.CODE["a"]
_LINK: Final = tags.CODE["link"]
_REL: Final = re.compile(rb'(?i)\srel="(?:[^"]*\s)?next(?:\s[^"]*)?"')
_LABEL: Final = re.compile(rb'\s(aria-label|title|alt)="([^"]*)"')
_TITLE: Final = re.compile(rb"<title>([^<]*)</title>")  # of a drawing
_AFTER: Final = re.compile(r"(?<=[^\W\d])(?:\s[-–|]\s|:\s|,\s).*")  # what a label adds
_DIGITS: Final = re.compile(r"\d+")
_LAST: Final = re.compile(r"(?<![\d.,])(\d{1,4})\D{0,20}$")
_ORDER: Final = (Saying.NEXT, Saying.NUMBER, Saying.ARROW, Saying.OTHER, Saying.MORE)


class Links(NamedTuple):
    """The short links of a page, what their texts say, and what addresses are compared with."""

    page: Page
    base: str | None
    own: Parts | None
    said: dict[int, Saying]
    budget: Budget


class Way(NamedTuple):
    """A link that may lead to the next page; the least is the best."""

    more: bool
    beside: bool
    unlike: int
    stray: bool
    order: int
    row: int
    address: str


def find_next_page(page: Page, budget: Budget = UNLIMITED) -> str | None:
    """Return the address of the next page, or None.

    First what the page declares (`rel="next"`); then a link that says so, the number after the one
    of this page in a row of page numbers, or an arrow in a pager, whichever has an address most
    like the page's own; last a link to more of a list.
    """
    rows = np.flatnonzero((page.tag == _A) | (page.tag == _LINK))
    own = parts(page.url) if page.url else None
    links = Links(page, base_url(page), own if own and own.host else None, {}, budget)
    linking = set(rows.tolist())
    for row in budget.watch(filter(linking.__contains__, rows_with_bytes(page, b' rel="'))):
        declared = _REL.search(page.source, page.start.item(row), page.head.item(row))
        if declared and (found := onward(links, row)):
            return found
    short = rows[(page.tag[rows] == _A) & (page.text_stop - page.text_start <= LONGEST)[rows]]
    texts = [text(page, row) for row in budget.watch(short.tolist())]
    meant = {shown: saying(shown) for shown in budget.watch(set(texts))}
    links.said.update(zip(short.tolist(), [meant[shown] for shown in texts], strict=True))
    said = [*islice(spoken(links), MOST), *islice(numbered(links), MOST)]
    ways = [way for row, kind in budget.watch(said) for way in ways_of(links, row, kind)]
    teasers = [way for way in ways if way.stray and -way.unlike < COUNTED]
    if len({way.address for way in teasers}) >= REPEATED:  # as of "weiter" after each summary
        ways = [way for way in ways if way not in teasers]
    return min(ways).address if ways else None


def text(page: Page, row: int) -> str:
    """Return the text of a row on one line."""
    return " ".join(page.text[page.text_start.item(row) : page.text_stop.item(row)].split())


def spoken(links: Links) -> Iterator[tuple[int, Saying]]:
    """Yield the links that say by a text, a label or the name of a class that they lead on."""
    page, rows = links.page, np.array(list(links.said), dtype=np.int64)
    called, aria = called_next(page), set(rows_with_bytes(page, b' aria-label="'))
    pieces = page.text_number[page.end[rows] - 1] - page.text_number[rows]
    pairs = zip(links.said.items(), pieces.tolist(), strict=True)
    for (row, said), count in links.budget.watch(pairs):
        if said is Saying.OTHER and count > 1 and is_next_in_pieces(page, row):
            said = Saying.NEXT
        elif said in (Saying.NOTHING, Saying.ARROW):
            said = labelled(page, range(row, min(page.end.item(row), row + INSIDE)), said)
        elif said is Saying.OTHER and row in aria:
            said = labelled(page, range(row, row + 1), said)
        if said in (Saying.NEXT, Saying.ARROW, Saying.MORE):
            yield row, said
        elif row in called and said is not Saying.ELSEWHERE:
            yield row, Saying.OTHER


def is_next_in_pieces(page: Page, row: int) -> bool:
    """Say whether a link says that it leads on twice, as to those who see and who do not."""
    inner = range(row, min(page.end.item(row), row + INSIDE))
    found: set[Saying] = set()
    for one in inner:
        if page.tag.item(one) == tags.TEXT:
            found.add(saying(text(page, one)))
            if not found <= ON:
                return False
    return Saying.NEXT in found


def labelled(page: Page, rows: range, said: Saying) -> Saying:
    """Return what a link says with its labels, which tell what an arrow or a picture is for."""
    labels = [
        label
        for row in rows
        for name, label in _LABEL.findall(page.source, page.start.item(row), page.head.item(row))
        if said is not Saying.OTHER or name == b"aria-label"
    ]
    if said is not Saying.OTHER:
        labels += _TITLE.findall(page.source, page.start.item(rows[0]), page.stop.item(rows[0]))
    found = {saying(_AFTER.sub("", " ".join(plain(label).split()))) for label in labels}
    return next((kind for kind in (Saying.ELSEWHERE, Saying.NEXT) if kind in found), said)


def numbered(links: Links) -> Iterator[tuple[int, Saying]]:
    """Yield the links to the number after this page's."""
    page = links.page
    rows = [row for row, said in links.said.items() if said is Saying.NUMBER]
    texts = np.flatnonzero(page.visible).tolist() if rows else []
    for row in links.budget.watch(rows):
        number = int(_DIGITS.findall(text(page, row))[0])
        if number > 1 and number_before(links, texts, row) == number - 1:
            yield row, Saying.NUMBER


def number_before(links: Links, texts: list[int], row: int) -> int | None:
    """Return the number before a link, if it is this page's: no link, a mark, or a link to here."""
    page, at = links.page, bisect_left(texts, row)
    first = max(at - 4, bisect_left(texts, above(page, row)))
    for one in reversed(texts[first:at]):
        said = text(page, one)
        if found := _LAST.search(said):
            inside = int(around(page, np.array([one]))[0])
            shown = inside < 0 or is_marked(page, inside) or not leads(links, inside)
            return int(found[1]) if shown else None
        if len(said) > BETWEEN or any(map(str.isdigit, said)):
            return None
    return None


def ways_of(links: Links, row: int, said: Saying) -> Iterator[Way]:
    """Yield where a link leads, if it may lead on."""
    if not (address := onward(links, row)):
        return
    like = likeness(address, links.own)
    if like < LEAST.get(said, 0) or (said is Saying.NUMBER and is_marked(links.page, row)):
        return
    stands = place(links.page, row)
    pager = stands.pager or (stands.numbers and like >= COUNTED)
    if said is Saying.NEXT:
        fits = like > 0 or not is_in_prose(links.page, row)
    else:
        fits = follows_list(links.page, row) if said is Saying.MORE else pager
    if fits and (like == ALIKE or not stands.show):
        beside, more = stands.beside or stands.show, said is Saying.MORE
        yield Way(more, beside, -like, not pager, _ORDER.index(said), row, address)


def leads(links: Links, row: int) -> str | None:
    """Return the address of a link that leads to another page."""
    found = (link(links.page, row, links.base) or "").partition("#")[0]
    return found if found and found != (links.page.url or "").partition("#")[0] else None


def onward(links: Links, row: int) -> str | None:
    """Return the address of a link that is in use and does not lead back."""
    found = leads(links, row)
    if not found or goes_back(found, links.own) or is_off(links.page, row):
        return None
    return found
