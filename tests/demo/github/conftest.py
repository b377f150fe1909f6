"""A served local GitHub with a sample repository, and clients that speak to it as the App."""

import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from demo.github import LocalGitHub, RepositoryHandle, Served
from tests.openapi import check_exchanges

SAMPLE = {
    "README.md": b"# Sample\n",
    "skills/count/SKILL.md": b"---\nname: count\n---\nCount.\n",
    "skills/count/run.sh": b"#!/bin/sh\n",
}


@dataclass
class MovableClock:
    """A clock that a test moves by hand."""

    now: datetime = field(default_factory=lambda: datetime(2026, 3, 1, 12, tzinfo=UTC))

    def __call__(self) -> datetime:
        return self.now

    def pass_time(self, amount: timedelta) -> None:
        self.now += amount


@dataclass
class Stage:
    """A local GitHub that is being served, its repository, and the App's clients."""

    gh: LocalGitHub
    repo: RepositoryHandle
    clock: MovableClock
    served: Served
    http: httpx.AsyncClient
    """With an installation token."""
    app: httpx.AsyncClient
    """With the App's JWT."""

    async def new_token(self, **body: Any) -> httpx.Response:
        address = f"/app/installations/{self.gh.installation_id}/access_tokens"
        return await self.app.post(address, json=body)


def make_jwt(gh: LocalGitHub, **claims: Any) -> str:
    """The App's JWT as a client signs it, with claims replaced as asked."""
    now = int(time.time())
    standard = {"iat": now - 60, "exp": now + 540, "iss": str(gh.app_id)}
    return jwt.encode(standard | claims, _load_key(gh.private_key_pem), algorithm="RS256")


@lru_cache(maxsize=4)
def _load_key(pem: str) -> RSAPrivateKey:
    key = load_pem_private_key(pem.encode(), password=None)
    assert isinstance(key, RSAPrivateKey)
    return key


def write_sample(folder: Path) -> Path:
    """A small skills repository with an executable and a link."""
    for path, content in SAMPLE.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    (folder / "skills/count/run.sh").chmod(0o755)
    (folder / "count").symlink_to("skills/count")
    return folder


def bearer(text: str) -> dict[str, str]:
    return {"authorization": f"Bearer {text}", "accept": "application/vnd.github+json"}


@pytest.fixture
async def stage(app_key: str, tmp_path: Path) -> AsyncIterator[Stage]:
    """At the test's end every answer, refusals too, must be one that GitHub describes."""
    clock = MovableClock()
    gh = LocalGitHub(clock=clock, private_key_pem=app_key)
    repo = gh.add_repository("octo", "skills", folder=write_sample(tmp_path / "sample"))
    gh.add_person("maria", {"octo/skills": "write"})
    gh.add_person("visitor")
    async with (
        gh.serve() as served,
        # plain http: without verify=False each client would first read all root certificates
        httpx.AsyncClient(
            base_url=served.api_url, headers=bearer(make_jwt(gh)), verify=False
        ) as app,
        httpx.AsyncClient(base_url=served.api_url, verify=False) as http,
    ):
        scene = Stage(gh, repo, clock, served, http, app)
        token = (await scene.new_token()).json()["token"]
        http.headers.update(bearer(token))
        gh.requests.clear()
        yield scene
        check_exchanges(gh.requests)
