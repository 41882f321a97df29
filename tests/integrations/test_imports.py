"""The room is light until a module of it is used, and a missing library is named."""

from __future__ import annotations

import subprocess
import sys

import pytest

MODULES = {
    "langchain": ("langchain_core", "langchain"),
    "llama_index": ("llama_index", "llama-index"),
    "haystack": ("haystack", "haystack"),
    "pandas": ("pandas", "pandas"),
}


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.parametrize("module", MODULES)
def test_a_missing_library_is_an_error_that_names_its_extra(module: str) -> None:
    library, extra = MODULES[module]
    printed = run(
        f"import sys; sys.modules[{library!r}] = None\n"
        "import tamis\n"
        f"try: tamis.integrations.{module}\n"
        "except tamis.errors.Unavailable as error: print(error)"
    )
    assert f"pip install 'tamis[{extra}]'" in printed


def test_the_room_imports_no_library() -> None:
    libraries = [library for library, _ in MODULES.values()]
    code = f"import sys, tamis.integrations; print([n for n in {libraries} if n in sys.modules])"
    assert run(code) == "[]\n"


def test_there_is_nothing_else_in_the_room() -> None:
    import tamis

    with pytest.raises(AttributeError, match="no attribute 'spacy'"):
        _ = tamis.integrations.spacy
