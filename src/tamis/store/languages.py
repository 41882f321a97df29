"""Languages: which have a stemmer, and the commonest words to know them by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

# By the code that pages state; the stemmers are Snowball's.
STEMMERS: Final[Mapping[str, str]] = {
    "ar": "arabic",
    "ca": "catalan",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "ne": "nepali",
    "nl": "dutch",
    "no": "norwegian",
    "nb": "norwegian",
    "nn": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}
# Scripts that tell the language; where kana and Han characters are mixed, the kana.
SCRIPTS: Final[Mapping[str, str]] = {
    "ja": "[\u3040-\u30ff]",
    "zh": "[\u4e00-\u9fff]",
    "th": "[\u0e00-\u0e7f]",
    "ko": "[\uac00-\ud7af]",
}
_COMMON: Final = {
    "da": "og det er at en den til på som med for ikke der har af vi jeg blev også",
    "de": "der die und das ist nicht mit den von zu ein auf eine auch sich dem für wird bei im",
    "en": "the of and to is that it for was with on as are this by have from not be they which",
    "es": "el la de que y en los se del las un por con para una su es lo como más pero",
    "fi": "ja on ei että se oli ovat hän mutta kun myös tai joka ole mukaan sen",
    "fr": "le la les et des est dans que pour une qui sur pas au plus avec ce il par sont du",
    "hu": "a az és hogy nem is egy ez volt meg csak mint már van azt el",
    "it": "il di che la è per un una non sono con del si gli della nel da le più anche",
    "nl": "de het een van en in is dat op te zijn met voor niet aan er ook door bij naar",
    "no": "og det er som på en til av ikke med for at har de jeg den var fra også etter",
    "pt": "o de que e do da em um para com não uma os no se na por mais as dos como foi ao",
    "ro": "și de în la a cu pe nu că este un din pentru care mai sau au fost să",
    "ru": "и в не на что с как по это он из но за то все она так его от",
    "sv": "och att det som en på är av för med den till inte har de ett om var jag från",
    "tr": "ve bir bu için ile da de çok olarak daha olan gibi ne en kadar sonra",
}


def _by_word() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for language, words in _COMMON.items():
        for word in words.split():
            found[word] = (*found.get(word, ()), language)
    return found


STOP_WORDS: Final[Mapping[str, tuple[str, ...]]] = _by_word()
