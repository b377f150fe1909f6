"""What is said of each key that a maintainer got wrong: the line, the key, what is allowed."""

import pytest

from config.repo_file import RepoFile, RepoFileError, parse_repo_file


def refusal(text: str) -> str:
    with pytest.raises(RepoFileError) as refused:
        parse_repo_file(text.encode())
    [problem] = refused.value.problems
    return str(problem)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("mention: measure", "`mention`: it must look like @name, of letters, digits"),
        ("labels: {run: eval}", "`labels`: `eval` cannot mean two things; give each its own label"),
        ("labels: {done: ''}", "`labels.done`: a label's name has 1 to 50 characters on one line"),
        ("models: [a, '']", "`models[1]`: this is no name of a model, such as `claude-sonnet`"),
        ("evals: {globs: []}", "`evals.globs`: it is an empty list; leave the key out for what"),
        ("evals: {folder: /x}", "`evals.folder`: `/x` is no folder for eval cases: write its"),
        ("evals: {sync: on}", "`evals.sync`: it must be `true` or `false`"),
        ("skills: {excludes: [a**]}", "`skills.excludes[0]`: `a**` is no pattern for paths"),
        ("launcher: claud-code", "it must be `api` or `claude-code`. Did you mean `claude-code`?"),
        ("trials: 100", "`trials`: it must be a whole number from 1 to 20"),
        ("budgets: {per_day: 5e3}", "`budgets.per_day`: it must be US dollars above 0 and up to"),
        (
            "permissions: {run: owner}",
            "it must be `read`, `triage`, `write`, `maintain` or `admin`",
        ),
        ("schedule: {sweep: daily}", "`schedule.sweep`: `daily` is no time of cron: write minute"),
        ("schedule: {sweep: 0 0 30 2 *}", "`0 0 30 2 *` is no time of cron"),
        ("schedule: {sweep: 61 * * * *}", "`61 * * * *` is no time of cron"),
        (f"schedule: {{sweep: {'9' * 5000} * * * *}}", "is no time of cron"),
        ("schedule: {swep: 0 3 * * *}", "there is no such key. Did you mean `sweep`? Allowed are"),
        ("baseline: {max_age_days: -1}", "`baseline.max_age_days`: it must be a whole number from"),
        ("archive: relase", "it must be `release`, `blob` or `off`. Did you mean `release`?"),
        ("comments: [short]", "`comments`: it must be `short`, `normal` or `full`"),
    ],
)
def test_a_slip_is_told_with_what_is_allowed(text: str, said: str):
    told = refusal(f"\n{text}\n")
    assert told.startswith("line 2, ")
    assert said in told


def test_what_is_left_out_is_as_usual():
    usual = RepoFile()
    assert (usual.labels.run, usual.labels.done) == ("needs-benchmark", "benchmarked")
    assert usual.labels.evals == ("benchmark", "eval")
    assert (usual.trials, usual.archive, usual.comments) == (1, "release", "normal")
    assert (usual.permissions.run, usual.permissions.read) == ("write", "triage")
    assert usual.baseline.max_age_days == 14


@pytest.mark.parametrize(
    ("role", "may"),
    [
        ("none", ()),
        ("read", ()),
        ("triage", ("read",)),
        ("write", ("read", "run", "cancel", "verdict")),
        ("maintain", ("read", "run", "cancel", "verdict", "override_budget")),
        ("admin", ("read", "run", "cancel", "verdict", "override_budget")),
        ("auditor", ()),
    ],
)
def test_a_role_may_what_those_below_it_may(role: str, may: tuple[str, ...]):
    rights = ("read", "run", "cancel", "verdict", "override_budget")
    assert tuple(one for one in rights if RepoFile().permissions.allow(one, role)) == may


@pytest.mark.parametrize(
    ("names", "marks"),
    [(("Eval",), True), (("bug", "benchmark"), True), (("bug",), False), ((), False)],
)
def test_labels_mark_eval_cases_in_any_case(names: tuple[str, ...], marks: bool):
    assert RepoFile().labels.mark_evals(names) is marks
