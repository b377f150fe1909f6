"""The App's credentials as `/setup` has stored them: one file in the data folder, for us alone.

They hold only where the environment names no App: whoever sets one variable sets all of them,
since the halves of two Apps would make no whole one.
"""

import json
import os
import stat
from pathlib import Path
from uuid import uuid4

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError

from config.settings import Settings
from jobs.errors import Error

FILE = "github-app.json"
FOR_US_ALONE = 0o600


class AppCredentials(BaseModel):
    """What GitHub gives for a new App, as far as the bot needs it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: int = Field(gt=0)
    slug: str = Field(min_length=1)
    html_url: str = ""
    """Page of the App."""
    pem: SecretStr = Field(min_length=1)
    webhook_secret: SecretStr = Field(min_length=1)
    client_id: str = ""
    client_secret: SecretStr = SecretStr("")


def is_unconfigured(settings: Settings) -> bool:
    """Whether nothing at all is said of a GitHub App."""
    return not (
        settings.github_app_id
        or settings.github_private_key.get_secret_value()
        or settings.github_webhook_secret.get_secret_value()
    )


def store(credentials: AppCredentials, data_dir: Path) -> Path:
    """Write the file, whole or not at all; nobody else on this machine can read it."""
    data_dir.mkdir(parents=True, exist_ok=True)
    place, fresh = data_dir / FILE, data_dir / f".{FILE}-{uuid4().hex[:12]}"
    revealed = credentials.model_dump(mode="json") | {
        name: getattr(credentials, name).get_secret_value()
        for name in ("pem", "webhook_secret", "client_secret")
    }
    text = json.dumps(revealed, indent=2).encode()
    with os.fdopen(
        os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FOR_US_ALONE), "wb"
    ) as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(place)
    return place


def with_stored(settings: Settings) -> Settings:
    """The settings with the stored App, where they name none and one is stored.

    Raises `Error` where the file is there and cannot be used.
    """
    place = settings.data_dir / FILE
    if not is_unconfigured(settings) or not place.exists():
        return settings
    try:
        credentials = AppCredentials.model_validate_json(place.read_bytes())
    except (OSError, ValidationError) as problem:
        raise Error(
            f"{place} cannot be used ({type(problem).__name__}): it holds the GitHub App that "
            "/setup has registered. Restore it; or delete it and name the App by "
            "SKILLBENCH_GITHUB_APP_ID, SKILLBENCH_GITHUB_PRIVATE_KEY and "
            "SKILLBENCH_GITHUB_WEBHOOK_SECRET, with a new key from the App's page."
        ) from None
    changes = {
        "github_app_id": str(credentials.id),
        "github_private_key": credentials.pem,
        "github_webhook_secret": credentials.webhook_secret,
    }
    if not settings.github_client_id:
        changes |= {
            "github_client_id": credentials.client_id,
            "github_client_secret": credentials.client_secret,
        }
    return settings.model_copy(update=changes)


def find_leak(settings: Settings) -> str | None:
    """What to do about a file of credentials that others can read; None if none can."""
    place = settings.data_dir / FILE
    try:
        mode = stat.S_IMODE(place.stat().st_mode)
    except OSError:
        return None
    if mode & 0o077:
        return f"{place} holds the App's private key and can be read by others: chmod 600 {place}"
    return None
