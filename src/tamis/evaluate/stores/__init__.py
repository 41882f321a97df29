"""What a store of blocks is good for: the room that it takes, and what searching it finds."""
