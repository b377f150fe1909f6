"""The folded part of a report: evidence, sessions, files, notes on the judging.

Each function gives a `Part`, which can make itself shorter where the comment is too long.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from jobs.calibration.people import RunVerdicts
from jobs.readings import JudgePass, Verdict
from jobs.reporting import escape, numbers
from jobs.reporting.arm_words import WORDS, words_of
from jobs.reporting.conclusion import bare_words, unblind
from jobs.reporting.context import KeyFiles, ReportContext
from jobs.reporting.fit import EVERYTHING, Blocks, Part, details, share, size
from jobs.reporting.judges import judge_notes
from jobs.reporting.leaks import leak_notes
from jobs.reporting.machine import machine_words
from jobs.reporting.pass_rates import explain_pass_rates, say_pass_rates
from jobs.reporting.people import said_beside
from jobs.reporting.reused import SIGN
from jobs.reporting.scorecard import cost
from jobs.reporting.soundness import soundness_notes
from jobs.reporting.trials import count_verdicts
from jobs.reporting.verdict_icons import ICONS
from jobs.results import RunResult
from jobs.scores import AssertionScore
from jobs.values import OutputFile, SessionEnd, SessionResult

_EVIDENCE_LENGTHS = (500, 250, 120, 60)
"""Characters of a quotation, tried from the longest: all rows come before long quotations."""
MOST_SESSIONS = 6
"""Columns; the scorecard has the means over all."""
_LONGEST_FILE = 80_000
"""Characters of a file that are looked at; more never fits a comment."""
_LANGUAGES = {
    "py": "python", "r": "r", "md": "markdown", "json": "json", "csv": "csv", "sh": "bash",
    "sql": "sql", "html": "html", "js": "javascript", "ts": "typescript", "yaml": "yaml",
    "yml": "yaml", "toml": "toml", "tex": "latex", "sas": "sas", "rs": "rust", "xml": "xml",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class EvidenceTable:
    """Every assertion with the verdicts and quotations for both arms."""

    result: RunResult
    rest: str
    people: RunVerdicts | None = None

    def render(self, room: int) -> str:
        text = ""
        for length in _EVIDENCE_LENGTHS:
            text = self._table(length).render(EVERYTHING)
            if size(text) <= room:
                return text
        return self._table(_EVIDENCE_LENGTHS[-1]).render(room)

    def _table(self, length: int) -> Blocks:
        rows = self.result.assertions
        tested, other = (words.title for words in words_of(self.result.spec))
        in_trials = ", counted by trial" if self.result.trials else ""
        before, after = details(f"All {len(rows)} assertions with evidence{in_trials}")
        if explained := explain_pass_rates(self.result):
            after = f"\n\n*{explained}*{after}"
        if any(_is_cut(row, length) for row in rows):
            after = f"\n\n*Quotations ending in … go on {self.rest}.*{after}"
        return Blocks(
            blocks=[self._row(row, length) for row in rows],
            note=f"*Shortened to fit a comment. All {len(rows)} assertions are {self.rest}.*",
            before=f"{before}| | Assertion | {tested} | {other} |\n|:--|:--|:--|:--|\n",
            after=after,
        )

    def _row(self, row: AssertionScore, length: int) -> str:
        group = (
            f"<em>{escape.inline(row.assertion.group, 80)}</em><br>" if row.assertion.group else ""
        )
        cells = [
            escape.cell(row.assertion.id, 12),
            group + escape.sentence(row.assertion.text, max(length, 120)),
            self._evidence(row.with_skill, length),
            self._evidence(row.without_skill, length),
        ]
        if self.result.trials:
            counts = count_verdicts(self.result, row.assertion.id)
            rates = say_pass_rates(self.result, row.assertion.id)
            cells[2:] = [
                "<br>".join(part for part in (f"**{count}**", rate, text) if part)
                for count, rate, text in zip(counts, rates, cells[2:], strict=True)
            ]
        for column, arm in enumerate(self.result.spec.arms, start=2):
            cells[column] += said_beside(self.people, row.assertion.id, arm, self.result)
        return f"| {' | '.join(cells)} |"

    def _evidence(self, verdicts: Sequence[Verdict], length: int) -> str:
        """One verdict with its quotation, or each reading's where they differ."""
        by_word: dict[tuple[str, bool], list[Verdict]] = {}
        for one in verdicts:
            by_word.setdefault((one.verdict, one.by_machine), []).append(one)
        return "<br>".join(self._one(same, length) for same in by_word.values()) or "—"

    def _one(self, same: Sequence[Verdict], length: int) -> str:
        """The first of several verdicts that say the same."""
        verdict = same[0]
        if verdict.by_machine:
            return machine_words(same, length)
        evidence = escape.sentence(verdict.evidence, length)
        if evidence and verdict.quote_found:
            evidence = f"“{evidence}”"
        is_said = bool(evidence) and bare_words(verdict.reason) == bare_words(verdict.evidence)
        reason = "" if is_said else escape.sentence(verdict.reason, length)
        text = " ".join(part for part in (f"{ICONS[verdict.verdict]}:", evidence, reason) if part)
        if verdict.credits and not verdict.quote_found:
            text += " ⚠️ quotation not found in the output"
        return text


