"""The files of sites: one per host, in a folder."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from tamis.files import explain_write_errors, write_whole
from tamis.serve.problems import Problem

_HOST: Final = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,62}[a-z0-9])?(?:\.[a-z0-9_-]{1,63})*", re.I)
_MAX_HOST_CHARS: Final = 200
_ENDING: Final = ".tamis"


class SiteFiles:
    """A folder with `HOST.tamis` files; no name leads out of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, host: str) -> Path:
        """Return the file of a host; a Problem for what is none."""
        if not _HOST.fullmatch(host) or len(host) > _MAX_HOST_CHARS:
            raise Problem(422, "no-host", f"{host[:80]!r} is no host such as example.org")
        return self.folder / f"{host.lower()}{_ENDING}"

    def read(self, host: str) -> str | None:
        """Return the text of a host's file, None if there is none."""
        try:
            return self.path(host).read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise Problem(
                503, "site-file", f"the file of {host} cannot be read: {error}"
            ) from error

    def need(self, host: str) -> str:
        """Return the text of a host's file; a Problem if there is none."""
        text = self.read(host)
        if text is None:
            raise Problem(
                404, "no-site", f"nothing is known of {host}: POST its pages to /v1/sites"
            )
        return text

    def write(self, host: str, text: str, before: str | None) -> None:
        """Write the file of a host, as a whole; a Problem if it is no longer as it was `before`."""
        path = self.path(host)
        if self.read(host) != before:
            raise Problem(
                409, "site-changed", f"the file of {host} has changed meanwhile: do it again"
            )
        with explain_write_errors(path):
            self.folder.mkdir(parents=True, exist_ok=True)
        write_whole(path, text)

    def hosts(self) -> list[str]:
        """Return the hosts that have a file."""
        if not self.folder.is_dir():
            return []
        return sorted(path.name.removesuffix(_ENDING) for path in self.folder.glob(f"*{_ENDING}"))
