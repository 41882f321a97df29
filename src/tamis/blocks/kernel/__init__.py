"""What finding records does for every candidate of every page, compiled."""
