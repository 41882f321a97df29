"""The wording of links in a pager: whether a text means the next page, in some thirty languages."""

from __future__ import annotations

import re
from enum import IntEnum
from typing import Final


class LinkMeaning(IntEnum):
    """What the text of a link tells about where it leads."""

    NOTHING = 0  # no text, signs alone, or the name of an icon
    NEXT = 1
    ARROW = 2
    MORE = 3
    NOT_NEXT = 4  # the first, the last or the previous page
    OTHER = 5
    NUMBER = 6


def _split_phrases(text: str) -> frozenset[str]:
    """Return phrases that are separated by commas and lines."""
    return frozenset(part.strip() for part in text.replace("\n", ",").split(",")) - {""}


_NEXT: Final = _split_phrases("""
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
_MORE: Final = _split_phrases("""
    more, load more, show more, view more, see more, more results, more posts, more items
    mehr, mehr laden, mehr anzeigen, weitere ergebnisse, mehr ergebnisse, voir plus, charger plus
    afficher plus, plus de résultats, ver más, cargar más, mostrar más, más resultados
    carica altri, mostra altri, ver mais, carregar mais, mostrar mais, meer laden, meer tonen
    visa fler, vis flere, näytä lisää, pokaż więcej, zobrazit další, показать ещё, показать еще
    загрузить ещё, загрузить еще, ещё, еще, daha fazla, المزيد, עוד, もっと見る, 加载更多
    查看更多, 更多, 더 보기, 더보기
""")
_NOT_NEXT: Final = _split_phrases("""
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
_NEXT_PATTERN: Final = re.compile(  # with a number, or with a verb before
    r"(?:(?:go|skip|move|move on|continue|on|view|show|see|load|get) )?(?:to )?(?:the )?(?:"
    r"next page(?:\W{1,3}\d{1,4})?|next \d+(?: (?:results?|items|entries|posts|records|articles|"
    r"products|hits|matches|topics|threads|messages|comments|stories|pages))?|next)|"
    r"(?:the )?next (?:results|page) .{0,2}\d+.{1,3}\d+.?|"
    r"(?:nächste|suivants|siguientes|volgende|следующие) \d+|次の\d+件|下\d+[页頁条]"
)
_MORE_PATTERN: Final = re.compile(
    r"(?:load|show|view|see|get) (?:\d+ )?more (?:results|items|entries|posts|records|articles|"
    r"products|hits|topics|threads|stories|news|jobs|events|listings)|more (?:results|stories)"
)
_NUMBER: Final = re.compile(
    r"(?:(?:[^\W\d]+ ){0,3}(?:page|seite|página|pagina|strona|sida|side|sivu)\s?)?"
    r"\d{1,4}(?:\s?[-–]\s?\d{1,4})?"
)
_ARROW: Final = re.compile(r"[›»→>⟩❯▶►▸⟶➔➜➡]️?|>>|[-=–—]+>")
_ICON_NAME: Final = re.compile(r"\W*|[a-z]+(?:_[a-z]+)+")
_GLYPH: Final = re.compile(r"[\ue000-\uf8ff]")  # of an icon font
_ICON_NEXT: Final = re.compile(r"(?:chevron|arrow|navigate|keyboard_arrow)_(?:right|next|forward)")
_SURROUNDINGS: Final = " \t\n\r\xa0‹›«»<>→←⟩⟨❯❮▶►▸◀◄➔➜…-–—=|[](){}:.,·•*+/\\'\"\u200e\u200f"


def classify_link_text(text: str) -> LinkMeaning:
    """Return the meaning of a link's text; arrows and brackets around words do not count."""
    if not text:
        return LinkMeaning.NOTHING
    words = text.casefold().strip(_SURROUNDINGS)
    may_match_pattern = "next" in words or words[-1:].isdigit()
    if words in _NEXT or (may_match_pattern and _NEXT_PATTERN.fullmatch(words)):
        return LinkMeaning.NEXT
    if words in _MORE or ("more" in words and _MORE_PATTERN.fullmatch(words)):
        return LinkMeaning.MORE
    if words in _NOT_NEXT:
        return LinkMeaning.NOT_NEXT
    if words[-1:].isdigit() and _NUMBER.fullmatch(words):
        return LinkMeaning.NUMBER
    if words and "_" not in words:
        return LinkMeaning.NOTHING if _GLYPH.fullmatch(words) else LinkMeaning.OTHER
    if _ARROW.fullmatch(text) or _ICON_NEXT.fullmatch(words):
        return LinkMeaning.ARROW
    if words == "last_page":
        return LinkMeaning.NOT_NEXT
    return LinkMeaning.NOTHING if _ICON_NAME.fullmatch(words) else LinkMeaning.OTHER
