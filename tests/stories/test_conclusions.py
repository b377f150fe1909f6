"""What a skill's eval cases say together, from the first report to the summary."""

from demo.play import PERSON
from tests.stories.scene import Scene

TASK = """\
## Skills
- csv-profile

## Query
Profile a table of {count} numbers that you make up.

## Expected Output
A short profile.

## Rubric Criteria
- Has one go through steps
- Repeats the task
"""


async def measure(scene: Scene, issues: list[int], command: str) -> None:
    """Run every issue's eval case and wait for the last report."""
    for issue in issues:
        comment = scene.comment(issue, f"@skillbench {command}")
        await scene.reacted(issue, comment, "rocket")


async def ask(scene: Scene, command: str) -> str:
    before = len(scene.bot_comments(1))
    scene.comment(1, f"@skillbench {command}")
    await scene.until(lambda: len(scene.bot_comments(1)) > before, f"the answer to {command}")
    return scene.bot_comments(1)[-1]


async def test_a_set_grows_from_report_to_report_and_is_held_against_itself(scene: Scene) -> None:
    """Five wins of five are the fewest that say something, and A/A says what noise is."""
    issues = [
        scene.repository.open_issue(
            author=PERSON, title=f"Numbers {count}", body=TASK.format(count=count)
        ).number
        for count in range(10, 15)
    ]
    await measure(scene, issues, "run")
    told = [scene.reports(issue)[-1] for issue in issues]
    assert "the skill's set" not in told[0]
    for count, report in enumerate(told[1:4], start=2):
        assert (
            "**With this, the skill's set** on `scripted-demo`: 🔍 **underpowered**, "
            f"{count} wins, 0 ties, 0 losses of {count} eval cases" in report
        )
    assert "🟢 **helps**, 5 wins, 0 ties, 0 losses of 5 eval cases" in told[4]
    await measure(scene, issues, "run --vs self")
    summary = await ask(scene, "summary --skill csv-profile")
    assert "🟢 **helps** on `scripted-demo`: 5 wins, 0 ties, 0 losses of 5 eval cases." in summary
    assert "A/A: 0 of 5 runs of the same version against itself pointed to a winner" in summary
    assert "the rule itself passed 0 of 1 round." in summary
    results = (await ask(scene, "results")).replace("\N{NO-BREAK SPACE}", " ")
    assert "| `csv-profile` | `scripted-demo` | 🟢 **helps** | 5 / 0 / 0 |" in results
    assert "| 0.031 | 0 of 5 |" in results
