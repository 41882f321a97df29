"""Watch: notices when a site has changed since its template was learned."""

from __future__ import annotations

from collections import deque

from tamis.site.site import POOR


class Watch:
    """Hears how well each page fits, and says when the last so many do not any more."""

    def __init__(self, pages: int = 20, limit: float = POOR) -> None:
        self.limit = limit
        self.last: deque[float] = deque(maxlen=pages)

    def hear(self, match: float) -> bool:
        """Take note of the match of a page; say whether the site seems to have changed."""
        self.last.append(match)
        return self.has_drifted

    @property
    def has_drifted(self) -> bool:
        """Whether most of the last pages, so many as were asked for, fit poorly."""
        full = len(self.last) == self.last.maxlen
        return full and 2 * sum(match < self.limit for match in self.last) > len(self.last)

    @property
    def report(self) -> str:
        """What there is to say, in words."""
        poor = sum(match < self.limit for match in self.last)
        return (
            f"{poor} of the last {len(self.last)} pages do not fit the template: the site may have "
            "changed; learn it anew, or update it with these pages"
        )
