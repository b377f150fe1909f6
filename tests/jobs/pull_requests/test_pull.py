"""Which commit of a pull request may be run."""

from typing import Any

import pytest

from jobs.errors import Refused
from jobs.pull_requests.pull import Pull, settle_head
from tests.builders import a_request

HEAD, OLD = "a1" * 20, "b2" * 20


def a_pull(**changes: Any) -> Pull:
    given: dict[str, Any] = {
        "number": 31,
        "head": HEAD,
        "head_repository": "acme/skills",
        "is_from_fork": False,
        "base_branch": "main",
        "is_open": True,
    }
    return Pull(**(given | changes))


FORK = {"is_from_fork": True, "head_repository": "rudi/skills"}


def settle(named: str, **changes: Any) -> str:
    request = a_request(is_pull_request=True, head=named)
    return settle_head(request, a_pull(**changes), mention="@skillbench")


@pytest.mark.parametrize("named", ["", HEAD, HEAD[:7], HEAD[:12].upper()])
def test_of_our_own_branch_the_head_runs_as_it_is(named: str) -> None:
    """Whoever may push to the repository may as well push to its default branch."""
    assert settle(named) == HEAD


def test_of_a_fork_the_very_commit_runs_that_somebody_named() -> None:
    assert settle(HEAD, **FORK) == HEAD
    assert settle(HEAD, is_from_fork=True, head_repository="") == HEAD


@pytest.mark.parametrize("named", ["", HEAD[:7], HEAD[:39], OLD])
def test_of_a_fork_nothing_less_will_do_and_the_answer_says_what_will(named: str) -> None:
    with pytest.raises(Refused) as refused:
        settle(named, **FORK)
    assert f"@skillbench run @{HEAD}" in str(refused.value)


@pytest.mark.parametrize("named", [OLD, OLD[:7], HEAD[:6]])
@pytest.mark.parametrize("fork", [{}, FORK])
def test_a_head_that_moved_is_not_run(named: str, fork: dict[str, Any]) -> None:
    with pytest.raises(Refused) as refused:
        settle(named, **fork)
    assert HEAD in str(refused.value)


@pytest.mark.parametrize("fork", [{}, FORK])
def test_one_that_is_closed_is_not_run(fork: dict[str, Any]) -> None:
    with pytest.raises(Refused, match="is closed"):
        settle(HEAD, is_open=False, **fork)
