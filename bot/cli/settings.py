"""Builds the settings, once, and turns every fault in them into one readable line."""

import logging
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer
from pydantic import SecretStr, ValidationError
from pydantic.fields import FieldInfo

from config.log import set_up_logging
from config.settings import Settings
from jobs.errors import Error

WRONG_USAGE = 2


def load_settings(*, for_people: bool = False, **changes: Any) -> Settings:
    """The settings from the environment, changed by options; logging is set up by them:
    JSON for a service, or warnings in words `for_people` at a terminal.

    Ends the program with code 2 and one line per variable that cannot be used.
    """
    try:
        settings = Settings(**{name: value for name, value in changes.items() if value is not None})
    except ValidationError as error:
        for fault in error.errors():
            name = str(fault["loc"][0]) if fault["loc"] else ""
            typer.echo(f"{_variable(name)}: {fault['msg']}", err=True)
        raise typer.Exit(WRONG_USAGE) from None
    level = logging.WARNING if for_people else logging.INFO
    set_up_logging(as_json=not for_people, level=level, secrets=list(_secrets(settings)))
    return settings


@contextmanager
def errors_told() -> Iterator[None]:
    """Ends the program with code 2 and the message of an `Error`, without a traceback."""
    try:
        yield
    except Error as error:
        typer.echo(f"skillbench: {error}", err=True)
        raise typer.Exit(WRONG_USAGE) from None
    except KeyboardInterrupt:
        raise typer.Exit(130) from None


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder of this process alone, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="skillbench-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def _variable(name: str) -> str:
    field: FieldInfo | None = Settings.model_fields.get(name)
    if field is None or field.validation_alias is not None:
        return name
    return f"SKILLBENCH_{name}".upper()


def _secrets(settings: Settings) -> Iterator[str]:
    for name in type(settings).model_fields:
        value = getattr(settings, name)
        if isinstance(value, SecretStr) and value.get_secret_value():
            yield value.get_secret_value()
