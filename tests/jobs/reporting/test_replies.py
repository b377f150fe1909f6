"""Every short answer says what happened and what to do, and repeats nothing dangerous."""

import pytest
from hypothesis import given

from jobs.planning.dedup import Duplicate
from jobs.planning.model_names import identity
from jobs.reporting import replies
from jobs.reporting.fit import CAP, size
from tests.builders import a_model, a_request, a_run_spec, a_skill, an_eval_case
from tests.jobs.reporting.rendered import EFFECTS, Rendered, hostile_text

MENTION = "@skillbench"


def a_duplicate(asked="claude-sonnet-4-6", recorded="claude-sonnet-4-6", **changes):
    model = a_model(asked=asked, sent=asked, identity=identity(asked))
    defaults = {
        "spec": a_run_spec(model=model),
        "model": recorded,
        "url": "https://github.com/acme/skills/issues/21#issuecomment-9",
        "score": {"with_skill": 0.8333, "without_skill": 0.5},
        "source": "marker",
    }
    return Duplicate(**(defaults | changes))


def test_a_duplicate_is_answered_with_link_score_and_how_to_measure_anyway():
    text = replies.render_duplicate(a_duplicate(), mention=MENTION)
    assert "[the report](https://github.com/acme/skills/issues/21#issuecomment-9)" in text
    assert "83.3% with the skill, 50% without it" in text
    assert "`@skillbench run claude-sonnet-4-6 --force`" in text
    assert "recorded model" not in text


def test_to_measure_the_same_again_takes_the_options_it_was_asked_with():
    """Without them the command would measure in another launcher or environment."""
    request = a_request(
        models=("claude-sonnet",),
        skill="word count",
        eval_id="github-issue-21",
        launcher="claude-code",
        mode="forced",
        environment="none",
    )
    text = replies.render_nothing_to_do([a_duplicate()], [], mention=MENTION, request=request)
    assert (
        '`@skillbench run claude-sonnet-4-6 --skill "word count" --eval github-issue-21 '
        "--launcher claude-code --mode forced --environment none --force`"
    ) in text


@pytest.mark.parametrize(
    ("asked", "recorded"), [("gpt-4.1", "gpt-41"), ("llama-31-8b", "llama-3.1-8b")]
)
def test_a_duplicate_under_another_id_names_the_recorded_one(asked, recorded):
    text = replies.render_duplicate(a_duplicate(asked, recorded), mention=MENTION)
    assert f"The recorded model is `{recorded}`; you asked for `{asked}`." in text
    assert f"`@skillbench run {asked} --force`" in text


def test_an_older_report_has_no_score_to_show_and_a_lost_address_is_said():
    text = replies.render_duplicate(
        a_duplicate(score=None, url="", source="ledger"), mention=MENTION
    )
    assert "%" not in text
    assert "](" not in text
    assert "the ledger" in text


def test_a_failure_shows_a_run_id_and_how_to_try_again():
    text = replies.render_failure(
        "5e1f00d5a1ad", mention=MENTION, retry="@skillbench run claude-sonnet-4-6"
    )
    assert "`5e1f00d5a1ad`" in text
    assert "`@skillbench run claude-sonnet-4-6`" in text


def test_a_refusal_keeps_the_lines_of_its_reason():
    text = replies.render_refusal(
        "the eval case is incomplete:\n- no section `Query`\n- no section `Skills`", mention=MENTION
    )
    shown = Rendered(text)
    assert shown.tags["li"] == 2
    assert shown.code[:2] == ["Query", "Skills"]
    assert "`@skillbench help`" in text


def test_nothing_to_do_says_so_and_why_for_each_part():
    text = replies.render_nothing_to_do(
        [a_duplicate()], [("gpt-9", "no such model; nearest: `gpt-4.1`")], mention=MENTION
    )
    assert text.startswith("### Nothing to run\n")
    assert "Measured before" in text
    assert "🚫 `gpt-9`: no such model; nearest: `gpt-4.1`" in text
    assert "left to measure" in replies.render_nothing_to_do([], [], mention=MENTION)


def test_a_long_list_of_reasons_stays_below_the_limit():
    refusals = [("x" * 300, "|" * 3000)] * 200
    text = replies.render_nothing_to_do([a_duplicate()] * 50, refusals, mention=MENTION)
    assert size(text) <= CAP + 1
    assert size(replies.render_refusal("|" * 100_000, mention=MENTION)) <= CAP


@given(hostile_text)
def test_no_text_in_a_reply_has_an_effect(text):
    spec = a_run_spec(
        model=a_model(asked=text, sent=text),
        skill=a_skill(name=text),
        eval_case=an_eval_case(id=text),
    )
    duplicate = a_duplicate(spec=spec, model=f"x{text}", url=f"https://x.example/{text}")
    for reply in (
        replies.render_duplicate(duplicate, mention=MENTION),
        replies.render_refusal(text, mention=MENTION),
        replies.render_nothing_to_do([duplicate], [(text, text)], mention=MENTION),
        replies.render_failure(text, mention=MENTION, retry=text),
        replies.render_platform_failure(text, text, mention=MENTION),
    ):
        shown = Rendered(reply)
        assert not EFFECTS.search(shown.text)
        assert shown.comments == []
        assert set(shown.tags) <= {"h3", "p", "strong", "code", "a", "sub", "ul", "li"}
        assert all(link.startswith("https://x.example/") for link in shown.links)
