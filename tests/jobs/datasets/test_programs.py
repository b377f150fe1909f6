"""Programs of cases, in real sandboxes."""

from pathlib import Path

import pytest

from jobs.datasets.grades import Grade, Grading, Ungraded
from jobs.datasets.programs import SandboxPrograms
from jobs.evaluators.program import ProgramEvaluator
from jobs.sessions.bubblewrap import BubblewrapMaker
from tests.jobs.datasets.given import SmallJudge, a_case, said


async def grade(tmp_path: Path, code: str, answer: str = "Paris", **fields: float) -> Grade:
    case = a_case({"evaluator": "python", "code": code, **fields})
    programs = SandboxPrograms(BubblewrapMaker(), tmp_path / "scratch", memory_mb=128)
    judge = SmallJudge(fails="nobody to ask")
    given = Grading(case, said(("a question", answer)), judge, programs)
    try:
        return await ProgramEvaluator().grade(given)
    finally:
        assert not list((tmp_path / "scratch").iterdir()), "nothing is left behind"


READ = "import json, sys\nanswer = json.load(sys.stdin)['answer']\n"


async def test_a_program_passes_fails_and_scores(tmp_path: Path) -> None:
    assert (await grade(tmp_path, f"{READ}assert answer == 'Paris'")).outcome == "pass"
    assert (await grade(tmp_path, f"{READ}assert answer == 'Rome'")).outcome == "fail"
    assert (await grade(tmp_path, f"{READ}sys.exit(answer != 'Rome')")).outcome == "fail"
    scored = await grade(tmp_path, READ + 'print(json.dumps({"score": 0.25}))')
    assert (scored.outcome, scored.score) == ("scored", 0.25)


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("answer = undefined", "NameError"),
        ("import sys; sys.exit(9)", "broke"),
        ("while True: pass", "not done in time"),
        ("x = bytearray(10**10)", "MemoryError|memory"),
        ("import socket; socket.create_connection(('1.1.1.1', 53), 1)", "broke"),
    ],
)
async def test_a_program_that_breaks_grades_nothing(tmp_path: Path, code: str, told: str) -> None:
    with pytest.raises(Ungraded, match=told):
        await grade(tmp_path, code, timeout_seconds=5)
