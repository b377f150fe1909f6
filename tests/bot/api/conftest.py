"""The web process with pages and API, on a real socket."""

from tests.bot.web_pages.conftest import pages

__all__ = ["pages"]
