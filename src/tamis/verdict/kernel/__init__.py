"""The walk through the trees of a forest, compiled."""
