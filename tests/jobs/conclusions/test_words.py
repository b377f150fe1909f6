"""How verdicts on sets read."""

from collections.abc import Sequence

from inline_snapshot import snapshot

from config.settings import Settings
from jobs.conclusions.sets import find_sets
from jobs.conclusions.table import make_table
from jobs.conclusions.telling import (
    find_newest_sets,
    find_request_lines,
    find_set_line,
    find_version_lines,
)
from jobs.conclusions.thresholds import Thresholds
from jobs.conclusions.verdict import conclude_set
from jobs.conclusions.words import (
    Concluded,
    name_conditions,
    render_block,
    render_line,
    say_multiplicity,
)
from jobs.results import RunRecord
from jobs.values import RunSpec
from tests.builders import a_run_spec, a_skill, an_eval_case
from tests.jobs.conclusions.records import (
    against_itself,
    only_set,
    results,
    scored,
    unscored,
    versions_scored,
)

USUAL = Thresholds()
SETTINGS = Settings(_env_file=None)
HOSTILE = "<!-- x --> @all | `a` [b](https://evil.test)"


def concluded(records: Sequence[RunRecord]) -> Concluded:
    found = only_set(records)
    return Concluded(found, conclude_set(found, USUAL))


def block(records: Sequence[RunRecord]) -> str:
    return render_block(concluded(records), USUAL, mention="@skillbench")


def test_a_report_tells_its_set_in_a_line() -> None:
    assert render_line(concluded(results(7, 1, 0))) == snapshot("""\
**With this, the skill's set** on `claude-sonnet-4-6`: 🟢 **helps**, 7 wins, 1 tie, 0 \
losses of 8 eval cases, on average +43.8 points (95 % interval +25 to +58.5 points)\
""")


def test_a_set_whose_eval_cases_share_their_input_files_needs_others() -> None:
    """Ever so many more on the same files would be one observation all the same."""
    line = render_line(concluded(results(8, 0, 0, fixture="f" * 64)))
    assert "8 eval cases that differ (1 by their input files)" in line
    assert "18 eval cases with input files of their own" in line


def test_a_set_that_is_too_small_says_what_it_lacks() -> None:
    assert render_line(concluded(results(2, 1, 1))) == snapshot("""\
**With this, the skill's set** on `claude-sonnet-4-6`: 🔍 **underpowered**, 2 wins, 1 tie, \
1 loss of 4 eval cases, on average +12.5 points (no interval: too few eval cases, or no \
spread); at least 5 eval cases must differ, and 3 do; 24 eval cases like these would be \
enough\
""")


def test_a_verdict_stands_with_its_figures_its_repeats_and_its_method() -> None:
    quiet = against_itself([0, 0.5, 0, 0, -0.5, 0, 0, 0])
    assert block([*results(7, 1, 0), *quiet]) == snapshot("""\
🟢 **helps** on `claude-sonnet-4-6`: 7 wins, 1 tie, 0 losses of 8 eval cases.

- Mean difference: +43.8 points (95 % interval +25 to +58.5 points); normalized gain +60.9%
- A/A: 2 of 8 runs of the same version against itself pointed to a winner (flip rate 25%, \
95 % interval 7% to 59%), 1 to the tested arm (false wins 12.5%, 95 % interval 2% to 47%); \
the rule itself passed 0 of 1 round.

<sub>Method: exact one-sided sign test over eval cases, p = 0.0078 (at most 0.05), at \
least 5 eval cases that differ (here 7), net wins of at least 20% of all (here 88%); \
interval of the mean paired difference, clustered by eval case and input files (8 \
clusters); judge `claude-opus-4-7`, prompt `p1`.</sub>\
""")


def test_what_was_never_held_against_itself_is_told_how() -> None:
    assert "A/A: not measured; `@skillbench run --vs self` on its eval cases" in block(
        results(5, 0, 0)
    )


def test_a_rule_that_passes_identical_arms_is_said_plainly() -> None:
    text = block([*results(7, 0, 0), *against_itself([0.5] * 5)])
    assert text.startswith("⚠️ **invalid** on")
    assert (
        "⚠️ **The rule finds a difference between identical arms in 1 of 1 round, more often than "
        "the 10% that it may: do not rely on its word.**"
    ) in text


