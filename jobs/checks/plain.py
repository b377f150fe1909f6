r"""Recognises assertions that code can verify, by their whole text and never by a part of it.

`The file `report.json` exists`, `the value of `total` in `report.json` is between 1 and 5`.
One word more than a form knows, and the assertion is the judge's: a guess would win over its
better reading.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from math import prod

import regex

from jobs.checks.claims import (
    Claim,
    Contains,
    Counts,
    Exists,
    HasKey,
    KeyIs,
    Matches,
    Parses,
    Range,
    Text,
    Value,
)
from jobs.checks.forms import FORMS, NUMBER_WORDS, SPOKEN

LONGEST = 600
"""Characters of an assertion that is looked at; a longer one says more than one thing."""
LONGEST_PATTERN = 300
MOST_REPEATS = 10_000
"""Of a pattern, all its counts multiplied: what it must hold is spelt out before it is tried."""

_SPAN = re.compile(
    r"""(?P<ticks>`+)\s?(?P<code>[^`].*?)\s?(?P=ticks)(?!`)
        | "(?P<double>[^"]+)" | “(?P<curly>[^”]+)” | (?<!\w)'(?P<single>[^']+)'(?!\w)""",
    re.VERBOSE,
)
_ENDINGS = (
    "bib|css|csv|docx?|dta|gif|gz|html?|ini|ipynb|jpe?g|js|json|jsonl|log|md|ndjson|ods|odt|parquet"
    "|pdf|png|pptx?|py|qmd|r|rda|rds|rmd|rst|sas|sas7bdat|sh|sql|svg|tex|toml|ts|tsv|txt|xlsx?"
    "|xml|xpt|ya?ml|zip"
)
_FILE = re.compile(rf"(?:[\w@+-][\w@+. -]*/)*[\w@+-][\w@+. -]*\.(?:{_ENDINGS})", re.IGNORECASE)
_BARE_FILE = re.compile(
    rf"(?<![\w./§-])(?:[\w-]+/)*[\w-][\w.-]*\.(?:{_ENDINGS})(?![\w/-]|\.\w)", re.IGNORECASE
)
_FOLDER = re.compile(r"^(?:\./|/box/)?output/")
_NO_NAME = re.compile(
    rf"\.(?:{_ENDINGS})\s|(?<![A-Za-z])(?:YYYY|MM|DD|N+|X{{1,3}})(?![A-Za-z])|^input/"
)
"""What is no name of one file: two of them, one that is to be filled in, one of the inputs."""
_COUNT = re.compile(r"\{\s*(\d+)")
_CALL = re.compile(r"\(\?(?:R|\d|&|P>)")
_SLASHED = re.compile(r"/.*/[gimsuyx]*", re.DOTALL)
_KIND_OF_VALUE = re.compile(
    r"\s*(?:[<>=≤≥~≈]|not\b|non-|between\b|about\b|around\b|approx|roughly\b|at (?:least|most)\b"
    r"|(?:an? )?(?:valid )?(?:string|text|number|numeric|numerical|int|integer|float|bool|boolean"
    r"|list|array|object|dict|date|url|positive|negative|empty)\b)",
    re.IGNORECASE,
)
"""The beginning of words that say what kind of value it is, and do not spell it."""
_NUMBER = re.compile(r"-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[+-]?\d{1,3})?", re.IGNORECASE)


def recognise(text: str) -> tuple[Claim, ...]:
    """What an assertion claims, where code can tell; empty where it takes a reader."""
    if len(text) > LONGEST:
        return ()
    sentence = _Sentence.of(text)
    for name, forms in FORMS.items():
        for form in forms:
            if match := form.fullmatch(sentence.skeleton):
                return tuple(_claims(name, _Found(sentence, match)))
    return ()


@dataclass(slots=True)
class _Sentence:
    """A text whose code, quotations and file names are numbers: `the file §0§ exists`."""

    pieces: list[Text] = field(default_factory=list)
    skeleton: str = ""

    @classmethod
    def of(cls, text: str) -> "_Sentence":
        sentence = cls()
        shown = _SPAN.sub(sentence._take_span, " ".join(text.replace("§", " ").split()))
        shown = _BARE_FILE.sub(lambda match: sentence._take(Text(match[0], in_code=False)), shown)
        shown = re.sub(r"\*\*|__", "", shown).strip().removesuffix(".").strip()
        for said, spelt in SPOKEN:
            shown = said.sub(spelt, shown)
        sentence.skeleton = shown
        return sentence

    def _take_span(self, match: re.Match[str]) -> str:
        code = match["code"]
        words = code or match["double"] or match["curly"] or match["single"]
        if words.strip("/").removeprefix("box/") in {"output", "outputs"}:
            return "output"
        return self._take(Text(words, in_code=code is not None))

    def _take(self, piece: Text) -> str:
        self.pieces.append(piece)
        return f"§{len(self.pieces) - 1}§"


@dataclass(frozen=True, slots=True)
class _Found:
    """A sentence that has one of the forms."""

    sentence: _Sentence
    match: re.Match[str]

    def get(self, *names: str) -> str:
        """The first of these parts that is there, as it was written; else empty."""
        groups = self.match.groupdict()
        return next((groups[name] for name in names if groups.get(name)), "")

    def piece(self, *names: str) -> Text:
        return self.sentence.pieces[int(self.get(*names))]

    @property
    def path(self) -> str | None:
        """The file it is about, below the output folder; None where that is no file's name."""
        path = _FOLDER.sub("", self.piece("file").text.strip()).removeprefix("./")
        is_file = _FILE.fullmatch(path) and not {"", ".", ".."} & set(path.split("/"))
        return path if is_file and not _NO_NAME.search(path) else None

    def number(self, name: str) -> Decimal | None:
        """A number, written as such or in code; None for what is none."""
        written = self.get(name)
        if written.startswith("§"):
            written = self.sentence.pieces[int(written.strip("§"))].text.strip()
        if written.casefold() in NUMBER_WORDS:
            return Decimal(NUMBER_WORDS[written.casefold()])
        return Decimal(written.replace(",", "")) if _NUMBER.fullmatch(written) else None


def _claims(name: str, found: _Found) -> Iterator[Claim]:
    path = found.path
    if path is None:
        return
    if name == "exists" or found.get("also"):
        yield Exists(path)
    if name == "parses":
        yield Parses(path, "csv" if found.get("kind").casefold().startswith("csv") else "json")
    elif name in {"key", "has_key"}:
        yield from _key_claims(name, path, found)
    elif name == "contains" and _is_about_text(path, found):
        yield Contains(path, found.piece("text", "bare_text").text, bool(found.get("absent")))
    elif name == "matches" and _is_pattern(pattern := found.piece("text").text):
        yield Matches(path, pattern, bool(found.get("absent")))
    elif name == "counts":
        yield from _count_claims(path, found)


def _key_claims(name: str, path: str, found: _Found) -> Iterator[Claim]:
    if not path.casefold().endswith(".json"):
        return
    key = found.get("bare_key") or found.piece("key", "key_alone").text.strip()
    if name == "has_key":
        yield HasKey(path, key)
    elif not _FILE.fullmatch(key) and (value := _value(found)) is not _UNKNOWN:
        yield KeyIs(path, key, value)  # type: ignore[arg-type]  # what is not unknown is a value


_UNKNOWN = object()


def _value(found: _Found) -> Value | object:
    """What a key must be; `_UNKNOWN` for a bound that is no number."""
    if found.get("low"):
        low, high = found.number("low"), found.number("high")
        return _UNKNOWN if low is None or high is None or low > high else Range(low, high)
    if bound := found.get("bound"):
        number = found.number("number")
        return _UNKNOWN if number is None else _range(bound, number)
    written = found.get("value")
    if written.startswith("§"):
        text = found.sentence.pieces[int(written.strip("§"))]
        return _UNKNOWN if _KIND_OF_VALUE.match(text.text) else text
    words: dict[str, Value] = {"true": True, "false": False, "null": None}
    if written.casefold() in words:
        return words[written.casefold()]
    number = found.number("value")
    return _UNKNOWN if number is None else number


_LOWER = ("at least", "no less", "no fewer", ">=", "≥")
_UPPER = ("at most", "no more", "<=", "≤")
_ABOVE = ("greater", "more", "above", "larger", "higher", ">")


def _range(bound: str, number: Decimal) -> Range:
    bound = bound.casefold()
    if bound.startswith(_LOWER):
        return Range(low=number)
    if bound.startswith(_UPPER):
        return Range(high=number)
    if bound.startswith(_ABOVE):
        return Range(low=number, without_ends=True)
    return Range(high=number, without_ends=True)


def _count_claims(path: str, found: _Found) -> Iterator[Claim]:
    what, number = found.get("what").casefold(), found.number("number")
    is_table = path.casefold().endswith((".csv", ".tsv"))
    if number is None or is_table == what.startswith("line"):
        return
    bound = found.get("bound")
    wanted = _range(bound, number) if bound else Range(number, number)
    if "data" in what:
        yield Counts(path, "data rows", wanted)
    elif what.startswith("row"):
        yield Counts(path, "rows", wanted)
    else:
        yield Counts(path, "columns" if what.startswith("column") else "lines", wanted)


def _is_about_text(path: str, found: _Found) -> bool:
    """Whether a text is meant: in data, code may be the name of a column or a key."""
    return bool(found.get("kind")) or not path.casefold().endswith(
        (".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".xml", ".yaml", ".yml", ".toml")
    )


def _is_pattern(pattern: str) -> bool:
    """Whether an expression is of our language, and harmless to whoever compiles it."""
    if len(pattern) > LONGEST_PATTERN or _CALL.search(pattern) or _SLASHED.fullmatch(pattern):
        return False
    if prod(max(int(count[:9]), 1) for count in _COUNT.findall(pattern)) > MOST_REPEATS:
        return False
    try:
        return bool(regex.compile(pattern))
    except (regex.error, RecursionError, OverflowError, ValueError):
        return False