@dataclass(frozen=True, slots=True)
class FileBlock:
    """One text file in a fence; a long one is cut at the end of a line, with a note."""

    name: str
    text: str
    rest: str

    def render(self, room: int) -> str:
        head = f"**{escape.inline(self.name, 160) or 'unnamed'}**\n\n"
        suffix = PurePosixPath(self.name).suffix.lower().lstrip(".")
        language = _LANGUAGES.get(suffix, "")
        text = self.text[:_LONGEST_FILE]
        whole = head + escape.fenced(text, language)
        if size(whole) <= room and len(self.text) <= _LONGEST_FILE:
            return whole
        note = f"\n\n*Cut here; the whole file is {self.rest}.*"
        kept = _cut(text, room - size(head + note), language)
        return head + kept + note if kept else ""


@dataclass(frozen=True, slots=True)
class FileSection:
    """The key text files of one arm, sharing the room they get."""

    title: str
    files: KeyFiles
    rest: str

    def render(self, room: int) -> str:
        if not self.files:
            return ""
        before, after = details(f"{self.title} ({numbers.plural(len(self.files), 'file')})")
        note = f"*Files that found no room here are {self.rest}.*"
        blocks = [FileBlock(name, text, self.rest) for name, text in self.files]
        shown = share(room - size(before + after + note) - 2, blocks)
        if not all(shown):
            shown.append(note)
        whole = before + "\n\n".join(block for block in shown if block) + after
        return whole if size(whole) <= room else ""


def evidence_part(result: RunResult, context: ReportContext) -> Part:
    """The table of all assertions; empty for an ungraded run."""
    if not result.assertions:
        return Blocks((), "")
    return EvidenceTable(result, context.rest, context.people)


def sessions_part(result: RunResult, context: ReportContext) -> Part:
    """How each session ended and what it used."""
    before, after = details("Sessions: how they ended, what they used and left")
    shown = result.sessions[:MOST_SESSIONS]
    left = len(result.sessions) - len(shown)
    more = f"\n\n*{left} more sessions are {context.rest}.*" if left > 0 else ""
    titles = [_title(session, result) for session in shown]
    rows = [
        ("Ended", [_end(one) for one in shown]),
        ("Time", [numbers.duration(one.wall_s) for one in shown]),
        ("Turns", [f"{one.turns:,}" for one in shown]),
        ("Tool calls", [f"{one.tool_calls:,}, {one.failed_tool_calls:,} failed" for one in shown]),
        ("Retries", [f"{one.retries:,}" for one in shown]),
        ("Input tokens", [numbers.tokens(one.usage.input_tokens) for one in shown]),
        ("Output tokens", [numbers.tokens(one.usage.output_tokens) for one in shown]),
        ("Read from cache", [numbers.tokens(one.usage.cache_read_tokens) for one in shown]),
        ("Written to cache", [numbers.tokens(one.usage.cache_write_tokens) for one in shown]),
        ("Cost", [cost([one.usage]) for one in shown]),
        ("Answered by", [_names(one.served_models, escape.code) for one in shown]),
        ("Files left", [_outputs(one.outputs) for one in shown]),
        ("Not collected", [_names(one.left_out, escape.inline) for one in shown]),
    ]
    return Blocks(
        blocks=[f"| {name} | {' | '.join(cells)} |" for name, cells in rows] if shown else [],
        note=f"*Shortened; the sessions are {context.rest}.*",
        before=f"{before}| | {' | '.join(titles)} |\n|:--{'|:--' * len(shown)}|\n",
        after=f"{more}{after}",
    )


