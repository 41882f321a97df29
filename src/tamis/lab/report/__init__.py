"""Reports: what studies give, rendered for terminals, as HTML, as JSON and as Markdown."""

from __future__ import annotations

from tamis.lab.report.charts import line_chart
from tamis.lab.report.page import render_html
from tamis.lab.report.report import (
    Chart,
    Report,
    ReportTable,
    Section,
    render_json,
    render_markdown,
    render_text,
)
from tamis.lab.report.svg import Box, Scale, point_labels

__all__ = [
    "Box",
    "Chart",
    "Report",
    "ReportTable",
    "Scale",
    "Section",
    "line_chart",
    "point_labels",
    "render_html",
    "render_json",
    "render_markdown",
    "render_text",
]
