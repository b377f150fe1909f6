"""Which settings a long-running command cannot do without, and what to do about an empty one.

Checked before anything starts, all at once: whoever sets a deployment up should not meet
one error a restart.
"""

from pydantic import SecretStr

from config.settings import Settings
from jobs.errors import Error

FIXES = {
    "github_app_id": "set it to the id on the App's settings page",
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
    """Raise `Error` that names every one of these settings that is empty, with its fix."""
    empty = [
        f"{variable_of(name)} is empty; {FIXES[name]}."
        for name in names
        if not _plain(getattr(settings, name))
    ]
    if empty:
        raise Error("\n".join(empty))


def require_key(settings: Settings) -> None:
    """Raise `Error` where the App's private key cannot be read, or is none."""
    variable = variable_of("github_private_key")
    try:
        pem = settings.private_key_pem
    except (OSError, ValueError) as problem:
        raise Error(
            f"{variable} names a file that cannot be read ({type(problem).__name__}); "
            f"{FIXES['github_private_key']}."
        ) from None
    if "-----BEGIN" not in pem:
        raise Error(f"{variable} holds no PEM text; {FIXES['github_private_key']}.")


def _plain(value: object) -> str:
    return (value.get_secret_value() if isinstance(value, SecretStr) else str(value)).strip()
