"""Addresses in an issue, an eval file or a skill are words: nothing ever asks them."""

import ast
import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from jobs.content.cases import all_cases, find_case
from jobs.content.skills import find_skills
from jobs.content.staging import stage_inputs
from jobs.values import EvalCase
from tests.builders import an_issue
from tests.jobs.content.trees import a_skill, write_tree

ROOT = Path(__file__).parents[3]
READERS = ("handlers", "jobs/content", "jobs/planning", "jobs/judging", "jobs/reporting")
NETWORK = {
    "socket", "ssl", "http", "urllib.request", "httpx", "requests", "aiohttp", "ftplib", "smtplib",
}  # fmt: skip


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server


def test_addresses_in_issue_eval_file_and_skill_are_not_asked(
    listener: socket.socket, tmp_path: Path
):
    """Neither the machine itself nor its network is reached by writing its address somewhere."""
    at = f"http://127.0.0.1:{listener.getsockname()[1]}"
    written = {
        "id": "one",
        "prompt": f"{at}/prompt.md",
        "expected_output": f"{at}/expected.md",
        "files": [
            f"{at}/a.csv",
            f"[a]({at}/a.csv)",
            "file:///etc/passwd",
            "http://169.254.169.254/",
        ],
        "assertions": [f"{at}/rubric.md", f"![x]({at}/x.png)"],
        "target_skills": ["count"],
    }
    skill = a_skill("count", f"Counts. See {at}/skill") + f"\n![x]({at}/pixel.png)\n"
    snapshot = write_tree(
        tmp_path / "tree",
        {
            "count/SKILL.md": skill,
            "_automation/evals/one.json": json.dumps(written),
        },
    )
    shelf = find_skills(snapshot)
    body = (
        f"## Skills\n[count]({at}/count)\ncount\n## Query\n{at}/query.md\n"
        f"## Expected Output\n<{at}/e>\n"
        f"## Attached Files / Input Context\n- {at}/a.csv\n- [b]({at}/b.csv)\n"
        f"## Rubric Criteria (Assertions)\n- {at}/rubric.md\n- <img src='{at}/x'>\n"
    )
    of_issue = find_case("github-issue-21", snapshot, shelf, an_issue(body=body))
    of_file = find_case("one", snapshot, shelf)
    for case in (of_issue, of_file):
        assert case.inputs == ()
        assert at in case.prompt
        stage_inputs(snapshot, case, tmp_path / case.id)
    assert all(isinstance(case, EvalCase) for case in all_cases(snapshot, shelf))
    with pytest.raises(BlockingIOError):
        listener.accept()


def test_no_reader_of_texts_knows_of_a_network():
    """What cannot open a connection cannot be talked into it."""
    for folder in READERS:
        for path in (ROOT / folder).rglob("*.py"):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            for node in ast.walk(tree):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom):
                    names = [node.module or ""]
                strays = {
                    name for name in names if name in NETWORK or name.split(".")[0] in NETWORK
                }
                assert not strays, f"{path} imports {strays}"
