"""Words in answers: yes or no, lists of names, and how much of a phrase is there."""

import re
import unicodedata
from collections.abc import Iterable, Sequence

_YES = {"yes", "true", "correct", "right", "affirmative", "exists"}
_NO = {"no", "false", "incorrect", "never", "not", "wrong", "none", "negative"}
_YES_ZH = re.compile(r"(?<![不没])(?:是的|对的|正确|确实|有的|存在)|^[是对有]")
_NO_ZH = re.compile(r"不是|没有|不对|不正确|不存在|否")
_NO_MATTER = re.compile(
    r"\b(?:no doubt|not only|no problem|no question|no wonder)\b", re.IGNORECASE
)
_WORD = re.compile(r"[a-z]+")
_MARKS = re.compile(r"[*_`#>~|\[\]]")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_BULLET = re.compile(r"^\s*(?:[-*•+]|\d{1,3}[.)、])\s+(.*\S)", re.MULTILINE)
_ROW = re.compile(r"^\s*\|(.+)\|\s*$", re.MULTILINE)
_RULE = re.compile(r"[\s|:-]+")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
SAME = 0.8
"""Share of words that two names must have in common to be one (Dice's coefficient)."""
_SHORT_FORM = re.compile(r"(.{3,})-([A-Z][A-Z0-9]{1,9})")
SHORTEST = 2
MOST_COMMAS = 2
TRUE_WORDS = frozenset({"true", "yes", "是", "对", "正确", "有", "存在"})


def say_yes(text: str) -> bool | None:
    """Whether an answer says yes or no; None where it says neither, or both.

    The first word decides where it is one of either kind; else the words are counted, each
    kind of word once.
    """
    plain = _NO_MATTER.sub(" ", _MARKS.sub("", text)).strip().casefold()
    plain = re.sub(r"n['\u2019]t\b", " not", plain)
    words = _WORD.findall(plain)
    if words and plain.startswith(words[0]):
        if words[0] in _YES:
            return True
        if words[0] in _NO:
            return False
    positive = len(_YES.intersection(words)) + bool(_YES_ZH.search(plain))
    negative = len(_NO.intersection(words)) + bool(_NO_ZH.search(plain))
    return None if positive == negative else positive > negative


def tokens(text: str) -> list[str]:
    """The words of a text in lower case, CamelCase parted; of Chinese, each two characters."""
    text = _CAMEL.sub(" ", _MARKS.sub(" ", unicodedata.normalize("NFKC", text)))
    words = re.findall(r"[^\W_]+", text.casefold())
    found: list[str] = []
    for word in words:
        if _CJK.search(word) and len(word) > SHORTEST:
            found += [word[at : at + 2] for at in range(len(word) - 1)]
        else:
            found.append(word)
    return found


def share_of(expected: str, text: str) -> float:
    """How many of the words of a phrase stand in a text, from 0 to 1."""
    wanted = set(tokens(expected))
    return len(wanted.intersection(tokens(text))) / len(wanted) if wanted else 0.0


def same_name(one: str, other: str) -> bool:
    """Whether two names are one: nearly all of their words are in both.

    A name with its abbreviation (`HeartRateVariability-HRV`) may be called by either.
    """
    left, right = set(tokens(one)), set(tokens(other))
    if not left or not right:
        return False
    if 2 * len(left & right) / (len(left) + len(right)) >= SAME:
        return True
    return bool(_ways_to_call(one) & _ways_to_call(other))


def _ways_to_call(name: str) -> set[str]:
    """A name in one word, and the two parts of one that ends in its abbreviation."""
    parts = [name]
    if found := _SHORT_FORM.fullmatch(_MARKS.sub("", name).strip()):
        parts += [found[1], found[2]]
    return {"".join(re.findall(r"[^\W_]+", part.casefold())) for part in parts}


def listed(text: str) -> list[str]:
    """The entries of a list in a text, in the first form of writing lists that is found."""
    bullets = _BULLET.findall(text)
    if len(bullets) >= SHORTEST:
        return _distinct(bullets)
    rows = [row for row in _ROW.findall(text) if not _RULE.fullmatch(row)]
    if len(rows) >= SHORTEST:
        return _distinct(_first_word_cell(row) for row in rows[1:])
    if ";" in text or "\uff1b" in text:
        return _distinct(re.split(r"[;\uff1b]", text))
    if len(re.findall(r"[,\uff0c、]", text)) >= MOST_COMMAS:
        return _in_line(text)
    return _distinct(text.splitlines())


def score_answer_line(expected: Sequence[str], line: str) -> tuple[float, str]:
    """F1 of what an answer line lists: one comma or `and` may part entries, or be in a name."""
    readings = [listed(line) or [line], _in_line(line) or [line]]
    return max((score_list(expected, one) for one in readings), key=lambda scored: scored[0])


def _in_line(text: str) -> list[str]:
    return _distinct(re.split(r"[,\uff0c、]|\band\b|和", text))


def score_list(expected: Sequence[str], given: Sequence[str]) -> tuple[float, str]:
    """F1 of two lists; every entry stands for one of the other list at most."""
    left = list(given)
    hits = 0
    for one in expected:
        match = next((other for other in left if same_name(one, _without_values(other))), None)
        match = match or next((other for other in left if _holds(one, other)), None)
        if match is not None:
            left.remove(match)
            hits += 1
    if not hits:
        return 0.0, "no entry is right"
    recall, precision = hits / len(expected), hits / len(given)
    score = 2 * recall * precision / (recall + precision)
    return score, f"{hits} of {len(expected)} entries are right, of {len(given)} given"


def _without_values(entry: str) -> str:
    """An entry without what is said about it behind a colon, a dash or a bracket."""
    return re.split(r"\s*[:\uff1a(\uff08]\s*|\s+[-\u2013\u2014=]\s+", entry, maxsplit=1)[0]


def _holds(name: str, entry: str) -> bool:
    """Whether a whole name stands word for word in an entry that says more."""
    wanted, there = tokens(name), tokens(entry)
    if len(wanted) < SHORTEST:
        return False
    windows = (there[at : at + len(wanted)] for at in range(len(there) - len(wanted) + 1))
    return wanted in windows


def _first_word_cell(row: str) -> str:
    cells = [cell.strip() for cell in row.split("|")]
    return next((cell for cell in cells if re.search(r"[^\W\d_]", cell)), "")


def _distinct(entries: Iterable[str]) -> list[str]:
    found: dict[str, str] = {}
    for entry in entries:
        clean = _MARKS.sub("", entry).strip().rstrip(".。")
        if len(clean) >= SHORTEST:
            found.setdefault(clean.casefold(), clean)
    return list(found.values())