def test_eval_cases_that_were_run_again_are_counted() -> None:
    again = [one.model_copy(update={"run": f"again {one.run}"}) for one in results(2, 0, 0)]
    assert "; 2 eval cases were measured more than once, of which the latest run counts.</sub>" in (
        block([*results(5, 0, 0), *again])
    )
    assert "more than once" not in block([*results(5, 0, 0), *results(2, 0, 0)])


def test_an_invalid_set_says_why() -> None:
    text = block([*results(7, 0, 0), *(unscored(f"x{n}") for n in range(4))])
    assert "of 7 eval cases; 4 of 11 eval cases came to no score." in text


def test_evidence_that_may_be_looked_at_any_time_is_named_as_what_it_is() -> None:
    sure = [one.model_copy(update={"sure": True}) for one in results(9, 0, 0)]
    assert "Method: evidence that may be looked at any time, 102.3 (at least 40), at least 5" in (
        block(sure)
    )


def test_conditions_that_are_not_usual_are_named() -> None:
    [usual] = find_sets([scored("a", 1, 0)])
    assert name_conditions(usual) == "`claude-sonnet-4-6`"
    [other] = find_sets(
        [
            versions_scored(
                "a", 1, 0, launcher="claude-code", mode="forced", environment="e" * 64,
                vs="sha:" + "b" * 64,
            )
        ]
    )  # fmt: skip
    assert name_conditions(other) == (
        "`claude-sonnet-4-6` in claude-code, forced, environment `eeeeeeeeeeee`, against version "
        "`bbbbbbbbbbbb`"
    )


def test_several_verdicts_side_by_side_are_said_to_be_several() -> None:
    strong = concluded(results(8, 0, 0))
    weak = concluded(results(5, 0, 0))
    none = concluded(results(1, 0, 1))
    assert say_multiplicity([strong], USUAL) == ""
    assert say_multiplicity([strong, weak, none], USUAL) == snapshot("""\
3 verdicts stand side by side, each with its own chance of 5% to say *helps* where nothing \
does, so by chance alone at least one would in up to 14% of such lists. Held to 0.017 each \
(Bonferroni), 1 of 2 claims would stand.\
""")
    assert "Bonferroni" not in say_multiplicity([none, none], USUAL)


def test_names_of_strangers_do_nothing() -> None:
    changes = {"model": HOSTILE, "judge_served": HOSTILE, "judge_prompt": HOSTILE, "mode": HOSTILE}
    records = results(2, 0, 0, skill=HOSTILE, environment=HOSTILE, **changes)
    text = block(records) + render_line(concluded(records))
    for live in ("<!--", "@all", "](https", "| `"):
        assert live not in text


async def test_a_set_of_one_eval_case_is_told_by_its_report_alone() -> None:
    [one, other] = results(2, 0, 0)
    assert await find_set_line(one, [], SETTINGS) == ""
    line = await find_set_line(one, [other], SETTINGS)
    assert line.startswith("**With this, the skill's set** on `claude-sonnet-4-6`: 🔍")
    assert await find_newest_sets([one], SETTINGS) == ([], 0)
    [found], _ = await find_newest_sets([one, other], SETTINGS)
    assert found.verdict.evals == 2


async def test_a_run_of_a_pull_request_is_counted_with_its_own() -> None:
    [first, second, third] = results(3, 0, 0)
    here = [one.model_copy(update={"pull": 7}) for one in (first, second)]
    elsewhere = third.model_copy(update={"pull": 8})
    line = await find_set_line(here[0], [here[1], elsewhere], SETTINGS)
    assert "2 wins, 0 ties, 0 losses of 2 eval cases" in line


async def test_a_run_of_a_version_against_itself_tells_the_repeats_of_its_set() -> None:
    first, *others = against_itself([0.5, 0, 0, 0, 0])
    line = await find_set_line(first, [*results(5, 0, 0), *others], SETTINGS)
    assert line.startswith(
        "**With this, A/A of the skill's set** on `claude-sonnet-4-6`: 1 of 5 runs of the same"
    )
    assert await find_set_line(first, others, SETTINGS) == ""


