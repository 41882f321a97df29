"""The documentation site is built without a warning: no broken link, no name that is gone."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.skipif(find_spec("furo") is None, reason="needs the extra docs: pip install '.[docs]'")
def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html"]
    done = subprocess.run(
        [*command, "-d", tmp_path / "doctrees", ROOT / "docs", tmp_path / "site"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for page in ("index", "quickstart", "reference/api", "reference/command-line", "glossary"):
        assert (tmp_path / "site" / f"{page}.html").is_file()
