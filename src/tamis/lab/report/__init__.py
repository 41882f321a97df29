"""Reports: what studies give, rendered for terminals, as HTML, as JSON and as Markdown."""

from __future__ import annotations

from tamis.lab.report.page import render_html
from tamis.lab.report.report import (
    Chart,
    Report,
    ReportTable,
    render_json,
    render_markdown,
    render_text,
)

__all__ = [
    "Chart",
    "Report",
    "ReportTable",
    "render_html",
    "render_json",
    "render_markdown",
    "render_text",
]
