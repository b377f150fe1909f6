"""Reports: their fields, their files, and what can be read back from them."""

import json
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.datasets.cases import Attachment
from jobs.datasets.dialogue import Chunk, Dialogue, Reply, Said, ToolUse, Turn
from jobs.datasets.grades import Grade
from jobs.datasets.report import EVAL_ONLY, file_name, render_line, slim
from jobs.datasets.report_cases import read_turns, render_case
from jobs.datasets.report_files import read_report, report_path, write_report
from jobs.datasets.results import CaseResult
from jobs.errors import Refused
from jobs.values import Usage
from tests.jobs.datasets.given import NOON
from tests.jobs.datasets.given_results import a_head, a_result, make_report, one_by_one

TEXT = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-1000, 1000) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)
CHUNKS = st.builds(
    Chunk,
    type=st.sampled_from(["annotation", "latency", "thinking"]),
    content=JSON,
    timestamp=st.none() | st.floats(0, 100),
)
TOOLS = st.builds(
    ToolUse, name=TEXT, arguments=st.dictionaries(TEXT, JSON, max_size=3), result=TEXT
)
USAGES = st.builds(
    Usage,
    requests=st.integers(0, 5),
    input_tokens=st.integers(0, 10_000),
    cache_read_tokens=st.integers(0, 10_000),
    cost_usd=st.none() | st.decimals(0, 10, places=6),
)
REPLIES = st.builds(
    Reply,
    text=TEXT,
    chunks=st.lists(CHUNKS, max_size=2).map(tuple),
    tool_calls=st.lists(TOOLS, max_size=2).map(tuple),
    usage=st.none() | USAGES,
    model=st.just("") | TEXT,
    first_token_s=st.none() | st.floats(0, 100),
)
FILE = Attachment(file_url="https://x/y.pdf", file_name="y.pdf", file_type="a/b", file_size=3)


@st.composite
def dialogues(draw: st.DrawFn) -> Dialogue:
    turns = []
    for number in range(draw(st.integers(0, 4))):
        reply = draw(st.none() | REPLIES)
        said = Said(
            text=draw(TEXT),
            attachments=draw(st.sampled_from([(), (FILE,)])),
            reason=draw(st.just("") | TEXT),
            is_finished=reply is None and draw(st.booleans()),
        )
        at = NOON + timedelta(seconds=number)
        turns.append(Turn(said=said, said_at=at, reply=reply, replied_at=at if reply else None))
    return Dialogue(turns=tuple(turns))


@given(dialogues())
def test_a_dialogue_comes_back_from_a_report_as_it_was(dialogue: Dialogue) -> None:
    rendered = render_case(a_result("1", score=1.0, dialogue=dialogue))
    trace = json.loads(json.dumps(rendered))["eval"]["trace"]
    assert tuple(read_turns(trace)) == dialogue.turns


def test_dialogues_of_an_older_tool_are_read() -> None:
    """Its script's end is an entry without an answer; its times have no zone."""
    action = {"type": "semantic", "semantic_content": "", "message_content": "hi"}
    trace = {
        "test_memory": [
            {
                "test_reaction": {"action": action, "is_finished": False, "usage": None},
                "test_reaction_time": "2026-05-01T12:00:00",
                "target_response": {
                    "type": "message",
                    "message_list": [
                        {"content": "one"},
                        {"content": {"first_token_ms": 3}, "type": "latency"},
                        {"content": "two", "type": "reply"},
                    ],
                    "tool_calls": [{"name": "look", "args": {"a": 1}, "result": None}],
                    "usage": {"gpt-4.1": {"input_tokens": 1}},
                },
                "target_response_time": "2026-05-01T12:00:01",
            },
            {
                "test_reaction": {"action": {"semantic_content": ""}, "is_finished": True},
                "test_reaction_time": "2026-05-01T12:00:02",
                "target_response": None,
            },
        ]
    }
    [turn] = read_turns(trace)
    assert turn.said.text == "hi"
    assert turn.reply is not None
    assert turn.reply.text == "one\ntwo"
    assert turn.reply.chunks[0].content == {"first_token_ms": 3}
    assert turn.reply.tool_calls == (ToolUse(name="look", arguments={"a": 1}),)
    assert turn.reply.usage is None
    assert turn.seconds == 1


