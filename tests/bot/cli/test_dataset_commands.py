"""`skillbench dataset` as a process, with the scripted model on a socket."""

import json
import re
import sys

import pytest

from bot.cli.dataset_commands import dataset, spread
from bot.cli.one_at_a_time import one_at_a_time
from demo.model_api import Gate
from jobs.datasets.suites import SUBCOMMANDS
from tests.bot.cli.desk import CAPITALS, Desk, reports


async def test_a_dataset_is_run_and_told(desk: Desk) -> None:
    ended = await desk.run()
    assert ended.code == 0, ended.said
    assert "capitals/sample: llm_api (scripted-demo)" in ended.printed
    assert "3 of 4" in ended.printed
    assert "q-spain" in ended.printed
    report = ended.report
    assert (report["pass_count"], report["fail_count"]) == (3, 1)
    assert report["stats_by_tag"]["continent:europe"]["total"] == 3
    assert [case["id"] for case in report["cases"]] == [f"q-{c.lower()}" for c in CAPITALS]
    assert "/kept/report/capitals/sample_llm_api_scripted-demo_" in ended.printed


async def test_the_end_says_whether_it_was_good_enough(desk: Desk) -> None:
    good = await desk.run("--ids", "q-france,q-italy", "--fail-under", "1", "--output", "r.json")
    assert good.code == 0, good.said
    assert json.loads((desk.folder / "r.json").read_text())["pass_rate"] == 1
    assert (await desk.run("--fail-under", "0.8")).code == 1
    desk.model.down = set(CAPITALS)
    nothing = await desk.run("--limit", "2")
    assert nothing.code == 1
    assert "there is no score" in nothing.printed


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--ids", "q-france,q-mars,q-venus"], "no case `q-mars`, `q-venus`"),
        (["--target-type", "oracle"], "there is no target `oracle`"),
        (["--target-override", "colour=red"], "no field `colour`"),
        (["--target-override", "colour"], "takes NAME=VALUE"),
        (["--target-model", "nobody-knows-it"], "serves no model `nobody-knows-it`"),
        (["--limit", "0"], "--limit"),
        (["--ids", " , "], "--ids names no case"),
        (["--max-usd", "none"], "from 0.01 to 1,000,000"),
        (["--max-usd", "1e999"], "from 0.01 to 1,000,000"),
        (["--output", "/"], "`/` is a folder"),
        (["--output", ""], "`.` is a folder"),
        (["--output", "long" * 80], "cannot be written: File name too long"),
        (["--target-override"], "requires an argument"),
        (["--resume"], "no unfinished run"),
        (["--rerun-errors"], "no finished run"),
        (["--data", "nowhere"], "there is no folder nowhere"),
        (["--data", "https://"], "names a host"),
        (["--data", "http://example.org"], "https:// alone"),
        (["--data", "https://example.org/sets"], "SKILLBENCH_DATASET_HOSTS"),
    ],
)
async def test_wrong_usage_is_told_in_a_line_and_costs_nothing(
    desk: Desk, words: list[str], told: str
) -> None:
    ended = await desk.run(*words)
    assert (ended.code, ended.printed) == (2, "")
    assert told in re.sub(r"[\s│]+", " ", ended.said)
    assert "Traceback" not in ended.said
    assert not desk.model.asked


async def test_models_that_nobody_asks_are_told(desk: Desk) -> None:
    ended = await desk.run("--eval-model", "scripted-demo", "--user-model", "scripted-demo")
    assert ended.code == 0, ended.said
    assert "No case asks a judge, so scripted-demo was asked nothing." in ended.printed
    assert "Every user is scripted, so scripted-demo played nobody." in ended.printed


async def test_a_target_that_there_is_not_is_told_with_those_that_there_are(desk: Desk) -> None:
    (desk.folder / "sets/capitals/metadata.json").write_text('{"target": {"type": "robot"}}')
    ended = await desk.run()
    assert ended.code == 2
    assert "lists `robot`, which is no target here" in ended.said
    assert "`llm_api`" in ended.said


async def test_several_targets_are_no_target(desk: Desk) -> None:
    listed = [{"type": "llm_api", "model": "scripted-demo"}, {"type": "command", "command": None}]
    (desk.folder / "sets/capitals/metadata.json").write_text(json.dumps({"target": listed}))
    ended = await desk.run()
    assert ended.code == 2
    assert "`llm_api`, `command`" in ended.said


