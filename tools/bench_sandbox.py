"""How long a sandbox takes to start, beside a plain process in the same minute.

Prints medians and 95th percentiles in milliseconds over 50 commands of each kind, taken in
turn. To reach: a median under 50 ms.
"""

import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from jobs.sessions.sandboxes import make_sandbox_maker
from jobs.sessions.workspace import Workspace

RUNS = 50
GOAL_MS = 50.0


async def main() -> int:
    """Measure, print, and give 0 if the goal was reached."""
    makers = [make_sandbox_maker(name) for name in ("bubblewrap", "none")]
    problem = await makers[0].problem()
    if problem:
        print(problem)
        return 1
    with tempfile.TemporaryDirectory() as parent:
        workspaces = [Workspace.make(Path(parent)) for _ in makers]
        async with (
            makers[0].open(workspaces[0].work, memory_mb=1024) as box,
            makers[1].open(workspaces[1].work, memory_mb=1024) as unconfined,
        ):
            kinds: dict[str, Callable[[], Awaitable[object]]] = {
                "plain process": plain,
                "bubblewrap": lambda: box.run(["true"], timeout_s=30),
                "none": lambda: unconfined.run(["true"], timeout_s=30),
            }
            taken: dict[str, list[float]] = {name: [] for name in kinds}
            for _ in range(RUNS):
                for name, run in kinds.items():
                    began = time.perf_counter()
                    await run()
                    taken[name].append((time.perf_counter() - began) * 1000)
    medians = {name: statistics.median(times) for name, times in taken.items()}
    for name, times in taken.items():
        ratio = medians[name] / medians["plain process"]
        p95 = statistics.quantiles(times, n=20)[-1]
        print(f"{name:14} median {medians[name]:6.1f} ms  p95 {p95:6.1f} ms  ratio {ratio:5.1f}")
    return 0 if medians["bubblewrap"] < GOAL_MS else 1


async def plain() -> None:
    """A process with nothing around it, as everyone starts one."""
    process = await asyncio.create_subprocess_exec(
        "true", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    await process.wait()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
