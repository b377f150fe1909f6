"""What a session may ask of the model API."""

import json
import time
from typing import Any

import pytest

from jobs.proxy.asked import AskedMessage, read_asked
from jobs.proxy.refusal import Refusal
from tests.jobs.proxy.opened import MODEL, a_body


def read(left: int | None = 10_000, **changes: Any) -> AskedMessage:
    return read_asked(json.dumps(a_body(**changes)).encode(), MODEL, output_tokens_left=left)


def picture(source: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "image", "source": source}]}


def test_an_ordinary_request_is_passed_on_byte_for_byte():
    body = b'{"model" :"claude-sonnet-4-6",  "max_tokens": 10, "messages":[], "x": 1.50}'
    assert read_asked(body, MODEL, output_tokens_left=10) == AskedMessage(body, streamed=False)


def test_tools_of_the_session_itself_are_its_own_affair():
    tools = [{"name": "Bash", "input_schema": {}}, {"type": "custom", "name": "x"}]
    assert read(tools=tools).streamed


@pytest.mark.parametrize("model", ["claude-opus-4-8", "claude-sonnet-4-6 ", "", None, 5, "sonnet"])
def test_another_model_is_refused(model):
    with pytest.raises(Refusal, match=MODEL) as refusal:
        read(model=model)
    assert refusal.value.status == 403


@pytest.mark.parametrize(
    "changes",
    [
        {"tools": [{"type": "web_search_20250305", "name": "web_search"}]},
        {"tools": [{"name": "Bash"}, {"type": "web_fetch_20250910", "name": "web_fetch"}]},
        {"tools": [{"type": "code_execution_20250825", "name": "code_execution"}]},
        {"tools": ["web_search"]},
        {"tools": {"type": "web_search_20250305"}},
        {"mcp_servers": [{"type": "url", "url": "https://example.org"}]},
        {"container": "container_1"},
        {"speed": "fast"},
        {"inference_geo": "us"},
        {"messages": [picture({"type": "url", "url": "https://example.org/?secret"})]},
        {"messages": [picture({"type": "file", "file_id": "file_1"})]},
        {"system": [{"type": "document", "source": {"type": "url", "url": "https://x.example"}}]},
        {
            "messages": [
                {
                    "role": "user",
                    "content": [
                        {
                            "type": "tool_result",
                            "tool_use_id": "t",
                            "content": [{"type": "image", "source": {"type": "url", "url": "u"}}],
                        }
                    ],
                }
            ]
        },
    ],
)
def test_what_reaches_beyond_the_sandbox_is_refused(changes):
    with pytest.raises(Refusal) as refusal:
        read(**changes)
    assert refusal.value.status == 403


@pytest.mark.parametrize(
    "changes",
    [{"speed": "standard"}, {"service_tier": "auto"}, {"mcp_servers": []}, {"thinking": {}}],
)
def test_what_costs_no_more_is_the_clients_to_send(changes):
    assert read(**changes).streamed


def test_pictures_in_the_request_itself_are_allowed():
    source = {"type": "base64", "media_type": "image/png", "data": "AAAA"}
    assert read(messages=[picture(source)]).streamed


def test_words_of_the_model_are_words_even_if_they_look_like_a_source():
    call = {"type": "tool_use", "id": "t", "name": "Write", "input": {"source": {"type": "url"}}}
    assert read(messages=[{"role": "assistant", "content": [call]}]).streamed


@pytest.mark.parametrize("body", [b"", b"[]", b"nonsense", b"\xff\xfe", b"[" * 100_000])
def test_what_is_no_request_is_refused(body):
    with pytest.raises(Refusal) as refusal:
        read_asked(body, MODEL, output_tokens_left=1)
    assert refusal.value.status == 400


@pytest.mark.parametrize(
    "body",
    [
        b'{"model": "claude-opus-4-6", "model": "%b"}',
        b'{"model": "%b", "mcp_servers": [{"type": "url"}], "mcp_servers": []}',
        b'{"model": "%b", "messages": [{"source": {"type": "url"}, "source": {"type": "text"}}]}',
    ],
)
def test_a_key_that_stands_twice_is_refused_whichever_of_them_the_api_would_take(body):
    with pytest.raises(Refusal, match="twice"):
        read_asked(body % MODEL.encode(), MODEL, output_tokens_left=None)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32"])
def test_only_utf_8_is_taken_for_json(encoding):
    with pytest.raises(Refusal) as refusal:
        read_asked(json.dumps(a_body()).encode(encoding), MODEL, output_tokens_left=None)
    assert refusal.value.status == 400


def test_texts_may_hold_any_number_of_brackets_and_quotes():
    text = '[1,"a",{\\"}\n]' * 60_000
    assert read(messages=[{"role": "user", "content": text}]).streamed


@pytest.mark.parametrize(
    "many",
    [
        pytest.param(b'{"a":{"b":{}}},' * 60_000, id="objects"),
        pytest.param(b'"x",' * 150_000, id="texts"),
        pytest.param(b',"' * 10_000_000, id="a million texts"),
        pytest.param(b'"' + b'[\\"' * 7_000_000, id="a text without end"),
        pytest.param(b'"' + b"[" * 200_000 + b"\\" * 1_000_001, id="an escape without end"),
    ],
)
def test_a_request_of_very_many_parts_does_not_hold_the_worker_up(many):
    """The time is that of a processor, so a busy machine does not count."""
    started = time.process_time()
    with pytest.raises(Refusal):
        read_asked(b'{"model": "m", "messages": [' + many, MODEL, output_tokens_left=None)
    assert time.process_time() - started < 2.0


def test_nesting_without_end_is_refused():
    nested: dict[str, Any] = {}
    for _ in range(200):
        nested = {"a": [nested]}
    with pytest.raises(Refusal, match="nested"):
        read(messages=[nested])


def test_an_answer_is_capped_and_nothing_else_changes():
    capped = json.loads(read(left=300, temperature=0.5).body)
    assert capped == a_body(max_tokens=300, temperature=0.5)


@pytest.mark.parametrize(
    ("left", "thinking"),
    [
        pytest.param(4_000, {"type": "enabled", "budget_tokens": 2_000}, id="shared"),
        pytest.param(900, {"type": "disabled"}, id="too little to think"),
    ],
)
def test_thinking_has_room_in_a_capped_answer(left, thinking):
    """The API refuses a budget for thinking that is not below the answer's cap."""
    asked = {"max_tokens": 32_000, "thinking": {"type": "enabled", "budget_tokens": 31_999}}
    assert json.loads(read(left=left, **asked).body)["thinking"] == thinking


def test_counting_tokens_has_no_cap():
    assert json.loads(read(left=None, max_tokens=99_999).body)["max_tokens"] == 99_999


def test_a_refusal_tells_the_client_that_asking_again_is_of_no_use():
    refusal = Refusal(403, "permission_error", "no")
    assert ("x-should-retry", "false") in refusal.headers
    assert json.loads(refusal.body)["error"] == {
        "type": "permission_error",
        "message": "skillbench: no",
    }