async def test_a_stopped_run_reports_what_it_has_and_goes_on(desk: Desk) -> None:
    desk.model.gate = Gate()
    ended = await desk.run()
    assert ended.code == 130
    assert "Stopped after 2 of 4 cases" in ended.said
    assert (ended.report["state"], len(ended.report["cases"])) == ("cancelled", 2)
    assert "what those in flight had cost by then is in no figure" in ended.printed
    command = next(line for line in ended.said.splitlines() if "--resume" in line)
    desk.model.gate, desk.model.asked = None, []
    again = await desk.invoke(*command.split()[2:])
    assert again.code == 0, again.said
    assert desk.model.asked == ["Spain", "Peru"]
    assert (again.report["state"], len(again.report["cases"])) == ("complete", 4)


async def test_a_run_is_not_carried_on_twice_at_once(desk: Desk) -> None:
    desk.model.gate = Gate()
    stopped = await desk.run()
    desk.model.gate = None
    with one_at_a_time(desk.folder / "kept", stopped.report["run_id"]):
        second = await desk.run("--resume")
    assert second.code == 2
    assert "is under way in another process" in second.said
    assert (await desk.run("--resume")).code == 0


async def test_an_id_with_a_comma_is_chosen_in_quotation_marks(desk: Desk) -> None:
    path = desk.folder / "sets/capitals/sample.jsonl"
    path.write_text(path.read_text().replace('"q-peru"', '"q-peru, old"'))
    ended = await desk.run("--ids", 'q-italy, "q-peru, old"')
    assert ended.code == 0, ended.said
    assert [one["id"] for one in ended.report["cases"]] == ["q-italy", "q-peru, old"]
    lines = await desk.run("--ids", "q-italy\nq-france")
    assert [one["id"] for one in lines.report["cases"]] == ["q-france", "q-italy"]


async def test_a_resume_with_another_wish_or_file_is_refused(desk: Desk) -> None:
    desk.model.gate = Gate()
    await desk.run()
    desk.model.gate = None
    other = await desk.run("--resume", "--limit", "2")
    assert other.code == 2
    assert "--limit 2" in other.said
    path = desk.folder / "sets/capitals/sample.jsonl"
    path.write_text(path.read_text() + "\n")
    changed = await desk.run("--resume")
    assert changed.code == 2
    assert "has changed" in changed.said


async def test_what_was_ungraded_is_run_again_and_nothing_else(desk: Desk) -> None:
    desk.model.down = {"Italy"}
    first = await desk.run()
    assert first.report["error_count"] == 1
    desk.model.down, desk.model.asked = set(), []
    second = await desk.run("--rerun-errors")
    assert second.code == 0, second.said
    assert desk.model.asked == ["Italy"]
    assert second.report["error_count"] == 0
    compared = await desk.invoke("compare", *reports(first, second))
    assert compared.code == 0, compared.said
    assert "left out: without a grade in one of them" in compared.printed


async def test_a_program_of_the_persons_own_is_a_target(desk: Desk) -> None:
    (desk.folder / "mine.py").write_text(
        "import json, sys\n"
        "asked = json.load(sys.stdin)\n"
        "assert 'eval' not in asked['case']\n"
        "if 'Peru' in asked['message']: sys.exit('no idea')\n"
        "print(json.dumps({'content': 'Paris'}))\n"
    )
    command = f"command={sys.executable} mine.py"
    ended = await desk.run("--target-type", "command", "--target-override", command)
    assert ended.code == 0, ended.said
    assert (ended.report["pass_count"], ended.report["error_count"]) == (1, 1)
    assert "exit code 1: no idea" in ended.printed


async def test_all_datasets_are_listed_with_what_is_wrong(desk: Desk) -> None:
    (desk.folder / "sets/capitals/broken.jsonl").write_text("{}\n{")
    (desk.folder / "sets/list").mkdir()
    (desk.folder / "sets/list/sample.jsonl").write_text("{}")
    ended = await desk.invoke("list", "--data", "sets")
    assert ended.code == 1
    assert re.search(r"capitals +sample +exact +llm_api +4", ended.printed)
    assert re.search(r"capitals +broken +cannot be used", ended.printed)
    assert "broken.jsonl:2: no JSON" in ended.said
    assert ended.printed.count("sample") == 1, "a subcommand is no benchmark"


def test_overrides_may_stand_behind_one_option() -> None:
    words = ["a", "b", "--target-override", "x=1", "y=2", "-p", "3", "--target-override", "z=4"]
    pairs = ["--target-override", "x=1", "--target-override", "y=2"]
    assert spread(words) == ["a", "b", *pairs, "-p", "3", "--target-override", "z=4"]


def test_no_benchmark_bears_the_name_of_a_subcommand() -> None:
    names = {one.name or one.callback.__name__ for one in dataset.registered_commands}  # type: ignore[union-attr]
    assert names == SUBCOMMANDS
