"""What a store does with every word and every block of a page, compiled."""
