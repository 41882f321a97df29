"""Pages as a browser lays them out, through Playwright and an installed Chromium."""

from tamis.render.browser import Browser, Rendered, render
from tamis.render.picture import picture_page, picture_png
from tamis.render.resources import Folder

__all__ = ["Browser", "Folder", "Rendered", "picture_page", "picture_png", "render"]
