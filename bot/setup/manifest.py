"""What the App is registered as: GitHub's manifest, with exactly what the bot uses.

https://docs.github.com/apps/sharing-github-apps/registering-a-github-app-from-a-manifest
"""

import re
from dataclasses import dataclass
from urllib.parse import quote, urlencode, urlsplit

import msgspec

from bot.github.identity import NEEDED_EVENTS, NEEDED_PERMISSIONS, WISHED_EVENTS

LONGEST_NAME = 34
"""GitHub's limit on the name of an App."""
ACCOUNT = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What the person at the form has asked for."""

    name: str
    organization: str
    """Login of the organization that shall own the App; empty: the person's own account."""
    webhook_url: str

    def problems(self) -> list[str]:
        """What is wrong with it, in sentences; empty if nothing is."""
        found = []
        if not self.name or len(self.name) > LONGEST_NAME or not self.name.isprintable():
            found.append(f"The name must have 1 to {LONGEST_NAME} characters.")
        if self.organization and not ACCOUNT.fullmatch(self.organization):
            found.append("This cannot be the login of an organization.")
        if not is_web_address(self.webhook_url):
            found.append("The webhook needs an address that begins with https:// or http://.")
        return found


def is_web_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and url.isprintable()
    except ValueError:
        return False


def make_manifest(wish: Wish, *, base: str, public_url: str) -> str:
    """The manifest as JSON. `base` is how the person's browser reaches this server."""
    home = public_url or base
    manifest = {
        "name": wish.name,
        "url": home,
        "description": "Measures whether agent skills make the work better.",
        "public": False,
        "hook_attributes": {"url": wish.webhook_url, "active": True},
        "redirect_url": f"{base}/setup/callback",
        "setup_url": f"{home}/setup/installed",
        "callback_urls": [f"{home}/sign-in/callback"],
        "default_permissions": dict(NEEDED_PERMISSIONS),
        "default_events": [*NEEDED_EVENTS, *WISHED_EVENTS],
    }
    return msgspec.json.encode(manifest).decode()


def registration_url(web_url: str, wish: Wish, state: str) -> str:
    """Where the manifest is posted to."""
    owner = f"organizations/{quote(wish.organization, safe='')}/" if wish.organization else ""
    return f"{web_url}/{owner}settings/apps/new?{urlencode({'state': state})}"