@pytest.mark.parametrize(
    ("trace", "problem"),
    [
        ({}, "test_memory is no list"),
        ({"test_memory": [{}]}, "test_reaction is no object"),
        ({"test_memory": [{"test_reaction": {}}]}, "action is no object"),
        (
            {"test_memory": [{"test_reaction": {"action": {"semantic_content": "x"}}}]},
            "a turn has no time",
        ),
    ],
)
def test_what_is_no_dialogue_is_told(trace: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        read_turns(trace)


ENDS = [
    a_result("é1", "pass", 1.0, tags=("theme:a",)),
    a_result("2", "fail", 0.0, tags=("theme:a", "theme:b")),
    a_result("3", "ungraded", tags=("theme:b",)),
]


async def test_a_written_report_is_the_one_made_in_memory(tmp_path: Path) -> None:
    for number, ends in enumerate((ENDS, [])):
        head = a_head(selected=4)
        path = tmp_path / str(number) / "r.json"
        summary = await write_report(path, head, one_by_one(ends))
        written = json.loads(path.read_text(encoding="utf-8"))
        assert written == json.loads(json.dumps(make_report(head, ends)))
        assert [one["id"] for one in summary["case_list"]] == [one.id for one in ends]
        assert {k: v for k, v in written.items() if k != "cases"} == {
            k: v for k, v in summary.items() if k != "case_list"
        }
        assert list(path.parent.iterdir()) == [path]


async def test_the_file_is_indented_and_keeps_what_is_not_ascii(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    await write_report(path, a_head(), one_by_one(ENDS))
    text = path.read_text(encoding="utf-8")
    assert '\n      "id": "é1",\n' in text
    assert list(json.loads(text))[:8] == [
        "version", "run_id", "benchmark_name", "dataset_name", "dataset_provenance",
        "runtime_target", "max_concurrency", "cases",
    ]  # fmt: skip


async def test_figures_in_the_report_are_those_worked_out_by_hand(tmp_path: Path) -> None:
    report = await write_report(tmp_path / "r.json", a_head(selected=5), one_by_one(ENDS))
    counts = {name: report[f"{name}_count"] for name in (
        "pass", "fail", "scored", "error", "graded", "selected", "missing")}  # fmt: skip
    assert counts == {
        "pass": 1, "fail": 1, "scored": 0, "error": 1, "graded": 2, "selected": 5, "missing": 2,
    }  # fmt: skip
    assert report["avg_score"] == 0.5
    assert report["standard_error"] == pytest.approx(0.5)
    assert report["total_duration_seconds"] == 6
    assert report["wall_seconds"] == 60
    assert report["cost_usd"] == 0.03
    assert report["ungraded_because"] == {"judge": 1}
    assert report["stats_by_tag"]["theme:b"] == {
        "total": 2, "graded": 1, "pass_count": 0, "fail_count": 1, "error_count": 1,
        "pass_rate": 0.0, "avg_score": 0.0, "standard_error": None,
    }  # fmt: skip
    nothing = await write_report(tmp_path / "n.json", a_head(), one_by_one(ENDS[2:]))
    assert (nothing["avg_score"], nothing["pass_rate"]) == (None, None)


async def test_what_no_file_can_hold_is_written_all_the_same(tmp_path: Path) -> None:
    """Half a character, and numbers that JSON has no word for."""
    detail = {"half": "\ud800", "much": float("inf"), "none": [float("nan")]}
    grade = Grade(outcome="scored", score=1.0, feedback="", detail=detail)
    path = tmp_path / "r.json"
    await write_report(path, a_head(), one_by_one([a_result("1", grade=grade)]))
    read = read_report(path)["cases"][0]["eval"]["trace"]["eval_detail"]
    assert read == {"half": "?", "much": None, "none": [None]}


async def test_a_report_that_is_not_finished_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text("before")

    async def broken() -> Any:
        yield ENDS[0]
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        await write_report(path, a_head(), broken())
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_files_are_named_after_dataset_target_and_time() -> None:
    name = file_name(a_head(target_fields={"model": "a/b:[c]", "top_k": 5}))
    assert name == "sample_llm_api_a-b-c-_k5_20260501_120000_000000.json"
    assert file_name(a_head(target_type=EVAL_ONLY, target_fields={})).startswith(
        "sample_eval-only_"
    )


def test_no_name_in_a_foreign_report_leads_out_of_the_folder(tmp_path: Path) -> None:
    head = a_head(benchmark="../..", dataset="/etc/x", target_fields={"model": "../../y"})
    path = report_path(tmp_path, head)
    assert path.resolve().is_relative_to(tmp_path / "report")
    assert len(path.relative_to(tmp_path).parts) == 3


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"{", "is no report"),
        (b"\xff", "is no report"),
        (b"[]", "it is no object"),
        (b"{}", "no list of cases"),
        (b'{"cases": [{}]}', "case 1 has no id"),
        (b'{"cases": [{"id": "x"}]}', "`x` has no `eval`"),
        (b"[" * 100_000, "is no report"),
    ],
)
def test_what_is_no_report_is_refused_with_the_reason(
    content: bytes, problem: str, tmp_path: Path
) -> None:
    path = tmp_path / "r.json"
    path.write_bytes(content)
    with pytest.raises(Refused, match=problem):
        read_report(path)


def test_the_cost_of_a_case_is_unknown_where_a_part_is() -> None:
    rendered = render_case(a_result("1", score=1.0, judge_usage=Usage(requests=1), judge="j"))
    assert rendered["cost"]["total_usd"] is None
    assert rendered["cost"]["target"]["cost_usd"] == 0.01
    assert a_result("1", score=1.0).cost_usd == Decimal("0.01")
    assert isinstance(CaseResult.model_validate_json(ENDS[0].model_dump_json()), CaseResult)


def test_a_list_of_cases_holds_no_title_of_a_megabyte() -> None:
    """The report holds it whole; what pages and comments are made of must stay small."""
    one = a_result("1", "pass", 1.0, title="T" * 1_000_000)
    assert len(make_report(a_head(), [one])["cases"][0]["title"]) == 1_000_000
    assert len(render_line(one)["title"]) == 300
    assert len(slim(one).title) == 300
