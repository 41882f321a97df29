"""Compressed data is unpacked within a limit."""

from __future__ import annotations

import contextlib
import gzip
import zlib

from hypothesis import given
from hypothesis import strategies as st

from tamis.source import gunzip, inflate


@given(data=st.binary(max_size=300), limit=st.integers(0, 300))
def test_unpacking_gives_the_data_up_to_the_limit(data: bytes, limit: int) -> None:
    assert gunzip(gzip.compress(data), limit) == data[: limit + 1]
    assert inflate(zlib.compress(data), limit) == data[: limit + 1]


@given(data=st.binary(max_size=100))
def test_any_bytes_are_unpacked_or_refused(data: bytes) -> None:
    for unpack in (gunzip, inflate):
        with contextlib.suppress(ValueError):
            assert len(unpack(data, 50)) <= 51
