"""Compares two reports in a process of its own: statistics would double what a web process takes.

One comparison goes on at a time; whoever else asks waits.
"""

import asyncio
import json
import sys
from collections.abc import Mapping
from typing import Any

from jobs.errors import Refused, Transient

LONGEST_S = 60.0
MODULE = "bot.web.compare_process"


class Comparer:
    """Starts the process."""

    def __init__(self) -> None:
        self._turn = asyncio.Semaphore(1)

    async def compare(self, first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
        """The comparison of two summaries, as `compare_process` writes it.

        Raises `Refused` where they cannot be compared, `Transient` where it takes too long.
        """
        given = json.dumps([_scores(first), _scores(second)]).encode()
        async with self._turn:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", MODULE,
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            )  # fmt: skip
            try:
                async with asyncio.timeout(LONGEST_S):
                    written, _ = await process.communicate(given)
            except TimeoutError:
                raise Transient("a comparison took too long") from None
            finally:
                if process.returncode is None:
                    process.kill()
                    await process.wait()
        if process.returncode != 0:
            raise Transient(f"a comparison ended with {process.returncode}")
        found: dict[str, Any] = json.loads(written)
        if "refused" in found:
            raise Refused(str(found["refused"]))
        return found


_KEPT = ("benchmark_name", "dataset_name", "dataset_provenance", "judges", "user_model", "state")


def _scores(summary: Mapping[str, Any]) -> dict[str, Any]:
    """What of a summary a comparison needs, in the shape of a report."""
    cases = [
        {
            "id": one["id"],
            "tags": one["tags"],
            "eval": {"result": one["result"], "score": one["score"]},
        }
        for one in summary["case_list"]
    ]
    return {name: summary.get(name) for name in _KEPT} | {"cases": cases}
