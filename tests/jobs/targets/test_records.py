"""Targets over a person's records: tools for a model, and the nearest texts by embedding."""

import json
from pathlib import Path
from typing import Any

import pytest

from jobs.datasets.suites import TargetChoice
from jobs.errors import Refused
from jobs.targets.llm_api import LlmApiFields
from jobs.targets.record_chunks import make_chunks
from jobs.targets.record_tools import RecordTools
from jobs.targets.registry import TARGETS, make_fields
from jobs.targets.target import TargetFailed
from jobs.targets.user_data import find_user_folder
from tests.jobs.datasets.given import a_case
from tests.jobs.targets.asking import (
    EMAIL,
    EXACT,
    Service,
    a_world,
    ask,
    device,
    event,
    exam,
    write_records,
)

ENTRIES = (
    device("2024-05-01T08:00", "Heart Rate", 61),
    device("2024-05-01T09:00", "Steps", 4000),
    device("2024-05-02T08:00", "Heart Rate", 64),
    exam("2024-05-02", "Glucose", 5.4),
    event("2024-05-01", "Morning run"),
)


@pytest.fixture
def tools(tmp_path: Path) -> RecordTools:
    return RecordTools(write_records(tmp_path / "suite", *ENTRIES))


async def used(tools: RecordTools, name: str, **arguments: Any) -> Any:
    outcome = await tools.call(name, arguments)
    assert not outcome.failed, outcome.text
    return json.loads(outcome.text)


async def failed(tools: RecordTools, name: str, **arguments: Any) -> str:
    outcome = await tools.call(name, arguments)
    assert outcome.failed
    return outcome.text


async def test_files_with_answers_and_hidden_ones_are_not_there(tools: RecordTools) -> None:
    names = [one["name"] for one in await used(tools, "list_files")]
    assert names == ["profile.json", "timeline.json"]


@pytest.mark.parametrize(
    "name", ["events.json", "../user1_AT_demo/profile.json", "/etc/passwd", ".hidden", "", "x/y"]
)
async def test_no_name_leads_out_of_the_folder(tools: RecordTools, name: str) -> None:
    assert "there is no file" in await failed(tools, "read_file", filename=name)


async def test_json_is_asked_in_three_ways(tools: RecordTools) -> None:
    by_path = await used(tools, "query_json", filename="timeline.json", path="$.entries[-1].event")
    assert by_path["event_name"] == "Morning run"
    jmes = "entries[?indicator=='Steps'].value"
    assert (await used(tools, "query_json", filename="timeline.json", jmes=jmes))["results"] == [
        4000
    ]
    found = await used(
        tools,
        "query_json",
        filename="timeline.json",
        where_key="indicator",
        where_value="heart",
        select=["value"],
        max_results=1,
        offset=1,
    )
    assert found == {"total": 2, "offset": 1, "results": [{"value": 64}]}
    outline = await used(tools, "read_file", filename="timeline.json")
    assert outline["entries"]["list_of"] == 5


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"jmes": "a", "path": "b"}, "say one of"),
        ({}, "say one of"),
        ({"path": ".nothing"}, "nothing stands at 'nothing'"),
        ({"path": ".entries[0:2]"}, "cannot be read from"),
        ({"jmes": "entries["}, "cannot be used"),
        ({"jmes": "x" * 3_000}, "at most"),
        ({"jmes": "a", "max_results": 21}, "max_results"),
        ({"jmes": "a", "colour": 1}, "colour"),
    ],
)
async def test_a_wrong_question_is_answered_with_what_is_wrong(
    tools: RecordTools, arguments: dict[str, Any], told: str
) -> None:
    assert told in await failed(tools, "query_json", filename="timeline.json", **arguments)


async def test_indicators_are_found_by_name_and_date(tools: RecordTools) -> None:
    found = await used(tools, "lookup_indicator", indicator="HeartRate", date="2024-05-02")
    assert [one["value"] for one in found["results"]] == [64]
    names = await used(tools, "list_indicators_on_date", date="2024-05-02", source="exam")
    assert names == ["Glucose"]
    assert "looks like" in await failed(tools, "lookup_indicator", indicator="x", date="May")
    hits = await used(tools, "search_file", filename="timeline.json", keyword="glucose")
    assert hits["hits"][0]["path"] == "$.entries[3].indicator"


async def test_sql_counts_and_can_do_no_harm(tools: RecordTools, tmp_path: Path) -> None:
    sql = (
        "SELECT indicator, avg(CAST(value AS DOUBLE)) FROM device_indicators GROUP BY 1 ORDER BY 1"
    )
    found = await used(tools, "query_duckdb", sql=sql)
    assert found["rows"] == [["Heart Rate", 62.5], ["Steps", 4000.0]]
    names = await used(tools, "query_duckdb", sql="SELECT event_name, duration_days FROM events")
    assert names["rows"] == [["Morning run", "3"]]
    outside = tmp_path / "outside.json"
    outside.write_text('{"a": 1}')
    for harm in (
        f"SELECT * FROM read_json('{outside}')",
        f"SELECT * FROM '{outside}'",
        f"COPY events TO '{tmp_path}/stolen'",
        "DROP TABLE events",
        "SELECT 1; DROP TABLE events",
        "SET enable_external_access = true",
        "ATTACH 'x.db'",
    ):
        assert await failed(tools, "query_duckdb", sql=harm)
    assert (await used(tools, "query_duckdb", sql="SELECT count(*) FROM events"))["rows"] == [[1]]
    assert not (tmp_path / "stolen").exists()


async def test_sql_without_end_is_stopped(tools: RecordTools) -> None:
    sql = "SELECT count(*) FROM range(100000000000) a, range(100000) b"
    assert "longer than 5 s" in await failed(tools, "query_duckdb", sql=sql)


