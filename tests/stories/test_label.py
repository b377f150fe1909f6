"""From the label to the scored comment, as the person who labels sees it."""

import io
import json
import re
import zipfile
from pathlib import Path

from tests.stories.scene import PERSON, Scene, steady

GOLDEN = Path(__file__).parent / "golden"


async def test_a_label_becomes_one_scored_report(scene: Scene) -> None:
    """The whole road: a signed webhook in, one true comment out."""
    scene.label(1)
    await scene.label_gone(1)
    [report] = scene.reports(1)
    assert steady(report) == (GOLDEN / "label_report.md").read_text(encoding="utf-8")


async def test_the_living_comment_ends_with_the_link_to_the_report(scene: Scene) -> None:
    """Whoever saw the acknowledgement finds the result from there."""
    scene.label(1)
    await scene.label_gone(1)
    living = next(body for body in scene.bot_comments(1) if "Finished: 1 report" in body)
    assert "✅ done" in living
    assert re.search(r"\[report\]\(http://127\.0\.0\.1:\d+/sample-org/skills/issues/1#", living)


async def test_reactions_and_labels_tell_the_state_at_a_glance(scene: Scene) -> None:
    """👀 when heard, 🚀 at the end; the label makes room for another."""
    scene.label(1)
    await scene.label_gone(1)
    assert scene.reactions(1) == ["eyes", "rocket"]
    assert scene.repository.labels(1) == ["benchmarked"]


async def test_the_archive_holds_the_evidence_and_no_key(scene: Scene) -> None:
    """What the report leaves out can be looked up, by everybody."""
    scene.label(1)
    await scene.label_gone(1)
    [tag] = set(re.findall(r"benchmark-results-\d{4}-\d\d", scene.reports(1)[0]))
    release = scene.repository.release(tag)
    assert release is not None
    assert release.is_prerelease
    [asset] = release.assets
    with zipfile.ZipFile(io.BytesIO(asset.content)) as archive:
        names = set(archive.namelist())
        assert {"result.json", "with_skill/output/profile.md", "judge/pass_2.json"} <= names
        assert {"prompts/with_skill.md", "prompts/without_skill.md"} <= names
        result = json.loads(archive.read("result.json"))
        everything = b"".join(archive.read(name) for name in names)
    assert result["run"]["spec"]["asker"] == PERSON
    assert b"PRIVATE KEY" not in everything
    assert scene.stage.settings.github_webhook_secret.get_secret_value().encode() not in everything


async def test_a_label_that_is_written_otherwise_is_the_label_all_the_same(scene: Scene) -> None:
    """GitHub keeps the case in which somebody made the label, and takes it off in any."""
    scene.repository.label(1, "Needs-Benchmark", by=PERSON)
    await scene.until(lambda: scene.repository.labels(1) == ["benchmarked"], "the end")
    assert len(scene.reports(1)) == 1


async def test_an_issue_opened_with_the_label_runs_once(scene: Scene) -> None:
    """GitHub sends `opened` and `labeled` for one and the same wish."""
    body = scene.repository.issue(1).body
    issue = scene.repository.open_issue(
        author=PERSON, title="Another", body=body, labels=["needs-benchmark", "other"]
    )
    await scene.label_gone(issue.number)
    await scene.github.deliveries_done()
    assert len(scene.reports(issue.number)) == 1
    assert len(scene.bot_comments(issue.number)) == 2


async def test_the_same_version_is_not_measured_twice(scene: Scene) -> None:
    """The second label costs nothing and leads to the first report."""
    scene.label(1)
    await scene.label_gone(1)
    paid = len(scene.stage.model_api.requests)
    scene.label(1)
    await scene.label_gone(1)
    assert len(scene.reports(1)) == 1
    assert "Measured before" in scene.bot_comments(1)[-1]
    assert len(scene.stage.model_api.requests) == paid


async def test_half_an_eval_case_is_refused_with_what_is_missing(scene: Scene) -> None:
    """The reply names the missing part, and nothing was spent."""
    scene.label(3)
    await scene.label_gone(3)
    [reply] = scene.bot_comments(3)
    assert "assertions" in reply
    assert scene.reactions(3) == ["eyes", "confused"]
    assert scene.repository.labels(3) == []
    assert scene.stage.model_api.requests == []


async def test_a_label_taken_back_in_time_starts_nothing(scene: Scene) -> None:
    """What the issue says when the job starts is what counts."""
    scene.label(1)
    scene.repository.unlabel(1, "needs-benchmark", by=PERSON)
    scene.comment(2, "@skillbench help")
    await scene.until(lambda: bool(scene.bot_comments(2)), "the help")
    await scene.github.deliveries_done()
    assert scene.reports(1) == []


async def test_what_ended_is_counted(scene: Scene) -> None:
    """An operator sees runs and sessions on the page Prometheus reads."""
    scene.label(1)
    await scene.label_gone(1)
    page = await scene.get("/metrics")
    assert 'skillbench_runs_total{outcome="graded"} 1.0' in page
    assert 'skillbench_sessions_total{outcome="completed"} 2.0' in page


async def test_a_worker_knows_who_it_is_before_anybody_asks(scene: Scene) -> None:
    def asked() -> bool:
        return any(sent.route == "/app" for sent in scene.github.requests)

    await scene.until(asked, "the question who we are")
