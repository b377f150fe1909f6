"""A plan pins the environment of its runs, and costs nothing where there is none."""

import json
from pathlib import Path
from typing import Any

import pytest

from config.settings import Settings
from jobs.content.skills import find_skills
from jobs.errors import Refused
from jobs.planning.dedup import record_key
from jobs.planning.plan import Plan, PlanInput, make_plan
from jobs.planning.rows import make_progress
from jobs.values import Model, RunSpec
from tests.builders import a_model, a_request, an_issue
from tests.jobs.content.trees import WORD_COUNT, Content, write_tree
from tests.jobs.planning.known import known

BODY = """## Skills
word-count

## Query
Count.

## Rubric Criteria (Assertions)
- prints 42
"""
FILES: dict[str, Content] = {
    "word-count/SKILL.md": WORD_COUNT,
    "line-count/SKILL.md": "---\nname: line-count\ndescription: Counts lines.\n---\nCount.\n",
    ".github/skillbench.yml": "environments: {small: {packages: {commands: [sort]}}}\n",
}


class OneModel:
    """Serves every model, and counts how often it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def resolve(self, asked: str) -> Model:
        self.asked.append(asked)
        return a_model(asked=asked)

    def price_known(self, _: Model) -> bool:
        return True


def anything_goes(_: RunSpec) -> None:
    """A launcher that can carry out every run."""


async def plan(
    tmp_path: Path, body: str = BODY, catalog: OneModel | None = None, **request: Any
) -> Plan:
    snapshot = write_tree(tmp_path, FILES)
    given = PlanInput(
        request=a_request(**request),
        issue=an_issue(body=body),
        snapshot=snapshot,
        shelf=find_skills(snapshot),
        known=known(),
        check=anything_goes,
    )
    return await make_plan(given, catalog or OneModel(), Settings(_env_file=None))


async def test_every_run_bears_the_digest_of_the_plans_environment(tmp_path: Path):
    made = await plan(tmp_path, environment="small", models=("a-1", "b-1"))
    assert made.environment is not None
    assert made.environment.packages.commands == ("sort",)
    assert {spec.environment for spec in made.runs} == {made.environment.digest}
    assert Plan.model_validate_json(made.model_dump_json()) == made


async def test_a_skill_that_the_case_does_not_name_is_measured_and_said_to_be_another(
    tmp_path: Path,
):
    made = await plan(tmp_path, skill="line-count")
    assert [spec.skill.name for spec in made.runs] == ["line-count"]
    [note] = made.notes
    assert note.startswith("The eval case is about `word-count`; `line-count` was named")
    assert note in made.runs[0].eval_case.remarks
    assert note in make_progress(made, Settings(_env_file=None)).notes


async def test_an_id_beside_a_skill_is_first_one_of_its_own_cases(tmp_path: Path):
    """What a comment with `--skill line-count --eval 1` means, on an issue with a case, too."""
    own = {"id": 1, "prompt": "Count lines.", "expectations": ["prints 3"]}
    write_tree(tmp_path, {"line-count/evals/evals.json": json.dumps({"evals": [own]})})
    made = await plan(tmp_path, skill="line-count", eval_id="1")
    assert [spec.eval_case.id for spec in made.runs] == ["line-count#1"]
    assert made.notes == ()


async def test_one_that_the_case_names_needs_no_note(tmp_path: Path):
    for folder, skill in (("a", None), ("b", "word-count"), ("c", "word-count/SKILL.md")):
        made = await plan(tmp_path / folder, skill=skill)
        assert made.notes == ()


async def test_a_run_in_another_environment_is_another_run(tmp_path: Path):
    plain = await plan(tmp_path / "a")
    small = await plan(tmp_path / "b", environment="small")
    [one], [other] = plain.runs, small.runs
    assert plain.environment is None
    assert one.environment == ""
    assert record_key(one) != record_key(other)
    assert one.run_id != other.run_id


async def test_an_issue_may_name_its_environment(tmp_path: Path):
    made = await plan(tmp_path, f"{BODY}\n## Environment\nsmall\n")
    assert made.environment is not None
    assert made.environment.name == "small"


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ("smal", "There is no environment `smal`. Did you mean `small`?"),
        ("image: evil/box", "must be one name and nothing else, as defined in"),
    ],
)
async def test_what_an_issue_may_not_name_is_refused_before_any_model_is_asked(
    tmp_path: Path, named: str, said: str
):
    catalog = OneModel()
    with pytest.raises(Refused, match="environment") as refused:
        await plan(tmp_path, f"{BODY}\n## Environment\n{named}\n", catalog)
    assert said in str(refused.value)
    assert catalog.asked == []


@pytest.mark.parametrize(
    ("launcher", "mode", "meant"),
    [
        ("api", None, "forced"),
        ("api", "installed", "installed"),
        ("claude-code", None, "installed"),
        ("claude-code", "forced", "forced"),
    ],
)
async def test_a_mode_is_as_asked_or_as_usual_for_the_launcher(
    tmp_path: Path, launcher: str, mode: str | None, meant: str
):
    [spec] = (await plan(tmp_path, launcher=launcher, mode=mode)).runs
    assert (spec.launcher, spec.mode) == (launcher, meant)


async def test_a_run_in_another_mode_is_another_run(tmp_path: Path):
    [one] = (await plan(tmp_path / "a", launcher="api")).runs
    [other] = (await plan(tmp_path / "b", launcher="api", mode="installed")).runs
    assert record_key(one) != record_key(other)
