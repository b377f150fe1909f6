"""One pass of the judge: what it is given, how it is asked again, when it gives up."""

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

from jobs.conversation import ConversationEnd, ConversationSpec
from jobs.errors import Transient
from jobs.judging.judge_tools import JudgeTools
from jobs.judging.prompt import PROMPT_VERSION
from jobs.values import Assertion
from tests.builders import (
    an_eval_case,
    an_input_file,
    some_limits,
)
from tests.jobs.judging.readings import LONG, PROSE, THREE, WHOLE, read_nothing, read_whole
from tests.jobs.judging.scripted_agent import (
    FiveTools,
    FolderOnly,
    ScriptedAgent,
    an_answer,
    an_end,
    an_entry,
    entries_for,
    wanted_in,
)
from tests.jobs.judging.test_candidates import write


async def test_one_good_answer_makes_a_pass(tmp_path: Path) -> None:
    reading = await read_whole(tmp_path, WHOLE)
    assert [(v.assertion, v.candidate) for v in reading.verdicts] == [
        (item.id, name) for item in THREE for name in ("candidate_1", "candidate_2")
    ]
    assert all(v.verdict == "pass" and v.quote_found for v in reading.verdicts)
    assert reading.verdicts[0].evidence == "Total: 42 words"
    assert reading.verdicts[0].reason == "It says so."
    assert (reading.asks, reading.served_model) == (1, "claude-opus-4-7")
    assert reading.observations == ("Both name the total.",)
    assert reading.prompt_version == PROMPT_VERSION
    assert reading.raw_answers == (WHOLE,)


async def test_the_judge_gets_reading_tools_and_a_folder_with_nothing_else(tmp_path: Path) -> None:
    staged = write(
        tmp_path / "staged",
        {"input/input_001.txt": "a poem", "input/other.txt": "x", "skill/SKILL.md": "y"},
    )
    agent, sandboxes = ScriptedAgent([WHOLE]), FolderOnly()
    case = an_eval_case(inputs=(an_input_file(),))
    await read_whole(tmp_path, agent=agent, case=case, inputs=staged, sandboxes=sandboxes)
    assert sandboxes.seen == [
        "candidate_1/report.md", "candidate_2/report.md", "input/input_001.txt",
    ]  # fmt: skip
    toolbox = agent.asked[0].toolbox
    assert toolbox is not None
    assert [tool.name for tool in toolbox.tools] == ["Bash", "Read", "Glob"]


async def test_tools_that_write_are_not_passed_on() -> None:
    inner = FiveTools()
    tools = JudgeTools(inner)
    assert (await tools.call("Write", {})).failed
    assert (await tools.call("Bash", {})).text == "Bash done"
    assert inner.calls == ["Bash"]


async def test_unreadable_answers_are_asked_again_twice_and_then_ungraded(tmp_path: Path) -> None:
    agent = ScriptedAgent([PROSE])
    reading = await read_nothing(tmp_path, agent=agent)
    assert reading.reason == "the judge gave no readable answer in 3 tries"
    assert reading.raw_answers == (PROSE, PROSE, PROSE)
    assert reading.usage.requests == 3
    assert reading.usage.cost_usd == Decimal("0.03")


async def test_an_answer_that_becomes_readable_counts(tmp_path: Path) -> None:
    reading = await read_whole(tmp_path, PROSE, "", WHOLE)
    assert reading.asks == 3
    assert "an answer of the judge could not be read" in reading.remarks


async def test_only_what_is_missing_is_asked_again(tmp_path: Path) -> None:
    entries = entries_for(THREE)
    odd = [
        *reversed(entries[2:]),
        entries[2] | {"verdict": "fail"},
        an_entry(Assertion(id="A9", text="It is short"), "candidate_1"),
        entries[0] | {"verdict": "unclear"},
    ]
    agent = ScriptedAgent([an_answer(odd), an_answer(entries[:3])])
    reading = await read_whole(tmp_path, agent=agent)
    again = agent.asked[1]
    assert wanted_in(again) == [("A1", "candidate_1"), ("A1", "candidate_2"), ("A2", "candidate_1")]
    assert [answer for _, answer in again.earlier] == [an_answer(odd)]
    assert "A9 is no assertion of this task" in again.prompt
    assert any("A9 is no assertion of this task" in line for line in reading.remarks)
    assert [v.verdict for v in reading.verdicts] == ["pass"] * 6


async def test_a_later_answer_does_not_change_a_verdict_that_was_read(tmp_path: Path) -> None:
    entries = entries_for(THREE)
    second = [entry | {"verdict": "fail"} for entry in entries]
    reading = await read_whole(tmp_path, an_answer(entries[1:]), an_answer(second))
    assert [v.verdict for v in reading.verdicts] == ["fail"] + ["pass"] * 5


async def test_a_verdict_that_stays_missing_leaves_the_pass_ungraded(tmp_path: Path) -> None:
    reading = await read_nothing(tmp_path, an_answer(entries_for(THREE)[1:]))
    assert reading.reason == "the judge left 1 of 6 verdicts unread in 3 answers: A1"


async def test_shifted_ids_never_become_verdicts(tmp_path: Path) -> None:
    shifted = [
        an_entry(item, name) | {"assertion": f"A{number}"}
        for number, item in enumerate(THREE, start=2)
        for name in ("candidate_1", "candidate_2")
    ]
    agent = ScriptedAgent([an_answer(shifted)])
    await read_nothing(tmp_path, agent=agent)
    assert len(agent.asked) == 3
    assert "echo is not how this assertion begins" in agent.asked[1].prompt


