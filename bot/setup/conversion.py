"""Turns the code that GitHub gives after a registration into the App's credentials."""

import re
from urllib.parse import quote

import httpx
from pydantic import ValidationError

from bot.setup.credentials import AppCredentials
from config.settings import Settings
from jobs.errors import Error

TIMEOUT_S = 20.0
CODE = re.compile(r"[A-Za-z0-9_-]{1,200}")
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
HEADERS = {
    "Accept": "application/vnd.github+json",
    "X-GitHub-Api-Version": "2022-11-28",
    "User-Agent": "skillbench",
}


async def convert(code: str, settings: Settings) -> AppCredentials:
    """The credentials of the App that was just registered; a code is good once, for an hour.

    Raises `Error` with what went wrong, which holds nothing secret.
    """
    if not CODE.fullmatch(code):
        raise Error("GitHub sent no code with it.")
    url = f"{settings.github_api_url}/app-manifests/{quote(code, safe='')}/conversions"
    try:
        async with httpx.AsyncClient(
            timeout=TIMEOUT_S,
            headers=HEADERS,
            trust_env=httpx.URL(url).host not in LOOPBACK,  # a proxy is on no way to this machine
        ) as client:
            answer = await client.post(url)
    except httpx.HTTPError as trouble:
        raise Error(
            f"{settings.github_api_url} did not answer ({type(trouble).__name__})."
        ) from None
    if answer.status_code != httpx.codes.CREATED:
        raise Error(
            f"GitHub does not take the code (it answered {answer.status_code}): it is good once, "
            "and for an hour."
        )
    try:
        credentials = AppCredentials.model_validate_json(answer.content)
    except ValidationError:
        raise Error("GitHub's answer lacks the App's credentials.") from None
    if "-----BEGIN" not in credentials.pem.get_secret_value():
        raise Error("GitHub's answer holds no private key.")
    return credentials


def install_url(credentials: AppCredentials, settings: Settings) -> str:
    """Where the App is installed. An Enterprise Server has its Apps under another path."""
    page = credentials.html_url
    if not page.startswith(f"{settings.github_web_url}/"):
        page = f"{settings.github_web_url}/apps/{quote(credentials.slug, safe='')}"
    return f"{page}/installations/new"
