"""What several pages of a site are good for: the study behind `tamis evaluate sites`.

What a store of blocks is good for: the room that it takes, and what searching it finds.
"""

from __future__ import annotations
