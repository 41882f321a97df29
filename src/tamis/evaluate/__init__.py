"""The lab: data sets, metrics, peers, plots, the report."""
