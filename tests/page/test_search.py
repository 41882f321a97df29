"""The compiled search for a fixed string, against that of bytes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from page.soup import patient
from tamis.page import find_bytes

LETTERS = st.lists(st.sampled_from([b"a", b"b", b"ab", b'="', b"x" * 70]), max_size=40)


@patient
@given(
    LETTERS.map(b"".join),
    st.lists(st.sampled_from([b"a", b"b", b'="']), max_size=6).map(b"".join),
    st.integers(0, 200),
    st.none() | st.integers(0, 400),
)
def test_a_needle_is_where_bytes_find_it(
    text: bytes, needle: bytes, start: int, stop: int | None
) -> None:
    assert find_bytes(text, needle, start, stop) == text.find(needle, start, stop)


def test_a_needle_may_be_at_every_offset() -> None:
    for offset in range(200):
        text = b"." * offset + b' role="' + b"." * 100
        assert find_bytes(text, b' role="') == offset
        assert find_bytes(text, b' role="', 0, offset + 6) == -1
        assert find_bytes(text, b' role="', offset + 1) == -1
