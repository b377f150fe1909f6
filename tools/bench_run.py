"""What a run costs beside its model: one comparison whose model answers at once.

Two arms of 20 turns with a Bash call each, then both passes of the judge, through the real
loop, sandbox, collection, blinding and scoring; GitHub is not in it. Beside it, as the
peer, the same requests and commands by the vendor's SDK and plain processes, one arm after
the other. The scripted API runs in the same process, so its time is in both figures.

To reach: a run in at most 3 s.
"""

import asyncio
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from anthropic import AsyncAnthropic

from bot.cli.local_run import NoDailyLimit, NoLedger
from bot.worlds import make_worlds
from config.settings import Settings
from demo.model_api import JUDGE_MODEL, MODEL, Call, Reply, ScriptedModelApi
from demo.model_api.asked import Asked
from jobs.comparison import Finished, Sources, run_comparison
from jobs.content.skills import find_skills
from jobs.content.snapshot import copy_folder
from jobs.planning.dedup import Known
from jobs.planning.plan import PlanInput, make_plan
from jobs.ports import Issue, Permission
from jobs.requests import Repo, Request
from jobs.values import RunSpec
from jobs.world import RunWorld

SAMPLE = Path(__file__).parents[1] / "demo" / "sample"
TURNS = 20
GOAL_S = 3.0
COMMAND = "wc -w input/* && date >> output/log.txt"


def play(asked: Asked) -> Reply:
    """A session that calls Bash as often as the comparison wants, then ends."""
    if asked.turn < TURNS:
        return Reply(text="Next step.", calls=(Call("Bash", {"command": COMMAND}),))
    return Reply(text="Done: see output/log.txt.")


async def main() -> int:
    """Measure, print, and give 0 if the goal was reached."""
    api = ScriptedModelApi()
    api.script(play, when=lambda asked: asked.model == MODEL, forever=True)
    with tempfile.TemporaryDirectory() as folder:
        make_bare_work(Path(folder))
        async with api.serve() as server:
            settings = Settings(
                _env_file=None,
                anthropic_api_key="none",
                anthropic_base_url=server.anthropic_url,
                model=MODEL,
                judge_model=JUDGE_MODEL,
                data_dir=Path(folder) / "data",
            )
            bare_s = await run_bare(server.anthropic_url, folder)
            prepared = await prepare(settings, Path(folder))
            states: list[tuple[str, float]] = []
            began = time.perf_counter()

            async def moved(state: str, _: str = "", /) -> None:
                states.append((state, time.perf_counter() - began))

            finished = await run_comparison(*prepared, moved)
            run_s = time.perf_counter() - began
    return tell(finished, dict(states), run_s=run_s, bare_s=bare_s)


async def prepare(settings: Settings, folder: Path) -> tuple[RunSpec, Sources, RunWorld]:
    """The demo's sample repository, and the run that its second eval case means."""
    worlds = await make_worlds(settings, budget=NoDailyLimit(), scratch=folder / "runs")
    world = worlds.runs
    snapshot = copy_folder(SAMPLE, folder / "sample")
    plan = await make_plan(
        PlanInput(
            check=world.launchers.check,
            request=a_request(),
            issue=an_issue(),
            snapshot=snapshot,
            shelf=find_skills(snapshot),
            known=Known(comments=(), permission=nobody, ledger=NoLedger()),
        ),
        world.catalog,
        settings,
    )
    return plan.runs[0], Sources.of(plan.runs[0], snapshot), world


async def run_bare(address: str, folder: str) -> float:
    """The peer: the same requests and commands, with nothing around them."""
    began = time.perf_counter()
    async with AsyncAnthropic(api_key="none", base_url=address) as client:
        for arm in ("first", "second"):
            messages: list[dict[str, object]] = [{"role": "user", "content": arm}]
            while True:
                answer = await client.messages.create(
                    model=MODEL,
                    max_tokens=1000,
                    messages=messages,  # type: ignore[arg-type]
                )
                if answer.stop_reason != "tool_use":
                    break
                output = await run_plain(folder)
                call = answer.content[-1].id  # type: ignore[union-attr]
                result = {"type": "tool_result", "tool_use_id": call, "content": output}
                messages.append({"role": "assistant", "content": answer.content})
                messages.append({"role": "user", "content": [result]})
    return time.perf_counter() - began


def make_bare_work(folder: Path) -> None:
    (folder / "output").mkdir()
    (folder / "input").mkdir()
    (folder / "input" / "a.txt").write_text("one two three")


async def run_plain(folder: str) -> str:
    process = await asyncio.create_subprocess_exec(
        "bash", "-c", COMMAND, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    output, _ = await process.communicate()
    return output.decode()


def tell(finished: Finished, states: dict[str, float], *, run_s: float, bare_s: float) -> int:
    """Print the figures; gives 0 if the run is whole and the goal was reached."""
    calls = sum(session.tool_calls for session in finished.result.sessions)
    judging_s = run_s - states.get("judging", run_s)
    print(f"run            {run_s:5.2f} s, {judging_s:.2f} s of it judging; {calls} Bash calls")
    print(f"bare requests  {bare_s:5.2f} s, one arm after the other, no judging")
    print(f"ratio          {run_s / bare_s:5.2f}")
    whole = finished.result.graded and calls == 2 * TURNS
    if not whole:
        print(f"the run is not whole: {finished.result.ungraded_reason}")
    return 0 if whole and run_s <= GOAL_S else 1


def a_request() -> Request:
    return Request(
        key="bench",
        repo=Repo(owner="local", name="sample", installation_id=0),
        issue=2,
        asker="bench",
        origin="comment",
        force=True,
        eval_id="github-issue-2",
        asked_at=datetime.now(UTC),
    )


def an_issue() -> Issue:
    return Issue(
        number=2, title="", body="", author="", labels=(), is_pull_request=False,
        is_open=True, is_locked=False, url="",
    )  # fmt: skip


async def nobody(_: str) -> Permission:
    return "none"


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
