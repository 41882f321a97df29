"""Tests of bytes → Page."""
