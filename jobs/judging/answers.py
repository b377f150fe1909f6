"""Reads a judge's answer: which verdicts are in it, and what in it could not be used.

Entries are matched by id and checked by echo; their order means nothing. A verdict that
is missing, unknown, contradicted or attached to the wrong assertion is left unread, for
the judge to be asked again; no default ever stands in for it. Nothing here raises,
whatever the text.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeGuard, get_args

from jobs.judging.answer_json import find_json, repair_json
from jobs.judging.candidate_text import keep_printable
from jobs.judging.echoes import fits_echo
from jobs.judging.verdict_words import find_verdict_word
from jobs.readings import KeyMetric
from jobs.values import Assertion, CandidateName, VerdictWord

VerdictKey = tuple[str, CandidateName]
"""An assertion's id and a candidate: what one verdict is about."""

_QUOTATION_CHARACTERS = 4_000
_TEXT_CHARACTERS = 1_000
_ID_CHARACTERS = 100
_MOST_METRICS = 3
_MOST_OBSERVATIONS = 4
_MOST_REMARKS = 20
_WORDS = ", ".join(get_args(VerdictWord))


@dataclass(frozen=True, slots=True)
class ReadVerdict:
    """One verdict as a judge gave it."""

    word: VerdictWord
    quotation: str
    reason: str


@dataclass(slots=True)
class Answer:
    """What one answer holds. Filled entry by entry while it is read."""

    verdicts: dict[VerdictKey, ReadVerdict] = field(default_factory=dict)
    key_metrics: list[KeyMetric] = field(default_factory=list)
    observations: list[str] = field(default_factory=list)
    weak_assertions: list[str] = field(default_factory=list)
    injections: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    """What was dropped or left unread, and why; shown to the judge when it is asked again."""
    contradicted: set[VerdictKey] = field(default_factory=set)


def parse_answer(text: str, assertions: Sequence[Assertion]) -> Answer:
    """Everything usable in a judge's answer; an unreadable one gives an empty `Answer`."""
    answer = _parse(text, assertions)
    repaired = repair_json(text)
    if repaired == text:
        return answer
    second = _parse(repaired, assertions)
    return second if len(second.verdicts) > len(answer.verdicts) else answer


def _parse(text: str, assertions: Sequence[Assertion]) -> Answer:
    answer = Answer()
    by_id = {_get_canonical_id(assertion.id): assertion for assertion in assertions}
    texts = {assertion.id: assertion.text for assertion in assertions}
    for item in _find_objects(text):
        for entry in _find_entries(item):
            _read_entry(entry, by_id, texts, answer)
        _read_notes(item, answer)
    for key in answer.contradicted:
        answer.verdicts.pop(key, None)
    answer.remarks = list(dict.fromkeys(answer.remarks))[:_MOST_REMARKS]
    return answer


def _find_objects(text: str) -> Iterator[dict[str, object]]:
    for item in find_json(text):
        yield from (part for part in (item if isinstance(item, list) else [item]) if _is_dict(part))


def _find_entries(item: dict[str, object]) -> Iterator[dict[str, object]]:
    """The verdict entries of an object: listed, keyed by id, grouped by assertion, or itself."""
    verdicts = item.get("verdicts")
    if isinstance(verdicts, dict):
        keyed = verdicts.items()
        verdicts = [{"assertion": key} | value for key, value in keyed if _is_dict(value)]
    if not isinstance(verdicts, list):
        verdicts = [item] if _is_entry(item) else []
    for entry in verdicts:
        if not _is_dict(entry):
            continue
        grouped = _get_grouped(entry)
        if not grouped:
            yield entry
        for name, part in grouped.items():
            shared = {key: value for key, value in entry.items() if key not in grouped}
            yield shared | part | {"candidate": name}


def _is_dict(value: object) -> TypeGuard[dict[str, object]]:
    return isinstance(value, dict)


def _is_entry(item: Mapping[str, object]) -> bool:
    """Whether an object is a verdict entry by itself, as in an answer that was cut."""
    single = "candidate" in item and "verdict" in item
    return _find_id(item) is not None and (single or bool(_get_grouped(item)))


def _get_grouped(item: Mapping[str, object]) -> dict[str, dict[str, object]]:
    """The verdicts of an entry that holds one for each candidate, by the candidate's name."""
    return {name: part for name, part in item.items() if _get_candidate(name) and _is_dict(part)}


