"""What this machine knows about getting packages, lent to a root while it is built.

Mirrors, proxies, keys and certificates are read where apt and pip keep them and bound in or
passed on; none of it is printed, and none of it stays in the root.
"""

import ast
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

APT = ("/etc/apt", "/usr/share/keyrings", "/etc/resolv.conf", "/etc/hosts")
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
LENT = "/run/lent"
"""Where files are seen that a variable names."""
PASSED_ON = ("PIP_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy",
             "no_proxy", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")  # fmt: skip


@dataclass
class Lent:
    """Mounts (from this machine, to where) and variables for the steps of a build."""

    binds: list[tuple[Path, str]] = field(default_factory=list)
    env: dict[str, str] = field(default_factory=dict)


def find_mirror(suite: str) -> str | None:
    """The address of the Debian archive that this machine's apt uses for a suite."""
    shape = ("--format", "$(CODENAME)\t$(COMPONENT)\t$(REPO_URI)", "Created-By: Packages")
    listed = _printed("apt-get", "indextargets", *shape)
    for line in listed.splitlines():
        codename, component, address = line.split("\t")
        if (codename, component) == (suite, "main"):
            return address
    return None


def lend(folder: Path) -> Lent:
    """All that apt and pip need to work in the root as they do here.

    `folder` is for what has to be written down for that. This machine's authorities are
    trusted beside the root's own, whose file a package may replace meanwhile.
    """
    lent = Lent(binds=[(Path(path), path) for path in APT if Path(path).exists()])
    if CERTIFICATES.exists():
        trust = folder / "trust.conf"
        trust.write_text(f'Acquire::https::CaInfo "{LENT}{CERTIFICATES}";\n', encoding="utf-8")
        lent.binds += [(CERTIFICATES, f"{LENT}{CERTIFICATES}"), (trust, f"{LENT}/trust.conf")]
        lent.env = {"APT_CONFIG": f"{LENT}/trust.conf", "PIP_CERT": f"{LENT}{CERTIFICATES}"}
    variables = _pip_settings() | {
        name: value for name, value in os.environ.items() if name.startswith(PASSED_ON)
    }
    for name, value in variables.items():
        lent.env[name] = " ".join(_lent_word(word, lent) for word in value.split())
    return lent


def _lent_word(word: str, lent: Lent) -> str:
    """A word of a variable; the file or folder it names is bound in, at an address of its own.

    With a local index comes what lies beside it, where its links lead.
    """
    scheme = "file://" if word.startswith("file://") else ""
    path = Path(word.removeprefix(scheme))
    if not path.is_absolute() or not path.exists():
        return word
    shown = path.parent if scheme and path.parent != Path("/") else path
    if (bind := (shown, f"{LENT}{shown}")) not in lent.binds:
        lent.binds.append(bind)
    return f"{scheme}{LENT}{path}"


def _pip_settings() -> dict[str, str]:
    """What pip's configuration files say, as the variables that say the same."""
    settings = {}
    for line in _printed(sys.executable, "-m", "pip", "config", "list").splitlines():
        key, _, value = line.partition("=")
        section, _, name = key.partition(".")
        if section in {"global", "install"}:
            settings[f"PIP_{name.upper().replace('-', '_')}"] = str(ast.literal_eval(value))
    return settings


def _printed(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout
