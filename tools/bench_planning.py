"""What planning a label costs on a large repository: seconds, and calls to GitHub.

50 skills, and 10, 100 and 1,000 eval cases whose files are not named after them; the issue
has 137 comments, and reports of the earlier runner by three strangers. Real handler, client,
tarball, readers and plan, against the local GitHub in the same process, so its own time is
in the figures. The peer, in the same run, is a bare look at the same archive: unpacked by
tarfile, every eval file parsed by json. Most of both is what the file system takes to make
some 1,600 files.

To reach: at most 6 calls, and one per 100 comments and per author of a legacy report,
whatever the number of cases.
"""

import asyncio
import io
import json
import logging
import math
import statistics
import sys
import tarfile
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import structlog

from demo.github.commits import make_tarball
from tools.bench.planning import Planned, Size, plan_label, served

SKILLS = 50
CASES = (10, 100, 1_000)
COMMENTS = 137
LEGACY_AUTHORS = 3
REPEATS = 5
GOAL_CALLS = 6


async def main() -> int:
    """Measure, print, and give 0 if the goal was reached."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    reached = True
    allowed = GOAL_CALLS + math.ceil((COMMENTS + LEGACY_AUTHORS) / 100) + LEGACY_AUTHORS
    calls: Counter[str] = Counter()
    for cases in CASES:
        size = Size(SKILLS, cases, COMMENTS, LEGACY_AUTHORS)
        planned, peer_s = await measure(size)
        calls = planned[0].calls
        reached &= all(one.calls.total() <= allowed for one in planned)
        seconds = [one.seconds for one in planned]
        middle = statistics.median(seconds)
        print(
            f"{SKILLS} skills, {cases:5} cases: median {middle:5.2f} s  worst {max(seconds):5.2f} s"
            f"  {calls.total()} calls (at most {allowed})  ratio to a bare reading "
            f"{middle / peer_s:.1f}"
        )
    for kind, count in sorted(calls.items()):
        print(f"  {count} x {kind}")
    return 0 if reached else 1


async def measure(size: Size) -> tuple[list[Planned], float]:
    """Plans of the same label, and the peer's seconds."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        async with served(folder, size) as (github, settings, repository):
            planned = []
            for number in range(REPEATS + 1):
                scratch = folder / f"scratch-{number}"
                planned.append(await plan_label(github, settings, repository, scratch))
            assert all(len(one.plan.runs) == 1 for one in planned), planned[0].plan
            commit = repository.repository.head
            assert commit is not None, "the repository has a commit"
            archive = make_tarball("acme", "skills", commit)
        barely = [read_barely(archive, folder / f"peer-{number}") for number in range(REPEATS)]
    return planned[1:], statistics.median(barely)  # the first plan warms imports and sockets


def read_barely(archive: bytes, target: Path) -> float:
    """Seconds to unpack an archive to disk and to parse every eval file of it."""
    began = time.perf_counter()
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:gz") as tar:
        tar.extractall(target, filter="data")
    for path in target.glob("*/_automation/evals/*.json"):
        json.loads(path.read_bytes())
    return time.perf_counter() - began


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
