"""An S3 of our own: moto's server in a process of its own, with one bucket in it."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx

BUCKET = "results"
_SERVE = """
import sys
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
server.start()
print(server.get_host_and_port()[1], flush=True)
sys.stdin.read()
"""
"""Serves until its input ends, which it does with whoever started it."""


@dataclass(frozen=True, slots=True)
class Bucket:
    """An empty bucket at its server."""

    endpoint: str

    @property
    def address(self) -> str:
        """For `SKILLBENCH_BLOB_URL`."""
        return f"s3://{BUCKET}/skillbench"

    @property
    def environment(self) -> dict[str, str]:
        """What a process needs to reach it."""
        return {
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_ACCESS_KEY_ID": "someone",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_REGION": "us-east-1",
        }

    async def keys(self) -> str:
        """S3's own listing, as it is sent."""
        async with httpx.AsyncClient(verify=False) as client:
            answer = await client.get(f"{self.endpoint}/{BUCKET}", params={"list-type": "2"})
        return answer.raise_for_status().text


@asynccontextmanager
async def bucket() -> AsyncIterator[Bucket]:
    """A server while the block runs."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _SERVE,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        port = int(await asyncio.wait_for(process.stdout.readline(), 60))
        endpoint = f"http://127.0.0.1:{port}"
        async with httpx.AsyncClient(verify=False) as client:
            (await client.put(f"{endpoint}/{BUCKET}")).raise_for_status()
        yield Bucket(endpoint)
    finally:
        process.kill()
        await process.communicate()
