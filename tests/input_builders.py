"""The values a run starts from, for tests: valid as they come, any field replaced by keyword.

Import them from `tests.builders`, which adds what a run ends in.
"""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from jobs.ports import Comment, Issue
from jobs.requests import Repo, Request
from jobs.values import Assertion, EvalCase, InputFile, Limits, Model, RunSpec, Skill

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
"""The moment all built values start from."""

A_SHA = "3f9a1c2b7d04e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e"
A_LEGACY_SHA = "9b1d3c5e7f0a2b4c6d8e0f1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e"
A_COMMIT = "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567"


def a_repo(**changes: Any) -> Repo:
    return Repo(**({"owner": "acme", "name": "skills", "installation_id": 7} | changes))


def a_request(**changes: Any) -> Request:
    defaults = {
        "key": "comment-7-100",
        "repo": a_repo(),
        "issue": 21,
        "asker": "mona",
        "origin": "comment",
        "comment_id": 100,
        "asked_at": NOON,
    }
    return Request(**(defaults | changes))


def a_skill(**changes: Any) -> Skill:
    defaults = {
        "path": "text/word-count",
        "name": "word-count",
        "description": "Counts words in text files.",
        "sha": A_SHA,
        "legacy_sha": A_LEGACY_SHA,
        "size_bytes": 4096,
    }
    return Skill(**(defaults | changes))


def some_assertions(count: int = 3) -> tuple[Assertion, ...]:
    texts = ("The total is 42", "Lists the three longest words", "Explains how words were split")
    return tuple(
        Assertion(id=f"A{number}", text=texts[(number - 1) % len(texts)])
        for number in range(1, count + 1)
    )


def an_input_file(**changes: Any) -> InputFile:
    defaults = {
        "source": "text/samples/poem.txt",
        "alias": "input/input_001.txt",
        "sha256": "a" * 64,
        "size_bytes": 120,
    }
    return InputFile(**(defaults | changes))


def an_eval_case(**changes: Any) -> EvalCase:
    defaults = {
        "id": "github-issue-21",
        "prompt": "Count the words of the poem.",
        "expected_output": "A short report with the total.",
        "assertions": some_assertions(),
        "inputs": (),
        "target_skills": ("word-count",),
        "source": "issue",
        "digest": "d" * 64,
    }
    return EvalCase(**(defaults | changes))


def a_model(**changes: Any) -> Model:
    defaults = {
        "asked": "claude-sonnet",
        "sent": "claude-sonnet-4-6",
        "identity": "claudesonnet46",
        "provider": "anthropic",
    }
    return Model(**(defaults | changes))


def a_judge_model(**changes: Any) -> Model:
    defaults = {
        "asked": "claude-opus",
        "sent": "claude-opus-4-7",
        "identity": "claudeopus47",
        "provider": "anthropic",
    }
    return Model(**(defaults | changes))


def a_run_spec(**changes: Any) -> RunSpec:
    defaults = {
        "run_id": "5e1f00d5a1ad",
        "repo": a_repo(),
        "issue": 21,
        "commit": A_COMMIT,
        "eval_case": an_eval_case(),
        "skill": a_skill(),
        "model": a_model(),
        "judge": a_judge_model(),
        "asker": "mona",
        "asked_at": NOON,
    }
    return RunSpec(**(defaults | changes))


def some_limits(**changes: Any) -> Limits:
    defaults = {
        "wall_s": 60.0,
        "idle_s": 10.0,
        "turns": 20,
        "output_tokens": 10_000,
        "total_tokens": 200_000,
        "cost_usd": Decimal(1),
    }
    return Limits(**(defaults | changes))


def a_comment(body: str = "Thanks!", **changes: Any) -> Comment:
    defaults = {
        "id": 100,
        "body": body,
        "author": "mona",
        "by_this_app": False,
        "created_at": NOON,
        "url": "https://github.com/acme/skills/issues/21#issuecomment-100",
    }
    return Comment(**(defaults | changes))


def an_issue(**changes: Any) -> Issue:
    defaults = {
        "number": 21,
        "title": "Count the words of a poem",
        "body": "## Skills\nword-count\n",
        "author": "mona",
        "labels": ("needs-benchmark",),
        "is_pull_request": False,
        "is_open": True,
        "is_locked": False,
        "url": "https://github.com/acme/skills/issues/21",
    }
    return Issue(**(defaults | changes))
