"""Anything may stand in any field: the report has no effect but to be read, and fits."""

import string

import pytest
from hypothesis import HealthCheck, example, given, settings

from jobs.checks.check import Check
from jobs.checks.verdict import MachineVerdict
from jobs.planning.dedup import record_of
from jobs.planning.markers import find_markers
from jobs.readings import KeyMetric
from jobs.reporting.context import ReportContext
from jobs.reporting.fit import CAP, size
from jobs.reporting.report import render_report
from jobs.values import Arm, Assertion, SessionEnd
from tests.builders import (
    a_judge_model,
    a_model,
    a_pass,
    a_result,
    a_run_spec,
    a_session,
    a_skill,
    a_verdict,
    an_assertion_score,
    an_eval_case,
    an_output_file,
)
from tests.jobs.reporting.rendered import EFFECTS, Rendered, hostile_text


def hostile_result(text):
    """A result in which every field that anybody else wrote holds the text."""
    assertion = Assertion(id="A1", text=text, group=text)
    model = a_model(asked=text, sent=text, identity=text)
    spec = a_run_spec(
        asker=text,
        eval_case=an_eval_case(
            id=text,
            assertions=(assertion,),
            checks=(Check(id="C1", command=text, name=text), Check(id="C2", command=text)),
            remarks=(text,),
        ),
        skill=a_skill(path=text, name=text, description=text, warnings=(text,)),
        model=model,
        judge=a_judge_model(asked=text, sent=text),
        environment=text,
    )
    verdict = a_verdict(evidence=text, reason=text, quote_found=False)
    row = an_assertion_score(assertion).model_copy(
        update={
            "with_skill": (verdict, verdict),
            "without_skill": (verdict, verdict.model_copy(update={"verdict": "fail"})),
            "split": True,
        }
    )
    reading = a_pass(
        key_metrics=(KeyMetric(name=text, candidate_1=text, candidate_2=text),),
        observations=(text,),
        weak_assertions=(text,),
        injections=(text,),
        served_model=text,
        remarks=(text,),
        prompt_version=text,
    )
    session = a_session(
        end=SessionEnd.ERROR,
        detail=text,
        served_models=(text,),
        outputs=(an_output_file(path=text),),
        left_out=(text,),
    )
    found = MachineVerdict(
        assertion="C1", arm=Arm.WITH_SKILL, verdict="fail", found=text, output=text
    )
    by_machine = verdict.model_copy(update={"by_machine": True, "judge_said": "fail"})
    return a_result(
        spec=spec,
        machine=(found, found.model_copy(update={"assertion": "C2", "verdict": None})),
        assertions=(row, row.model_copy(update={"with_skill": (by_machine, verdict)})),
        passes=(reading, reading.model_copy(update={"number": 2})),
        sessions=(session, a_session(Arm.WITHOUT_SKILL, detail=text)),
        remarks=(text,),
    )


def hostile_context(text):
    return ReportContext(
        archive_url=f"https://x.example/{text}",
        with_skill_files=((text, text), ("b.md", text)),
        without_skill_files=((text, text),),
        cost_remarks=(text,),
    )


OURS = frozenset(
    {"h2", "h3", "p", "strong", "em", "a", "code", "pre", "table", "thead", "tbody", "tr", "th"}
    | {"td", "details", "summary", "ul", "li", "br", "sub"}
)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=40)
@given(hostile_text)
@example("0a1b2c3d4e5f60718293a4b5c6d7e8f901234567")
@example("acme/skills@0a1b2c3")
@example("0a1b2c` `3d4e5f6")
def test_no_text_in_any_field_has_an_effect(text):
    plain = Rendered(render_report(hostile_result("word"), hostile_context("word")))
    for result in (
        hostile_result(text),
        hostile_result(text).model_copy(update={"ungraded_reason": text}),
    ):
        report = render_report(result, hostile_context(text))
        shown = Rendered(report)
        assert not EFFECTS.search(shown.text)
        assert set(shown.tags) <= OURS
        assert set(shown.rows) <= set(plain.rows)
        assert shown.open == []
        assert all(
            link.startswith(("https://github.com/acme/", "https://x.example/"))
            for link in shown.links
        )
        found = find_markers(report)
        assert found.ours == (record_of(result),)
        assert len(shown.comments) == 1 + result.graded
        assert len(found.legacy) == (1 if result.graded and text.strip() else 0)


@pytest.mark.parametrize("character", ["a", "&", "|", "`", "🧮", "\n", "<", "\x01", "-", '"'])
@pytest.mark.parametrize("length", [300, 70_000])
def test_a_report_of_any_size_is_below_the_limit_with_its_markers_whole(character, length):
    result = hostile_result(character * length)
    result = result.model_copy(
        update={"assertions": result.assertions * 60, "remarks": (character * length,) * 30}
    )
    report = render_report(result, hostile_context(character * length))
    assert size(report) <= CAP + 1
    found = find_markers(report)
    assert found.ours == (record_of(result),)
    assert found.bears_ours
    if character not in string.whitespace:
        assert len(found.legacy) == 1
    assert Rendered(report).open == []
