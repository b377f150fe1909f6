"""Commands about descriptions: requests of their kind, for those who may spend."""

from handlers.decisions import Decision, Enqueue, Reply
from handlers.issue_commented import on_issue_commented
from jobs.requests import Request, TriggerOptions
from tests.builders import a_request
from tests.handlers.events import Role, a_commented, a_context


async def decide(body: str, role: Role | None = None) -> Decision:
    return await on_issue_commented(a_commented(body), a_context(), role or Role())


async def test_a_measurement_of_a_description_becomes_a_request_of_its_kind() -> None:
    decision = await decide(
        "@skillbench optimize opus --skill pdf --eval-set q.json --alone --runs-per-query 5 --yes"
    )
    assert isinstance(decision, Enqueue)
    [request] = decision.requests
    assert (request.kind, request.models, request.skill) == ("optimize", ("opus",), "pdf")
    assert request.triggering == TriggerOptions(
        eval_set="q.json", alone=True, runs_per_query=5, confirmed=True
    )


async def test_commands_of_different_kinds_and_options_have_keys_of_their_own() -> None:
    words = ("run", "trigger", "optimize", "trigger --alone", "optimize --yes")
    decision = await decide("\n".join(f"@skillbench {one}" for one in words))
    assert isinstance(decision, Enqueue)
    assert len({request.key for request in decision.requests}) == len(words)


async def test_only_who_may_write_measures_a_description() -> None:
    assert isinstance(await decide("@skillbench trigger", Role("read")), Reply)


def test_a_request_from_before_there_were_kinds_is_a_benchmark() -> None:
    """An update finds the requests that an older version has put on the queue."""
    stored = a_request().model_dump(mode="json", exclude={"kind", "triggering", "before", "after"})
    assert Request.model_validate(stored).kind == "benchmark"
