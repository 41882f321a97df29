"""Where bytes come from: files, folders, patterns, lists, standard input and URLs.

`locate` turns what the user typed into places, cheaply; `read` turns one place into bytes. A place
can be sent to another process, so that the reading can be spread.
"""

from tamis.source.fetch import Fetch
from tamis.source.items import Failure, Place, Source
from tamis.source.places import locate
from tamis.source.sources import read

__all__ = ["Failure", "Fetch", "Place", "Source", "locate", "read"]
