"""Models → files: the same model always gives the same bytes, and no file is ever half there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any, Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import numpy as np
from numpy.typing import NDArray

from tamis.files import explain_write_errors, write_whole

CREDITS: Final = {"wcxb-dev": "WCXB, Murrough Foley, CC BY 4.0"}
_DATE: Final = (1980, 1, 1, 0, 0, 0)  # of all parts of an archive, whenever it is made
_UNIX: Final = 3  # likewise, wherever


def archive_bytes(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return arrays as numpy's compressed archive; the same arrays always give the same bytes."""
    made = BytesIO()
    with ZipFile(made, "w") as archive:
        for name, array in arrays.items():
            part = BytesIO()
            np.lib.format.write_array(part, np.ascontiguousarray(array).reshape(array.shape))
            about = ZipInfo(f"{name}.npy", _DATE)
            about.create_system = _UNIX
            archive.writestr(about, part.getvalue(), ZIP_DEFLATED, 9)
    return made.getvalue()


def card_bytes(facts: Mapping[str, Any]) -> bytes:
    """Return a card as JSON."""
    return (json.dumps(facts, indent=1, ensure_ascii=False) + "\n").encode()


def write_model(path: Path, data: bytes) -> None:
    """Write a file of a model, and make its folder: the file is whole or not there."""
    with explain_write_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, data)
