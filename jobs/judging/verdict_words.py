"""Reads the word of a verdict, however a judge dresses it.

Case, emphasis, emoji and a full stop change nothing. Whatever is not plainly one of the
verdicts is unknown and has to be asked again; it never counts as a fail. That something cannot
be verified is a verdict; doubt is none.
"""

import re
import unicodedata

from jobs.values import VerdictWord

_WORDS: dict[str, VerdictWord] = {
    **dict.fromkeys(
        (
            "pass", "passed", "passes", "passing", "full pass", "met", "fully met", "is met",
            "satisfied", "fully satisfied", "fulfilled", "yes", "true",
        ),
        "pass",
    ),
    **dict.fromkeys(
        (
            "partial", "partially", "partly", "partial pass", "partially pass", "partially passed",
            "partial credit", "partially met", "partly met", "partially satisfied",
            "partially fulfilled",
        ),
        "partial",
    ),
    **dict.fromkeys(
        (
            "fail", "failed", "fails", "failing", "failure", "not met", "unmet", "not satisfied",
            "unsatisfied", "not fulfilled", "not pass", "not passed", "does not pass",
            "did not pass", "is not met", "no", "false",
        ),
        "fail",
    ),
    **dict.fromkeys(
        (
            "cannot verify", "cannot be verified", "can not verify", "can not be verified",
            "can t verify", "can t be verified", "could not verify", "could not be verified",
            "couldn t verify", "couldn t be verified", "unable to verify", "unverifiable",
            "not verifiable", "cannot be checked", "uncheckable", "not checkable", "n a", "na",
            "not applicable",
        ),
        "cannot_verify",
    ),
}  # fmt: skip
_SIGNS: dict[str, VerdictWord] = {
    **dict.fromkeys("✅✔✓☑👍🟢", "pass"),
    **dict.fromkeys("🟡🟠⚠", "partial"),
    **dict.fromkeys("❌✖✗✘👎🔴⛔🚫", "fail"),
}
_TAIL = re.compile(r"\s*(?:[:;(\[\n]|[-–—]\s|\.\s|,\s)")  # noqa: RUF001 -- dashes as typed
_LIMITS = r"but|except|although|though|however|mostly|almost|maybe|probably"
_DOUBT = rf"{_LIMITS}|n/?a|unknown|unclear"
_TAKES_BACK: dict[VerdictWord, re.Pattern[str]] = {
    "pass": re.compile(rf"fail|partial|partly|\b(?:{_DOUBT}|not|cannot|can't|half|if|or)\b"),
    "partial": re.compile(rf"\b(?:pass|fail)|\b(?:{_DOUBT}|cannot|can't|or)\b"),
    "fail": re.compile(rf"pass|partial|partly|\b(?:{_DOUBT}|or)\b"),
    "cannot_verify": re.compile(rf"pass|partial|partly|fail|\b(?:{_LIMITS})\b"),
}
"""Words in a remark after the verdict that leave open which verdict is meant."""


def find_verdict_word(written: object) -> VerdictWord | None:
    """The verdict that `written` stands for: `**Pass**`, `FAILED.`, `✅`, `Partially met`, `n/a`.

    None for `unknown`, numbers, a word with its opposite's sign, or a word with a remark that
    takes something back (`pass, but only in part`).
    """
    if isinstance(written, bool):
        return "pass" if written else "fail"
    if not isinstance(written, str):
        return None
    text = unicodedata.normalize("NFKC", written).casefold()
    signs = {_SIGNS[character] for character in text if character in _SIGNS}
    words = {word for word in (_find_word(text),) if word}
    if not words and re.search(r"[^\W_]", text):
        return None
    found = signs | words
    return found.pop() if len(found) == 1 else None


def _find_word(text: str) -> VerdictWord | None:
    if (whole := _WORDS.get(_strip(text))) is not None:
        return whole
    text = text.lstrip(" *_`#\"'")
    tail = _TAIL.search(text)
    word = _WORDS.get(_strip(text[: tail.start()])) if tail else None
    if tail is None or word is None or _TAKES_BACK[word].search(text, tail.end()):
        return None
    return word


def _strip(text: str) -> str:
    """The letters of a text, its words one blank apart."""
    return " ".join(re.sub(r"[^a-z ]", " ", text.replace("_", " ")).split())
