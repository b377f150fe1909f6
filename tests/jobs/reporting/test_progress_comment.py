"""The living comment says what each run is doing, what it may cost, and how it ends."""

import pytest
from hypothesis import given
from inline_snapshot import snapshot

from jobs.reporting.fit import CAP, size
from jobs.reporting.progress_comment import ProgressComment, RunRow, render_progress
from tests.jobs.reporting.rendered import EFFECTS, Rendered, hostile_text


def a_row(**changes):
    defaults = {"title": "github-issue-21", "skill": "word-count", "model": "claude-sonnet-4-6"}
    return RunRow(**(defaults | changes))


def test_a_request_under_way_shows_every_run_and_the_most_it_may_cost():
    comment = ProgressComment(
        asker="mona",
        expected="about $0.40, about 100k tokens, from 1 past run; $10.00 at most by the limit",
        rows=(
            a_row(state="judging"),
            a_row(skill="line-count"),
            a_row(
                model="gpt-4.1",
                state="duplicate",
                url="https://github.com/acme/skills/issues/21#issuecomment-9",
                score={"with_skill": 0.8333, "without_skill": 0.5},
            ),
            RunRow(title="gpt-9", state="refused", detail="no model `gpt-9`; near: `gpt-4.1`"),
        ),
    )
    assert render_progress(comment) == snapshot("""\
### 👀 Benchmarking: 2 of 4 runs finished

| Eval case | Skill | Model | State |
|:--|:--|:--|:--|
| `github-issue-21` | `word-count` | `claude-sonnet-4-6` | ⚖️ judging |
| `github-issue-21` | `line-count` | `claude-sonnet-4-6` | ⏳ queued |
| `github-issue-21` | `word-count` | `gpt-4.1` | ⏭️ done before · 83.3% with the skill, \
50% without it · [report](https://github.com/acme/skills/issues/21#issuecomment-9) |
| `gpt-9` | — | — | 🚫 refused · no model `gpt-9`; near: `gpt-4.1` |

**Expected:** about &#36;0.40, about 100k tokens, from 1 past run; &#36;10.00 at most by the \
limit. Each result comes as a comment of its own; 🚀 here means that all went well, 😕 that \
something did not. To cancel it: `@skillbench cancel`.

<sub>Asked for by mona. All commands: `@skillbench help`.</sub>
""")


def test_what_the_sets_say_stands_below_the_rows_and_is_said_nowhere_else():
    done = a_row(state="done", url="https://github.com/acme/skills/issues/21#issuecomment-9")
    comment = ProgressComment(asker="mona", rows=(done, done))
    assert comment.is_told_elsewhere
    told = comment.model_copy(update={"sets": ("**The first set** helps", "**The second** hurts")})
    assert not told.is_told_elsewhere
    assert "|\n\n**The first set** helps\n\n**The second** hurts\n\n<sub>" in render_progress(told)


def test_where_there_is_more_than_one_run_each_has_the_id_that_commands_take():
    rows = (a_row(run="aaaa1111bbbb"), a_row(run="cccc2222dddd", skill="line-count"))
    text = render_progress(ProgressComment(asker="mona", rows=(*rows, a_row(state="duplicate"))))
    assert "| Eval case | Skill | Model | State | Run |\n|:--|:--|:--|:--|:--|\n" in text
    assert "⏳ queued | `cccc2222dddd` |" in text
    assert "⏭️ done before | — |" in text
    ended = [row.model_copy(update={"state": "failed"}) for row in rows]
    text = render_progress(ProgressComment(asker="mona", rows=tuple(ended)))
    assert "Repeat a run: `@skillbench retry RUN`." in text


def test_the_only_run_needs_no_name():
    text = render_progress(ProgressComment(asker="mona", rows=(a_row(run="aaaa1111bbbb"),)))
    assert "aaaa1111bbbb" not in text
    assert "retry" not in text


def test_where_a_price_is_not_known_no_sum_is_promised():
    comment = ProgressComment(
        asker="mona",
        unpriced=("scripted-demo",),
        most_tokens=2_000_000,
        rows=(a_row(),),
    )
    text = render_progress(comment)
    assert "$" not in text
    assert "the price is not known: `scripted-demo`" in text
    assert "Only the limit of 2,000,000 tokens for each run holds." in text


