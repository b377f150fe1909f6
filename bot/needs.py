"""Which settings a long-running command cannot do without, and what to do about an empty one.

Checked before anything starts, all at once: whoever sets a deployment up should not meet
one error a restart.
"""

from pydantic import SecretStr

from config.settings import Settings
from jobs.errors import Error

FIXES = {
    "github_app_id": "set it to the id on the App's settings page, or register one at /setup",
    "github_private_key": "set it to the App's private key: its PEM text, or the path of its file",
    "github_webhook_secret": "set it to the secret of the App's webhook",
    "redis_url": "set it to the address of a Redis, or start everything with `up`",
}


def variable_of(name: str) -> str:
    """The environment variable of a setting; a name that is no setting's stays as it is."""
    field = Settings.model_fields.get(name)
    if field is None or field.validation_alias is not None:
        return name
    return f"SKILLBENCH_{name}".upper()


def require(settings: Settings, *names: str) -> None:
    """Raise `Error` that names every one of these settings that is empty, with its fix.

    The App's private key, where it is named, must also be one that can be read.
    """
    problems = [
        f"{variable_of(name)} is empty; {FIXES[name]}."
        for name in names
        if not _plain(getattr(settings, name))
    ]
    if "github_private_key" in names and _plain(settings.github_private_key):
        problems += _key_problems(settings)
    if problems:
        raise Error("\n".join(problems))


def _key_problems(settings: Settings) -> list[str]:
    """Why the App's private key cannot be read, or is none."""
    variable, fix = variable_of("github_private_key"), FIXES["github_private_key"]
    try:
        pem = settings.private_key_pem
    except (OSError, ValueError) as problem:
        return [f"{variable} names a file that cannot be read ({type(problem).__name__}); {fix}."]
    return [] if "-----BEGIN" in pem else [f"{variable} holds no PEM text; {fix}."]


def _plain(value: object) -> str:
    return (value.get_secret_value() if isinstance(value, SecretStr) else str(value)).strip()
