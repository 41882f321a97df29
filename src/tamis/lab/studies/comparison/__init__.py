"""The main study: methods of tamis and peers, side by side on a data set."""

from __future__ import annotations

from tamis.lab.studies.comparison.study import ComparisonStudy, build_report

__all__ = ["ComparisonStudy", "build_report"]
