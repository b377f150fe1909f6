"""`skillbench run` on a local folder runs an eval case's checks, too."""

import json
import shutil
from pathlib import Path

from jobs.results import RunResult
from tests.bot.cli.test_local_run import ONLY_CASE, SAMPLE, Run, run  # noqa: F401


async def test_checks_decide_in_a_local_run(
    run: Run,  # noqa: F811
    tmp_path: Path,
) -> None:
    folder = tmp_path / "skills"
    shutil.copytree(SAMPLE, folder)
    (folder / "tests").mkdir()
    (folder / "tests/check.sh").write_text("test -s output/release-notes.md")
    case = json.loads((folder / ONLY_CASE).read_text())
    case["checks"] = [{"name": "notes are there", "command": "sh tests/check.sh"}]
    (folder / ONLY_CASE).write_text(json.dumps(case))
    ended = await run(str(folder), "--skill", "release-notes")
    assert ended.code == 0, ended.said
    result = RunResult.model_validate_json(
        (tmp_path / "skillbench-report/result.json").read_bytes()
    )
    assert [(one.assertion, one.verdict) for one in result.machine] == [
        ("C1", "pass"),
        ("C1", "fail"),
    ]
    assert "⚙️ By machine: 1 check" in (tmp_path / "skillbench-report/report.md").read_text()
