"""The systems of the lab."""
