"""What counts as done, by whose word, and what never does."""

from collections import Counter

import pytest

from jobs.planning.dedup import find_duplicate, kept, record_key, record_of
from jobs.planning.markers import find_markers, render_legacy_marker, render_marker
from jobs.planning.model_names import identity
from tests.builders import (
    A_LEGACY_SHA,
    a_comment,
    a_model,
    a_pass,
    a_repo,
    a_result,
    a_run_record,
    a_run_spec,
    a_skill,
    an_arm_score,
    an_eval_case,
    an_ungraded_result,
)
from tests.jobs.planning.known import Permissions, SmallLedger, known


def ours(record=None, **changes):
    defaults = {"by_this_app": True, "author": "skillbench[bot]"}
    return a_comment(
        f"## Report\n\n{render_marker(record or record_of(a_result()))}", **(defaults | changes)
    )


def legacy(*, model="claude-sonnet-4-6", sha=A_LEGACY_SHA, eval_id="github-issue-21", **changes):
    return a_comment(
        f"Done.\n{render_legacy_marker(eval_id=eval_id, model=model, legacy_sha=sha)}", **changes
    )


def prose(sha=A_LEGACY_SHA[:12], model="claude-sonnet-4-6", **changes):
    return a_comment(
        f"Automated Benchmark Results\nSkill version: `{sha}`\nModel: {model}\n", **changes
    )


async def test_nothing_known_is_no_duplicate():
    assert await find_duplicate(a_run_spec(), known(a_comment())) is None


async def test_a_run_in_the_ledger_is_a_duplicate_with_link_and_score():
    record = a_run_record(url="https://example.org/report")
    found = await find_duplicate(a_run_spec(), known(ledger=SmallLedger(record)))
    assert found is not None
    assert (found.source, found.url, found.score) == ("ledger", record.url, record.score)
    assert found.same_model


async def test_a_marker_in_a_comment_of_ours_is_a_duplicate_with_the_comments_address():
    comments = [a_comment(f"hello {number}", id=number) for number in range(1, 138)]
    comments[130] = ours(id=131, url="https://example.org/131")
    found = await find_duplicate(a_run_spec(), known(*comments))
    assert found is not None
    assert (found.source, found.url) == ("marker", "https://example.org/131")
    assert found.score == {"with_skill": 0.8333, "without_skill": 0.5}


async def test_a_marker_of_ours_counts_only_where_the_app_itself_wrote_it():
    permission = Permissions(boss="admin")
    for comment in (
        ours(by_this_app=False, author="stranger"),
        ours(by_this_app=False, author="boss"),
        a_comment(f"```\n{render_marker(record_of(a_result()))}\n```", by_this_app=True),
        a_comment(f"> {render_marker(record_of(a_result()))}", by_this_app=True),
    ):
        assert await find_duplicate(a_run_spec(), known(comment, permission=permission)) is None
    assert not permission.asked


@pytest.mark.parametrize(
    "spec",
    [
        a_run_spec(repo=a_repo(name="other")),
        a_run_spec(eval_case=an_eval_case(id="github-issue-22")),
        a_run_spec(eval_case=an_eval_case(digest="e" * 64)),
        a_run_spec(skill=a_skill(sha="f" * 64)),
        a_run_spec(model=a_model(sent="claude-opus-4-7", identity="claudeopus47")),
        a_run_spec(launcher="claude-code"),
        a_run_spec(mode="installed"),
        a_run_spec(vs="previous"),
        a_run_spec(environment="abc"),
        a_run_spec(trials=3),
    ],
    ids=lambda spec: record_key(spec)[:6],
)
async def test_any_other_condition_or_more_trials_is_new_work(spec):
    record = record_of(a_result())
    assert await find_duplicate(spec, known(ours(record), ledger=SmallLedger(record))) is None


@pytest.mark.parametrize(
    "spec",
    [
        a_run_spec(run_id="ffffffffffff", asker="other", commit="b" * 40),
        a_run_spec(repo=a_repo(owner="ACME", name="Skills")),
        a_run_spec(skill=a_skill(name="renamed", description="other")),
    ],
)
async def test_what_decides_no_result_makes_no_new_work(spec):
    assert await find_duplicate(spec, known(ours())) is not None


async def test_more_trials_on_record_than_asked_for_answer_the_question():
    record = record_of(a_result(spec=a_run_spec(trials=3)))
    assert await find_duplicate(a_run_spec(), known(ours(record))) is not None


async def test_an_ungraded_run_is_no_duplicate_wherever_it_is_recorded():
    record = record_of(an_ungraded_result())
    assert record.state == "ungraded"
    assert record.score is None
    assert await find_duplicate(a_run_spec(), known(ours(record))) is None
    assert await find_duplicate(a_run_spec(), known(ledger=SmallLedger(record))) is None


async def test_a_report_of_ours_is_compared_by_the_full_sha_though_it_bears_the_old_marker():
    """The old SHA does not see every kind of file: an edited script left it unchanged."""
    report = ours()
    both = report.model_copy(update={"body": report.body + "\n" + legacy().body + prose().body})
    edited = a_run_spec(skill=a_skill(sha="e" * 64, legacy_sha=A_LEGACY_SHA))
    assert await find_duplicate(edited, known(both)) is None
    assert await find_duplicate(a_run_spec(), known(both)) is not None