def _read_entry(
    entry: Mapping[str, object],
    by_id: Mapping[str, Assertion],
    texts: Mapping[str, str],
    answer: Answer,
) -> None:
    """Take one entry into the answer, or say why not."""
    written_id = _find_id(entry)
    if written_id is None:
        answer.remarks.append("an entry without an assertion id was left unread")
        return
    shown_id = _clean(written_id, 40)
    assertion = by_id.get(_get_canonical_id(written_id))
    if assertion is None:
        answer.remarks.append(f"{shown_id} is no assertion of this task; its verdict was dropped")
        return
    if not fits_echo(_get_text(entry, "echo"), assertion, texts):
        answer.remarks.append(
            f"{assertion.id}: the echo is not how this assertion begins; left unread"
        )
        return
    candidate = _get_candidate(entry.get("candidate"))
    if candidate is None:
        answer.remarks.append(f"{assertion.id}: names neither candidate_1 nor candidate_2")
        return
    _take(entry, (assertion.id, candidate), answer)


def _take(entry: Mapping[str, object], key: VerdictKey, answer: Answer) -> None:
    where = f"{key[0]} for {key[1]}"
    word = find_verdict_word(entry.get("verdict"))
    if word is None:
        written = _clean(str(entry.get("verdict", "nothing"))[:200], 40)
        answer.remarks.append(f"{where}: '{written}' is none of {_WORDS}")
        return
    reason = _clean(_get_text(entry, "reason", "explanation"), _TEXT_CHARACTERS)
    if word == "cannot_verify" and not reason:
        answer.remarks.append(f"{where}: cannot_verify without a reason, left unread")
        return
    earlier = answer.verdicts.get(key)
    if earlier is not None and earlier.word != word:
        answer.contradicted.add(key)
        answer.remarks.append(f"{where}: contradictory verdicts, left unread")
    if earlier is None:
        answer.verdicts[key] = ReadVerdict(
            word=word,
            quotation=_clean(_get_text(entry, "quotation", "quote"), _QUOTATION_CHARACTERS),
            reason=reason,
        )


def _read_notes(item: Mapping[str, object], answer: Answer) -> None:
    """The metrics, observations and remarks that stand beside the verdicts."""
    for metric in _get_list(item, "key_metrics"):
        if _is_dict(metric) and len(answer.key_metrics) < _MOST_METRICS:
            cells = [_clean(_get_text(metric, key), 200) for key in _METRIC_KEYS]
            if all(cells):
                name, first, second = cells
                answer.key_metrics.append(
                    KeyMetric(name=name, candidate_1=first, candidate_2=second)
                )
    for key, texts, most in (
        ("observations", answer.observations, _MOST_OBSERVATIONS),
        ("weak_assertions", answer.weak_assertions, _MOST_REMARKS),
        ("injections", answer.injections, _MOST_REMARKS),
    ):
        for written in _get_list(item, key):
            line = _clean(_join(written), _TEXT_CHARACTERS)
            if line and line not in texts and len(texts) < most:
                texts.append(line)


_METRIC_KEYS = ("name", "candidate_1", "candidate_2")


def _join(written: object) -> str:
    """A remark given as text, or as an object such as `{"assertion": "A3", "remark": "…"}`."""
    if _is_dict(written):
        return ": ".join(text for text in (_get_text(written, key) for key in written) if text)
    return written if isinstance(written, str) else ""


def _find_id(entry: Mapping[str, object]) -> str | None:
    return next(
        (text for key in ("assertion", "assertion_id", "id") if (text := _get_text(entry, key))),
        None,
    )


def _get_canonical_id(written: str) -> str:
    """One spelling for `A2`, `a02`, `#2`, `Assertion 2`: an id is found by its number."""
    written = written[:_ID_CHARACTERS].casefold()  # blanks without end would be tried in every way
    match = re.fullmatch(r"\W*(?:assertion\b)?\W*(a?)0*(\d{1,6})\W*", written)
    return f"a{match[2]}" if match else written.strip()


def _get_candidate(written: object) -> CandidateName | None:
    match = re.fullmatch(r"(?:candidate)?[\s_#-]*([12])", str(written)[:40].casefold().strip())
    if match is None:
        return None
    return "candidate_1" if match[1] == "1" else "candidate_2"


def _get_list(item: Mapping[str, object], key: str) -> list[object]:
    value = item.get(key)
    return value if isinstance(value, list) else []


def _get_text(entry: Mapping[str, object], *keys: str) -> str:
    """The first of the keys that holds text or a number, as text; empty if none does."""
    for key in keys:
        value = entry.get(key)
        if isinstance(value, str) or (
            isinstance(value, int | float) and not isinstance(value, bool)
        ):
            return str(value)
    return ""


def _clean(text: str, characters: int) -> str:
    """Text that can be stored and shown: no control characters or half characters, bounded."""
    text = keep_printable(text[: 2 * characters]).strip()
    return text if len(text) <= characters else f"{text[: characters - 1]}…"
