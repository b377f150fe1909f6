"""Two arms that met different worlds are never compared."""

import pytest

from jobs.matched import find_mismatch
from jobs.values import Arm
from tests.builders import a_run_spec, a_session


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
