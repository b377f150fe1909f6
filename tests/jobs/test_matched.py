"""Two arms that met different worlds are never compared."""

import pytest

from jobs.matched import find_mismatch, find_other_judges
from jobs.values import Arm
from tests.builders import a_pass, a_run_spec, a_session, some_limits


def sessions(with_skill: tuple[str, ...], without_skill: tuple[str, ...]) -> list[object]:
    return [
        a_session(arm=Arm.WITH_SKILL, served_models=with_skill),
        a_session(arm=Arm.WITHOUT_SKILL, served_models=without_skill),
    ]


def test_one_model_for_both_arms_is_a_match() -> None:
    """The usual case says nothing."""
    sent = a_run_spec().model.sent
    assert find_mismatch(a_run_spec(), sessions((sent,), (sent,))) is None


@pytest.mark.parametrize(
    ("with_skill", "without_skill", "named"),
    [
        (("another-model",), ("another-model",), "another-model"),
        (("{sent}", "another-model"), ("{sent}",), "several models"),
        (("{sent}-mini",), ("{sent}-mini",), "-mini"),
        (("{sent}-20260101",), ("{sent}-20260202",), "different models"),
    ],
    ids=["other-model", "mixed-session", "name-continued", "two-snapshots"],
)
def test_a_mismatch_is_named(
    with_skill: tuple[str, ...], without_skill: tuple[str, ...], named: str
) -> None:
    """The reason stands where the number would have stood."""
    sent = a_run_spec().model.sent
    filled = [tuple(name.format(sent=sent) for name in arm) for arm in (with_skill, without_skill)]
    reason = find_mismatch(a_run_spec(), sessions(*filled))
    assert reason is not None
    assert named in reason


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"launcher_version": "2.1.198"}, "2.1.197 and 2.1.198"),
        ({"launcher_version": ""}, "unknown and 2.1.197"),
        ({"tools": ("Bash", "Read", "WebFetch")}, "Bash Read and Bash Read WebFetch"),
        ({"tools": ("Bash",)}, "Bash and Bash Read"),
    ],
    ids=["another version", "no version", "one more tool", "one tool less"],
)
def test_another_launcher_or_other_tools_are_a_mismatch(changes, named) -> None:
    """Nothing but the skill may differ."""
    own = {"launcher_version": "2.1.197", "tools": ("Bash", "Read")}
    arms = [
        a_session(arm=Arm.WITH_SKILL, **own),
        a_session(arm=Arm.WITHOUT_SKILL, **(own | changes)),
    ]
    reason = find_mismatch(a_run_spec(), arms)
    assert reason is not None
    assert reason.endswith(f"{named}.")


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"sandbox": "bubblewrap"}, "kinds of sandbox: bubblewrap and docker"),
        ({"environment": ""}, "environments: sha256:0123456789ab and the machine's own"),
        (
            {"environment": "sha256:ffff456789abcdef"},
            "environments: sha256:0123456789ab and sha256:ffff456789ab",
        ),
        ({"limits": some_limits(turns=99)}, "limits: turns"),
        ({"memory_mb": 512}, "memory: 512 and 4096 MB"),
        ({"limits": some_limits(wall_s=9.0, cost_usd="0.5")}, "limits: wall_s, cost_usd"),
    ],
    ids=["sandbox", "no environment", "another image", "a limit", "memory", "two limits"],
)
def test_another_world_or_another_limit_is_a_mismatch(changes, named) -> None:
    """It happens where a worker is set up anew between the two sessions of a run."""
    own = {
        "sandbox": "docker",
        "environment": "sha256:0123456789abcdef",
        "limits": some_limits(),
        "memory_mb": 4096,
    }
    arms = [
        a_session(arm=Arm.WITH_SKILL, **own),
        a_session(arm=Arm.WITHOUT_SKILL, **(own | changes)),
    ]
    reason = find_mismatch(a_run_spec(), arms)
    assert reason is not None
    assert reason.endswith(f"{named}.")


def test_a_session_of_an_older_worker_is_not_held_against_the_run() -> None:
    """It did not tell what it met; whatever it tells has to agree."""
    arms = [
        a_session(arm=Arm.WITH_SKILL),
        a_session(arm=Arm.WITHOUT_SKILL, sandbox="docker", limits=some_limits(), memory_mb=4096),
    ]
    assert find_mismatch(a_run_spec(), arms) is None


def test_the_order_of_tools_is_no_mismatch() -> None:
    """Programs list them as they like."""
    arms = [
        a_session(arm=Arm.WITH_SKILL, tools=("Bash", "Read")),
        a_session(arm=Arm.WITHOUT_SKILL, tools=("Read", "Bash")),
    ]
    assert find_mismatch(a_run_spec(), arms) is None


def test_a_judge_that_was_exchanged_is_told_of() -> None:
    """It read both arms alike, so the number stands, but not under another's name."""
    judge = a_run_spec().judge.sent
    passes = [a_pass(number=1, served_model=judge), a_pass(number=2, served_model="another-judge")]
    [remark] = find_other_judges(a_run_spec(), passes)
    assert "Pass 2" in remark
    assert "another-judge" in remark
    assert judge in remark
