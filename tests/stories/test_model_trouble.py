"""What becomes of a run while the model's API is in trouble, in sessions of both launchers."""

from pathlib import Path

import pytest

from demo.model_api import (
    Asked,
    Drop,
    ErrorInStream,
    HttpError,
    Reply,
    ScriptedModelApi,
)
from demo.model_api.behaviour import behave
from demo.model_api.steps import Step
from tests.jobs.claude_code.sessions import real_cli
from tests.stories.scene import playing
from tests.stories.test_crash import is_judging

LAUNCHERS = pytest.mark.parametrize("launcher", ["api", "claude-code"])
FLEETING = (
    HttpError(status=429, type="rate_limit_error", headers={"retry-after": "1"}),
    HttpError(status=500),
    HttpError(status=529, type="overloaded_error"),
    Drop(after_events=3),
    Drop(),
    ErrorInStream(),
)


def slow_to_begin(asked: Asked) -> Step:
    """The demo's model, of which every event takes its time."""
    reply = behave(asked)
    return Reply(text=reply.text, calls=reply.calls, pause_s=0.1)


@LAUNCHERS
async def test_trouble_that_passes_costs_time_and_no_score(
    tmp_path: Path, app_key: str, launcher: str
) -> None:
    """Limits, outages, broken streams, slow tokens: each once in a session, some for the judge."""
    api = ScriptedModelApi(behaviour=slow_to_begin)
    for failure in FLEETING:
        api.fail(failure, when=lambda asked: not is_judging(asked))
    for failure in (FLEETING[2], FLEETING[3]):
        api.fail(failure, when=is_judging)
    binary = str(real_cli().binary)
    async with playing(
        tmp_path, app_key, model_api=api, launcher=launcher, claude_binary=binary
    ) as scene:
        scene.label(1)
        await scene.label_gone(1)
        [report] = scene.reports(1)
        assert '"score": {"with_skill": ' in report
        assert "Not graded" not in report
        assert scene.reactions(1) == ["eyes", "rocket"]


TOO_LONG = HttpError(status=429, type="rate_limit_error", headers={"retry-after": "600"})
"""Asks for more patience than a session has."""
SHUT = HttpError(status=403, type="permission_error")


@pytest.mark.parametrize(
    ("launcher", "failure", "end"),
    [("api", TOO_LONG, "rate_limited"), ("api", SHUT, "error"), ("claude-code", SHUT, "error")],
)
async def test_trouble_that_lasts_leaves_a_run_ungraded_and_never_at_zero(
    tmp_path: Path, app_key: str, launcher: str, failure: HttpError, end: str
) -> None:
    """Only one session meets it; the report says which and why, and nobody has lost."""
    api = ScriptedModelApi()
    api.fail(
        failure,
        times=1000,
        when=lambda asked: not is_judging(asked) and "csv-profile" in asked.prompt,
    )
    binary = str(real_cli().binary)
    async with playing(
        tmp_path, app_key, model_api=api, launcher=launcher, claude_binary=binary
    ) as scene:
        comment = scene.comment(1, "@skillbench run scripted-demo")
        await scene.reacted(1, comment, "confused")
        [report] = scene.reports(1)
        assert "Not graded" in report
        assert f"the session with skill ended as {end}" in report
        assert '"score": null' in report or '"score"' not in report
        assert "| 0% " not in report
        assert not any(is_judging(asked) for asked in api.requests)
        living = next(body for body in scene.bot_comments(1) if body != report)
        assert "⚠️ not graded" in living


async def test_a_model_list_that_cannot_be_read_is_told_when_it_lasts(
    tmp_path: Path, app_key: str
) -> None:
    """Planning asks for the model; nothing is spent before it is known."""
    api = ScriptedModelApi()
    api.fail_look_ups(HttpError(status=401, type="authentication_error"))
    async with playing(tmp_path, app_key, model_api=api) as scene:
        comment = scene.comment(1, "@skillbench run scripted-demo")
        await scene.reacted(1, comment, "confused")
        assert len(scene.bot_comments(1)) == 1
        assert api.requests == []
