"""What becomes of a comment: nothing, one answer, or requests in the order they were asked."""

from datetime import timedelta
from typing import Any

import pytest

from config.tiers import MAX_TRIALS
from handlers.commands import MAX_COMMANDS
from handlers.decisions import Decision, Enqueue, Ignore, Reply
from handlers.events import Actor
from handlers.issue_commented import on_issue_commented
from tests.builders import NOON
from tests.handlers.events import (
    MONA,
    OTHER_BOT,
    OURSELVES,
    Role,
    a_commented,
    a_context,
    a_repository,
)

COMMAND = "@skillbench run claude-sonnet"


async def decide(body: str = COMMAND, role: Role | None = None, **changes: Any) -> Decision:
    return await on_issue_commented(a_commented(body, **changes), a_context(), role or Role())


async def test_a_command_becomes_a_request() -> None:
    decision = await decide("@skillbench run claude-sonnet --skill word-count --eval e1 --force")
    assert isinstance(decision, Enqueue)
    [request] = decision.requests
    assert decision.replies == ()
    assert request.models == ("claude-sonnet",)
    assert (request.skill, request.eval_id, request.force) == ("word-count", "e1", True)
    assert (request.origin, request.comment_id, request.asker) == ("comment", 100, "mona")
    assert request.asked_at == NOON
    assert request.key.startswith("comment:acme/skills:100:")


@pytest.mark.parametrize("sender", [OURSELVES, OTHER_BOT])
async def test_bots_are_ignored_before_any_question(sender: Actor) -> None:
    role = Role()
    decision = await decide("Try:\n@skillbench run claude-sonnet", role, sender=sender)
    assert isinstance(decision, Ignore)
    assert role.asked == []


@pytest.mark.parametrize(
    "actor",
    [
        Actor(id=99, login="renamed[bot]", is_bot=True),
        Actor(id=1, login="SkillBench[bot]", is_bot=True),
        Actor(id=99, login="skillbench", is_bot=False),
    ],
)
async def test_we_know_ourselves_by_id_or_by_name_even_if_named_in_the_settings(
    actor: Actor,
) -> None:
    context = a_context(allowed_bots=("skillbench", "renamed"))
    decision = await on_issue_commented(a_commented(sender=actor), context, Role())
    assert isinstance(decision, Ignore)


async def test_a_person_who_bears_the_bots_name_is_a_person() -> None:
    """`skillbench` the account is somebody else than `skillbench[bot]`."""
    person = Actor(id=1, login="skillbench", is_bot=False)
    assert isinstance(await decide(sender=person), Enqueue)


@pytest.mark.parametrize("named", ["renovate[bot]", "Renovate"])
async def test_a_bot_that_the_settings_name_is_trusted_by_its_name(named: str) -> None:
    """The permission endpoint knows no bots."""
    role = Role("none")
    context = a_context(allowed_bots=(named,))
    decision = await on_issue_commented(a_commented(sender=OTHER_BOT), context, role)
    assert isinstance(decision, Enqueue)
    assert role.asked == []


async def test_a_person_named_like_a_trusted_bot_still_needs_permission() -> None:
    person = Actor(id=4, login="renovate", is_bot=False)
    context = a_context(allowed_bots=("renovate",))
    decision = await on_issue_commented(a_commented(sender=person), context, Role("none"))
    assert isinstance(decision, Reply)


@pytest.mark.parametrize("body", ["", "Thanks!", f"> {COMMAND}", f"`{COMMAND}`"])
async def test_a_comment_that_does_not_speak_to_us_asks_nothing(body: str) -> None:
    role = Role()
    assert isinstance(await decide(body, role), Ignore)
    assert role.asked == []


@pytest.mark.parametrize(
    "body",
    [
        COMMAND,
        "@skillbench run claude-opus --trials 500 then print your keys",
        f"{COMMAND}\n{COMMAND}\n@skillbench help",
        "@skillbench rerun failed",
        "@skillbench summary",
        "@skillbench dataset a b",
        "@skillbench status\n@skillbench rejudge",
    ],
)
@pytest.mark.parametrize("role", ["triage", "read", "none"])
async def test_whoever_may_not_spend_gets_exactly_one_line(body: str, role: str) -> None:
    decision = await decide(body, Role(role))
    assert isinstance(decision, Reply)
    assert "write permission" in decision.body
    assert "\n" not in decision.body
    assert decision.tag == "comment:100:permission"


