"""Apps registered from a manifest: checked, made, and handed over once for a code.

There is one App here, so a new one takes the place of the one before, whose installations go.
"""

import json
import secrets
from dataclasses import dataclass
from typing import Any

from demo.github.keys import make_private_key, public_key_of
from demo.github.site import Site
from demo.github.state import Account, App

_REQUIRED = ("url", "redirect_url")


class BadManifest(Exception):  # noqa: N818 -- said on the page
    """What GitHub would say is wrong with a manifest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """What a code stands for."""

    app: App
    client_secret: str
    webhook_secret: str
    pem: str


def read_manifest(text: str) -> dict[str, Any]:
    """A manifest as it was posted. Raises `BadManifest`."""
    try:
        manifest = json.loads(text)
    except ValueError:
        raise BadManifest("The manifest is no JSON.") from None
    if not isinstance(manifest, dict):
        raise BadManifest("The manifest is no object.")
    missing = [name for name in _REQUIRED if not str(manifest.get(name, "")).startswith("http")]
    hook = manifest.get("hook_attributes")
    if hook is not None and not (isinstance(hook, dict) and hook.get("url")):
        missing.append("hook_attributes.url")
    if missing:
        raise BadManifest(f"The manifest lacks {', '.join(missing)}.")
    return manifest


def register(site: Site, manifest: dict[str, Any], name: str, owner: Account) -> str:
    """Make the App of a manifest; gives the code for which it is handed over."""
    pem = make_private_key()
    slug = "-".join(name.lower().split())
    site.state.installations.clear()
    site.tokens.issued.clear()
    app = site.state.app
    app.id = site.state.next_id() % 10_000_000
    app.slug, app.name, app.owner = slug, name, owner
    app.client_id = f"Iv23li{secrets.token_hex(7)}"
    app.client_secret = secrets.token_hex(20)
    app.public_key_pem = public_key_of(pem)
    app.created_at = site.clock()
    app.permissions = dict(manifest.get("default_permissions", {}))
    app.events = tuple(manifest.get("default_events", ()))
    app.bot = Account(
        id=site.state.next_id() % 100_000_000,
        login=f"{slug}[bot]",
        kind="Bot",
        created_at=site.clock(),
    )
    site.setup_url = str(manifest.get("setup_url", ""))
    site.state.accounts[app.bot.login.lower()] = app.bot
    webhook_secret = secrets.token_hex(20)
    site.webhooks.app_id = app.id
    site.webhooks.url = (manifest.get("hook_attributes") or {}).get("url")
    site.webhooks.secret = webhook_secret
    code = secrets.token_hex(20)
    site.registrations[code] = Registration(
        app=app, client_secret=app.client_secret, webhook_secret=webhook_secret, pem=pem
    )
    return code
