"""Numbers in all ways of writing them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from helpers.html_strategies import patient
from tamis.values import parse_number


@patient
@given(
    st.integers(0, 10**9), st.integers(0, 99), st.sampled_from([(",", "."), (".", ","), (" ", ",")])
)
def test_numbers_in_all_ways_of_writing(
    integer: int, cents: int, separators: tuple[str, str]
) -> None:
    text = f"{integer:,}".replace(",", separators[0]) + f"{separators[1]}{cents:02}"
    assert parse_number(text) == float(f"{integer}.{cents:02}")
