"""Reads a pass with a scripted judge, the way the tests of the judge need it."""

from pathlib import Path

from jobs.judging.judge import AgentJudge, ReadingSpec, Ungraded
from jobs.readings import JudgePass
from jobs.values import Assertion, EvalCase
from tests.builders import (
    a_judge_model,
    an_eval_case,
    some_assertions,
    some_limits,
)
from tests.jobs.judging.scripted_agent import (
    FiveTools,
    FolderOnly,
    Reply,
    ScriptedAgent,
    Silent,
    an_answer,
    entries_for,
)
from tests.jobs.judging.test_candidates import write

THREE = some_assertions(3)
WHOLE = an_answer(entries_for(THREE), observations=["Both name the total."])
PROSE = "I would say the first one is fine."
FILES: dict[str, str | bytes] = {
    "candidate_1/report.md": "Total: 42 words",
    "candidate_2/report.md": "Total: 42 words",
}
LONG = tuple(
    Assertion(id=f"A{number}", text=f"Number {number} of the figures is in the report")
    for number in range(1, 35)
)


async def read_pass(
    tmp_path: Path,
    *replies: Reply,
    case: EvalCase | None = None,
    files: dict[str, str | bytes] | None = None,
    agent: ScriptedAgent | None = None,
    **changes,
) -> JudgePass | Ungraded:
    work = write(tmp_path / "work", FILES if files is None else files)
    for name in ("candidate_1", "candidate_2"):
        (work / name).mkdir(exist_ok=True)
    defaults = {
        "number": 1,
        "candidates": work,
        "case": case or an_eval_case(),
        "inputs": None,
        "judge": a_judge_model(),
        "limits": some_limits(output_tokens=1_000_000),
    }
    judge = AgentJudge(
        agent or ScriptedAgent(replies),
        changes.pop("sandboxes", FolderOnly()),
        lambda _: FiveTools(),
    )
    return await judge.read(ReadingSpec(**(defaults | changes)), Silent())


async def read_whole(tmp_path: Path, *replies: Reply, **changes) -> JudgePass:
    reading = await read_pass(tmp_path, *replies, **changes)
    assert isinstance(reading, JudgePass), reading
    return reading


async def read_nothing(tmp_path: Path, *replies: Reply, **changes) -> Ungraded:
    reading = await read_pass(tmp_path, *replies, **changes)
    assert isinstance(reading, Ungraded), reading
    return reading
