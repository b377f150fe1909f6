"""Builds the settings, once, and turns every fault in them into one readable line."""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any

import structlog
import typer
from pydantic import SecretStr, ValidationError
from pydantic_settings import DotEnvSettingsSource, EnvSettingsSource

from bot.needs import variable_of
from bot.setup.credentials import with_stored
from config.log import set_up_logging
from config.settings import Settings
from jobs.errors import Error

PREFIX = "SKILLBENCH_"
DEFECT = 1
WRONG_USAGE = 2

log = structlog.get_logger(__name__)


def load_settings(*, for_people: bool = False, **changes: Any) -> Settings:
    """The settings from the environment, changed by options; logging is set up by them:
    JSON for a service, or warnings in words `for_people` at a terminal.

    Ends the program with code 2 and one line per variable that cannot be used.
    """
    try:
        settings = Settings(**{name: value for name, value in changes.items() if value is not None})
    except ValidationError as error:
        for fault in error.errors(include_input=False, include_url=False):
            name = str(fault["loc"][0]) if fault["loc"] else ""
            typer.echo(f"{variable_of(name)}: {_sentence(fault['msg'])}", err=True)
        raise typer.Exit(WRONG_USAGE) from None
    except (OSError, UnicodeDecodeError) as problem:
        typer.echo(f"The file .env cannot be read ({type(problem).__name__}): {problem}", err=True)
        raise typer.Exit(WRONG_USAGE) from None
    settings = with_stored(settings)
    set_up_logs(settings, for_people=for_people)
    for variable, nearest in unknown_variables():
        log.warning("setting_unknown", variable=variable, did_you_mean=nearest)
    return settings


def set_up_logs(settings: Settings, *, for_people: bool) -> None:
    """Logging as these settings want it: without their secrets, in words or as JSON."""
    level = logging.WARNING if for_people else logging.INFO
    set_up_logging(as_json=not for_people, level=level, secrets=list(_secrets(settings)))


def unknown_variables() -> list[tuple[str, str | None]]:
    """Variables that look like ours and are no setting, each with the nearest one that is.

    A limit with a slip in its name would be no limit, and nobody would be told.
    """
    given = {**EnvSettingsSource(Settings).env_vars, **DotEnvSettingsSource(Settings).env_vars}
    ours = sorted({name.upper() for name in given if name.upper().startswith(PREFIX)})
    known = [variable_of(name).removeprefix(PREFIX) for name in Settings.model_fields]
    unknown = [name.removeprefix(PREFIX) for name in ours if name.removeprefix(PREFIX) not in known]
    return [(PREFIX + name, _nearest(name, known)) for name in unknown]


def _nearest(name: str, known: list[str]) -> str | None:
    found = get_close_matches(name, known, n=1, cutoff=0.7)
    return PREFIX + found[0] if found else None


@contextmanager
def errors_told() -> Iterator[None]:
    """Ends the program with code 2 and the message of an `Error`, without a traceback.

    A defect ends it with code 1 and a log line, which hides secrets as every other does.
    """
    try:
        yield
    except (typer.Exit, typer.Abort):
        raise
    except Error as error:
        typer.echo(f"skillbench: {error}", err=True)
        raise typer.Exit(WRONG_USAGE) from None
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    except Exception:
        log.exception("ended_by_a_defect")
        raise typer.Exit(DEFECT) from None


def _sentence(message: str) -> str:
    """A message of the validator's as one of ours."""
    return re.sub(r"^(?:Value error, |(?:Input|String) should )", _must, message)


def _must(found: re.Match[str]) -> str:
    return "must " if found[0].endswith("should ") else ""


def _secrets(settings: Settings) -> Iterator[str]:
    for name in type(settings).model_fields:
        value = getattr(settings, name)
        if isinstance(value, SecretStr) and value.get_secret_value():
            yield value.get_secret_value()
