"""Whatever differs from what was written down beforehand is told with both values."""

import pytest

from jobs.health.conditions import find_changes, find_unlike
from jobs.health.manifest import Conditions, ReadingConditions
from tests.builders import a_pass, a_session, some_limits
from tests.jobs.health.manifests import CONDITIONS, MET, READING, a_manifest


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (
            {"launcher_version": "2.1.198"},
            "version of the launcher: 2.1.197 at first, 2.1.198 then",
        ),
        ({"memory_mb": 512}, "memory in MB: 4096 at first, 512 then"),
        ({"sandbox": "docker"}, "kind of sandbox: bubblewrap at first, docker then"),
        (
            {"environment": "sha256:ffff456789abcdef01"},
            "environment: sha256:0123456789ab at first, sha256:ffff456789ab then",
        ),
        ({"environment": ""}, "environment: sha256:0123456789ab at first, none then"),
        ({"tools": ("Bash",)}, "tools: Bash Read at first, Bash then"),
        (
            {"limits": some_limits(turns=99)},
            f"limits: turns {some_limits().turns} at first, 99 then",
        ),
        ({"hosts": ("pypi.org",)}, "hosts: none at first, pypi.org then"),
        ({}, None),
    ],
)
def test_a_change_of_the_world_is_told(changes: dict[str, object], told: str | None) -> None:
    now = Conditions(**(CONDITIONS.model_dump() | changes))
    assert find_changes(CONDITIONS, now) == ([told] if told else [])


def test_a_change_in_what_judges_meet_is_told_as_theirs() -> None:
    now = ReadingConditions(**(READING.model_dump() | {"prompt_version": "9"}))
    assert find_changes(READING, now) == ["the judge's scoring prompt: 8 at first, 9 then"]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"launcher_version": "2.1.198"}, "2.1.197 expected, 2.1.198 met"),
        ({"memory_mb": 512}, "4096 expected, 512 met"),
        ({"tools": ("Bash", "WebFetch")}, "Bash Read expected, Bash WebFetch met"),
        ({"limits": some_limits(turns=99)}, "99 met"),
    ],
)
def test_sessions_alike_in_both_arms_but_not_as_expected_are_told_once(
    changes: dict[str, object], told: str
) -> None:
    """Both arms met the same, and it is all the same not what was written down."""
    sessions = [a_session(arm, **(MET | changes)) for arm in ("with_skill", "without_skill")]
    [found] = find_unlike(a_manifest(), sessions, ())
    assert told in found


def test_the_order_of_tools_and_sessions_that_tell_nothing_are_no_difference() -> None:
    alike = a_session(**(MET | {"tools": ("Read", "Bash")}))
    assert find_unlike(a_manifest(), [alike, a_session()], [a_pass(prompt_version="8")]) == []


def test_another_scoring_prompt_than_was_expected_is_told() -> None:
    [found] = find_unlike(a_manifest(), (), [a_pass(1, prompt_version="8"), a_pass(2)])
    assert "another scoring prompt" in found
