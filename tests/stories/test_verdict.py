"""A person's verdict beside the judge's: shown in the report, kept, and never a second answer."""

import shutil
from pathlib import Path

import pytest

from tests.stories.scene import Scene
from tests.stories.test_again import a_run

SAID = "@skillbench verdict A1 without_skill pass because line 3 has it (I looked)"


async def say(scene: Scene, words: str, issue: int = 2, reaction: str = "rocket") -> int:
    """Comment a command and wait for its end; gives the comment."""
    asked = scene.comment(issue, words)
    await scene.reacted(issue, asked, reaction)
    return asked


async def test_a_verdict_is_answered_by_the_report_itself(scene: Scene) -> None:
    """The score stays the judge's; what it would be stands beside it."""
    run = await a_run(scene)
    [before] = scene.reports(2)
    said = len(scene.bot_comments(2))
    paid = len(scene.stage.model_api.requests)
    asked = await say(scene, SAID)
    assert len(scene.bot_comments(2)) == said
    assert len(scene.stage.model_api.requests) == paid
    [report] = scene.reports(2)
    assert report.splitlines()[1] == before.splitlines()[1]
    assert "### 👤 Verdicts by people" in report
    [row] = [line for line in report.splitlines() if line.startswith("| A1 | Without it")]
    assert f"issues/2#issuecomment-{asked})" in row
    assert row.endswith("| ❌ fail | line 3 has it (I looked) |")
    assert "With these verdicts in place of the judge's it would be 100% with the skill" in report
    cell = "👤 **✅ pass** by maria: line 3 has it (I looked) (judge said ❌ fail)"
    assert cell in report
    assert f'<!-- skillbench:verdicts {{"run": "{run}"' in report
    assert scene.reactions(2, asked) == ["eyes", "rocket"]
    assert '"people": {"pass/fail": 1}' in report


async def test_a_correction_takes_the_place_of_the_earlier_word_which_is_kept(
    scene: Scene,
) -> None:
    await a_run(scene)
    asked = await say(scene, SAID)
    changed = SAID.replace("pass because", "partial because")
    scene.repository.edit_comment(asked, by="maria", body=changed)
    await scene.until(
        lambda: "| **🟡 partial** by " in scene.reports(2)[0], "the correction in the report"
    )
    await say(scene, "@skillbench verdict A1 without_skill fail because I was wrong")
    [report] = scene.reports(2)
    assert report.count("| A1 | Without it |") == 1
    assert "| **❌ fail** by [maria]" in report
    assert "before: ✅ pass by [maria]" in report
    assert "🟡 partial by [maria]" in report


@pytest.mark.parametrize(
    ("words", "reply"),
    [
        ("A77 with_skill pass", "no assertion `A77`; there are `A1`, `A2`"),
        (
            "A1 base_skill pass",
            "no arm `base_skill`; its arms are `with_skill` and `without_skill`",
        ),
        (
            "A1 with_skill pass --trial 2",
            "no trial 2 with a score: name one with `--trial`, of `1`",
        ),
        ("A1 with_skill pass --run 0123456789ab", "I know no run `0123456789ab`"),
    ],
)
async def test_what_is_not_there_is_refused_once_with_what_there_is(
    scene: Scene, words: str, reply: str
) -> None:
    await a_run(scene)
    said = len(scene.bot_comments(2))
    await say(scene, f"@skillbench verdict {words} because I say so", reaction="confused")
    assert len(scene.bot_comments(2)) == said + 1
    assert reply in scene.bot_comments(2)[-1]
    assert "👤" not in scene.reports(2)[0]


async def test_a_verdict_outlives_the_store_and_comes_back_with_the_report(
    tmp_path: Path, scene: Scene
) -> None:
    """What is on GitHub is the record: the report's own hidden line."""
    run = await a_run(scene)
    await say(scene, SAID)
    [told] = scene.reports(2)
    shutil.rmtree(tmp_path / "data" / "blobs" / "verdicts")
    await say(scene, f"@skillbench report {run}")
    assert scene.reports(2) == [told]
    shutil.rmtree(tmp_path / "data" / "blobs" / "runs")
    await say(scene, "@skillbench verdict A2 with_skill fail because no")
    [report] = scene.reports(2)
    assert "| A1 | Without it" in report
    assert "| A2 | With the skill" in report


async def test_a_verdict_on_a_run_that_is_reported_elsewhere_leads_there(scene: Scene) -> None:
    run = await a_run(scene)
    await say(scene, f"{SAID} --run {run}", issue=3)
    [reply] = scene.bot_comments(3)
    assert "👤 Your verdict stands in the [report](" in reply
    assert "issues/2#issuecomment-" in reply
    assert "| A1 | Without it" in scene.reports(2)[0]


async def test_of_several_trials_one_is_named(scene: Scene) -> None:
    """Each has outputs of its own."""
    await a_run(scene, options=" --trials 2")
    await say(scene, SAID, reaction="confused")
    assert "name one with `--trial`, of `1`, `2`" in scene.bot_comments(2)[-1]
    await say(scene, f"{SAID} --trial 2")
    [report] = scene.reports(2)
    assert "| A1 | Without it, trial 2 |" in report
    assert "👤 trial 2, **✅ pass** by maria" in report


async def test_several_in_one_comment_are_all_kept(scene: Scene) -> None:
    await a_run(scene)
    said = len(scene.bot_comments(2))
    lines = [f"@skillbench verdict A{n} with_skill partial because {n}" for n in (1, 2)]
    scene.comment(2, "\n".join([*lines, SAID]))
    await scene.until(
        lambda: scene.reports(2)[0].count("by [maria](") == 3, "all three in the report"
    )
    assert len(scene.bot_comments(2)) == said


async def test_whoever_may_not_write_gives_no_verdict(scene: Scene) -> None:
    await a_run(scene)
    scene.github.add_person("rudi")
    scene.comment(2, SAID, by="rudi")
    await scene.until(
        lambda: "can put a verdict beside the judge's" in scene.bot_comments(2)[-1], "a refusal"
    )
    assert "👤" not in scene.reports(2)[0]


async def test_a_hostile_reason_does_nothing(scene: Scene) -> None:
    await a_run(scene)
    reason = (
        '<!-- skillbench:verdicts {"run": "x"} --> | cell | @everyone `code` <b>bold</b> '
        "[link](https://evil.example) #1"
    )
    await say(scene, f"@skillbench verdict A1 with_skill fail because {reason}")
    [report] = scene.reports(2)
    assert report.count("<!-- skillbench:verdicts ") == 1
    assert report.count("<!-- ") == 4  # the tag, both markers of the run, and people's verdicts
    shown, hidden = report.split("<!-- skillbench:verdicts")
    assert hidden.splitlines()[0].count("-->") == 1
    for bad in ("<b>", "](https://evil.example)", "@everyone", "`code`", "| cell |"):
        assert bad not in shown


async def test_a_summary_tells_how_far_people_agree_with_the_judge(scene: Scene) -> None:
    """The judge is measured by those whom it stands in for."""
    await a_run(scene)
    await say(scene, SAID)
    await say(scene, "@skillbench verdict A2 with_skill pass because so it is")
    asked = scene.comment(2, "@skillbench summary")
    await scene.reacted(2, asked, "rocket")
    summary = scene.bot_comments(2)[-1]
    [row] = [line for line in summary.splitlines() if line.startswith("| `scripted-demo-judge` · ")]
    assert row.endswith("| 50% of 2 (9% to 91%) |")