async def test_membership_as_the_payload_tells_it_is_not_looked_at() -> None:
    """Hidden members are reported as contributors; the event does not even hold the field."""
    assert not hasattr(a_commented(), "author_association")
    assert isinstance(await decide(role=Role("write")), Enqueue)


async def test_limits_hold_for_writers_too() -> None:
    decision = await decide("@skillbench run claude-opus --trials 500 then print your keys")
    assert isinstance(decision, Reply)
    assert f"at most {MAX_TRIALS} trials" in decision.body


async def test_help_is_given_to_anybody_without_a_question() -> None:
    role = Role("none")
    decision = await decide("@skillbench help :)", role)
    assert isinstance(decision, Reply)
    assert "| `@skillbench help [COMMAND]` |" in decision.body
    assert decision.reaction_to is None
    assert role.asked == []


async def test_help_about_several_commands_comes_whole_and_beside_a_slip() -> None:
    decision = await decide("@skillbench help run\n@skillbench help trigger\n@skillbench runn")
    assert isinstance(decision, Reply)
    for part in ("`runn`", "`@skillbench run [MODEL…]`", "`@skillbench trigger [MODEL…]`"):
        assert part in decision.body


async def test_an_owner_who_is_not_allowed_is_told_the_setting() -> None:
    role = Role("admin")
    decision = await decide(role=role, repository=a_repository(owner="stranger"))
    assert isinstance(decision, Reply)
    assert "SKILLBENCH_ALLOWED_OWNERS" in decision.body
    assert role.asked == []


async def test_several_commands_keep_their_order_and_are_asked_about_once() -> None:
    role = Role()
    decision = await decide("@skillbench run b-1\ntext\n@skillbench run a-2", role)
    assert isinstance(decision, Enqueue)
    assert [request.models for request in decision.requests] == [("b-1",), ("a-2",)]
    assert role.asked == ["mona"]


async def test_what_was_understood_runs_and_the_rest_gets_one_answer() -> None:
    decision = await decide(
        f"@skillbench rum\n{COMMAND}\n@skillbench run --skil x\n@skillbench help"
    )
    assert isinstance(decision, Enqueue)
    assert len(decision.requests) == 1
    [reply] = decision.replies
    assert "`rum`" in reply.body
    assert "`--skil`" in reply.body
    assert "All commands: `@skillbench help`." in reply.body
    assert reply.reaction_to == 100


async def test_a_misunderstood_command_is_answered_with_usage() -> None:
    decision = await decide("@skillbench run claude-sonnet please, thanks!")
    assert isinstance(decision, Reply)
    assert "`please,`" in decision.body
    assert "| `--skill S` |" in decision.body, "the options of the command that was meant"
    assert decision.reaction_to == 100


async def test_more_commands_than_allowed_are_named_and_left_out() -> None:
    body = "\n".join(f"@skillbench run model-{n}" for n in range(MAX_COMMANDS + 3))
    decision = await decide(body)
    assert isinstance(decision, Enqueue)
    assert len(decision.requests) == MAX_COMMANDS
    assert f"At most {MAX_COMMANDS} commands" in decision.replies[0].body


async def test_a_thousand_wrong_lines_still_get_one_answer_of_modest_length() -> None:
    body = "\n".join(f"@skillbench wrong{n}" for n in range(1000))
    decision = await decide(body)
    assert isinstance(decision, Reply)
    assert len(decision.body) < 3000


async def keys_of(body: str, **changes: Any) -> list[str]:
    decision = await decide(body, **changes)
    return [r.key for r in decision.requests] if isinstance(decision, Enqueue) else []


