"""A whole story with planted secrets, in which everybody tries to make the bot tell them.

The session reads what it can and writes it down, the model API and GitHub fail in words that
hold the key; afterwards whatever anybody could read is searched for every secret.
"""

import asyncio
import io
import json
import logging
import re
import secrets
import sys
import zipfile
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import structlog
from pydantic import SecretStr
from redis.asyncio import Redis

from config.log import set_up_logging
from demo.github import LocalGitHub
from demo.model_api import Asked, Call, HttpError, Reply, ScriptedModelApi
from jobs.judging.prompt import SYSTEM as JUDGE_SYSTEM
from tests.stories.scene import Scene, playing
from tests.stories.test_crash import environment_of

LOOK = """
env; set; cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n'
cat ~/.* /etc/*.pem /box/../*.env /run/secrets/* /root/* /work/*/.env 2>/dev/null
find / -xdev -newer /etc/hostname -type f -size -64k 2>/dev/null | head -200 | xargs cat 2>/dev/null
"""
"""What a curious session would type; its answer goes into its output and its transcript."""


def works(asked: Asked) -> bool:
    return JUDGE_SYSTEM not in asked.system


@pytest.fixture
def own_log() -> Iterator[io.StringIO]:
    """What the web process logs, at its most talkative and with no secret named to the log."""
    root = logging.getLogger()
    before = (root.handlers[:], root.level)
    stream = io.StringIO()
    set_up_logging(as_json=True, level=logging.DEBUG, stream=stream)
    yield stream
    structlog.reset_defaults()
    root.handlers, level = before
    root.setLevel(level)


@asynccontextmanager
async def worker(environment: Mapping[str, str], log: Path) -> AsyncIterator[None]:
    """A worker process whose every word is kept."""
    with log.open("wb") as words:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", "worker"), env=environment, stdout=words, stderr=words
        )
        try:
            yield
        finally:
            process.terminate()
            await asyncio.wait_for(process.wait(), 60)


async def test_no_secret_is_in_anything_that_anybody_can_read(
    tmp_path: Path, app_key: str, own_log: io.StringIO
) -> None:
    key, other = (f"planted{secrets.token_hex(16)}" for _ in range(2))
    api = ScriptedModelApi()
    look = Call("Bash", {"command": f"( {LOOK} ) > output/found.txt 2>&1; cat output/found.txt"})
    answer = Reply(text="Here is what I found.")
    api.script(Reply(calls=(look,)), answer, when=works)
    failure = HttpError(status=500, message=f"upstream refused the key {key}")
    api.fail(failure, times=1, when=works)
    keys = {"anthropic_api_key": SecretStr(key), "openai_api_key": SecretStr(other)}
    async with playing(tmp_path, app_key, model_api=api, worker=False, **keys) as scene:
        settings = scene.stage.settings
        scene.github.faults.answer(500, on="POST */comments", times=1, message=f"no {key}")
        log = tmp_path / "worker.log"
        async with worker(environment_of(settings), log):
            scene.label(1)
            await scene.label_gone(1)
        assert scene.reports(1), "the story was played to its end"
        planted = {
            "model key": key,
            "other key": other,
            "webhook secret": settings.github_webhook_secret.get_secret_value(),
            "private key": app_key.splitlines()[3],
        }
        issued = scene.github.site.tokens.issued
        planted |= {f"token {number}": token.text for number, token in enumerate(issued)}
        assert any(name.startswith("token") for name in planted)
        seen = {
            **_published(scene),
            **await _queued(settings.redis_url),
            **_filed(tmp_path),
            "log of the web process": own_log.getvalue().encode(),
            "prompts": json.dumps([asked.body for asked in api.requests]).encode(),
        }
    assert any(b"PATH=" in content for content in seen.values()), "the session did look"
    assert _kinds_with(seen, b"scripted-demo") >= {"comment", "data", "redis", "release", "sent"}
    assert b"request" in seen["worker.log"], "the worker did speak"
    told = [
        f"{secret} in {place}"
        for place, content in seen.items()
        for secret, text in planted.items()
        if text.encode() in content
    ]
    assert told == []


def _kinds_with(seen: Mapping[str, bytes], word: bytes) -> set[str]:
    """In which kinds of places a word was found: that the search finds anything at all."""
    return {re.split(r"[ /]", place)[0] for place, content in seen.items() if word in content}


def _published(scene: Scene) -> dict[str, bytes]:
    """Everything that the bot sent to GitHub, but for the headers that prove who it is."""
    github: LocalGitHub = scene.github
    sent: dict[str, bytes] = {}
    for number, one in enumerate(github.requests):
        sent[f"sent {number}: {one.method} {one.path}"] = repr(one.request_body).encode()
    for number in range(1, 4):
        for place, body in enumerate(scene.bot_comments(number)):
            sent[f"comment {place} on issue {number}"] = body.encode()
    for release in scene.repository.repository.releases:
        for asset in release.assets:
            sent |= _unpacked(f"release {asset.name}", asset.content)
    return sent


async def _queued(redis_url: str) -> dict[str, bytes]:
    """Everything in Redis, key by key."""
    found: dict[str, bytes] = {}
    async with Redis.from_url(redis_url) as redis:
        async for name in redis.scan_iter("*", count=1000):
            match await redis.type(name):
                case b"string":
                    value = await redis.get(name)
                case b"hash":
                    value = await redis.hgetall(name)
                case b"zset":
                    value = await redis.zrange(name, 0, -1)
                case b"list":
                    value = await redis.lrange(name, 0, -1)
                case _:
                    value = await redis.smembers(name)
            found[f"redis {name.decode()}"] = name + repr(value).encode()
    return found


def _filed(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, archives with what is in them."""
    found: dict[str, bytes] = {}
    for path in folder.rglob("*"):
        if path.is_file():
            found |= _unpacked(str(path.relative_to(folder)), path.read_bytes())
    return found


def _unpacked(name: str, content: bytes) -> dict[str, bytes]:
    found = {name: content}
    if zipfile.is_zipfile(io.BytesIO(content)):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for member in archive.namelist():
                found |= _unpacked(f"{name}/{member}", archive.read(member))
    return found
