"""Every target that asks a service: its contract, and each way in which a service can fail."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)

from jobs.errors import Refused
from jobs.targets.service import LARGEST_ANSWER
from jobs.targets.target import TargetFailed
from tests.jobs.datasets.given import a_case
from tests.jobs.targets.asking import EMAIL, EXACT, SECRET, Service, a_world, ask

ABOUT = {"user_email": EMAIL}
ASKED: dict[str, tuple[str, str, dict[str, Any]]] = {
    "hermes": ("HERMES_API_BASE_URL", "HERMES_API_KEY", {"model": "h"}),
    "evermem": ("EVERMEMOS_BASE_URL", "EVERMEMOS_API_KEY", {"model": "m", **ABOUT}),
    "mem0_rag_api": ("MEM0_BASE_URL", "MEM0_API_KEY", {"model": "m", **ABOUT}),
    "hippo_rag_api": ("HIPPO_RAG_BASE_URL", "HIPPO_RAG_API_KEY", {"model": "m", **ABOUT}),
    "dyg_rag_api": ("DYG_RAG_BASE_URL", "DYG_RAG_API_KEY", {"model": "m", **ABOUT}),
    "mirobody": ("MIROBODY_BASE_URL", "MIROBODY_TOKENS", ABOUT),
}
"""The variables of each and its least fields."""


def environment(target: str, address: str) -> dict[str, str]:
    url, key, _ = ASKED[target]
    secret = f'{{"{EMAIL}": "{SECRET}"}}' if target == "mirobody" else SECRET
    return {url: address, key: secret}


async def failure(target: str, answer: object, tmp_path: Path, *, wall_s: float = 20.0) -> str:
    """The sentence with which a target fails where its service answers so."""
    service = Service(lambda *_: answer)
    async with (
        service.serve() as address,
        a_world(tmp_path, wall_s=wall_s, environment=environment(target, address)) as world,
    ):
        with pytest.raises(TargetFailed) as failed:
            await ask(target, ASKED[target][2], world)
    sentence = str(failed.value)
    assert SECRET not in sentence
    assert "\n" not in sentence
    return sentence


async def too_long() -> AsyncIterator[bytes]:
    for _ in range(LARGEST_ANSWER // 1_000_000 + 2):
        yield b" " * 1_000_000


async def silent() -> AsyncIterator[bytes]:
    yield b" "
    await asyncio.Event().wait()


@pytest.mark.parametrize("target", ASKED)
async def test_an_error_of_the_service_is_never_an_answer(target: str, tmp_path: Path) -> None:
    broken = Response("boom", status_code=500)
    assert "answered with status 500" in await failure(target, broken, tmp_path)


@pytest.mark.parametrize("target", ASKED)
async def test_a_page_of_html_is_never_an_answer(target: str, tmp_path: Path) -> None:
    told = await failure(target, HTMLResponse("<!doctype html><p>Sign in"), tmp_path)
    assert ("no event stream" if target == "mirobody" else "a page of HTML") in told


@pytest.mark.parametrize("target", ASKED)
async def test_a_redirect_is_named_and_not_followed(target: str, tmp_path: Path) -> None:
    there = RedirectResponse("http://elsewhere.example/x?token=abc")
    told = await failure(target, there, tmp_path)
    assert "redirects to elsewhere.example" in told
    assert "abc" not in told


@pytest.mark.parametrize("target", ASKED)
async def test_a_service_that_hangs_is_left_at_the_limit(target: str, tmp_path: Path) -> None:
    kind = "text/event-stream" if target == "mirobody" else "application/json"
    hanging = StreamingResponse(silent(), media_type=kind)
    told = await failure(target, hanging, tmp_path, wall_s=0.3)
    assert "did not answer within 0.3 s" in told


@pytest.mark.parametrize("target", ASKED)
async def test_too_long_an_answer_is_not_read_to_its_end(target: str, tmp_path: Path) -> None:
    kind = "text/event-stream" if target == "mirobody" else "application/json"
    told = await failure(target, StreamingResponse(too_long(), media_type=kind), tmp_path)
    assert f"{LARGEST_ANSWER:,}" in told


@pytest.mark.parametrize("target", ASKED)
async def test_a_service_that_is_not_there_is_said_to_be_that(target: str, tmp_path: Path) -> None:
    async with Service(lambda *_: {}).serve() as address:
        gone = environment(target, address)
    async with a_world(tmp_path, environment=gone) as world:
        with pytest.raises(TargetFailed, match="cannot be reached"):
            await ask(target, ASKED[target][2], world)


@pytest.mark.parametrize("target", [name for name in ASKED if name != "mirobody"])
@pytest.mark.parametrize("answer", [{}, [], {"choices": []}, {"results": 3}, {"answer": None}])
async def test_an_answer_of_another_shape_is_a_failure(
    target: str, answer: object, tmp_path: Path
) -> None:
    assert await failure(target, JSONResponse(answer), tmp_path)


@pytest.mark.parametrize("target", [name for name in ASKED if name != "hermes"])
async def test_a_case_about_nobody_is_refused(target: str, tmp_path: Path) -> None:
    fields = {name: value for name, value in ASKED[target][2].items() if name != "user_email"}
    async with a_world(tmp_path, environment=environment(target, "http://127.0.0.1:9")) as world:
        with pytest.raises(Refused, match="user_email"):
            await ask(target, fields, world)


@pytest.mark.parametrize("target", ["hippo_rag_api", "dyg_rag_api"])
async def test_a_service_without_an_address_names_the_variable(target: str, tmp_path: Path) -> None:
    async with a_world(tmp_path) as world:
        with pytest.raises(Refused, match=ASKED[target][0]):
            await ask(target, ASKED[target][2], world)


def hermes(path: str, body: Any) -> dict[str, Any]:
    if path == "/v1/models":
        return {"data": [{"id": "hermes-4"}]}
    last = body["messages"][-1]["content"]
    usage = {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}
    return {"choices": [{"message": {"content": f"to {last}"}}], "usage": usage}


async def test_hermes_is_sent_the_whole_dialogue_with_its_key(tmp_path: Path) -> None:
    service = Service(hermes)
    history = [{"role": "user", "content": "hi"}, {"role": "tool", "content": "a result"}]
    async with (
        service.serve() as address,
        a_world(tmp_path, environment=environment("hermes", address)) as world,
    ):
        fields = {"system_prompt": "Be brief."}
        case = a_case(EXACT, history=history)
        first, second = await ask("hermes", fields, world, "one", "two", case=case)
    assert (first.text, second.text) == ("to one", "to two")
    assert first.model == "hermes-4"
    assert first.usage is not None
    assert (first.usage.input_tokens, first.usage.cost_usd) == (7, None)
    roles = [one["role"] for one in service.asked[-1][2]["messages"]]
    assert roles == ["system", "user", "assistant", "user", "assistant", "user"]
    assert service.headers[-1]["authorization"] == f"Bearer {SECRET}"


def evermem(_: str, __: Any) -> dict[str, Any]:
    found = {"profiles": ["is 41"], "memories": [{"g": [{"summary": "ran 5 km"}, {"x": 1}]}]}
    return {"status": "ok", "result": found}


async def test_evermem_shows_the_model_what_it_found(tmp_path: Path) -> None:
    service = Service(evermem)
    async with (
        service.serve() as address,
        a_world(
            tmp_path,
            environment=environment("evermem", address),
            answer=lambda spec: spec.prompt,
        ) as world,
    ):
        (reply,) = await ask("evermem", ASKED["evermem"][2], world, "how far?")
    assert '1. "is 41"\n2. "ran 5 km"' in reply.text
    method, path, body = service.asked[0]
    assert (method, path) == ("GET", "/api/v1/memories/search")
    assert body["user_id"] == "holyeval_eslbench_user1_AT_demo"


async def test_mem0_is_searched_as_its_own_server_wants_it(tmp_path: Path) -> None:
    service = Service(lambda *_: {"results": [{"memory": f"fact {n}"} for n in range(9)]})
    async with (
        service.serve() as address,
        a_world(
            tmp_path,
            environment=environment("mem0_rag_api", address),
            answer=lambda spec: spec.prompt,
        ) as world,
    ):
        fields = {**ASKED["mem0_rag_api"][2], "top_k": 2, "data_group": "eslbench"}
        first, second = await ask("mem0_rag_api", fields, world, "a", "b")
    assert "fact 1" in first.text
    assert "fact 2" not in first.text
    assert service.asked[0] == ("POST", "/search", {"query": "a", "user_id": "user1_AT_demo"})
    assert service.headers[0]["x-api-key"] == SECRET
    assert second.text.endswith("b")


@pytest.mark.parametrize("target", ["hippo_rag_api", "dyg_rag_api"])
async def test_a_rag_service_gets_question_dialogue_and_settings(
    target: str, tmp_path: Path
) -> None:
    service = Service(lambda _, body: {"answer": f"to {body['question']}"})
    async with (
        service.serve() as address,
        a_world(tmp_path, environment=environment(target, address)) as world,
    ):
        replies = await ask(target, {**ASKED[target][2], "top_k": 3}, world, "one", "two")
    assert [reply.text for reply in replies] == ["to one", "to two"]
    body = service.asked[1][2]
    assert (body["user"], body["settings"]["top_k"]) == (EMAIL, 3)
    assert [one["content"] for one in body["messages"]] == ["one", "to one", "two"]


def stream(*lines: str) -> Response:
    text = "".join(f"data: {line}\n\n" for line in lines)
    return Response(text, media_type="text/event-stream")


async def mirobody(tmp_path: Path, *lines: str) -> Any:
    service = Service(lambda *_: stream(*lines))
    async with (
        service.serve() as address,
        a_world(tmp_path, environment=environment("mirobody", address)) as world,
    ):
        replies = await ask("mirobody", ASKED["mirobody"][2], world, "one", "two")
    assert service.asked[0][2]["session_id"] == service.asked[1][2]["session_id"]
    assert service.headers[0]["authorization"] == f"Bearer {SECRET}"
    return replies[0]


async def test_mirobody_streams_its_answer(tmp_path: Path) -> None:
    reply = await mirobody(
        tmp_path,
        '{"type": "queryTitle", "content": "get_steps"}',
        '{"type": "reply", "content": "4"}',
        '{"type": "annotation", "content": "x", "timestamp": 0.5}',
        '{"type": "reply", "content": "2"}',
        '{"type": "end"}',
    )
    assert reply.text == "42"
    assert [one.name for one in reply.tool_calls] == ["get_steps"]
    assert [(one.type, one.timestamp) for one in reply.chunks] == [("annotation", 0.5)]
    assert reply.first_token_s is not None


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (['{"type": "reply", "content": "4"}'], "broke off"),
        (['{"type": "reply", "content": "4"}', '{"type": "error", "content": "no"}'], "error: no"),
        (["<html>"], "HTML"),
    ],
)
async def test_half_an_answer_of_mirobody_is_none(
    lines: list[str], sentence: str, tmp_path: Path
) -> None:
    with pytest.raises(TargetFailed, match=sentence):
        await mirobody(tmp_path, *lines)


async def test_mirobody_without_a_token_for_the_user_is_refused(tmp_path: Path) -> None:
    async with a_world(tmp_path, environment={"MIROBODY_TOKENS": '{"other@demo": "x"}'}) as world:
        with pytest.raises(Refused, match="no token for user1@demo"):
            await ask("mirobody", ABOUT, world)
    history = [{"role": "user", "content": "hi"}]
    async with a_world(tmp_path, environment={"MIROBODY_TOKENS": '{"*": "x"}'}) as world:
        with pytest.raises(Refused, match="said before"):
            await ask("mirobody", ABOUT, world, case=a_case(EXACT, history=history))
