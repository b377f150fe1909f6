"""A push changes a skill: what is known of it is measured anew, and the commit is told."""

import asyncio
import shutil
from pathlib import Path

from demo.play import PERSON
from tests.stories.pushes import (
    CSV,
    ISSUE,
    another_version,
    check_done,
    checks_on,
    measure,
    push,
    pushed_over,
    told,
    write,
)
from tests.stories.scene import Scene


async def test_a_changed_skill_is_measured_anew_and_told_on_commit_and_issue(
    scene: Scene, tmp_path: Path
) -> None:
    await measure(scene)
    said = len(scene.bot_comments(1))
    commit = push(scene, tmp_path / "1", another_version(1))
    check = await check_done(scene, commit)
    first, second = scene.reports(1)
    assert "With the skill, against its previous version" not in first
    assert "**With the skill, against its previous version** [`" in second
    assert "score 100% → 100% = · tokens " in second
    assert len(scene.bot_comments(1)) == said + 1  # the report, and no comment beside it
    assert (check.name, check.conclusion, check.title) == ("skillbench", "success", "1 the same")
    assert (check.text, check.annotations, check.actions) == (None, [], [])
    assert told(check) == (
        "**1 skill changed:** `csv-profile` is `<short>`.\n\n"
        "| Eval | Skill | Model | Before | Now | Change | Tokens | Time |\n"
        "|:--|:--|:--|--:|--:|:--|:--|:--|\n"
        f"| [#1]({ISSUE}) | csv-profile | `scripted-demo` | [100%]({ISSUE}#issuecomment-<id>) "
        f"| [100%]({ISSUE}#issuecomment-<id>) | = | 4.3k = | <duration> |\n\n"
        "<sub>Scores, tokens and time are those of the sessions with the skill. Measured are the "
        "models that an eval has results for, and those that `models:` in "
        "`.github/skillbench.yml` keeps current.</sub>"
    )
    assert checks_on(scene, scene.repository.repository.commits[commit].parents[0]) == []


async def test_a_push_that_changes_no_skill_says_nothing(scene: Scene, tmp_path: Path) -> None:
    await measure(scene)
    readme = push(scene, tmp_path / "1", {"README.md": "Other words.\n"})
    evals = push(scene, tmp_path / "2", {"csv-profile/evals/more.txt": "no part of it\n"})
    await pushed_over(scene)
    assert checks_on(scene, readme) == checks_on(scene, evals) == []
    assert len(scene.reports(1)) == 1


async def test_a_skill_that_only_moves_is_the_same_skill(scene: Scene, tmp_path: Path) -> None:
    await measure(scene)
    folder = write(tmp_path / "1")
    (folder / "skills").mkdir()
    (folder / CSV).rename(folder / "skills" / CSV)
    moved = scene.repository.push(folder, by=PERSON)
    await pushed_over(scene)
    assert checks_on(scene, moved) == []
    assert len(scene.reports(1)) == 1


async def test_a_skill_that_moves_and_changes_is_held_against_where_it_lay(
    scene: Scene, tmp_path: Path
) -> None:
    await measure(scene)
    folder = write(tmp_path / "1", another_version(1))
    (folder / "skills").mkdir()
    (folder / CSV).rename(folder / "skills" / CSV)
    shutil.copytree(folder / "skills" / CSV / "examples", folder / CSV / "examples")
    commit = scene.repository.push(folder, by=PERSON)
    assert (await check_done(scene, commit)).title == "1 the same"
    assert "against its previous version" in scene.reports(1)[-1]


async def test_nobody_pays_for_what_nobody_has_asked_about(scene: Scene, tmp_path: Path) -> None:
    """Without a result, and without `models:`, a push measures nothing."""
    commit = push(scene, tmp_path / "1", another_version(1))
    await pushed_over(scene)
    assert checks_on(scene, commit) == []
    assert scene.reports(1) == []


async def test_models_of_the_repositorys_file_are_kept_current(
    scene: Scene, tmp_path: Path
) -> None:
    """The case of release-notes lies in a file and is told on its issue, though never measured."""
    wish = {".github/skillbench.yml": "models: [scripted-demo]\n"}
    push(scene, tmp_path / "1", wish)
    commit = push(scene, tmp_path / "2", {"release-notes/more.txt": "more\n", **wish})
    check = await check_done(scene, commit)
    assert check.title == "1 measured for the first time"
    assert len(scene.reports(2)) == 1
    assert scene.reports(1) == []


async def test_pushing_back_to_an_older_version_finds_its_results(
    scene: Scene, tmp_path: Path
) -> None:
    await measure(scene)
    old = scene.repository.head
    newer = push(scene, tmp_path / "1", another_version(1))
    await check_done(scene, newer)
    scene.repository.move_branch(old, by=PERSON)
    check = await check_done(scene, old)
    assert check.title == "Nothing to measure: known at this version"
    assert check.conclusion == "success"
    assert len(scene.reports(1)) == 2
    (delivery, *_) = [one for one in scene.github.deliveries[::-1] if one.event == "push"]
    assert delivery.payload["forced"] is True
    assert delivery.payload["commits"] == []


