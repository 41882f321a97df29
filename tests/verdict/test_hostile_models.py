"""Models that others wrote or damaged: read as they are, or a clear error; never out of bounds."""

from __future__ import annotations

import io
import json
import random
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tamis.verdict
from helpers.bounds import bounded
from helpers.samples import sample
from tamis.arrays import Arrays, array_of
from tamis.blocks import Blocks, TagSet
from tamis.errors import InputError
from tamis.verdict import Learned, Svm, read_linear_model
from tamis.verdict.learned import (
    Expert,
    Forest,
    LearnedModel,
    model_arrays,
    read_model,
    shipped_model,
)

Array = np.ndarray[Any, Any]
SPREAD = 12  # how many single bytes of a file are changed at a time


@cache
def blocks() -> Blocks:
    return TagSet().segment(sample("forum"))


@cache
def small_model() -> LearnedModel:
    """The first trees of each forest of the shipped model."""
    model = shipped_model()
    parts = {name: small_forest(getattr(model, name)) for name in ("types", "plain", "confidence")}
    experts = {
        name: Expert(small_forest(expert.first), small_forest(expert.second))
        for name, expert in (("article", model.article), ("other", model.other))
    }
    return LearnedModel(model.tokens, model.page_tokens, **experts, **parts)  # type: ignore[arg-type]


def small_forest(whole: Forest) -> Forest:
    count = 2 * whole.outputs
    stop = whole.trees[count]
    return replace(
        whole,
        threshold=whole.threshold[:stop],
        feature=whole.feature[:stop],
        crossed=whole.crossed[:stop],
        value=whole.value[:count],
        trees=whole.trees[: count + 1],
    )


@cache
def arrays_of_a_model() -> dict[str, Array]:
    return model_arrays(small_model())


def file_of(arrays: dict[str, Array]) -> bytes:
    made = io.BytesIO()
    np.savez(made, **arrays)  # type: ignore[arg-type]
    return made.getvalue()


def filled(value: float) -> Callable[[Array], Array]:
    return lambda array: np.full_like(array, value)