async def test_thresholds_come_from_the_settings() -> None:
    [one, *others] = results(4, 0, 0)
    loose = SETTINGS.model_copy(update={"set_alpha": 0.1, "set_fewest": 4})
    assert "**underpowered**" in await find_set_line(one, others, SETTINGS)
    assert "**helps**" in await find_set_line(one, others, loose)


def specs(*evals: str, skill: str = "text/word-count") -> list[RunSpec]:
    """Runs of a request, under the ids that their records have."""
    return [
        a_run_spec(
            run_id=f"run of {name}", eval_case=an_eval_case(id=name), skill=a_skill(path=skill)
        )
        for name in evals
    ]


async def test_a_request_of_several_eval_cases_ends_with_what_their_set_says() -> None:
    records = results(8, 0, 0)
    [line] = await find_request_lines(specs("e00", "e01"), records, SETTINGS)
    assert line.startswith(
        "**With this, the set of `text/word-count`** on `claude-sonnet-4-6`: 🟢 **helps**, 8 wins"
    )
    other = results(2, 0, 0, skill="another", eval_digest="d" * 64)
    both = [one.model_copy(update={"run": f"other {one.run}"}) for one in other]
    more = [one.model_copy(update={"run_id": f"other {one.run_id}"}) for one in specs("e00", "e01")]
    asked = [*specs("e00", "e01"), *more]
    lines = await find_request_lines(asked, [*records, *both], SETTINGS)
    assert len(lines) == 3
    assert lines[-1].startswith("2 verdicts stand side by side")


async def test_a_request_of_one_eval_case_leaves_it_to_the_report() -> None:
    assert await find_request_lines(specs("e00"), results(8, 0, 0), SETTINGS) == ()
    apart = [*specs("e00"), *specs("e01", skill="another")]
    assert await find_request_lines(apart, results(8, 0, 0), SETTINGS) == ()
    assert await find_request_lines([], results(8, 0, 0), SETTINGS) == ()


async def test_a_pull_request_ends_with_the_sets_of_its_own_versions() -> None:
    head, base = "f" * 64, "b" * 64
    own = [
        versions_scored(f"e{n}", 1, 0, run=f"p{n}", pull=7, skill_sha=head, vs=f"sha:{base}")
        for n in range(5)
    ]
    records = [*results(2, 0, 0), *own]
    [line] = await find_version_lines({head}, records, SETTINGS, pull=7)
    assert "against version `bbbbbbbbbbbb`: 🟢 **helps**, 5 wins" in line
    assert await find_version_lines({head}, records, SETTINGS) == ()
    assert await find_version_lines({base}, records, SETTINGS, pull=7) == ()


async def test_sets_stand_side_by_side_in_a_table() -> None:
    sets = [*results(7, 1, 0), *against_itself([0.5] * 5)]
    sets += results(2, 0, 0, skill="another")
    found, _ = await find_newest_sets(sets, SETTINGS)
    text = make_table(found, USUAL).render(10_000).replace("\N{NO-BREAK SPACE}", " ")
    assert "| `text/word-count` | `claude-sonnet-4-6` | ⚠️ **invalid** | 7 / 1 / 0 |" in text
    assert "| +43.8 points<br>+25 to +58.5 | 0.0078 | 5 of 5 ⚠️ passes too often |" in text
    assert "| `another` | `claude-sonnet-4-6` | 🔍 **underpowered** | 2 / 0 / 0 |" in text
    assert "| +50 points | 0.25 | not measured |" in text
    assert "2 verdicts stand side by side" in text
    [one], _ = await find_newest_sets(sets, SETTINGS, about=lambda path: path == "another")
    assert one.found.key.skill == "another"
    assert make_table([], USUAL).render(10_000) == ""


async def test_very_many_sets_are_counted() -> None:
    many = [one for number in range(25) for one in results(2, 0, 0, skill=f"skill-{number}")]
    found, left_out = await find_newest_sets(many, SETTINGS)
    text = make_table(found, USUAL, left_out=left_out).render(60_000)
    assert text.count("\n| `skill-") == 20
    assert "5 more sets left out: name a `--skill`." in text
