"""What a definition may hold, word by word."""

import pytest
from pydantic import ValidationError

from config.environments.definition import EnvironmentDefinition, PackageList, is_host, is_name


@pytest.mark.parametrize("name", ["r", "r-pharma", "py3.12", "a_b", "0", "x" * 64])
def test_names(name: str):
    assert is_name(name)


@pytest.mark.parametrize("name", ["", "R", "-a", ".a", "a b", "a/b", "é", "a\n", "x" * 65])
def test_what_is_no_name(name: str):
    assert not is_name(name)


@pytest.mark.parametrize(
    "host", ["cran.r-project.org", "p3m.dev", "a.b.c.example", "xn--bcher-kva.example", "1.org"]
)
def test_hosts(host: str):
    assert is_host(host)
    assert EnvironmentDefinition(hosts=(host.upper(),)).hosts == (host,)


@pytest.mark.parametrize(
    "host",
    [
        "", "localhost", "*.org", "*", "10.0.0.1", "127.1", "0x7f.0.0.1", "127.0.0.0x1", "[::1]",
        "::1", "2130706433", "a.org:443", "https://a.org", "a.org/x", "a.org.", ".a.org", "a..org",
        "-a.org", "a-.org", "a_b.org", "bücher.example", "a.o\u0433g", "a@b.org", "a b.org",
        "a.org\n", f"{'x' * 64}.org", f"{'x.' * 130}org",
    ],
)  # fmt: skip
def test_what_is_no_host(host: str):
    with pytest.raises(ValidationError, match="is no host"):
        EnvironmentDefinition(hosts=(host,))


@pytest.mark.parametrize(
    "image",
    [
        "busybox", "rocker/r-ver:4.5.1", "ghcr.io/acme/a/b:latest", "localhost:5000/x",
        "skillbench-r-pharma:1", f"a/b@sha256:{'0' * 64}", "docker.io/library/a__b:x.y-Z",
    ],
)  # fmt: skip
def test_images(image: str):
    assert EnvironmentDefinition(image=image).image == image


@pytest.mark.parametrize(
    "image",
    [
        "Busybox/Upper", "a:", ":a", "a b", "-a", "--privileged", "a//b", "/a", "a@sha256:12",
        "a:b:c", "../a", "https://a/b", "a\n", "a;b", "$(x)", "x" * 256, "",
    ],
)  # fmt: skip
def test_what_is_no_image(image: str):
    with pytest.raises(ValidationError, match="is no image"):
        EnvironmentDefinition(image=image)


@pytest.mark.parametrize("path", ["setup.sh", ".github/env/r.sh", "a b/c", "./x", "ünï"])
def test_setup_paths(path: str):
    assert EnvironmentDefinition(setup=path).setup == path.removeprefix("./")


@pytest.mark.parametrize(
    "path",
    ["", "/etc/passwd", "../x", "a/../../x", "a/..", "~/x", "a//b", "a/", ".", "./", "a\\b", "a\0b",
     "a\nb", "././a", "x" * 1001],
)  # fmt: skip
def test_what_leads_out_of_the_repository(path: str):
    with pytest.raises(ValidationError, match="is no file of the repository"):
        EnvironmentDefinition(setup=path)


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("r", ["gsDesign", "data.table", "R6"], ["", "a", "1a", "a-b", "a.", "a>=1", "a;b", "a\n"]),
        ("python", ["pandas", "scikit-learn", "a.b", "x"], ["", "a>=1", "-a", "a/b", "a b", "é"]),
        ("commands", ["Rscript", "g++", "x.y", "7z"], ["", "a/b", "-rf", "a b", "$x", "a\n", ".."]),
    ],
)
def test_packages_are_names_alone(kind: str, good: list[str], bad: list[str]):
    packages = PackageList.model_validate({kind: good})
    assert sorted(getattr(packages, kind)) == sorted(good)
    for name in bad:
        with pytest.raises(ValidationError, match="write the name alone"):
            PackageList.model_validate({kind: [name]})
