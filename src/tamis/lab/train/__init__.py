"""Fits the models that verdict/ ships; never imported at run time."""

from __future__ import annotations
