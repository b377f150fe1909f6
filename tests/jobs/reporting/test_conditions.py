"""What a report says of the world its sessions met, and of the hosts they did not reach."""

from hypothesis import given, settings
from hypothesis import strategies as st

from jobs.reporting.conditions import (
    MOST_FACTS,
    render_environment,
    render_launcher,
    render_refused_hosts,
)
from jobs.reporting.context import ReportContext
from jobs.reporting.fit import CAP, size
from jobs.reporting.report import render_report
from jobs.values import Arm
from tests.builders import a_result, a_run_spec, a_session, an_ungraded_result, some_limits
from tests.jobs.reporting.rendered import EFFECTS, Rendered, hostile_text

CONTEXT = ReportContext(archive_absent="it is a test")
DIGEST = "0123456789abcdef" * 4


def sessions(with_skill: dict | None = None, without_skill: dict | None = None) -> tuple:
    return (
        a_session(Arm.WITH_SKILL, **(with_skill or {})),
        a_session(Arm.WITHOUT_SKILL, **(without_skill or {})),
    )


def test_launcher_version_and_sandbox_stand_in_one_line():
    told = {"launcher_version": "2.1.197", "sandbox": "docker"}
    result = a_result(
        spec=a_run_spec(launcher="claude-code", mode="installed"), sessions=sessions(told, told)
    )
    assert render_launcher(result) == (
        "`claude-code` `2.1.197`, skill installed, loaded on demand, sandbox `docker`"
    )
    assert f"| Launcher | {render_launcher(result)} |" in render_report(result, CONTEXT)


def test_limits_and_memory_of_a_session_stand_in_one_line():
    told = {"limits": some_limits(), "memory_mb": 2048}
    result = a_result(sessions=sessions(told, told))
    assert (
        "| Limits of a session | 1 min, 20 turns, 200k tokens, $1.00, 2,048 MB of memory |"
    ) in render_report(result, CONTEXT)


def test_two_versions_are_both_named():
    """The run is void then, and the line shows why."""
    result = a_result(
        sessions=sessions({"launcher_version": "2.1.197"}, {"launcher_version": "2.1.198"})
    )
    assert "`2.1.197` or `2.1.198`" in render_launcher(result)


def test_the_environment_is_named_with_its_digest_and_what_is_in_it():
    result = a_result(
        spec=a_run_spec(environment=DIGEST), environment=("r-pharma", "R 4.2.2", "jsonlite 1.8.4")
    )
    line = render_environment(result)
    assert line == "`r-pharma` (`0123456789ab`): R 4.2.2, jsonlite 1.8.4"
    assert f"| Environment | {line} |" in render_report(result, CONTEXT)


def test_a_plain_sandbox_has_no_line_of_its_own():
    assert render_environment(a_result()) == ""
    assert "| Environment |" not in render_report(a_result(), CONTEXT)


def test_many_facts_are_counted():
    facts = tuple(f"package{number} 1.0" for number in range(MOST_FACTS + 4))
    line = render_environment(a_result(environment=("r", *facts)))
    assert line.endswith("and 4 more")


def test_a_run_without_refused_hosts_says_nothing_of_them():
    assert render_refused_hosts(a_result()) == ""
    assert "refused" not in render_report(a_result(), CONTEXT)


def test_refused_hosts_are_counted_at_the_top_and_listed_by_arm_below():
    refused = {"refused_hosts": ("pypi.org:443: the environment does not allow this host",)}
    for result in (
        a_result(sessions=sessions(refused)),
        an_ungraded_result(sessions=sessions(refused)),
    ):
        report = render_report(result, CONTEXT)
        top, _, below = report.partition("### S")
        assert "**Hosts were refused**: 1 with the skill, 0 without it." in top
        assert "Hosts that were refused (1 entry)" in below
        listed = Rendered(report).words
        assert "With the skill: pypi.org:443: the environment does not allow this host" in listed


@settings(max_examples=30, deadline=None)
@given(st.lists(hostile_text, max_size=6), hostile_text, hostile_text)
def test_hosts_and_facts_are_foreign_text(hosts, fact, version):
    told = {"refused_hosts": tuple(hosts), "launcher_version": version, "sandbox": version}
    report = render_report(
        a_result(
            spec=a_run_spec(environment=DIGEST),
            sessions=sessions(told, told),
            environment=("r", fact, version),
        ),
        CONTEXT,
    )
    shown = Rendered(report)
    plain = Rendered(render_report(a_result(spec=a_run_spec(environment=DIGEST)), CONTEXT))
    assert set(shown.links) == set(plain.links)
    assert len(shown.comments) == len(plain.comments)
    assert not EFFECTS.search(shown.text)
    assert shown.open == []


def test_a_flood_of_hosts_leaves_the_report_whole():
    flood = {"refused_hosts": tuple(f"{'x' * 240}{n}.example:443: no" for n in range(100))}
    report = render_report(a_result(sessions=sessions(flood, flood)), CONTEXT)
    assert size(report) < CAP + 100
    assert "100 with the skill, 100 without it" in report
    assert Rendered(report).open == []


def test_what_measures_again_holds_the_conditions_that_are_not_usual():
    """As usual for the launcher; another one than the operator's is named."""
    spec = a_run_spec(mode="installed", trials=2)
    assert CONTEXT.run_again(spec).endswith(" --mode installed --trials 2 --force")
    spec = a_run_spec(launcher="claude-code", mode="installed")
    assert CONTEXT.run_again(spec).endswith(" --launcher claude-code --force")
    assert ReportContext(usual_launcher="claude-code").run_again(spec).split()[3:] == ["--force"]


def test_where_there_is_no_github_the_archive_lies_beside_and_nothing_is_to_be_commented():
    context = ReportContext(web_url="", archive_name="skills-case-0123.zip")
    report = render_report(a_result(), context)
    assert "**Archive** `skills-case-0123.zip`, beside this file" in report
    assert "No archive" not in report
    assert "@skillbench" not in report.partition("<!--")[0]
