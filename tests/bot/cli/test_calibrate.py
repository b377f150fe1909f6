"""`skillbench calibrate`, as it is typed."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bot.blobs import Blobs
from bot.cli.calibrate_words import print_histories
from bot.cli.commands import app
from config.settings import Settings
from demo.play import HERE
from jobs.calibration.history import find_histories
from jobs.calibration.people import RunVerdicts, keep_verdicts
from tests.jobs.calibration.test_history import BIASED, STEADY, a_record
from tests.jobs.calibration.test_people import said

LABELS = HERE / "sample/_automation/labels.jsonl"


def typed(*words: str, folder: Path | None = None) -> tuple[int, str]:
    env = {"SKILLBENCH_DATA_DIR": str(folder)} if folder else {}
    ended = CliRunner().invoke(app, ["calibrate", *words], env=env)
    return ended.exit_code, ended.output


def test_the_shipped_labels_give_tables_without_any_key() -> None:
    code, told = typed(str(LABELS))
    assert code == 0
    assert "Judge scripted-demo-judge" in told
    assert "agreement           14 of 26, 53.8% (35% to 71%)" in told
    assert "passes what fails   5 of 8, 62.5% (31% to 86%)" in told
    assert " Entries         7   6 of 7, 85.7% (49% to 97%)   0.77" in told


def test_the_same_as_json() -> None:
    code, told = typed(str(LABELS), "--json")
    [one] = json.loads(told)["calibrations"]
    assert code == 0
    assert one["overall"]["agreed"]["count"] == 14
    assert one["confusion"]["fail"] == {"fail": 2, "pass": 5, "partial": 1}
    assert set(one["groups"]) == {"Counts", "Entries", "Figures", "Order"}


def test_lines_at_fault_end_it_with_their_numbers(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("human,judge\npass,pass\nok,pass\n", encoding="utf-8")
    code, told = typed(str(path))
    assert code == 2
    assert "labels.csv:3: human:" in told


@pytest.mark.parametrize(
    ("words", "told"),
    [([], "name a file"), (["--repo", "acme"], "acme is no repository; write OWNER/REPO")],
)
def test_wrong_usage_is_told(words: list[str], told: str) -> None:
    code, output = typed(*words)
    assert code == 2
    assert told in output


def test_what_people_said_in_comments_is_counted(tmp_path: Path) -> None:
    """From the store; of a repository nobody has said anything about there is nothing to tell."""
    import asyncio

    verdicts = RunVerdicts(run="5e1f00d5a1ad", eval_id="e", series=("m", "opus", "p"))
    settings = Settings(_env_file=None, data_dir=tmp_path)
    both = verdicts.joined([said("a"), said("b", assertion="A1", judge=("pass", "pass"))])
    asyncio.run(keep_verdicts(both, "acme/skills", Blobs(settings.blobs)))
    code, told = typed("--repo", "Acme/Skills", folder=tmp_path)
    assert (code, "Judge opus of m, scoring prompt p" in told) == (0, True)
    assert "agreement           1 of 2, 50% (9% to 91%)" in told
    code, told = typed("--repo", "acme/other", folder=tmp_path)
    assert (code, "no verdict of a person" in told) == (1, True)


def test_a_judge_over_time_has_a_row_for_each_series(capsys: pytest.CaptureFixture[str]) -> None:
    records = [a_record(n, agreement=BIASED if n % 2 else STEADY) for n in range(12)]
    records.append(a_record(13, judge_served="opus-2\x1b[31m"))
    print_histories(find_histories(records))
    latest, earlier = capsys.readouterr().out.splitlines()[-2:]
    assert "opus-2\N{REPLACEMENT CHARACTER}[31m" in latest
    assert "108 of 120, 90%" in earlier
    assert "+10.0 (" in earlier
