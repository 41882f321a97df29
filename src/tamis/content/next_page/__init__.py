"""The next page: the address of the page that goes on where this one ends."""

from tamis.content.next_page.next_page import next_page

__all__ = ["next_page"]
