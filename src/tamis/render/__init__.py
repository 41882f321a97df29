"""Pages as a browser lays them out, through Playwright and an installed Chromium."""

from tamis.render.browser import Browser, Rendered, render
from tamis.render.resources import Folder
from tamis.render.screenshot import picture_page, picture_png

__all__ = ["Browser", "Folder", "Rendered", "picture_page", "picture_png", "render"]