def test_an_ended_request_says_how_each_kind_of_run_went():
    states = ("done", "done", "empty", "ungraded", "failed", "refused", "duplicate")
    comment = ProgressComment(asker="mona", rows=tuple(a_row(state=state) for state in states))
    text = render_progress(comment)
    assert comment.ended
    assert text.startswith(
        "### Finished: 2 reports, 1 with nothing to compare, 1 not graded, 1 failed, "
        "1 done before, 1 refused\n"
    )
    assert "at most" not in text


def test_a_cancelled_request_says_by_whom_and_what_was_finished():
    rows = (a_row(state="done"), a_row(state="cancelled"))
    comment = ProgressComment(
        asker="mona", rows=rows, cancelled_by="hubot", expected="$10.00 at most"
    )
    text = render_progress(comment)
    assert comment.ended
    assert text.startswith("### 🛑 Cancelled by hubot: 1 report, 1 cancelled\n")
    assert "| 🛑 cancelled |" in text
    assert "at most" not in text


def test_a_request_cancelled_before_it_started_says_so():
    text = render_progress(ProgressComment(asker="mona", rows=(), cancelled_by="hubot"))
    assert text.startswith("### 🛑 Cancelled by hubot before it started\n")
    assert "Asked for by mona" in text


@pytest.mark.parametrize("state", ["queued", "running", "judging", "publishing"])
def test_a_request_has_not_ended_while_a_run_is_on_its_way(state):
    rows = (a_row(state="done"), a_row(state=state))
    assert not ProgressComment(asker="mona", rows=rows).ended


@pytest.mark.parametrize(
    ("changes", "is_told"),
    [
        ({"state": "done", "url": "https://github.com/a/b/issues/1#issuecomment-1"}, True),
        ({"state": "ungraded", "url": "https://github.com/a/b/issues/1#issuecomment-1"}, True),
        ({"state": "done"}, False),  # the result of which no report could be posted
        ({"state": "duplicate", "url": "https://github.com/a/b/issues/1#issuecomment-1"}, False),
        ({"state": "refused"}, False),
        ({"state": "failed"}, False),
    ],
)
def test_a_comment_that_says_more_than_the_reports_is_not_folded_away(changes, is_told):
    assert ProgressComment(asker="mona", rows=(a_row(**changes),)).is_told_elsewhere is is_told


def test_more_than_ten_runs_are_folded():
    rows = tuple(a_row(title=f"e{number}") for number in range(14))
    text = render_progress(ProgressComment(asker="mona", rows=rows))
    opened = text.split("<details>")[0]
    assert "`e9`" in opened
    assert "`e10`" not in opened
    assert "<summary>4 more runs</summary>" in text
    assert "`e13`" in text


def test_the_comment_stays_below_the_limit():
    rows = tuple(a_row(title="🧮" * 500, detail="|" * 500) for _ in range(300))
    text = render_progress(ProgressComment(asker="m", rows=rows, notes=("x" * 900,) * 300))
    assert size(text) <= CAP + 1
    assert Rendered(text).open == []


@given(hostile_text)
def test_no_text_in_a_row_has_an_effect(text):
    row = RunRow(title=text, skill=text, model=text, detail=text, url=f"https://x.example/{text}")
    comment = ProgressComment(asker=text, rows=(row,), notes=(text,))
    shown = Rendered(render_progress(comment))
    assert not EFFECTS.search(shown.text)
    assert shown.rows == [4, 4]
    assert shown.comments == []
    assert all(link.startswith("https://x.example/") for link in shown.links)


def test_a_run_that_goes_on_can_be_watched_where_its_page_can_be_seen():
    page = "https://bench.example.org/repos/acme/skills/runs/aaaa1111bbbb"
    states = ("queued", "preparing", "running", "judging", "publishing", "failed")
    rows = tuple(a_row(state=state, watch=page) for state in states)
    text = render_progress(ProgressComment(asker="mona", rows=rows))
    assert text.count(f"[watch it live]({page})") == 4
    assert "⏳ queued |" in text
    done = a_row(state="done", watch=page, url="https://github.com/acme/skills/issues/21")
    assert "watch" not in render_progress(ProgressComment(asker="mona", rows=(done,)))
    assert "watch" not in render_progress(
        ProgressComment(asker="m", rows=(a_row(state="running"),))
    )