async def test_a_push_of_thirty_commits_is_one_change(scene: Scene, tmp_path: Path) -> None:
    await measure(scene)
    main, folder = scene.repository.head, write(tmp_path / "1", another_version(1))
    scene.repository.repository.branches["next"] = main
    for number in range(30):
        (folder / "README.md").write_text(f"{number}\n")
        last = scene.repository.push(folder, by=PERSON, branch="next")
    scene.repository.move_branch(last, by=PERSON)
    check = await check_done(scene, last)
    assert check.title == "1 the same"
    assert len(scene.reports(1)) == 2
    assert [one.commit for one in scene.repository.repository.checks] == [last]


async def test_a_merge_is_measured_where_it_leads(scene: Scene, tmp_path: Path) -> None:
    await measure(scene)
    folder = write(tmp_path / "1", another_version(1))
    scene.repository.repository.branches["next"] = scene.repository.head
    scene.repository.push(folder, by=PERSON, branch="next")
    async with asyncio.timeout(30):
        await scene.github.deliveries_done()
    assert scene.repository.repository.checks == []
    scene.repository.move_branch(scene.repository.repository.branches["next"], by=PERSON)
    await check_done(scene, scene.repository.head)
    assert len(scene.reports(1)) == 2


async def test_of_two_pushes_at_once_only_the_newer_is_measured(
    scene: Scene, tmp_path: Path
) -> None:
    await measure(scene)
    older = push(scene, tmp_path / "1", another_version(1))
    newer = push(scene, tmp_path / "2", another_version(2))
    first, second = await check_done(scene, older), await check_done(scene, newer)
    assert (first.title, first.conclusion) == ("Superseded by a newer push", "neutral")
    assert "superseded" in (first.summary or "")
    assert (second.title, second.conclusion) == ("1 the same", "success")
    assert len(scene.reports(1)) == 2


async def test_what_is_pushed_away_and_back_is_measured_in_the_end(
    scene: Scene, tmp_path: Path
) -> None:
    """The very push that was superseded, once more: its version is on the default branch now."""
    await measure(scene)
    old = scene.repository.head
    newer = push(scene, tmp_path / "1", another_version(1))
    scene.repository.move_branch(old, by=PERSON)
    await check_done(scene, old)
    assert (await check_done(scene, newer)).title == "Superseded by a newer push"
    scene.repository.move_branch(newer, by=PERSON)
    await scene.until(
        lambda: [one.title for one in checks_on(scene, newer)] == ["1 the same"],
        "the check run of what came back",
    )
    assert len(scene.reports(1)) == 2


async def test_a_newer_push_of_other_files_leaves_an_older_one_standing(
    scene: Scene, tmp_path: Path
) -> None:
    await measure(scene)
    older = push(scene, tmp_path / "1", another_version(1))
    newer = push(scene, tmp_path / "2", {**another_version(1), "README.md": "Other words.\n"})
    assert (await check_done(scene, older)).title == "1 the same"
    await pushed_over(scene)
    assert checks_on(scene, newer) == []
    assert len(scene.reports(1)) == 2


async def test_a_case_without_an_issue_stands_in_the_check_run_alone(
    scene: Scene, tmp_path: Path
) -> None:
    files = {
        ".github/skillbench.yml": "models: [scripted-demo]\n",
        "csv-profile/evals/evals.json": (
            '{"skill_name": "csv-profile", "evals": [{"id": 1, "prompt": "Profile the table.", '
            '"files": ["examples/visits.csv"], "assertions": ["Duplicate rows: 2"]}]}'
        ),
    }
    push(scene, tmp_path / "1", files)
    commit = push(scene, tmp_path / "2", {**files, **another_version(1)})
    check = await check_done(scene, commit)
    assert "`csv-profile#1`" in (check.summary or "")
    assert check.conclusion == "success"
    assert scene.repository.repository.commit_comments == []
    assert [scene.bot_comments(number) for number in (1, 2, 3)] == [[], [], []]


async def test_a_push_that_is_delivered_twice_is_measured_once(
    scene: Scene, tmp_path: Path
) -> None:
    await measure(scene)
    commit = push(scene, tmp_path / "1", another_version(1))
    await check_done(scene, commit)
    (delivery,) = [one for one in scene.github.deliveries if one.event == "push"]
    scene.github.redeliver(delivery)
    await scene.github.deliveries_done()
    await pushed_over(scene)
    assert len(checks_on(scene, commit)) == 1
    assert len(scene.reports(1)) == 2
