"""The report of a run, as a page for people."""

from __future__ import annotations

from tamis.lab.report.page import report_page
from tamis.lab.report.svg import Figure

__all__ = ["Figure", "report_page"]
