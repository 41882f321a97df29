"""Patterns: what the records of one page look like, applied to further pages of its site.

`places` tells where fields stand, `fitting` which field of a page is which of the pattern.
"""