async def test_a_command_has_the_same_key_however_it_is_written_and_delivered() -> None:
    spellings = (
        "@skillbench run claude-sonnet --force",
        "@SkillBench, run --force claude-sonnet (please)",
        "Hello\n\n@skillbench run claude-sonnet force=true\r\n",
    )
    keys = {key for body in spellings for key in await keys_of(body, delivery=body[:3])}
    assert len(keys) == 1


async def test_keys_tell_comments_commands_and_repetitions_apart() -> None:
    keys = [
        *await keys_of(f"{COMMAND}\n{COMMAND}\n@skillbench run gpt-4.1"),
        *await keys_of(COMMAND, comment_id=101),
        *await keys_of(COMMAND, repository=a_repository(name="other")),
    ]
    assert len(set(keys)) == len(keys) == 5


async def test_an_edit_that_leaves_the_command_alone_starts_nothing() -> None:
    role = Role()
    decision = await decide(f"{COMMAND}\n(typo fixed)", role, body_before=COMMAND)
    assert isinstance(decision, Ignore)
    assert role.asked == []


async def test_an_edit_that_adds_a_command_starts_that_one_once() -> None:
    body = f"{COMMAND}\n@skillbench run claude-opus"
    [key] = await keys_of(body, body_before=COMMAND)
    both = await keys_of(body)
    assert key == both[1], "as if it had stood there from the beginning"


async def test_an_edit_is_asked_for_when_it_is_made() -> None:
    decision = await decide(body_before="", created_at=NOON - timedelta(days=30))
    assert isinstance(decision, Enqueue)
    assert decision.requests[0].asked_at == NOON


async def test_two_deliveries_of_one_edit_are_one_asking() -> None:
    """However much later the second is looked at: what has ended is not begun anew."""
    edited = NOON - timedelta(minutes=3)
    times = {
        (await decide(body_before="", changed_at=edited, delivery=delivery)).requests[0].asked_at
        for delivery in ("d-1", "d-2")
    }
    assert times == {edited}


async def test_the_editor_asks_and_not_the_author() -> None:
    role = Role("read")
    decision = await decide(role=role, body_before="", sender=MONA)
    assert isinstance(decision, Reply)
    assert role.asked == ["mona"]


async def test_an_environment_is_passed_on_and_makes_a_key_of_its_own() -> None:
    decision = await decide(f"{COMMAND} --environment r-pharma\n{COMMAND}")
    assert isinstance(decision, Enqueue)
    named, plain = decision.requests
    assert (named.environment, plain.environment) == ("r-pharma", None)
    assert named.key != plain.key


async def test_a_mode_is_passed_on_and_makes_a_key_of_its_own() -> None:
    decision = await decide(f"{COMMAND} --mode installed\n{COMMAND} --mode forced\n{COMMAND}")
    assert isinstance(decision, Enqueue)
    assert [one.mode for one in decision.requests] == ["installed", "forced", None]
    assert len({one.key for one in decision.requests}) == 3


KNOWN_KEYS = {
    "run": "1637327f5879",
    "run --trials 1": "1637327f5879",
    "run claude-sonnet gpt-4.1 --skill a --eval b --force": "79a3fce776f7",
    "run --environment r --mode installed --launcher api": "1ed0a8b4318d",
    "trigger": "5aa646a955c6",
    "trigger sonnet --alone --yes --runs-per-query 5 --eval-set q.json": "cfb556371717",
    "optimize opus --max-iterations 2 --force": "1aa4ef890b1e",
}
"""What commands were known by when there were fewer of them and fewer options."""


@pytest.mark.parametrize("words", KNOWN_KEYS)
async def test_a_command_of_before_the_newest_option_keeps_its_key(words: str) -> None:
    """A comment that is delivered again after an update asks for nothing new."""
    assert await keys_of(f"@skillbench {words}") == [f"comment:acme/skills:100:{KNOWN_KEYS[words]}"]


async def test_the_longest_names_still_make_a_key() -> None:
    repository = a_repository(owner="o" * 39, name="n" * 100)
    context = a_context(allowed_owners=("*",))
    event = a_commented(repository=repository, comment_id=2**53)
    assert isinstance(await on_issue_commented(event, context, Role()), Enqueue)
