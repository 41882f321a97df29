"""The metrics of the lab."""
