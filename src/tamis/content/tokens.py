"""Tokens: how long a text is for a language model."""

from __future__ import annotations

import re
from collections.abc import Callable, Sized
from typing import Final

Tokenizer = Callable[[str], int | Sized]

MAX_TOKENS: Final = 512
# Tokenizers of language models have tokens of about four letters and three digits, and one or two
# for an ideograph; short words and punctuation have a token each.
_TOKEN: Final = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]"
    r"|[a-zA-Z]{1,5}|\d{1,3}|[^\W\d_]{1,3}|[^\w\s]{1,2}|_"
)


def count_tokens(text: str) -> int:
    """Return about how many tokens a text has for a language model, rather too many."""
    return len(_TOKEN.findall(text))
