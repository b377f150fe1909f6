"""The judge's tools in a real bubblewrap sandbox: it can look, and it finds nothing else."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from jobs.conversation import ConversationEnd, ConversationSpec, ToolOutcome, TranscriptSink
from jobs.judging.blind import candidate_1_is, get_other_arm
from jobs.judging.candidates import prepare_candidates
from jobs.judging.judge import AgentJudge, ReadingSpec
from jobs.judging.score import Scored, score_run
from jobs.readings import JudgePass
from jobs.sessions.bubblewrap import BubblewrapMaker
from jobs.sessions.tools import SessionTools
from jobs.sessions.workspace import remove_tree
from jobs.values import Arm
from tests.builders import (
    a_judge_model,
    a_skill,
    an_eval_case,
    an_input_file,
    some_assertions,
    some_limits,
)
from tests.jobs.judging.scripted_agent import Silent, an_answer, an_end, an_entry
from tests.jobs.judging.test_candidates import write

THREE = some_assertions(3)


@dataclass
class LookingAgent:
    """Decides by what its tools show, as a judge would: a candidate with the total passes."""

    seen: dict[str, ToolOutcome] = field(default_factory=dict)

    async def converse(self, spec: ConversationSpec, transcript: TranscriptSink) -> ConversationEnd:
        assert spec.toolbox is not None
        call = spec.toolbox.call
        self.seen["files"] = await call("Bash", {"command": "find . -type f | sort"})
        self.seen["input"] = await call("Read", {"file_path": "input/input_001.txt"})
        self.seen["write"] = await call("Write", {"file_path": "candidate_1/x", "content": "x"})
        entries = []
        for name in ("candidate_1", "candidate_2"):
            shown = await call("Bash", {"command": f"cat {name}/report.md"})
            verdict = "pass" if "Total: 42" in shown.text else "fail"
            entries += [
                an_entry(item, name, verdict, quotation=shown.text.strip()) for item in THREE
            ]
        return an_end(an_answer(entries))


@pytest.fixture
async def bubblewrap() -> BubblewrapMaker:
    maker = BubblewrapMaker()
    if problem := await maker.problem():
        pytest.skip(problem)
    return maker


@pytest.fixture
async def scratch(tmp_path: Path) -> AsyncIterator[Path]:
    folder = tmp_path / "scratch"
    folder.mkdir()
    yield folder
    remove_tree(folder)


async def test_two_passes_in_a_real_sandbox_give_the_score(
    bubblewrap: BubblewrapMaker, scratch: Path
) -> None:
    outputs = {
        Arm.WITH_SKILL: write(scratch / "a", {"report.md": "By the word-count skill. Total: 42"}),
        Arm.WITHOUT_SKILL: write(scratch / "b", {"report.md": "Total: 41"}),
    }
    inputs = write(scratch / "inputs", {"input/input_001.txt": "a poem"})
    skill, case = a_skill(), an_eval_case(inputs=(an_input_file(),))
    first = candidate_1_is(case.id, skill.sha)
    agent = LookingAgent()
    judge = AgentJudge(agent, bubblewrap, SessionTools)
    passes = []
    for number, shown_first in ((1, first), (2, get_other_arm(first))):
        made = prepare_candidates(outputs, case, [skill], scratch / f"pass-{number}", shown_first)
        spec = ReadingSpec(
            number=number,
            candidates=made.folder,
            case=case,
            inputs=inputs,
            judge=a_judge_model(),
            limits=some_limits(),
        )
        passes.append(await judge.read(spec, Silent()))
        listed = agent.seen["files"].text
        for path in ("candidate_1/report.md", "candidate_2/report.md", "input/input_001.txt"):
            assert f"./{path}" in listed
        assert listed.count("./") == 3
        assert "a poem" in agent.seen["input"].text
        assert agent.seen["write"].failed
    assert all(isinstance(reading, JudgePass) for reading in passes)
    assert all(verdict.quote_found for reading in passes for verdict in reading.verdicts)
    scored = score_run(case, first, passes)
    assert isinstance(scored, Scored)
    assert (scored.with_skill.score, scored.without_skill.score) == (1, 0)
    assert scored.remarks == ()
