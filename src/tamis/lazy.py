"""Rooms that are loaded in parts: a name's module is imported when the name is first used.

Half of the time to a first page would go into modules that it does not use.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module


def defer_imports(room: str, modules: Mapping[str, str]) -> Callable[[str], object]:
    """Return the `__getattr__` of a room, given the names of its modules and the names in each.

    The names of a module are in one string. The modules themselves are names, too.
    """
    module_of = {name: module for module, names in modules.items() for name in names.split()}

    def import_name(name: str) -> object:
        if name in modules:
            return import_module(f"{room}.{name}")
        if name not in module_of:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        value: object = getattr(import_module(f"{room}.{module_of[name]}"), name)
        setattr(sys.modules[room], name, value)
        return value

    return import_name
