"""What a form asks for, checked, and the request that comes of it.

Only what is plainly wrong is told on the form; what the suite, its cases and the providers say is
for the worker that plans the run, whose refusal the run's page shows.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path
from secrets import token_hex

from jobs.datasets.loading import dataset_names, load_settings, suite_names
from jobs.errors import Refused
from jobs.requests import WEB, DatasetOptions, Request
from jobs.targets.registry import TARGETS

LONGEST_NAME = 200
LONGEST_TEXT = 50_000
MOST_IDS = 5_000
USUAL_PARALLEL = 3
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_FIELD = re.compile(r"[a-z][a-z0-9_]{0,59}")


@dataclass(frozen=True, slots=True)
class Suite:
    """A benchmark to choose from."""

    name: str
    description: str
    datasets: tuple[str, ...]
    targets: tuple[str, ...]
    problem: str = ""
    """Why it cannot be used; empty where it can."""


def find_suites(folder: Path) -> list[Suite]:
    """The benchmarks that lie in the data folder of this machine."""
    found = []
    for name in suite_names(folder):
        datasets = tuple(dataset_names(folder / name))
        try:
            settings = load_settings(folder / name)
        except Refused as fault:
            found.append(Suite(name, "", datasets, (), str(fault)))
        else:
            targets = tuple(one.type for one in settings.target)
            found.append(Suite(name, settings.description, datasets, targets))
    return [one for one in found if one.datasets]


def find_targets() -> list[str]:
    return sorted(TARGETS)


class BadForm(Exception):  # noqa: N818 -- said on the form
    """What is wrong with a form: a sentence for each field."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        super().__init__("; ".join(problems.values()))
        self.problems = dict(problems)


def read_asking(form: Mapping[str, str], *, asker: str, now: datetime) -> Request:
    """The request that a form stands for. Raises `BadForm`."""
    problems: dict[str, str] = {}
    benchmark, _, dataset = form.get("dataset", "").strip().partition("/")
    if not (_NAME.fullmatch(benchmark) and _NAME.fullmatch(dataset)):
        problems["dataset"] = "Choose a dataset, written as benchmark/dataset."
    target_type = form.get("target_type", "").strip() or None
    if target_type is not None and target_type not in TARGETS:
        problems["target_type"] = f"There is no such target; there are {', '.join(find_targets())}."
    names = {name: form.get(name, "").strip() for name in ("model", "judge", "user_model")}
    for name, value in names.items():
        if len(value) > LONGEST_NAME or not value.isprintable():
            problems[name] = "This is no name of a model."
    typed = _read_fields(form, problems)
    ids = (
        tuple(dict.fromkeys(re.split(r"[,\s]+", form.get("ids", "").strip())))
        if form.get("ids", "").strip()
        else ()
    )
    if len(ids) > MOST_IDS or any(len(one) > LONGEST_NAME for one in ids):
        problems["ids"] = f"At most {MOST_IDS:,} ids of {LONGEST_NAME} characters."
    limit = _read_number(form, "limit", 1, problems)
    parallel = _read_number(form, "parallel", 0, problems)
    max_usd = _read_money(form, problems)
    if problems:
        raise BadForm(problems)
    options = DatasetOptions(
        benchmark=benchmark,
        dataset=dataset,
        limit=limit,
        ids=ids,
        target_type=target_type,
        eval_model=names["judge"] or None,
        user_model=names["user_model"] or None,
        parallel=parallel,
        typed=typed,
        max_usd=max_usd,
        run_id=new_run_id(),
    )
    models = (names["model"],) if names["model"] else ()
    return make_request(options, models=models, asker=asker, now=now)


def new_run_id() -> str:
    """Under which a run that is asked for will be kept."""
    return token_hex(6)


def make_request(
    options: DatasetOptions, *, models: tuple[str, ...], asker: str, now: datetime
) -> Request:
    """The request of somebody on the pages; each asking is one of its own."""
    return Request(
        key=f"web:{options.run_id}:{token_hex(8)}",
        kind="dataset",
        repo=WEB,
        issue=0,
        asker=asker,
        origin="web",
        models=models,
        dataset=options,
        asked_at=now,
    )


def _read_fields(form: Mapping[str, str], problems: dict[str, str]) -> dict[str, str]:
    """The target's other fields, `NAME=VALUE` on a line each, and the system prompt."""
    typed: dict[str, str] = {}
    for line in form.get("fields", "").splitlines():
        name, sign, value = (part.strip() for part in line.partition("="))
        if not line.strip():
            continue
        if not sign or not _FIELD.fullmatch(name) or not value:
            problems["fields"] = f"“{line.strip()[:60]}” is not NAME=VALUE."
        typed[name] = value
    prompt = form.get("system_prompt", "").replace("\r\n", "\n").strip()
    if prompt:
        typed["system_prompt"] = prompt
    if sum(map(len, typed.values())) > LONGEST_TEXT:
        problems["system_prompt"] = f"At most {LONGEST_TEXT:,} characters."
    return typed


def _read_number(
    form: Mapping[str, str], name: str, least: int, problems: dict[str, str]
) -> int | None:
    text = form.get(name, "").strip()
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and least <= int(text[:9]) and len(text) <= 6):
        problems[name] = f"A whole number from {least}."
        return None
    return int(text)


def _read_money(form: Mapping[str, str], problems: dict[str, str]) -> Decimal | None:
    text = form.get("max_usd", "").strip().removeprefix("$")
    if not text:
        return None
    try:
        amount = Decimal(text)
    except InvalidOperation:
        amount = Decimal(0)
    if not (amount.is_finite() and 0 < amount <= 1_000_000):
        problems["max_usd"] = "An amount of dollars, such as 2.50."
        return None
    return amount