def with_one(value: float) -> Callable[[Array], Array]:
    def changed(array: Array) -> Array:
        array = array.copy()
        array.flat[array.size // 2] = value
        return array

    return changed


# What is done to an array, by name; some makes no sense for some arrays, and is left out there.
CHANGES: dict[str, Callable[[Array], Array]] = {
    "zeros": filled(0),
    "ones": filled(1),
    "-1": filled(-1),
    "not a number": filled(np.nan),
    "infinite": filled(np.inf),
    "one -1": with_one(-1),
    "one is large": with_one(2**15),
    "one is largest": with_one(2**31 - 1),
    "one is smallest": with_one(-(2**31)),
    "one is 65535": with_one(65_535),
    "one is not a number": with_one(np.nan),
    "one is infinite": with_one(-np.inf),
    "empty": lambda array: array[:0],
    "first": lambda array: array[:1],
    "but the last": lambda array: array[:-1],
    "twice": lambda array: np.concatenate((array, array)),
    "backwards": lambda array: array[::-1],
    "flat": lambda array: array.reshape(-1),
    "deep": lambda array: array[..., None],
    "transposed": lambda array: array.T,
    "of Fortran": np.asfortranarray,
    "narrow": lambda array: array[..., :1],
    "other bytes": lambda array: array.astype(array.dtype.newbyteorder()),
    "float64": lambda array: array.astype(np.float64),
    "float16": lambda array: array.astype(np.float16),
    "int64": lambda array: array.astype(np.int64),
    "int8": lambda array: array.astype(np.int8),
    "uint64": lambda array: array.astype(np.uint64),
    "bool": lambda array: array.astype(np.bool_),
    "text": lambda array: array.astype(str),
    "bytes": lambda array: array.astype("S"),
    "complex": lambda array: array.astype(np.complex128),
    "objects": lambda array: array.astype(object),
    "scalar": lambda array: np.array(7),
    "void": lambda array: np.zeros(3, [("a", "<i4")]),
}


def changed_files() -> Iterator[tuple[str, bytes]]:
    whole = arrays_of_a_model()
    yield "as it is", file_of(whole)
    for name in whole:
        yield f"without {name}", file_of({key: whole[key] for key in whole if key != name})


def check_model(path: Path) -> bool:
    """Say whether a file is a model, which then judges a page; else it is a clear error."""
    with bounded():
        try:
            model = read_model(path)
        except InputError as error:
            told = str(error)
        else:
            verdict = Learned(model=model).identify(blocks())
            assert ((verdict.score >= 0) & (verdict.score <= 1)).all()
            assert verdict.page
            assert 0 <= verdict.page.confidence <= 1
            return True
    assert "tamis train" in told
    assert path.name in told
    return False


def test_a_model_without_one_of_its_arrays_is_told(tmp_path: Path) -> None:
    path = tmp_path / "m.npz"
    for what, data in changed_files():
        path.write_bytes(data)
        assert check_model(path) == (what == "as it is"), what


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_array_is_read_as_it_is_or_told(tmp_path: Path, change: str) -> None:
    path = tmp_path / "m.npz"
    whole = arrays_of_a_model()
    times = 0
    for name, array in whole.items():
        try:
            with np.errstate(all="ignore"):
                other = CHANGES[change](array)
        except (ValueError, TypeError, OverflowError, IndexError):
            continue
        path.write_bytes(file_of({**whole, name: other}))
        check_model(path)
        times += 1
    assert times


@pytest.mark.parametrize("seed", range(SPREAD))
def test_any_bytes_may_be_others(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "m.npz"
    whole = file_of(arrays_of_a_model())
    draw = random.Random(seed)
    for _ in range(5):
        data = bytearray(whole)
        for _ in range(draw.choice((1, 3, 100))):
            # Half of them where the names, sizes and ways of packing are.
            near = whole.rfind(b"PK\x01\x02", 0, draw.randrange(len(whole)) + 1)
            place = near + draw.randrange(46) if draw.random() < 0.5 and near > 0 else None
            data[draw.randrange(len(data)) if place is None else place] = draw.randrange(256)
        path.write_bytes(data)
        check_model(path)
        path.write_bytes(data[: draw.randrange(len(data))])
        assert not check_model(path)


def npy(header: bytes, data: bytes = b"", version: int = 1) -> bytes:
    size = 2 if version == 1 else 4
    return b"\x93NUMPY" + bytes((version, 0)) + len(header).to_bytes(size, "little") + header + data


HEADERS = {
    "huge": b"{'descr': '<f4', 'fortran_order': False, 'shape': (4000000000000,), }\n",
    "overflow": b"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }\n",
    "negative": b"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }\n",
    "objects": b"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }\n",
    "wide": b"{'descr': '<U99999', 'fortran_order': False, 'shape': (99999999,), }\n",
    "odd": b"{'descr': '<f3', 'fortran_order': False, 'shape': (1,), }\n",
    "nested": b"(" * 9000 + b"\n",
    "code": b"__import__('os').abort()\n",
    "none": b"",
}


@pytest.mark.parametrize("header", HEADERS)
def test_a_header_that_lies_is_told(header: str) -> None:
    with bounded(megabytes=200):
        for version in (1, 2, 3, 9):
            with pytest.raises(ValueError, match=r"."):
                array_of(npy(HEADERS[header], b"\0" * 64, version))


@pytest.mark.parametrize("way", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_an_archive_that_unpacks_to_far_more_is_told(tmp_path: Path, way: int) -> None:
    path = tmp_path / "m.npz"
    with zipfile.ZipFile(path, "w", way) as archive, archive.open("format.npy", "w") as file:
        for _ in range(280):
            file.write(bytes(2**20))
    with bounded(megabytes=200), pytest.raises(InputError, match="tamis train"):
        read_model(path)
    data = path.read_bytes()
    about = data.rfind(b"PK\x01\x02")
    path.write_bytes(data[: about + 24] + (1000).to_bytes(4, "little") + data[about + 28 :])
    with bounded(megabytes=200), pytest.raises(InputError, match="tamis train"):
        read_model(path)


def test_arrays_come_back_as_they_were_written() -> None:
    made = {
        "one": np.arange(12, dtype=np.int32).reshape(3, 4),
        "other way": np.asfortranarray(np.arange(12, dtype=np.float32).reshape(3, 4)),
        "texts": np.array(["a", "böse", "鑫"]),
        "scalar": np.array(7),
        "none": np.zeros((0, 4), np.uint8),
    }
    read = Arrays(file_of(made))
    assert list(read) == list(made)
    assert len(read) == len(made)
    for name, array in made.items():
        assert read[name].dtype == array.dtype
        np.testing.assert_array_equal(read[name], array)


def test_a_forest_is_checked_however_it_is_made() -> None:
    known = shipped_model().plain
    wrong: list[dict[str, Any]] = [
        {"feature": known.feature + np.int32(len(known.names))},
        {"feature": -known.feature - np.int32(1)},
        {"trees": known.trees[:-1]},
        {"trees": known.trees + np.int32(1)},
        {"value": known.value[:, :-1]},
        {"value": known.value * np.float32(np.nan)},
        {"threshold": known.threshold[:-1]},
        {"outputs": 0},
        {"outputs": True and 1.5},
        {"names": known.names[:1]},
        {"value": None},
    ]
    for fields in wrong:
        with pytest.raises(InputError, match="tamis train"):
            replace(known, **fields)


def test_what_was_checked_cannot_be_changed_afterwards() -> None:
    known = shipped_model().plain
    feature = known.feature.copy()
    made = replace(known, feature=feature)
    feature[:] = 2**30  # as the one who made it may
    assert (made.feature == known.feature).all()
    with pytest.raises(ValueError, match="read-only"):
        made.feature[:] = 0


def test_forests_are_where_they_belong() -> None:
    model = shipped_model()
    for wrong in ({"types": model.plain}, {"plain": model.types}, {"confidence": model.plain}):
        with pytest.raises(InputError, match="tamis train"):
            LearnedModel(**{**vars(model), **wrong})


SVM = json.loads((Path(tamis.verdict.__file__).parent / "models" / "svm.json").read_text("utf-8"))
ODD: tuple[Any, ...] = (
    *(None, True, 0, -1, 1.5, 10**400, -(10**400), 1e308, float("nan"), float("inf")),
    *("", "text", "1e999", "nan", "\ud800", [], [[]], {}, {"p": {}}, {"": 1}, {"p": 1e300}),
)


def test_a_linear_model_is_read_as_it_is_or_told(tmp_path: Path) -> None:
    path = tmp_path / "svm.json"
    name = next(iter(SVM["weights"]))
    for value in ODD:
        changed = [{**SVM, key: value} for key in SVM]
        changed.append({**SVM, "weights": {**SVM["weights"], name: value}})
        texts = [json.dumps(one) for one in (*changed, value)]
        for text in (*texts, "[" * 100_000, '{"weights":' * 5000, "", "\0"):
            path.write_text(text, encoding="utf-8")
            try:
                model = read_linear_model(path)
            except InputError as error:
                told = str(error)
                assert "svm.json" in told
            else:
                assert np.isfinite(Svm(model).identify(blocks()).score).all()
