"""The lab: data sets, metrics, peers, plots, the report."""

from __future__ import annotations
