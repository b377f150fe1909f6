"""A real Chromium, driven over its debugging pipe: what a page asks for, shows and complains of."""

import asyncio
import base64
import json
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
QUIET = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync "
    "--disable-background-networking --disable-component-update --hide-scrollbars "
    "--remote-debugging-pipe"
)
LONGEST_MESSAGE = 64 * 1024 * 1024
"""A screenshot is one message."""


class Tab:
    """One page, with everything it has asked for and complained of."""

    def __init__(self, reader: asyncio.StreamReader, writer: int) -> None:
        self.requests: list[str] = []
        """Addresses, the page's own included."""
        self.complaints: list[str] = []
        """Of the browser: violations of a policy, failures to load."""
        self.loads = 0
        self._reader, self._writer = reader, writer
        self._session = ""
        self._last = 0
        self._loaded = asyncio.Event()

    async def open(self) -> None:
        target = await self.call("Target.createTarget", url="about:blank")
        attached = await self.call(
            "Target.attachToTarget", targetId=target["targetId"], flatten=True
        )
        self._session = attached["sessionId"]
        for domain in ("Page", "Network", "Log", "Runtime"):
            await self.call(f"{domain}.enable")

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        """One command and its result; notes what happens meanwhile."""
        self._last += 1
        message = {"id": self._last, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._writer, json.dumps(message).encode() + b"\0")
        while (answer := await self._hear()).get("id") != self._last:
            pass
        assert "result" in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    async def visit(self, url: str) -> None:
        """Go to a page and wait until it is loaded."""
        loads = self.loads
        await self.call("Page.navigate", url=url)
        await self.wait_for_loads(loads + 1)

    async def wait_for_loads(self, count: int) -> None:
        while self.loads < count:
            await self._hear()

    async def evaluate(self, expression: str) -> Any:
        """The value of a script, which is ours and no page's: no policy concerns it."""
        result = await self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        return result["result"].get("value")

    async def look_like(self, *, width: int, height: int, scheme: str) -> None:
        """Be a screen of this size, of somebody who prefers this colour scheme."""
        await self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=width < 600,
        )  # fmt: skip
        wish = {"name": "prefers-color-scheme", "value": scheme}
        await self.call("Emulation.setEmulatedMedia", features=[wish])

    async def photograph(self) -> bytes:
        """The window as PNG."""
        shot = await self.call("Page.captureScreenshot", format="png")
        return base64.b64decode(shot["data"])

    async def _hear(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads((await self._reader.readuntil(b"\0"))[:-1])
        params = message.get("params", {})
        match message.get("method"):
            case "Network.requestWillBeSent":
                self.requests.append(params["request"]["url"])
            case "Log.entryAdded":
                self.complaints.append(params["entry"]["text"])
            case "Page.loadEventFired":
                self.loads += 1
        return message


@asynccontextmanager
async def open_tab(profile: Path) -> AsyncIterator[Tab]:
    """A browser with one tab, for as long as the block runs, and 60 seconds at most."""
    from_us, to_browser = os.pipe()
    from_browser, to_us = os.pipe()
    process = await asyncio.create_subprocess_exec(
        "sh", "-c", f'exec "$@" 3</dev/fd/{from_us} 4>/dev/fd/{to_us}', "sh",
        CHROMIUM or "chromium", *QUIET.split(), f"--user-data-dir={profile}",
        stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
        pass_fds=(from_us, to_us),
    )  # fmt: skip
    os.close(from_us)
    os.close(to_us)
    reader = asyncio.StreamReader(limit=LONGEST_MESSAGE)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(from_browser, "rb")
    )
    try:
        async with asyncio.timeout(60):
            tab = Tab(reader, to_browser)
            await tab.open()
            yield tab
            await tab.call("Browser.close")
    finally:
        os.close(to_browser)
        transport.close()
        if process.returncode is None:
            with_grace = asyncio.create_task(process.wait())
            await asyncio.wait({with_grace}, timeout=5)
            if not with_grace.done():
                process.kill()
            await with_grace
