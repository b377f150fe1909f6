"""What a sync says: the pull request's title and text, and the answer on the issue.

Pure functions. What people wrote goes through `escape`; an issue is named by its number and
address, which are GitHub's own.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from jobs.proposals import PullRequest
from jobs.reporting import escape
from jobs.reporting.fit import Blocks, details, fit
from jobs.reporting.numbers import plural
from jobs.sync.outcomes import MOST_ISSUES, Outcome, Word

TITLE_CHARACTERS = 80
REASON_CHARACTERS = 400
MOST_REMARKS = 3
_WORDS: tuple[Word, ...] = ("added", "changed", "unchanged", "skipped")
_HEAD = "| Issue | File | Written by | What |\n|:--|:--|:--|:--|\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Synced:
    """All that is said about one sync."""

    outcomes: Sequence[Outcome]
    labels: Sequence[str]
    folder: str
    left_behind: Sequence[str] = ()
    """Files of issues that are no open eval issues any more."""
    left_out: int = 0
    """Issues beyond the most of one sync."""
    asker: str
    mention: str

    def of(self, *words: Word) -> list[Outcome]:
        return [one for one in self.outcomes if one.word in words]

    @property
    def counts(self) -> str:
        """`2 added, 1 changed`, without what there is none of."""
        counts = Counter(one.word for one in self.outcomes)
        return ", ".join(f"{counts[word]} {word}" for word in _WORDS if counts[word])


def render_title(synced: Synced) -> str:
    """The title of the pull request and of its commit."""
    changes = synced.of("added", "changed")
    if not changes:
        return "Eval cases: nothing is left to change"
    named = f"eval case of issue #{changes[0].issue.number}"
    many = f"{len(changes)} eval cases of issues"
    return f"Bring {named if len(changes) == 1 else many} up to date"


def render_pull_request(synced: Synced) -> str:
    """The text of the pull request."""
    changes = synced.of("added", "changed")
    top = [
        f"Eval cases of this repository's issues, as files in {escape.code(synced.folder)}: "
        f"{synced.counts}."
        if changes
        else "The files say what the issues say; this can be closed.",
    ]
    if changes:
        top.append(
            "**Please read each prompt and each assertion before you merge**: anybody may have "
            "written an issue. The files hold its text as it was when this was last brought up to "
            "date. What you commit to this branch stays: it is not touched any more then."
        )
    rows = [_row(one) for one in changes]
    parts = [
        Blocks(rows, "*Shortened: the files show the rest.*", before=_HEAD),
        *_folded(synced),
    ]
    asked = f"Asked for by {escape.inline(synced.asker, 80)}. " if synced.asker else ""
    again = f"To bring it up to date, comment {escape.code(synced.mention + ' sync')} on an issue."
    return fit(top, parts, [f"<sub>{asked}{again}</sub>"]) + "\n"


def render_answer(synced: Synced, pull: PullRequest | None) -> str:
    """The answer on the issue where it was asked for."""
    changes = synced.of("added", "changed")
    labels = " or ".join(escape.code(label, 50) for label in synced.labels)
    if not synced.outcomes:
        top = f"### 📄 No eval issues\n\nNo open issue bears the label {labels}."
    elif pull is not None and changes:
        top = (
            f"### 📄 Eval cases: {synced.counts}\n\n"
            f"[Pull request #{pull.number}]({escape.address(pull.url)}) has them as files in "
            f"{escape.code(synced.folder)}. Nothing changes until somebody merges it."
        )
    else:
        top = (
            f"### 📄 Eval cases: nothing to change\n\n{synced.counts[:1].upper()}"
            f"{synced.counts[1:]}. The files in {escape.code(synced.folder)} say what the "
            f"issues say."
        )
    help_line = f"<sub>All commands: {escape.code(synced.mention + ' help')}</sub>"
    return fit([top], _folded(synced), [help_line]) + "\n"


def _folded(synced: Synced) -> list[Blocks]:
    """The lists that are not a change: skipped, unchanged, left behind."""
    parts = []
    if skipped := synced.of("skipped"):
        parts.append(_list(f"Skipped ({len(skipped)})", [_skipped(one) for one in skipped]))
    if unchanged := synced.of("unchanged"):
        items = [f"- {_link(one)} {escape.inline(one.issue.title, 80)}" for one in unchanged]
        parts.append(_list(f"Unchanged ({len(unchanged)})", items))
    if synced.left_behind:
        title = f"Files whose issue is no open eval issue any more ({len(synced.left_behind)})"
        items = [f"- {escape.code(name, 120)} stays as it is" for name in synced.left_behind]
        parts.append(_list(title, items))
    if synced.left_out:
        words = f"{plural(synced.left_out, 'issue')} more than the {MOST_ISSUES} of one sync"
        parts.append(Blocks([f"⚠️ {words}: they were not looked at."], ""))
    return parts


def _list(title: str, items: Sequence[str]) -> Blocks:
    before, after = details(title)
    return Blocks(items, "*Shortened.*", before=before, after=after)


def _row(one: Outcome) -> str:
    name = one.path.rpartition("/")[2]
    said = f"{one.word}, {plural(one.assertions, 'assertion')}"
    remarks = [escape.sentence(text, REASON_CHARACTERS) for text in one.remarks[:MOST_REMARKS]]
    what = "<br>".join([said, *(f"⚠️ {remark}" for remark in remarks)])
    title = escape.cell(one.issue.title, TITLE_CHARACTERS)
    return f"| {_link(one)} {title} | {escape.code(name)} | {_author(one)} | {what} |"


def _skipped(one: Outcome) -> str:
    reason = escape.sentence(one.reason, REASON_CHARACTERS)
    return f"- {_link(one)} {escape.inline(one.issue.title, TITLE_CHARACTERS)}: {reason}"


def _author(one: Outcome) -> str:
    return escape.inline(one.issue.author, 80)


def _link(one: Outcome) -> str:
    url = escape.address(one.issue.url)
    return f"[#{one.issue.number}]({url})" if url else f"#{one.issue.number}"
