"""What a plain assertion claims of a file, as values."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal


@dataclass(frozen=True, slots=True)
class Exists:
    """The file is there, with something in it."""

    path: str
    """Below the output folder, as are the paths of all claims."""


@dataclass(frozen=True, slots=True)
class Parses:
    """The whole file is of a format."""

    path: str
    kind: Literal["json", "csv"]


@dataclass(frozen=True, slots=True)
class Range:
    """Numbers between two bounds; None is no bound."""

    low: Decimal | None = None
    high: Decimal | None = None
    without_ends: bool = False

    def holds(self, number: Decimal) -> bool:
        """Whether a number lies in it."""
        if self.without_ends and number in {self.low, self.high}:
            return False
        return (self.low is None or self.low <= number) and (
            self.high is None or number <= self.high
        )


@dataclass(frozen=True, slots=True)
class Text:
    """A text that a value must be; in code it may also be the number it spells."""

    text: str
    in_code: bool


Value = Range | Text | Decimal | bool | None


@dataclass(frozen=True, slots=True)
class KeyIs:
    """The value of a key in a JSON file: in a range, or equal to something."""

    path: str
    key: str
    value: Value


@dataclass(frozen=True, slots=True)
class HasKey:
    """A JSON file has a key, whatever its value."""

    path: str
    key: str


@dataclass(frozen=True, slots=True)
class Contains:
    """A text stands somewhere in the file, or nowhere."""

    path: str
    text: str
    absent: bool = False


@dataclass(frozen=True, slots=True)
class Matches:
    """A regular expression is found somewhere in the file, or nowhere."""

    path: str
    pattern: str
    absent: bool = False


@dataclass(frozen=True, slots=True)
class Counts:
    """How many rows or columns a table has, or lines a text."""

    path: str
    what: Literal["rows", "data rows", "columns", "lines"]
    wanted: Range


Claim = Exists | Parses | KeyIs | HasKey | Contains | Matches | Counts
