"""Arrays in files: numpy's archives, read so that a file costs no more than it may.

`numpy.load` takes room for as much as a file says that it has before it reads on, and an archive of
a kilobyte may unpack to gigabytes. This reads what `numpy.savez` writes of plain numbers and texts,
and nothing else.
"""

from __future__ import annotations

import io
import math
import re
import zlib
from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

import numpy as np
from numpy.typing import NDArray

MAX_BYTES: Final = 256 * 1024 * 1024  # of all arrays of a file
MAX_HEADER: Final = 10_000
_MAGIC: Final = b"\x93NUMPY"
_LENGTHS: Final = {1: 2, 2: 4, 3: 4}  # bytes of the length of a header, by version
_HEADER: Final = re.compile(
    rb"\{'descr': '([<>|=](?:b1|[iu][1248]|f[248]|U\d{1,5}))', 'fortran_order': (True|False), "
    rb"'shape': \(((?:\d{1,18}, ?)*(?:\d{1,18})?)\), \} *\n"
)
_ENCRYPTED: Final = 1


class Arrays(Mapping[str, NDArray[Any]]):
    """The arrays of a file by name, each read when it is asked for.

    Raises ValueError for what is no such file or says that it has more than `most` bytes.
    """

    def __init__(self, data: bytes, most: int = MAX_BYTES) -> None:
        try:
            self._archive = ZipFile(io.BytesIO(data))
        except (BadZipFile, NotImplementedError, RuntimeError, UnicodeError) as error:
            raise ValueError(f"no archive of arrays: {error}") from error
        every = self._archive.infolist()
        if sum(about.file_size for about in every) > most:
            raise ValueError(f"it says that it has more than {most:,} bytes")
        self._known = {about.filename.removesuffix(".npy"): about for about in every}

    def __getitem__(self, name: str) -> NDArray[Any]:
        return array_of(self._read(self._known[name]))

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)

    def _read(self, about: ZipInfo) -> bytes:
        """Return the bytes of a part of the archive: as many as it says, or ValueError."""
        if about.compress_type not in (ZIP_STORED, ZIP_DEFLATED) or about.flag_bits & _ENCRYPTED:
            raise ValueError(f"{about.filename} is packed in a way that no array is")
        try:
            with self._archive.open(about) as file:
                data = file.read(about.file_size)  # without a number it would unpack all that comes
        except (BadZipFile, NotImplementedError, RuntimeError, EOFError, zlib.error) as error:
            raise ValueError(f"{about.filename} cannot be unpacked: {error}") from error
        if len(data) < about.file_size:
            raise ValueError(f"{about.filename} is cut off")
        return data


def array_of(data: bytes) -> NDArray[Any]:
    """Return the array of a file in numpy's format; it cannot be written to."""
    version = data[6] if data[:6] == _MAGIC and len(data) > 8 else 0
    size = _LENGTHS.get(version, 0)
    length = int.from_bytes(data[8 : 8 + size], "little")
    if not size or length > MAX_HEADER:
        raise ValueError("no array of numpy")
    start = 8 + size + length
    header = _HEADER.fullmatch(data[8 + size : start])
    if not header:
        raise ValueError("no array of plain numbers or texts")
    kind = np.dtype(header[1].decode())
    shape = tuple(int(size) for size in header[3].split(b",") if size.strip())
    if len(data) - start != math.prod(shape) * kind.itemsize:
        raise ValueError(f"an array of shape {shape} has {len(data) - start:,} bytes")
    order: Literal["C", "F"] = "F" if header[2] == b"True" else "C"
    return np.frombuffer(data, kind, offset=start).reshape(shape, order=order)