def cutting_judge(limit: int) -> Callable[[ConversationSpec], ConversationEnd]:
    """Answers everything it is asked, at length, and is cut after so many characters."""
    by_id = {item.id: item for item in LONG}

    def answer(spec: ConversationSpec) -> ConversationEnd:
        entries = [
            an_entry(by_id[assertion], candidate, reason="x" * 400)
            for assertion, candidate in wanted_in(spec)
        ]
        text = an_answer(entries)
        return an_end(text[:limit], end="max_tokens" if len(text) > limit else "completed")

    return answer


@pytest.mark.parametrize("limit", [16_000, 6_000])
async def test_a_long_rubric_cut_at_the_token_limit_is_continued_in_parts(
    tmp_path: Path, limit: int
) -> None:
    agent = ScriptedAgent([cutting_judge(limit)])
    reading = await read_whole(tmp_path, agent=agent, case=an_eval_case(assertions=LONG))
    assert len(reading.verdicts) == 68
    assert len(wanted_in(agent.asked[-1])) < 68
    assert agent.asked[1].max_answer_tokens > agent.asked[0].max_answer_tokens


async def test_a_judge_whose_thinking_uses_up_every_answer_is_ungraded_by_name(
    tmp_path: Path,
) -> None:
    agent = ScriptedAgent([an_end("", end="max_tokens")])
    reading = await read_nothing(tmp_path, agent=agent, case=an_eval_case(assertions=LONG))
    assert reading.reason == (
        "3 of 3 answers of the judge were cut at their token limit "
        "and 68 of 68 verdicts are missing"
    )
    assert "===== BEGIN task" in agent.asked[2].prompt
    assert len(wanted_in(agent.asked[2])) < len(wanted_in(agent.asked[0]))


async def test_a_very_long_rubric_is_asked_for_in_parts_from_the_start(tmp_path: Path) -> None:
    many = tuple(
        Assertion(id=f"A{number}", text=f"Figure {number} is in the report")
        for number in range(1, 121)
    )
    by_id = {item.id: item for item in many}
    agent = ScriptedAgent(
        [lambda spec: an_answer([an_entry(by_id[item], name) for item, name in wanted_in(spec)])]
    )
    reading = await read_whole(tmp_path, agent=agent, case=an_eval_case(assertions=many))
    assert len(reading.verdicts) == 240
    assert [len(wanted_in(spec)) for spec in agent.asked] == [80, 80, 80]


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        ("refused", "the judge declined to answer"),
        ("rate_limited", "the judge's provider kept refusing requests for their rate"),
        ("stalled", "the judge's model stopped sending"),
        ("error", "the judge's model could not be reached (HTTP 500)"),
        ("timeout", "the judge reached its time limit"),
        ("max_cost", "the judge reached its cost or token limit"),
        ("max_turns", "the judge used up its turns"),
    ],
)
async def test_an_end_without_an_answer_is_ungraded_at_once(
    tmp_path: Path, end: str, reason: str
) -> None:
    agent = ScriptedAgent([an_end("", end=end, detail="HTTP 500" if end == "error" else "")])
    assert (await read_nothing(tmp_path, agent=agent)).reason == reason
    assert len(agent.asked) == 1


async def test_a_whole_answer_counts_even_if_a_limit_ended_the_conversation(tmp_path: Path) -> None:
    await read_whole(tmp_path, an_end(WHOLE, end="max_turns"))


async def test_limits_hold_for_the_whole_pass(tmp_path: Path) -> None:
    agent = ScriptedAgent([an_end(PROSE, turns=7)])
    reading = await read_nothing(tmp_path, agent=agent, limits=some_limits(turns=10))
    assert [spec.limits.turns for spec in agent.asked] == [10, 3]
    assert [spec.limits.cost_usd for spec in agent.asked] == [Decimal(1), Decimal("0.99")]
    assert reading.reason == "the judge used up its turns"


async def test_a_sandbox_that_cannot_start_leaves_the_pass_ungraded(tmp_path: Path) -> None:
    class Broken(FolderOnly):
        def open(self, work, *, memory_mb):
            raise Transient("bwrap: no permissions")

    reading = await read_nothing(tmp_path, WHOLE, sandboxes=Broken())
    assert reading.reason == "the judge's sandbox could not start"


async def test_an_empty_candidate_fails_everything_whatever_the_judge_says(tmp_path: Path) -> None:
    agent = ScriptedAgent([WHOLE])
    files = {"candidate_1/report.md": "Total: 42 words", "candidate_2/response.md": " \n"}
    reading = await read_whole(tmp_path, agent=agent, files=files)
    words = {v.candidate: set() for v in reading.verdicts}
    for verdict in reading.verdicts:
        words[verdict.candidate].add(verdict.verdict)
    assert words == {"candidate_1": {"pass"}, "candidate_2": {"fail"}}
    assert {candidate for _, candidate in wanted_in(agent.asked[0])} == {"candidate_1"}


async def test_two_empty_candidates_need_no_judge(tmp_path: Path) -> None:
    agent = ScriptedAgent([WHOLE])
    reading = await read_whole(tmp_path, agent=agent, files={})
    assert {v.verdict for v in reading.verdicts} == {"fail"}
    assert (agent.asked, reading.asks, reading.usage.cost_usd) == ([], 0, 0)


async def test_a_quotation_that_is_not_there_is_kept_and_flagged(tmp_path: Path) -> None:
    entries = entries_for(THREE)
    entries[0] |= {"quotation": "Total: 43 words"}
    entries[1] |= {"quotation": "", "reason": "There is no list.", "verdict": "fail"}
    reading = await read_whole(tmp_path, an_answer(entries))
    first, second, *rest = reading.verdicts
    assert (first.verdict, first.quote_found) == ("pass", False)
    assert (second.evidence, second.quote_found) == ("There is no list.", False)
    assert all(v.quote_found for v in rest)
