"""Kernels as plain Python, to be compared with what they are compiled to."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType


def uncompiled(module: ModuleType) -> ModuleType:
    """Return a module of a kernel as plain Python, under another name."""
    name = module.__name__.rpartition(".")[2]
    path = Path(str(module.__file__)).with_name(f"{name}.py")
    spec = importlib.util.spec_from_file_location(f"uncompiled_{name}", path)
    assert spec
    assert spec.loader
    plain = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(plain)
    return plain
