"""Settings of the documentation site: `make docs` builds it into build/docs."""

from __future__ import annotations

from importlib.metadata import version as installed_version

project = "tamis"
author = "The tamis developers"
version = release = installed_version("tamis")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_click",
]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
exclude_patterns: list[str] = []
default_role = "code"  # docstrings write names between single backticks
nitpicky = False  # types of numpy have no page here; broken links between pages fail all the same

autodoc_typehints = "description"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "show-inheritance": True}

html_theme = "furo"
html_title = "tamis"
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["tamis.css"]
