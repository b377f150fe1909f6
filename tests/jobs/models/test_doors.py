"""The SDKs of the vendors are loaded before work begins, and by nobody else."""

import subprocess
import sys

import pytest

LOADED = """
import asyncio, sys
from config.settings import Settings
from jobs.models.door import Trouble
from jobs.models.doors import Doors

settings = Settings(
    _env_file=None, anthropic_api_key="k", anthropic_base_url="http://127.0.0.1:9",
    openai_api_key="k", openai_base_url="http://127.0.0.1:9/v1", gemini_api_key="",
)
doors = Doors(settings)
assert not {{"anthropic", "openai"}} & set(sys.modules)
doors.load()
loaded = set(sys.modules)

async def ask(provider):
    try:
        await doors.get(provider).find("some-model")
    except Trouble:
        return
    raise AssertionError("nothing listens there")

asyncio.run(ask("{provider}"))
late = [name for name in set(sys.modules) - loaded if name.startswith("{provider}")]
assert not late, late
"""


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
def test_once_loaded_nothing_is_imported_at_the_first_request(provider: str) -> None:
    program = LOADED.format(provider=provider)
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
