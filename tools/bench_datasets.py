"""How fast a dataset runs beside its model: cases whose model takes a second to answer.

The real loop, doors, pace, grading and store; the scripted API runs in a process of its own.
With so many cases in flight the ideal time is a second for each such round.

To reach: 2,000 cases, 200 at a time, in at most 1.1 times the ideal; 5,000 cases, report
written, in at most 400 MB.
"""

import asyncio
import gc
import json
import resource
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import httpx

from bot.blobs import Blobs
from config.settings import Settings
from demo.model_api import MODEL, Asked, Reply, ScriptedModelApi
from jobs.datasets.case_run import CaseWorld
from jobs.datasets.cases import DatasetCase
from jobs.datasets.dialogue import Dialogue
from jobs.datasets.finishing import Finisher
from jobs.datasets.grades import ProgramOutcome, Ungraded
from jobs.datasets.keeping import DatasetKeeping
from jobs.datasets.loading import load_dataset
from jobs.datasets.plan import Wanted, make_run_plan
from jobs.datasets.ready import DatasetWorld, make_ready
from jobs.datasets.results import CaseResult
from jobs.datasets.running import run_dataset
from jobs.models.agent import ModelAgent
from jobs.models.catalog import ApiModelCatalog
from jobs.models.doors import Doors
from jobs.targets.target import TargetWorld
from jobs.values import Limits

LATENCY_S = 1.0
AT_ONCE = 200
SPEED_CASES, MEMORY_CASES = 2_000, 5_000
MOST_RATIO = 1.1
MOST_MB = 400
QUESTION = "What is the capital of France, and how many people live there? " * 20
"""About as long as the questions of real datasets."""
ANSWER = "It is Paris, where about two million people live. " * 20


async def main() -> int:
    """Measure, print, and give 0 if the goals were reached."""
    if sys.argv[1:2] == ["serve"]:
        await serve()
        return 0
    if sys.argv[1:2] == ["run"]:
        return await run(sys.argv[2], int(sys.argv[3]), latency_s=float(sys.argv[4]))
    run_1 = measure(SPEED_CASES, LATENCY_S)
    ideal = SPEED_CASES / AT_ONCE * LATENCY_S
    run_2 = measure(MEMORY_CASES, 0.0)
    ratio = run_1["seconds"] / ideal
    print(
        f"{SPEED_CASES} cases, {AT_ONCE} at a time: {run_1['seconds']:.2f} s, {ratio:.2f} x ideal"
    )
    print(f"  of which {run_1['cpu_s'] / SPEED_CASES * 1000:.1f} ms of our own work a case")
    print(f"{MEMORY_CASES} cases without latency: {run_2['seconds']:.1f} s, {run_2['mb']:.0f} MB")
    return int(ratio > MOST_RATIO or run_2["mb"] > MOST_MB)


def measure(cases: int, latency_s: float) -> dict[str, float]:
    """Seconds, seconds of work, and the most memory in MB, of a run in a process of its own."""
    with subprocess.Popen(
        [sys.executable, __file__, "serve"],
        stdout=subprocess.PIPE,
        stdin=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            assert server.stdout is not None
            url = server.stdout.readline().strip()
            done = subprocess.run(
                [sys.executable, __file__, "run", url, str(cases), str(latency_s)],
                check=True,
                capture_output=True,
                text=True,
            )
        finally:
            server.terminate()
    told: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return told


async def serve() -> None:
    """The model, until somebody ends it."""
    gc.disable()  # its latency is a fixed one, without pauses of its own
    api = ScriptedModelApi(behaviour=answer)
    async with api.serve() as server:
        print(server.anthropic_url, flush=True)
        await asyncio.Event().wait()


def answer(asked: Asked) -> Reply:
    """What is always said, after as long as the system prompt tells."""
    return Reply(text=ANSWER, latency_s=float(asked.system.partition(" ")[2] or 0))


class Nobody:
    """Looks on and keeps nothing; has no programs to run."""

    async def began(self, case: DatasetCase) -> None: ...
    async def turned(self, case_id: str, dialogue: Dialogue) -> None: ...
    async def ended(self, result: CaseResult) -> None: ...

    async def run(self, code: str, *, given: str, timeout_s: float) -> ProgramOutcome:
        raise Ungraded(f"no program runs here: {len(code)}, {len(given)}, {timeout_s}")


async def run(url: str, cases: int, *, latency_s: float) -> int:
    """Run so many cases and print seconds and memory as JSON."""
    settings = Settings(_env_file=None, anthropic_api_key="none", anthropic_base_url=url)
    doors = Doors(settings)
    doors.load()
    agent, catalog = ModelAgent(doors), ApiModelCatalog(doors)
    with tempfile.TemporaryDirectory() as folder:
        root = write_suite(Path(folder) / "data", cases, latency_s)
        dataset = load_dataset(root, "bench", "sample")
        limits = Limits(
            wall_s=300, idle_s=60, turns=1, output_tokens=9_999, total_tokens=99_999, cost_usd=1
        )
        async with httpx.AsyncClient() as http:
            target = TargetWorld(
                agent=agent, catalog=catalog, http=http, sandboxes=None, environment={},
                limits=limits, suite=None, scratch=Path(folder),
            )  # fmt: skip
            world = DatasetWorld(
                cases=CaseWorld(target=target, agent=agent, programs=Nobody(), clock=utc_now),
                keeping=DatasetKeeping(Blobs((Path(folder) / "blobs").as_uri())),
                catalog=catalog,
                default_judge=MODEL,
                default_user_model=MODEL,
            )
            wanted = Wanted(benchmark="bench", dataset="sample", parallel=AT_ONCE)
            plan = make_run_plan(wanted, dataset, utc_now())
            ready = await make_ready(plan, dataset, world)
            began, worked = time.perf_counter(), time.process_time()
            await run_dataset(ready, world, Nobody())
            seconds, cpu_s = time.perf_counter() - began, time.process_time() - worked
            finisher = Finisher(ready, world.keeping, utc_now)
            summary = await finisher.finish(Path(folder) / "report.json", "complete")
    assert summary["pass_count"] == cases, summary["ungraded_because"]
    mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "cpu_s": cpu_s, "mb": mb}))
    return 0


def utc_now() -> datetime:
    return datetime.now(UTC)


def write_suite(root: Path, cases: int, latency_s: float) -> Path:
    """A suite whose system prompt tells the model how long to take."""
    (root / "bench").mkdir(parents=True)
    fields = {"model": {"default": MODEL}, "system_prompt": {"default": f"latency {latency_s}"}}
    settings = {"target": {"type": "llm_api", "fields": fields}}
    (root / "bench" / "metadata.json").write_text(json.dumps(settings))
    with (root / "bench" / "sample.jsonl").open("w") as file:
        for number in range(cases):
            user = {"type": "manual", "strict_inputs": [f"{number}: {QUESTION}"]}
            grading = {"evaluator": "exact", "expected": [ANSWER.strip()]}
            case = {"id": f"c{number}", "title": "t", "user": user, "eval": grading}
            file.write(json.dumps(case) + "\n")
    return root


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
