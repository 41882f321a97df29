"""Fits the models that verdict/ ships; never imported at run time."""
