"""Words that several answers share: what was asked for, where, and when."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from jobs.judging.family import find_relatives
from jobs.reporting import escape
from jobs.requests import Request

LONGEST = 120


def in_code(text: str, limit: int = LONGEST) -> str:
    """A code span, which refers to nothing and mentions nobody; a dash for nothing."""
    return escape.code(text, limit) or "—"


def when(moment: datetime | None) -> str:
    """A day and a time of it in UTC, to the minute; a dash where it is not known."""
    return f"{moment:%Y-%m-%d %H:%M} UTC" if moment else "—"


def asked_words(request: Request) -> str:
    """What a request asks for, as a command would say it."""
    return in_code(asked_plain(request))


def asked_plain(request: Request) -> str:
    """The same as plain text."""
    return " ".join(_words(request))


def _words(request: Request) -> Iterator[str]:
    if request.kind == "benchmark":
        yield _benchmark_word(request)
    elif request.kind == "dataset_chunk":
        yield "dataset"
    else:
        yield request.kind.replace("_", " ")
    yield from request.models
    named = {
        "--skill": request.skill,
        "--eval": request.eval_id,
        "--vs": request.vs,
        "--trials": request.trials,
        "--tier": request.tier,
        "--launcher": request.launcher,
        "--mode": request.mode,
        "--environment": request.environment,
        "--judge": request.judge,
    }
    for option, value in named.items():
        if value is not None:
            yield from (option, str(value))
    flags = {
        "--until-sure": bool(request.until_sure),
        "--force": request.force and request.run is None,
        "--fresh": request.fresh,
        "--override-budget": request.override_budget,
    }
    yield from (flag for flag, is_on in flags.items() if is_on)
    if request.dataset.benchmark:
        yield from (request.dataset.benchmark, request.dataset.dataset)


def _benchmark_word(request: Request) -> str:
    if request.only_failed:
        return "rerun failed"
    if request.run is not None:
        return f"retry {request.run}"
    return "run"


def tell_relatives(judges: Iterable[str], models: Iterable[str]) -> Iterator[str]:
    """A sentence where a judge is of the family of a model that it is to judge; else none."""
    families = find_relatives(judges, models)
    if families:
        shown = ", ".join(escape.inline(one, 60) for one in families)
        yield (
            f"⚖️ Judge and model are of one family ({shown}). Both arms have the same model, so it "
            "favours neither; a judge of another family may be stricter or milder."
        )
