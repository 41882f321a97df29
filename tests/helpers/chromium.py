"""Chromium where there is one; tests that need it are skipped otherwise, and say why."""

from __future__ import annotations

import importlib.util
import os

import pytest

from tamis.errors import Unavailable
from tamis.render import chromium_path


def reason_to_skip() -> str | None:
    """Return what is missing for rendering, if something is."""
    if "TAMIS_QUICK" in os.environ:
        return "a quick run starts no browser"
    if importlib.util.find_spec("playwright") is None:
        return "playwright is not installed: pip install 'tamis[render]'"
    try:
        chromium_path()
    except Unavailable as error:
        return str(error)
    return None


needs_chromium = pytest.mark.skipif(reason_to_skip() is not None, reason=str(reason_to_skip()))
