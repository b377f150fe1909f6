"""What a push asks for: by results and by the repository's file, least-benchmarked first."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from config.repo_file import RepoFile
from config.settings import Settings
from jobs.content.cases import find_case
from jobs.content.skills import find_skills
from jobs.errors import Gone, Refused
from jobs.ports import Comment, Issue
from jobs.pushes.changed import find_changed_skills
from jobs.pushes.plan import PushPlan
from jobs.pushes.planning import MOST_RUNS, PushPlanner, make_requests
from jobs.requests import Request
from jobs.results import RunRecord
from jobs.values import Model
from jobs.world import World
from tests.builders import a_run_record
from tests.input_builders import a_model, a_request, an_issue
from tests.jobs.content.trees import COMMIT, Content, a_skill, write_tree

OLD_SHA = "0" * 64


@dataclass
class Known:
    """A GitHub with issues, a ledger with records, a catalogue that knows every model but one."""

    settings: Settings
    records_: list[RunRecord] = field(default_factory=list)
    issues: dict[int, Issue] = field(default_factory=dict)

    @property
    def runs(self) -> "Known":
        return self

    @property
    def github(self) -> "Known":
        return self

    @property
    def ledger(self) -> "Known":
        return self

    @property
    def catalog(self) -> "Known":
        return self

    async def records(self, _: str) -> list[RunRecord]:
        return self.records_

    async def comments(self, _: int) -> list[Comment]:
        return []

    async def permission(self, _: str) -> str:
        return "read"

    async def open_issues(self, _: tuple[str, ...]) -> list[Issue]:
        return []

    async def issue(self, number: int) -> Issue:
        if number not in self.issues:
            raise Gone("deleted")
        return self.issues[number]

    async def resolve(self, asked: str) -> Model:
        if asked == "retired":
            raise Refused("no provider knows `retired`")
        return a_model(asked=asked, sent=asked, identity=asked)


def a_case(name: str, **changes: Any) -> str:
    fields = {"id": name, "prompt": "Count.", "assertions": ["5"], "target_skills": ["count"]}
    return json.dumps(fields | changes)


def cases(*names: str) -> dict[str, Content]:
    return {f"_automation/evals/{name}.json": a_case(name) for name in names}


def a_record(eval_id: str, **changes: Any) -> RunRecord:
    usual = {
        "run": f"{eval_id}-{len(changes)}",
        "eval_id": eval_id,
        "skill": "count",
        "skill_sha": OLD_SHA,
        "model": "m-1",
        "model_identity": "m-1",
    }
    return a_run_record(**usual | changes)


def asking() -> Request:
    return a_request(kind="changed_skills", origin="push", issue=0, before="b" * 40, after=COMMIT)


async def plan(
    folder: Path,
    files: dict[str, Content],
    *records: RunRecord,
    models: tuple[str, ...] = (),
    issues: dict[int, Issue] | None = None,
) -> PushPlan:
    after = write_tree(folder / "after", {"count/SKILL.md": a_skill("count", "New."), **files})
    shelf = find_skills(after)
    before = find_skills(write_tree(folder / "before", {"count/SKILL.md": a_skill("count")}))
    world = Known(Settings(_env_file=None, data_dir=folder), list(records), issues or {})
    planner = PushPlanner(
        request=asking(),
        after=after,
        shelf=shelf,
        repo_file=RepoFile(models=models),
        world=cast("World", world),
    )
    return await planner.make_plan(find_changed_skills(before, shelf))


def names(made: PushPlan) -> list[tuple[str, str]]:
    return [(row.eval_id, row.model) for row in made.rows]


async def test_a_case_goes_on_with_the_models_it_has_results_for(tmp_path: Path) -> None:
    other = a_record("a", model="m-2", model_identity="m-2", run="x")
    made = await plan(tmp_path, cases("a", "b"), a_record("a"), other)
    assert names(made) == [("a", "m-1"), ("a", "m-2")]
    assert [row.previous is not None for row in made.rows] == [True, True]


async def test_models_to_keep_current_are_measured_where_nothing_was(tmp_path: Path) -> None:
    made = await plan(tmp_path, cases("a", "b"), a_record("a"), models=("m-1", "m-9"))
    assert sorted(names(made)) == [("a", "m-1"), ("a", "m-9"), ("b", "m-1"), ("b", "m-9")]


async def test_the_least_benchmarked_goes_first(tmp_path: Path) -> None:
    records = [a_record("a", run=f"a{number}") for number in range(3)]
    records += [a_record("b", run="b1")]
    made = await plan(tmp_path, cases("a", "b", "c"), *records, models=("m-1",))
    assert names(made) == [("c", "m-1"), ("b", "m-1"), ("a", "m-1")]
    requests = make_requests(made, asking())
    assert [one.eval_id for one in requests] == ["c", "b", "a"]


async def test_a_push_asks_for_so_many_runs_and_names_the_rest(tmp_path: Path) -> None:
    made = await plan(
        tmp_path, cases(*(f"case-{number:02}" for number in range(MOST_RUNS + 5))), models=("m-1",)
    )
    assert len(made.rows) == MOST_RUNS
    (left_out,) = made.left_out
    assert left_out.startswith(f"5 more runs than the {MOST_RUNS} that one push asks for")


async def test_what_was_measured_at_this_version_is_known_and_not_asked_for(
    tmp_path: Path,
) -> None:
    first = await plan(tmp_path / "1", cases("a"), a_record("a"))
    (row,) = first.rows
    digest = await _digest_of(tmp_path / "2")
    now = a_record("a", run="now", skill_sha=row.skill.sha, eval_digest=digest)
    made = await plan(tmp_path / "3", cases("a"), a_record("a"), now)
    assert [one.known for one in made.rows] == [now]
    assert make_requests(made, asking()) == []


async def _digest_of(folder: Path) -> str:
    snapshot = write_tree(folder, {"count/SKILL.md": a_skill("count", "New."), **cases("a")})
    return find_case("a", snapshot, find_skills(snapshot)).digest


async def test_a_model_that_is_gone_is_named_and_takes_nothing_else_down(tmp_path: Path) -> None:
    gone = a_record("a", model="retired", model_identity="retired", run="x")
    made = await plan(tmp_path, cases("a"), a_record("a"), gone)
    assert names(made) == [("a", "m-1")]
    assert made.left_out == ("no provider knows `retired`",)


async def test_an_issue_that_was_measured_goes_on_without_a_label_of_evals(
    tmp_path: Path,
) -> None:
    body = "## Skills\n- count\n## Query\nCount.\n## Rubric Criteria (Assertions)\n- 5\n"
    issues = {
        7: an_issue(number=7, body=body),
        8: an_issue(number=8, body=body, is_open=False),
        9: an_issue(number=9, body="No case any more."),
    }
    records = [a_record(f"github-issue-{number}") for number in (7, 8, 9, 10)]
    made = await plan(tmp_path, {}, *records, issues=issues)
    assert [(row.eval_id, row.issue) for row in made.rows] == [("github-issue-7", 7)]


async def test_models_of_one_case_are_one_request(tmp_path: Path) -> None:
    other = a_record("a", launcher="claude-code", mode="installed", run="x")
    made = await plan(tmp_path, cases("a"), a_record("a"), other, models=("m-2",))
    requests = make_requests(made, asking())
    assert sorted((one.launcher, sorted(one.models)) for one in requests) == [
        ("api", ["m-1", "m-2"]),
        ("claude-code", ["m-1"]),
    ]
    for one in requests:
        assert (one.kind, one.origin, one.skill) == ("benchmark", "push", "count")
        assert (one.before, one.after, one.asked_at) == ("b" * 40, COMMIT, asking().asked_at)
    assert len({one.key for one in requests}) == 2


async def test_more_models_than_a_request_may_have_are_several_requests(tmp_path: Path) -> None:
    models = [f"m-{number:02}" for number in range(12)]
    records = [a_record("a", run=one, model=one, model_identity=one) for one in models]
    made = await plan(tmp_path, cases("a"), *records)
    requests = make_requests(made, asking())
    assert [len(one.models) for one in requests] == [10, 2]
    assert len({one.key for one in requests}) == 2


async def test_a_case_that_may_mean_either_of_two_skills_is_named_and_left_out(
    tmp_path: Path,
) -> None:
    files: dict[str, Content] = {
        "_automation/evals/a.json": a_case("a", target_skills=["counter"]),
        "one/SKILL.md": a_skill("counter", "One."),
        "two/SKILL.md": a_skill("counter", "Another."),
    }
    made = await plan(tmp_path, files, a_record("a", skill="one"))
    assert made.rows == ()
    (left_out,) = made.left_out
    assert left_out.startswith("`a` was left out. 2 skills answer to `counter`: `one` and `two`.")
    unasked = await plan(tmp_path / "unasked", files)
    assert unasked.left_out == ()
