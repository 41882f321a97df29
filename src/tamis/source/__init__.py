"""Where bytes come from: files, folders, patterns, lists, archives, standard input and URLs.

`locate` turns what the user typed into places, cheaply; `read` turns one place into bytes, and
`pages` turns places into all their pages, those of archives too. A place can be sent to another
process, so that the reading can be spread.
"""

from tamis.source.fetch import Fetch
from tamis.source.files import Failure, Place, Skipped, Source
from tamis.source.inputs import locate, pages, read

__all__ = ["Failure", "Fetch", "Place", "Skipped", "Source", "locate", "pages", "read"]
