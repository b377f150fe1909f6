"""A small repository, and the template filled in, for bodies as people write them."""

import pytest

from jobs.content.cases import find_case
from jobs.content.shelf import SkillShelf
from jobs.errors import Refused
from jobs.values import EvalCase
from tests.builders import an_issue
from tests.jobs.content.trees import WORD_COUNT, Content, a_skill

BODY = """## Skills
word-count

## Language
R

## Query
Count words.

## Expected Output
A number

## Attached Files / Input Context
{files}

## Rubric Criteria (Assertions)
{rubric}
"""


REPOSITORY: dict[str, Content] = {
    "word-count/SKILL.md": WORD_COUNT,
    "csv-clean/SKILL.md": a_skill("csv-clean"),
    "2-step/SKILL.md": a_skill("2-step"),
    "word-count/benchmarks/basic/prompt.md": "Count the words.\n",
    "word-count/benchmarks/basic/rubric.md": "- prints 42\n- says so\n",
    "data/hr data.tsv": "hr\n",
    "data/a.csv": "1",
}


def read(body: str, shelf: SkillShelf) -> EvalCase:
    """The eval case of issue 7 with this body."""
    return find_case("github-issue-7", shelf.snapshot, shelf, an_issue(number=7, body=body))


def refusal(body: str, shelf: SkillShelf) -> str:
    """Why a body is refused."""
    with pytest.raises(Refused) as refused:
        read(body, shelf)
    return str(refused.value)


def filled(files: str = "None", rubric: str = "- prints 42") -> str:
    """The template with these files and this rubric."""
    return BODY.format(files=files, rubric=rubric)


def texts(case: EvalCase) -> list[str]:
    """What the case asserts."""
    return [assertion.text for assertion in case.assertions]
