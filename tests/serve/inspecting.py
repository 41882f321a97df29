"""A tab of the inspector in a real Chromium, and the pages of a town to look at in it."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from serve.servers import ServerProcess

HOST = "town.example"


def town_page(number: int) -> str:
    return (
        f"<title>Story {number}</title><main><h1>Story {number}</h1><div class=story>"
        f"<p>Paragraph one of story {number} tells at length what happened in the old town.</p>"
        f"<p>Paragraph two of story {number} goes on for a while and then comes to its end.</p>"
        "</div><div class=plea>"
        f"<p>Write to the editor if you know more about case {number}.</p></div></main>"
    )


class Tab:
    """A tab of the inspector that keeps errors and requests."""

    def __init__(self, browser: Any, running: ServerProcess, **options: Any) -> None:
        self.context = browser.new_context(viewport={"width": 1300, "height": 850}, **options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(120_000)
        self.errors: list[str] = []
        self.hosts: set[str] = set()
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.hosts.add(urlsplit(request.url).netloc))
        self.page.goto(f"{running.url}#token={running.token}")

    def _hear(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.errors.append(message.text)


def open_stored(page: Any, number: int) -> None:
    page.locator(".entry", has_text=f"https://{HOST}/{number}").first.click()
    page.wait_for_selector(".lines .block")


def frame(page: Any) -> Any:
    return page.frame_locator(".stage iframe")