async def test_a_marker_of_a_later_version_also_keeps_the_old_one_from_counting():
    comment = legacy(by_this_app=True)
    body = f'{comment.body}\n<!-- skillbench:v9 {{"x": 1}} -->'
    assert await find_duplicate(a_run_spec(), known(a_comment(body, by_this_app=True))) is None


@pytest.mark.parametrize("make", [legacy, prose])
@pytest.mark.parametrize(
    ("permission", "counts"),
    [("admin", True), ("maintain", True), ("write", True), ("triage", False), ("read", False),
     ("none", False), ("gone", False)],
)  # fmt: skip
async def test_an_older_report_counts_by_the_permission_of_its_author(make, permission, counts):
    permissions = Permissions(kim=permission)
    found = await find_duplicate(
        a_run_spec(), known(make(author="kim", url="https://x.example/1"), permission=permissions)
    )
    assert (found is not None) is counts
    if found:
        assert (found.source, found.url, found.score) == ("legacy", "https://x.example/1", None)


async def test_an_older_report_by_the_app_counts_without_a_question():
    permissions = Permissions()
    assert await find_duplicate(
        a_run_spec(), known(legacy(by_this_app=True), permission=permissions)
    )
    assert not permissions.asked


async def test_each_author_is_asked_about_once_and_only_if_it_matters():
    permissions = Permissions(kim="read", lee="read", max="read")
    everything = known(
        legacy(author="kim", id=1),
        prose(author="kim", id=2),
        legacy(author="lee", id=3),
        legacy(author="max", model="other-model", id=4),
        permission=permissions,
    )
    for launcher in ("api", "claude-code"):
        assert await find_duplicate(a_run_spec(launcher=launcher), everything) is None
    assert permissions.asked == Counter(kim=1, lee=1)


@pytest.mark.parametrize(
    ("comment", "spec"),
    [
        (legacy(sha="0" * 64), a_run_spec()),
        (prose(sha=A_LEGACY_SHA[:6]), a_run_spec()),
        (prose(sha="x" + A_LEGACY_SHA[:12]), a_run_spec()),
        (legacy(model="claude-opus-4-7"), a_run_spec()),
        (legacy(eval_id="github-issue-99"), a_run_spec()),
        (legacy(), a_run_spec(vs="previous")),
        (legacy(), a_run_spec(trials=2)),
        (legacy().model_copy(update={"body": f"> {legacy().body[6:]}"}), a_run_spec()),
    ],
)
async def test_an_older_report_about_something_else_does_not_count(comment, spec):
    permissions = Permissions(mona="admin")
    assert await find_duplicate(spec, known(comment, permission=permissions)) is None


@pytest.mark.parametrize("length", [7, 8, 12, 40, 64])
async def test_an_older_report_may_show_only_the_beginning_of_the_sha(length):
    permissions = Permissions(mona="write")
    found = await find_duplicate(
        a_run_spec(), known(prose(sha=A_LEGACY_SHA[:length]), permission=permissions)
    )
    assert found is not None


@pytest.mark.parametrize(
    ("recorded", "asked"), [("gpt-41", "gpt-4.1"), ("llama-3.1-8b", "llama-31-8b")]
)
async def test_two_ids_with_one_identity_are_told_apart_by_what_was_recorded(recorded, asked):
    def spec_for(name):
        model = a_model(asked=name, sent=name, identity=identity(name), provider="openai")
        return a_run_spec(model=model)

    record = record_of(a_result(spec=spec_for(recorded)))
    found = await find_duplicate(spec_for(asked), known(ours(record)))
    assert found is not None
    assert found.model == recorded
    assert not found.same_model


async def test_the_newest_report_is_the_one_linked():
    found = await find_duplicate(
        a_run_spec(), known(ours(id=1, url="https://x/old"), ours(id=2, url="https://x/new"))
    )
    assert found is not None
    assert found.url == "https://x/new"


def test_the_record_holds_judge_prompt_version_and_both_names_of_the_model():
    record = record_of(a_result(passes=(a_pass(prompt_version="v3"),)))
    assert (record.judge, record.judge_prompt) == ("claude-opus-4-7", "v3")
    assert (record.model_asked, record.model) == ("claude-sonnet", "claude-sonnet-4-6")
    assert record.eval_digest == "d" * 64


def test_a_record_and_its_spec_have_one_key_also_with_overlong_texts():
    spec = a_run_spec(
        eval_case=an_eval_case(id="é" * 5000),
        model=a_model(sent="m" * 300, identity="m" * 300),
        skill=a_skill(path="p/" * 400),
    )
    record = record_of(a_result(spec=spec))
    assert record_key(record) == record_key(spec)
    (read,) = find_markers(render_marker(record)).ours
    assert record_key(read) == record_key(spec)
    assert len(render_marker(record)) < 4000
    assert kept(kept("z" * 999)) == kept("z" * 999)
    assert kept("z" * 999) != kept("z" * 998)


def test_equal_scores_stay_equal_however_they_were_added_up():
    """Else a tie of several trials would be a win in the set of its skill."""
    equal = an_arm_score(2, 1, 0).model_copy(update={"score": 0.19375})
    added = equal.model_copy(update={"score": 0.19374999999999998})
    score = record_of(a_result(with_skill=equal, without_skill=added)).score
    assert score is not None
    assert score["with_skill"] == score["without_skill"]