def files_parts(result: RunResult, context: ReportContext) -> tuple[Part, Part]:
    """The key text files of both arms; of several trials, those of the first with a score."""
    tested, other = (words.phrase for words in words_of(result.spec))
    of_trial = f", trial {result.whole_trials[0].number}" if result.whole_trials else ""
    return (
        FileSection(f"Output {tested}{of_trial}", context.with_skill_files, context.rest),
        FileSection(f"Output {other}{of_trial}", context.without_skill_files, context.rest),
    )


def judging_part(result: RunResult, context: ReportContext) -> Part:
    """How the judging went: asks, cost, replaced give-aways, weak assertions, injections."""
    replaced = result.scrubbed
    tested, other = (words.phrase for words in words_of(result.spec))
    counts = f"{replaced.with_skill:,} {tested}, {replaced.without_skill:,} {other}"
    notes = [f"Give-aways replaced before judging: {counts}.", *judge_notes(result)]
    notes += [*leak_notes(result), *soundness_notes(result)]
    for reading in result.passes:
        notes.append(
            f"{_reading(reading, result)} by {escape.code(reading.served_model, 80)}: "
            f"{numbers.plural(reading.asks, 'answer')}, "
            f"{numbers.tokens(reading.usage.total_tokens)} tokens, {cost([reading.usage])}."
        )
        said = [("Addresses the judge", text) for text in reading.injections]
        said += [("Weak assertion", text) for text in reading.weak_assertions]
        said += [("Judge's answers", text) for text in reading.remarks]
        notes += [
            f"{title}: {escape.sentence(unblind(text, result, reading.number), 400)}"
            for title, text in said
        ]
    before, after = details("Notes on the judging")
    return Blocks(
        blocks=[f"- {note}" for note in notes] if result.passes else [],
        note=f"*Further notes are {context.rest}.*",
        before=before,
        after=after,
    )


def _reading(reading: JudgePass, result: RunResult) -> str:
    """`Reading 1`; of several trials `Trial 2, reading 1`, of a panel `Judge 2, reading 1`."""
    judge = f"Judge {reading.judge}, " if result.spec.other_judges else ""
    trial = f"Trial {reading.trial}, " if result.trials else ""
    named = f"{trial}{judge}reading {reading.number}"
    return named[0].upper() + named[1:].lower()


def _title(session: SessionResult, result: RunResult) -> str:
    title = WORDS[session.arm].title + (f" {SIGN}" if session.reused_from else "")
    return f"{title}, trial {session.trial}" if result.trials else title


def _end(session: SessionResult) -> str:
    sign = "✅" if session.end is SessionEnd.COMPLETED else "⚠️"
    text = f"{sign} {session.end.value.replace('_', ' ')}"
    if session.detail:
        text += f": {escape.inline(session.detail, 300)}"
    if not session.scored:
        text += " (not scored)"
    if session.transcript_truncated:
        text += "; transcript cut at its cap"
    return text


def _outputs(outputs: Sequence[OutputFile]) -> str:
    names = [
        f"{escape.code(one.path, 60)} ({numbers.file_size(one.size_bytes)})" for one in outputs[:12]
    ]
    return _listed(names, len(outputs))


def _names(names: Sequence[str], show: Callable[[str, int], str]) -> str:
    shown = [show(name, 120) for name in names[:8]]
    return _listed(shown, len(names))


def _listed(shown: Sequence[str], total: int) -> str:
    more = [f"and {total - len(shown)} more"] if total > len(shown) else []
    return "<br>".join([*shown, *more]) or "—"


def _is_cut(row: AssertionScore, length: int) -> bool:
    verdicts = (*row.with_skill, *row.without_skill)
    return any(max(len(one.evidence), len(one.reason)) > length for one in verdicts)


def _cut(text: str, room: int, language: str) -> str:
    """The longest beginning of whole lines that fits in a fence; else part of the first line."""
    lines = text.split("\n")
    low, high = 0, len(lines)
    while low < high:
        middle = (low + high + 1) // 2
        fits = size(escape.fenced("\n".join(lines[:middle]), language)) <= room
        low, high = (middle, high) if fits else (low, middle - 1)
    if low:
        return escape.fenced("\n".join(lines[:low]), language)
    # every character takes at most 10 bytes once made safe
    first = escape.fenced(escape.clip(lines[0], max((room - 40) // 10, 0)), language)
    return first if size(first) <= room and room > 100 else ""
