"""Planning on a large repository costs a moment, however many cases it holds."""

import json
import time
from pathlib import Path

from jobs.content.cases import all_cases, find_case
from jobs.content.skills import find_skills
from jobs.values import EvalCase
from tests.jobs.content.trees import Content, a_skill, write_tree

SKILLS = 50
CASES = 1_000


def test_fifty_skills_and_a_thousand_cases_are_read_in_seconds(tmp_path: Path):
    """The bound is ten times what it takes, since the machine is shared."""
    files: dict[str, Content] = {}
    for n in range(SKILLS):
        files[f"skill-{n}/SKILL.md"] = a_skill(f"skill-{n}")
        files |= {f"skill-{n}/references/{m}.md": "x" * 10_000 for m in range(20)}
    for n in range(CASES):
        case = {
            "id": f"github-issue-{n}",
            "prompt": "Count the words of this sentence. " * 30,
            "assertions": [f"assertion {m} holds for `output.csv`" for m in range(12)],
            "files": [f"skill-{n % SKILLS}/references/1.md"],
            "target_skills": [f"skill-{n % SKILLS}"],
        }
        files[f"_automation/evals/github-issue-{n}.json"] = json.dumps(case)
    snapshot = write_tree(tmp_path, files)

    started = time.process_time()
    shelf = find_skills(snapshot)
    case = find_case("github-issue-777", snapshot, shelf)
    assert time.process_time() - started < 5
    assert case.target_skills == ("skill-27",)

    started = time.process_time()
    cases = all_cases(snapshot, shelf)
    assert time.process_time() - started < 15
    assert sum(isinstance(case, EvalCase) for case in cases) == CASES
