"""The earlier runner's prose is understood in its shapes, and only there."""

import time

import pytest

from jobs.planning.legacy import find_legacy_reports
from jobs.planning.markers import LegacyRecord

SHA = "3f9a1c2b7d04e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e"
FENCE = "```"


def table(version: str, model: str = "`claude-opus-4-7`") -> str:
    return (
        "## Automated Benchmark Results — `word-count`\n\n"
        "| Field | Value |\n|---|---|\n"
        f"| **Model** | {model} |\n| **Skill version** | {version} |\n"
    )


def test_the_table_form_is_read():
    assert find_legacy_reports(table(f"`{SHA}`")) == (LegacyRecord("claude-opus-4-7", SHA),)


def test_the_colon_form_is_read_with_and_without_bold_bullets_and_back_ticks():
    for prefix, suffix in (("", ""), ("- **", "**"), ("**", "**"), ("* ", "")):
        body = (
            "Automated Benchmark Results\n\n"
            f"{prefix}Skill version{suffix}: `{SHA[:12]}`\n{prefix}Model:{suffix} Claude Routine\n"
        )
        assert find_legacy_reports(body) == (LegacyRecord("Claude Routine", SHA[:12]),)


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_any_line_end_is_read(line_end):
    body = table(f"`{SHA[:7]}`").replace("\n", line_end)
    assert find_legacy_reports(body) == (LegacyRecord("claude-opus-4-7", SHA[:7]),)


@pytest.mark.parametrize(
    ("version", "found"),
    [
        (SHA[:7], True),
        (SHA[:12].upper(), True),
        (f"`{SHA[:10]}` (2026-04-19)", True),
        (f"{SHA[:9]}…", True),
        (f"sha256:{SHA[:9]}", True),
        (f"{SHA[:6]}", False),
        (f"x{SHA[:9]}", False),
        (f"{SHA[:9]}z", False),
        (f"build-{SHA[:9]}", False),
        (f"{SHA[:9]}-dirty", False),
        (f"{SHA}0", False),
        ("unknown", False),
        ("", False),
    ],
)
def test_a_version_counts_from_seven_characters_that_stand_by_themselves(version, found):
    assert bool(find_legacy_reports(table(version))) is found


def test_an_eval_id_is_taken_along():
    body = table(SHA[:7]) + "| **Eval ID** | `github-issue-21` |\n"
    assert find_legacy_reports(body)[0].eval_id == "github-issue-21"


@pytest.mark.parametrize(
    "body",
    [
        "Skill version: 3f9a1c2b\nModel: m",
        "We should look at the Automated Benchmark Results.\nSkill version: 3f9a1c2b\nModel: m",
        "`Automated Benchmark Results`\nSkill version: 3f9a1c2b\nModel: m",
        "Automated Benchmark Results\nSkill version: 3f9a1c2b",
        "Automated Benchmark Results\nModel: m",
        "## Automated Benchmark Results 🟡 In Progress\nSkill version: 3f9a1c2b\nModel: m",
        "> Automated Benchmark Results\n> Skill version: 3f9a1c2b\n> Model: m",
        f"{FENCE}\nAutomated Benchmark Results\nSkill version: 3f9a1c2b\nModel: m\n{FENCE}",
        "    Automated Benchmark Results\n    Skill version: 3f9a1c2b\n    Model: m",
        "<!--\nAutomated Benchmark Results\nSkill version: 3f9a1c2b\nModel: m\n-->",
        "Automated Benchmark Results\n\n> Skill version: 3f9a1c2b\n\nModel: m",
    ],
)
def test_what_is_no_finished_report_yields_nothing(body):
    assert find_legacy_reports(body) == ()


def test_a_skill_whose_name_says_in_progress_does_not_make_its_report_unfinished():
    body = table(SHA[:7]).replace("`word-count`", "`in progress`")
    assert find_legacy_reports(body)


@pytest.mark.parametrize("flood", ["\n", "| ", "<!--", "Model", "a", "Model:\n", "*", "> "])
def test_a_body_made_to_be_slow_is_read_in_bounded_time(flood):
    body = "Automated Benchmark Results\n" + flood * (65_000 // len(flood))
    began = time.process_time()
    find_legacy_reports(body)
    assert time.process_time() - began < 10  # a quadratic search would take minutes
