"""Kinds of values in the repository's file: what a plain type does not check.

Whatever the file holds arrives as text. Each kind says what would be taken where it refuses,
and says the same to editors in the published JSON Schema (`config/repo_schema.py`).
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Annotated, Literal, get_args

from cronsim import CronSim, CronSimError
from pydantic import AfterValidator, BeforeValidator, WithJsonSchema

from config.sections import in_schema
from config.tiers import MAX_TRIALS
from config.yaml_lines import shown

LONGEST_MODEL = 200
LONGEST_GLOB = 300
MOST_JUDGES = 3
"""That score one run together; more would cost more than they add."""
LONGEST_CRON = 100
LONGEST_LABEL = 50
"""Characters that GitHub allows in a label's name."""
MOST_USD = 1_000_000

_CRON_FIELDS = 5
_MONEY = re.compile(r"\d{1,7}(?:\.\d{1,6})?")
_WHOLE = re.compile(r"\d{1,9}")
_LEAP_YEAR = datetime(2024, 1, 1, tzinfo=UTC)

Role = Literal["read", "triage", "write", "maintain", "admin"]
"""What GitHub calls the roles of a repository, the least first."""
ROLES: tuple[str, ...] = get_args(Role)


_GLOB = r"^(\./)?(?![~/])(?!.*(^|/)\.{0,2}(/|$))(?!.*[^/]\*\*)(?!.*\*\*[^/])[^\\]+$"
_FOLDER = r"^(\./)?(?![~/.-])(?!.*/[.-])(?!.*//)[^\\*?\[\]{}]+$"
"""The same checks for editors, which know patterns alone."""


def _model(value: str) -> str:
    if not value.strip() or len(value) > LONGEST_MODEL or not value.isprintable():
        raise ValueError("this is no name of a model, such as `claude-sonnet`")
    return value.strip()


def _judges(value: object) -> str:
    """One name, or a list of them."""
    names = value.split(",") if isinstance(value, str) else value
    names = names if isinstance(names, list) else []
    checked = [_model(name) if isinstance(name, str) else "" for name in names]
    if not all(checked) or not 1 <= len(checked) <= MOST_JUDGES:
        raise ValueError(f"it must be a model, or a list of {MOST_JUDGES} at most")
    return ",".join(checked)


def _switch(value: object) -> bool:
    """Other words for it are slips more often than wishes."""
    if value not in ("true", "false"):
        raise ValueError("it must be `true` or `false`")
    return value == "true"


def _whole_number(least: int, most: int) -> Callable[[object], int]:
    def check(value: object) -> int:
        number = int(value) if isinstance(value, str) and _WHOLE.fullmatch(value) else None
        if number is None or not least <= number <= most:
            raise ValueError(f"it must be a whole number from {least} to {most:,}")
        return number

    return check


def _usd(value: object) -> Decimal:
    """Positive, since a budget of nothing would be another way to say who may run."""
    amount = Decimal(value) if isinstance(value, str) and _MONEY.fullmatch(value) else None
    if amount is None or not 0 < amount <= MOST_USD:
        raise ValueError(
            f"it must be US dollars above 0 and up to {MOST_USD:,}, such as `5` or `2.50`"
        )
    return amount


def _label(value: str) -> str:
    name = value.strip()
    if not name or len(name) > LONGEST_LABEL or not name.isprintable():
        raise ValueError(f"a label's name has 1 to {LONGEST_LABEL} characters on one line")
    return name


def _is_path(value: str) -> bool:
    """Whether a text is a relative path below the root, and nothing that leads out of it."""
    is_clean = value.isprintable() and "\\" not in value and len(value) <= LONGEST_GLOB
    parts = value.split("/")
    return is_clean and not value.startswith("~") and not {"", ".", ".."}.intersection(parts)


def _glob(value: str) -> str:
    pattern = value.removeprefix("./")
    has_odd_stars = any("**" in part and part != "**" for part in pattern.split("/"))
    if not _is_path(pattern) or has_odd_stars:
        raise ValueError(
            f"{shown(value)} is no pattern for paths of the repository: write it from the "
            "repository's root, such as `skills/**` or `evals/*.json`, without `..`, and `**` "
            "only between slashes"
        )
    return pattern


def _folder(value: str) -> str:
    path = value.removeprefix("./").rstrip("/")
    # what begins with a dot steers Git or GitHub, and with a dash other people's programs
    if not _is_path(path) or re.search(r"[*?\[\]{}]|(?:^|/)[.-]", path):
        raise ValueError(
            f"{shown(value)} is no folder for eval cases: write its path from the "
            "repository's root, such as `_automation/evals`, no part of which begins with a dot "
            "or a dash"
        )
    return path


def _cron(value: str) -> str:
    line = " ".join(value[:LONGEST_CRON].split())
    if len(value) > LONGEST_CRON or not _comes(line):
        raise ValueError(
            f"{shown(value)} is no time of cron: write minute, hour, day of the month, month and "
            "day of the week, such as `0 6 * * 1` for Mondays at six (UTC)"
        )
    return line


def _comes(line: str) -> bool:
    """Whether a line has the five fields of Debian's cron, and a time that ever comes."""
    try:
        return len(line.split()) == _CRON_FIELDS and bool(next(CronSim(line, _LEAP_YEAR)))
    except (CronSimError, ValueError, AssertionError, StopIteration):
        return False


Switch = Annotated[bool, BeforeValidator(_switch)]
ModelName = Annotated[
    str,
    AfterValidator(_model),
    in_schema(pattern=r"\S", maxLength=LONGEST_MODEL),
]
Judges = Annotated[
    str,
    BeforeValidator(_judges),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "pattern": r"\S", "maxLength": LONGEST_MODEL},
                {
                    "type": "array",
                    "items": {"type": "string", "pattern": r"\S", "maxLength": LONGEST_MODEL},
                    "minItems": 1,
                    "maxItems": MOST_JUDGES,
                },
            ]
        }
    ),
]
"""One name or several, kept with commas between them."""
Usd = Annotated[
    Decimal,
    BeforeValidator(_usd),
    WithJsonSchema({"type": "number", "exclusiveMinimum": 0, "maximum": MOST_USD}),
]
LabelName = Annotated[
    str,
    AfterValidator(_label),
    in_schema(maxLength=LONGEST_LABEL, pattern=r"\S"),
]
PathGlob = Annotated[str, AfterValidator(_glob), in_schema(pattern=_GLOB)]
"""A pattern with `*`, `?`, `[…]` and, for any number of folders, `**`."""
FolderPath = Annotated[str, AfterValidator(_folder), in_schema(pattern=_FOLDER)]
Cron = Annotated[str, AfterValidator(_cron), in_schema(pattern=r"^\s*\S+(\s+\S+){4}\s*$")]
"""A line of cron with five fields, in UTC."""
Trials = Annotated[
    int,
    BeforeValidator(_whole_number(1, MAX_TRIALS)),
    in_schema(minimum=1, maximum=MAX_TRIALS),
]
Days = Annotated[int, BeforeValidator(_whole_number(0, 3650)), in_schema(minimum=0, maximum=3650)]
