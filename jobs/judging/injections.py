"""Finds text in a candidate that seems to address whoever judges it.

The findings are shown to the reader and change no verdict: a judge is told to treat such
text as material, and this is how a reader learns of an attempt that the judge passed over.
A few plain patterns, chosen to stay silent on ordinary reports and test output.
"""

import re
from pathlib import Path

from jobs.judging.candidate_text import keep_printable, show_name
from jobs.judging.text_files import decode_text, find_files

_JUDGE = r"(?:judge|grader|evaluator|examiner|scorer|assessor)s?"
_PATTERNS = re.compile(
    r"</?\s?candidate_[12]\s?>"
    r"|\b(?:BEGIN|END)(?: OF)? candidate[_ ][12]\b"
    r"|<\|[a-z_]{2,20}\|>|\[/?INST\]"
    rf"|\b(?:dear|attention|note (?:to|for)|message (?:to|for)|instructions? (?:to|for))"
    rf"\s(?:the\s|all\s)?(?:AI\s|LLM\s)?{_JUDGE}\b"
    rf"|^\W{{0,10}}to (?:the|all|any) (?:AI\s|LLM\s)?{_JUDGE}\b"
    rf"|\byou (?:are|act as) (?:now )?(?:an?|the) (?:impartial\s|AI\s|LLM\s)?{_JUDGE}\b"
    rf"|^\W{{0,10}}{_JUDGE}\s?[:,]"
    rf"|[.!]\s{_JUDGE}\s?[:,]"
    rf"|\bas (?:an?|the) (?:impartial\s|AI\s|LLM\s)?{_JUDGE},?\s(?:you|please)\b"
    r"|\b(?:ignore|disregard|forget|override)\s(?:all\s|any\s|the\s|your\s){0,3}"
    r"(?:previous|prior|above|earlier|preceding|foregoing)\s(?:\w+\s)?"
    r"(?:instructions?|prompts?|text|rules|criteria|directions?)\b"
    r"|\bverdicts?\s?[:=]\s?\W{0,3}(?:all|pass)"
    r"|\"verdicts\"\s?:\s?[\[{]|\"verdict\"\s?:\s?\"pass"
    r"|\b(?:pass|mark|grade)\s(?:all|every|each)\s(?:of the\s|the\s)?(?:assertion|criteri)"
    r"|\b(?:mark|grade|score|rate|give|award)\s(?:this|these|it|every|all|me|us|my|our)\b"
    r"[^.\n]{0,60}\b(?:pass(?:ed)?|full (?:marks|credit|score)|10/10|100 ?%)"
    r"|\ball (?:the )?(?:assertions|criteria) (?:must|should) (?:be )?(?:pass|marked|met)",
    re.IGNORECASE | re.MULTILINE,
)
_SEARCHED = 500_000
"""Characters searched at the beginning and at the end of a file: where it would be read."""
_EXCERPT = 160
_PER_CANDIDATE = 3


def find_injections(folder: Path, candidate: str) -> tuple[str, ...]:
    """Where a candidate's text files address the judge: place and excerpt, at most three."""
    found: list[str] = []
    for name, path in find_files(folder):
        decoded = decode_text(path.read_bytes())
        text = _get_ends(decoded[0]) if decoded else ""
        match = _PATTERNS.search(text)
        if match is None:
            continue
        start = max(text.rfind("\n", 0, match.start()) + 1, match.start() - _EXCERPT // 2)
        excerpt = " ".join(keep_printable(text[start : start + _EXCERPT]).split())
        found.append(f"{candidate}/{show_name(name)} addresses the judge: {excerpt}")
        if len(found) == _PER_CANDIDATE:
            break
    return tuple(found)


def _get_ends(text: str) -> str:
    if len(text) <= 2 * _SEARCHED:
        return text
    return f"{text[:_SEARCHED]}\n{text[-_SEARCHED:]}"