async def test_a_model_has_tools_where_group_and_context_are_set(tmp_path: Path) -> None:
    write_records(tmp_path / "eslbench", *ENTRIES)
    fields = {
        "model": "m",
        "tool_group": "eslbench/retrieve",
        "tool_context": {"user_email": EMAIL},
    }
    seen: list[list[str]] = []

    def answer(spec: Any) -> str:
        seen.append([tool.name for tool in spec.toolbox.tools] if spec.toolbox else [])
        return "Paris"

    async with a_world(tmp_path, answer=answer) as world:
        await ask("llm_api", fields, world)
        await ask("llm_api", {**fields, "tool_context": None}, world)
        with pytest.raises(Refused, match="is not there") as refused:
            await ask("llm_api", {**fields, "tool_context": {"user_email": "other@demo"}}, world)
        assert "/.data/other_AT_demo`" in str(refused.value)
        assert str(tmp_path) not in str(refused.value), "a report may be read by anybody"
    assert len(seen[0]) == 7
    assert seen[1] == []


@pytest.mark.parametrize("email", ["../x@demo", "x", "a/b@c", ".x@demo", "x@de/mo", "x@../.."])
async def test_an_address_leads_nowhere_else(tmp_path: Path, email: str) -> None:
    async with a_world(tmp_path) as world:
        with pytest.raises(Refused):
            find_user_folder(world, email)


async def test_a_folder_of_data_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "private").mkdir()
    data = tmp_path / "suite/.data"
    data.mkdir(parents=True)
    (data / "user1_AT_demo").symlink_to(tmp_path / "private")
    async with a_world(tmp_path) as world:
        with pytest.raises(Refused):
            find_user_folder(world, EMAIL)


def test_what_cannot_be_set_is_refused_before_anything_is_spent() -> None:
    for fields in ({"thinking_level": "high"}, {"tool_group": "x/other"}, {"tool_context": "no"}):
        with pytest.raises(ValueError, match=r"cannot be set|the only tools|must be JSON"):
            LlmApiFields.model_validate({"model": "m", **fields})


def test_whom_a_case_is_about_is_found_where_datasets_say_it() -> None:
    overrides = {
        "llm_api": {"tool_context": {"user_email": EMAIL}},
        "hippo_rag_api": {"top_k": 7, "damping": 0.1},
    }
    user = {"type": "manual", "strict_inputs": ["q"], "target_overrides": overrides}
    case = a_case(EXACT, user=user)
    for name in TARGETS:
        if name in {"llm_api", "command", "mirobody"}:
            continue
        choice = TargetChoice.model_validate({"type": name, "model": "m"})
        fields = make_fields(choice, case, {})
        assert fields.model_dump()["user_email"] == EMAIL
        if name == "dyg_rag_api":
            assert fields.model_dump()["top_k"] == 7


def embeddings(_: str, body: Any) -> dict[str, Any]:
    """A direction for each word that matters; backwards, since order is the index's."""
    words = ("heart", "glucose", "run")
    data = []
    for at, text in enumerate(body["input"]):
        vector = [float(word in text.lower()) for word in words] + [0.1]
        data.append({"index": at, "embedding": vector})
    return {"data": data[::-1], "usage": {"prompt_tokens": 5}}


async def test_the_nearest_records_stand_before_the_question(tmp_path: Path) -> None:
    write_records(tmp_path / "suite", *ENTRIES)
    service = Service(embeddings)
    fields = {"model": "m", "user_email": EMAIL, "top_k": 1}
    async with (
        service.serve() as address,
        a_world(
            tmp_path,
            environment={"OPENAI_BASE_URL": address, "OPENAI_API_KEY": "k"},
            answer=lambda spec: spec.prompt,
        ) as world,
    ):
        (reply,) = await ask("naive_rag_api", fields, world, "My glucose?")
        asked = len(service.asked)
        (again,) = await ask("naive_rag_api", fields, world, "When did I run?")
    assert "Exam, 2024-05-02 (blood, clinic): Glucose 5.4 g/l" in reply.text
    assert "Heart" not in reply.text
    assert "Morning run" in again.text
    assert (asked, len(service.asked)) == (2, 3), "the index is made once"
    assert service.asked[0][2]["dimensions"] == 1536
    assert again.usage is not None
    assert again.usage.cost_usd is None, "nobody knows the price of the embedding"


@pytest.mark.parametrize(
    "answer",
    [
        {"data": []},
        {"data": [{"index": 0, "embedding": [0.0, 0.0]}] * 6},
        {"data": [{"index": 0, "embedding": ["x"]}]},
        {},
    ],
)
async def test_embeddings_of_another_shape_are_a_failure(
    tmp_path: Path, answer: dict[str, Any]
) -> None:
    write_records(tmp_path / "suite", *ENTRIES)
    service = Service(lambda *_: answer)
    async with (
        service.serve() as address,
        a_world(tmp_path, environment={"OPENAI_BASE_URL": address}) as world,
    ):
        with pytest.raises(TargetFailed, match="embeddings"):
            await ask("naive_rag_api", {"model": "m", "user_email": EMAIL}, world)


def test_records_are_cut_into_profile_events_exams_and_days(tmp_path: Path) -> None:
    chunks = make_chunks(write_records(tmp_path, *ENTRIES))
    assert [chunk.split()[0] for chunk in chunks] == [
        "Profile:",
        "Event,",
        "Exam,",
        "Device",
        "Device",
    ]
    assert chunks[3] == "Device values of 2024-05-01: Heart Rate 61 bpm; Steps 4000 bpm"
