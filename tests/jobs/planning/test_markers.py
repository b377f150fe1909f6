"""Markers survive being written and read, and are found only where they are meant."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.planning.markers import find_markers, render_legacy_marker, render_marker
from tests.builders import A_LEGACY_SHA, a_run_record

FENCE = "```"
HOSTILE = [
    "-->",
    "--!> <script>alert(1)</script>",
    "a--b---c",
    "<!-- skillbench:v1 {} -->",
    'quote " and \\ backslash',
    "line\nend\r\n\u2028",
    "\u202eevil",
    "Übersicht 🧮",
    "&lt;&amp;",
    FENCE,
]


def test_a_marker_is_read_as_it_was_written():
    record = a_run_record(url="", judge_prompt="2", model_asked="sonnet")
    assert find_markers(f"# Report\n\n{render_marker(record)}").ours == (record,)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_in_any_field_survives_and_ends_no_comment(text):
    record = a_run_record(
        url="", eval_id=text, skill=text, model=text, judge=text, vs=text, model_asked=text
    )
    written = render_marker(record)
    assert written.count("-->") == 1
    assert "--" not in written[4:-3]
    assert "\n" not in written
    assert find_markers(f"before\n\n{written}\n\nafter").ours == (record,)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=80))
def test_any_text_survives_in_both_markers(text):
    record = a_run_record(url="", eval_id=text, model=text)
    body = f"Report.\n\n{render_marker(record)}\n" + render_legacy_marker(
        eval_id="github-issue-21", model=f"m{text}", legacy_sha=A_LEGACY_SHA
    )
    found = find_markers(body)
    assert found.ours == (record,)
    assert [one.model for one in found.legacy] == [f"m{text}".strip()]


def test_a_legacy_marker_is_plain_json_for_the_tools_that_read_it():
    written = render_legacy_marker(eval_id="e", model="m", legacy_sha="s")
    assert (
        written == '<!-- BENCHMARK_COMPLETE: {"eval_id": "e", "model": "m", "skill_sha": "s"} -->'
    )


@pytest.mark.parametrize(
    "wrapped",
    [
        "> {}",
        "> > {}",
        "> a quotation\n> {}",
        "- > {}",
        "`{}`",
        FENCE + "\n{}\n" + FENCE,
        "~~~html\n{}\n~~~",
        "    {}",
        "- item\n\n      {}",
        "<pre>\n{}\n</pre>",
        "<blockquote>{}</blockquote>",
        "<blockquote>\n\n{}\n\n</blockquote>",
        "text <code>{}</code> text",
        "text <a title='{}'>x</a>",
        "\\{}",
    ],
)
def test_a_marker_that_is_quoted_or_stands_in_code_is_not_found(wrapped):
    legacy = render_legacy_marker(eval_id="e", model="m", legacy_sha=A_LEGACY_SHA)
    for marker in (render_marker(a_run_record(url="")), legacy):
        found = find_markers(wrapped.format(marker))
        assert (found.ours, found.legacy, found.bears_ours) == ((), (), False)


@pytest.mark.parametrize(
    "around",
    [
        "{}",
        "</details>\n{}",
        "<details>\n<summary>x</summary>\n\ntext\n\n</details>\n\n{}\nmore",
        "in a line of text {} and on",
        "> a quotation\n\n{}",
        "<pre>closed</pre>\n\n{}",
        "- item\n\n{}",
        "| a |\n|---|\n| b |\n\n{}",
    ],
)
def test_a_marker_beside_other_things_is_found(around):
    assert find_markers(around.format(render_marker(a_run_record(url="")))).ours


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_marker_may_be_laid_out_over_several_lines(line_end):
    fields = json.dumps(a_run_record().model_dump(mode="json"), indent=1)
    body = f"<!--  skillbench:v1\n{fields}\n  -->".replace("\n", line_end)
    assert len(find_markers(body).ours) == 1


def test_an_early_marker_without_the_newer_fields_is_read_with_their_former_meaning():
    early = {
        "run": "r",
        "eval_id": "github-issue-21",
        "skill_sha": "a" * 64,
        "model": "claude-sonnet-4-6",
        "score": {"with_skill": 1, "without_skill": 0.5},
        "state": "complete",
        "from_the_future": [1, 2],
    }
    (record,) = find_markers(f"<!-- skillbench:v1 {json.dumps(early)} -->").ours
    assert (record.launcher, record.mode, record.vs, record.trials) == ("api", "forced", "none", 1)
    assert record.model_identity == "claudesonnet46"
    assert record.score == {"with_skill": 1.0, "without_skill": 0.5}


@pytest.mark.parametrize(
    "payload",
    [
        "{",
        "[]",
        "{}",
        '{"run": 1}',
        '{"eval_id": "e", "model": "m"}',
        "[" * 5000 + "]" * 5000,
        '{"run": {"a": ' * 2000,
        json.dumps(a_run_record(judge="\ud800").model_dump()),
    ],
)
def test_an_unreadable_marker_is_no_record_but_still_seen(payload):
    found = find_markers(f"<!-- skillbench:v1 {payload} -->")
    assert found.ours == ()
    assert found.bears_ours


@pytest.mark.parametrize(
    "score", ["NaN", "-0.1", "1.5", '"1"', "true", "1e999", "null", "9" * 400, "-" + "9" * 400]
)
def test_a_score_that_is_no_fraction_is_no_score(score):
    fields = json.dumps(a_run_record().model_dump(mode="json", exclude={"score"}))
    text = fields[:-1] + f', "score": {{"with_skill": {score}, "without_skill": 0.5}}}}'
    (record,) = find_markers(f"<!-- skillbench:v1 {text} -->").ours
    assert record.score is None


def test_a_later_version_of_the_marker_is_recognised_as_ours():
    found = find_markers('<!-- skillbench:v2 {"run": "r"} -->')
    assert found.bears_ours
    assert found.ours == ()


@pytest.mark.parametrize(
    "flood",
    ["<!--", "<!-- skillbench:v1 {", "> ", "<pre>", "<!", "<![", "<a ", "&", "[", "`", "*a ", "</"],
)
def test_a_body_made_to_be_slow_is_read_in_bounded_time(flood):
    body = "skillbench:v1 BENCHMARK_COMPLETE\n\n" + flood * (65_000 // len(flood))
    began = time.process_time()
    find_markers(body)
    assert time.process_time() - began < 10  # a quadratic search would take minutes
