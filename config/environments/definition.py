"""What a maintainer may say about an environment, and what no definition can hold.

A definition names things: an image, a script of the repository, hosts, packages. Names are
checked for their form here, so that later steps can put them into commands and requests; that
the things exist is found out by pre-flight. Whether the operator allows them is asked apart.
"""

import re
from collections.abc import Callable
from typing import Annotated

from pydantic import AfterValidator, Field, model_validator

from config.sections import Section, in_schema
from config.yaml_lines import shown

PLAIN = "none"
"""The name that no environment can have: it asks for the sandbox as it is."""
MAX_HOSTS = 50
MAX_PACKAGES = 200
"""Per kind; more is a distribution and no list of what a skill needs."""

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_TOP = r"[a-z](?:[a-z0-9-]{0,61}[a-z0-9])"
"""The last label begins with a letter, so no way of writing an IP address is a name."""
_HOST = re.compile(rf"(?:{_LABEL}\.)+{_TOP}")
_IMAGE = re.compile(
    r"(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[0-9]{1,5})?/)?"  # registry
    r"[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*)*"
    r"(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@sha256:[0-9a-f]{64})?"
)
"""The grammar of image references that Docker documents."""
_R_PACKAGE = re.compile(r"[A-Za-z][A-Za-z0-9.]{0,98}[A-Za-z0-9]")
"""What "Writing R Extensions" allows in the field Package."""
_PYTHON_PACKAGE = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?")
"""What the packaging specifications allow as a name."""
_COMMAND = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,99}")


def is_name(text: str) -> bool:
    """Whether a text can be an environment's name."""
    return _NAME.fullmatch(text) is not None


def is_host(text: str) -> bool:
    """Whether a text in lower case is the plain DNS name of a host elsewhere."""
    return len(text) <= 253 and _HOST.fullmatch(text) is not None


def _name(value: str) -> str:
    if not is_name(value):
        raise ValueError(
            f"{shown(value)} is no name for an environment: up to 64 lower-case letters, digits, "
            "`.`, `_` and `-`, and a letter or digit first"
        )
    return value


def _own_name(value: str) -> str:
    if _name(value) == PLAIN:
        raise ValueError(f"the name `{PLAIN}` asks for the plain sandbox; choose another")
    return value


def _image(value: str) -> str:
    if len(value) > 255 or not _IMAGE.fullmatch(value):
        raise ValueError(
            f"{shown(value)} is no image: write `name:tag`, `registry/name:tag` or "
            "`name@sha256:…`, the name in lower case"
        )
    return value


def _setup(value: str) -> str:
    path = value.removeprefix("./")
    parts = path.split("/")
    is_clean = path.isprintable() and "\\" not in path and len(path) <= 1000
    if not is_clean or path.startswith(("~", "/")) or {"", ".", ".."}.intersection(parts):
        raise ValueError(
            f"{shown(value)} is no file of the repository: write its path from the repository's "
            "root, such as `.github/setup.sh`, without `..`"
        )
    return path


def _host(value: str) -> str:
    host = value.lower()
    if not is_host(host):
        raise ValueError(
            f"{shown(value)} is no host: write the full name alone, such as `cran.r-project.org`, "
            "without scheme, port, path or wildcard, and no address"
        )
    return host


def _word(pattern: re.Pattern[str], what: str) -> Callable[[str], str]:
    def check(value: str) -> str:
        if not pattern.fullmatch(value):
            raise ValueError(f"{shown(value)} is no {what}: write the name alone")
        return value

    return check


def _sorted(values: tuple[str, ...]) -> tuple[str, ...]:
    """Each once and in one order, so that another order is no other environment."""
    return tuple(sorted(set(values)))


EnvironmentName = Annotated[
    str, AfterValidator(_own_name), in_schema(pattern=rf"^(?!{PLAIN}$){_NAME.pattern}$")
]
EnvironmentChoice = Annotated[str, AfterValidator(_name), in_schema(pattern=f"^{_NAME.pattern}$")]
"""As a name, or `none`."""
_Image = Annotated[str, AfterValidator(_image), in_schema(pattern=f"^{_IMAGE.pattern}$")]
_Setup = Annotated[str, AfterValidator(_setup)]
_Host = Annotated[str, AfterValidator(_host)]
_Hosts = Annotated[tuple[_Host, ...], Field(max_length=MAX_HOSTS), AfterValidator(_sorted)]
_RPackage = Annotated[str, AfterValidator(_word(_R_PACKAGE, "R package"))]
_PythonPackage = Annotated[str, AfterValidator(_word(_PYTHON_PACKAGE, "Python package"))]
_Command = Annotated[str, AfterValidator(_word(_COMMAND, "command"))]
_Most = Field(max_length=MAX_PACKAGES)


class PackageList(Section):
    """What pre-flight looks for before a session may start."""

    r: Annotated[tuple[_RPackage, ...], _Most, AfterValidator(_sorted)] = ()
    """Packages of R."""
    python: Annotated[tuple[_PythonPackage, ...], _Most, AfterValidator(_sorted)] = ()
    """Packages of Python."""
    commands: Annotated[tuple[_Command, ...], _Most, AfterValidator(_sorted)] = ()
    """Programs on the PATH."""


class EnvironmentDefinition(Section):
    """One entry below `environments:`."""

    image: _Image = ""
    """For the docker sandbox; empty: the operator's."""
    setup: _Setup = ""
    """For the bubblewrap sandbox: path of a script in the repository; empty: none."""
    hosts: _Hosts = ()
    """Hosts that sessions may reach, by their full names."""
    packages: PackageList = PackageList()
    """What must be there before a session may start."""

    @model_validator(mode="after")
    def _says_something(self) -> "EnvironmentDefinition":
        if self == EnvironmentDefinition.model_construct():
            keys = ", ".join(f"`{name}`" for name in type(self).model_fields)
            raise ValueError(f"it says nothing; write at least one of {keys}")
        return self
