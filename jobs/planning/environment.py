"""Which environment the sessions of a request are given, and what it is at this commit.

Strangers write issues and eval files, so those may only name an environment; what a name
stands for is written by whoever maintains the default branch, and capped by the operator.
Decides only: that an image exists or a script works is found out by pre-flight.
"""

import hashlib
import json
from collections.abc import Mapping
from fnmatch import fnmatchcase

from config.environments.definition import PLAIN, EnvironmentDefinition
from config.repo_file import REPO_FILES
from config.sections import listed, nearest
from config.settings import Settings, names_in
from jobs.content.repo_file import load_repo_file
from jobs.content.snapshot import Snapshot
from jobs.content.text import quoted
from jobs.environments.pinned import Environment, Packages
from jobs.errors import Refused
from jobs.values import EvalCase

SETUP_BYTES = 100_000
"""A script that prepares a folder; what is longer carries its payload inside."""


def plan_environment(
    asked: str | None, case: EvalCase, snapshot: Snapshot, settings: Settings
) -> Environment | None:
    """The environment of a request's runs; None: the plain sandbox.

    What the command asks for wins, then what the eval case names, then the repository's
    default. Raises `Refused` for a repository's file that cannot be used, for a name that
    nothing bears, for a setup script that is not there, and for what is over a cap.
    """
    repo_file = load_repo_file(snapshot)
    name = asked or case.environment or repo_file.environment or PLAIN
    if name.casefold() == PLAIN:
        return None
    definition = _find(name, repo_file.known_environments)
    _check_caps(name, definition, settings)
    return _pin(name.casefold(), definition, snapshot)


def digest_of(environment: Mapping[str, object]) -> str:
    """SHA-256 of the canonical JSON of an environment's fields without name and digest.

    Canonical: keys sorted, no blanks, letters as they are, in UTF-8; lists in the sorted
    order they have in a definition. So a renamed environment is the same one, and a changed
    letter of its script makes another.
    """
    canonical = json.dumps(
        environment, sort_keys=True, ensure_ascii=False, separators=(",", ":")
    ).encode()
    return hashlib.sha256(canonical).hexdigest()


def _find(name: str, known: Mapping[str, EnvironmentDefinition]) -> EnvironmentDefinition:
    definition = known.get(name.casefold())
    if definition is None:
        names = sorted(known)
        raise Refused(
            f"There is no environment {quoted(name)}.{nearest(name, names)} There are "
            f"{listed([*names, PLAIN])}; others are defined in `{REPO_FILES[0]}`."
        )
    return definition


def _check_caps(name: str, definition: EnvironmentDefinition, settings: Settings) -> None:
    """Refuse what the operator does not allow, naming the setting that would."""
    allowed = _allowed(settings.environment_hosts)
    if "*" not in allowed and (over := [one for one in definition.hosts if one not in allowed]):
        raise Refused(
            f"The environment {quoted(name)} opens {listed(over)}, which this bot's operator "
            f"does not allow (setting `SKILLBENCH_ENVIRONMENT_HOSTS`)."
        )
    image = definition.image
    patterns = _allowed(settings.environment_images)
    if image and not any(fnmatchcase(image, pattern) for pattern in patterns):
        raise Refused(
            f"The environment {quoted(name)} uses the image {quoted(image)}, which this bot's "
            f"operator does not allow (setting `SKILLBENCH_ENVIRONMENT_IMAGES`)."
        )


def _allowed(setting: str) -> tuple[str, ...]:
    return () if setting.strip() == "none" else names_in(setting)


def _pin(name: str, definition: EnvironmentDefinition, snapshot: Snapshot) -> Environment:
    """The environment with its script as the text that this commit has."""
    packages = definition.packages.model_dump()
    fields = {
        "image": definition.image,
        "setup": _read_setup(name, definition.setup, snapshot) if definition.setup else "",
        "hosts": definition.hosts,
        "packages": packages,
    }
    return Environment(
        name=name,
        image=definition.image,
        setup=str(fields["setup"]),
        hosts=definition.hosts,
        packages=Packages(**packages),
        digest=digest_of(fields),
    )


def _read_setup(name: str, path: str, snapshot: Snapshot) -> str:
    try:
        script = snapshot.read_text(path, SETUP_BYTES)
    except Refused as refusal:
        raise Refused(f"The setup script of the environment {quoted(name)}: {refusal}") from None
    if not script.strip():
        raise Refused(
            f"The setup script {quoted(path)} of the environment {quoted(name)} is empty."
        )
    return script
