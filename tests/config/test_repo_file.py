"""The repository's file is taken whole, or refused with every problem, its line and its key."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from config.environments.presets import PRESETS
from config.repo_file import MAX_TOLD, RepoFile, RepoFileError, parse_repo_file

WHOLE = """\
environment: r-trial
environments:
  r-trial:
    image: ghcr.io/acme/r-trial:2026-03
    setup: ./.github/r-trial.sh
    hosts: [packagemanager.posit.co, CRAN.R-project.org]
    packages:
      r:
        - gsDesign
        - ggplot2
      python: [pandas]
      commands: [Rscript]
  small:
    packages: {commands: [pandoc]}
"""


ALL_KEYS = (
    "`mention`, `labels`, `models`, `evals`, `skills`, `launcher`, `trials`, `until_sure`, `tier`, "
    "`judge`, `environment`, `environments`, `budgets`, `permissions`, `schedule`, `baseline`, "
    "`canaries`, `guesser`, `archive`, `comments` and `trigger`"
)


def refusal(text: str) -> list[str]:
    """What is said of a file, line by line."""
    with pytest.raises(RepoFileError) as refused:
        parse_repo_file(text.encode())
    lines = str(refused.value).split("\n")
    assert lines[:2] == ["`.github/skillbench.yml` cannot be used:", ""]
    return [line.removeprefix("- ") for line in lines[2:]]


def test_every_key_is_read():
    repo_file = parse_repo_file(WHOLE.encode())
    assert repo_file.environment == "r-trial"
    trial = repo_file.environments["r-trial"]
    assert trial.image == "ghcr.io/acme/r-trial:2026-03"
    assert trial.setup == ".github/r-trial.sh"
    assert trial.hosts == ("cran.r-project.org", "packagemanager.posit.co")
    assert trial.packages.r == ("ggplot2", "gsDesign")
    assert (trial.packages.python, trial.packages.commands) == (("pandas",), ("Rscript",))
    assert repo_file.environments["small"].packages.commands == ("pandoc",)


@pytest.mark.parametrize("content", [b"", b"# later\n", b"environments:\nenvironment:\n"])
def test_a_file_that_says_nothing_sets_nothing(content: bytes):
    assert parse_repo_file(content) == RepoFile()


def test_the_order_of_a_list_makes_no_difference():
    one = parse_repo_file(b"environments: {a: {packages: {r: [xx, yy, xx]}}}")
    assert one == parse_repo_file(b"environments: {a: {packages: {r: [yy, xx]}}}")


def test_measuring_descriptions_on_a_push_is_off_until_it_is_switched_on():
    assert not parse_repo_file(b"trigger: {models: [claude-sonnet]}").trigger.on_push
    trigger = parse_repo_file(b"trigger:\n  on_push: true\n  models: [' sonnet ', gpt-5]").trigger
    assert (trigger.on_push, trigger.models) == (True, ("sonnet", "gpt-5"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("trigger: {on_push: 1}", "line 1, `trigger.on_push`: it must be `true` or `false`."),
        ("trigger: {on_push: yes}", "`trigger.on_push`: it must be `true` or `false`."),
        ("trigger: {on_push: [true]}", "`trigger.on_push`: it must be `true` or `false`."),
        ("trigger: true", "`trigger`: it must be a map; its keys are `on_push` and `models`."),
        ("trigger: {on_pusch: true}", "Did you mean `on_push`?"),
        ("trigger: {models: sonnet}", "`trigger.models`: it must be a list"),
        ("trigger: {models: ['']}", "`trigger.models[0]`: this is no name of a model"),
        ("trigger: {models: [a, b, c, d, e, f]}", "6 entries; 5 are the most"),
    ],
)
def test_a_slip_about_descriptions_is_told(text: str, said: str):
    [line] = refusal(text)
    assert said in line


def test_a_slip_in_a_key_is_told_with_the_nearest_and_all_that_are_allowed():
    assert refusal("environments:\n  a:\n    imag: x\n    image: x\n") == [
        (
            "line 3, `environments.a.imag`: there is no such key. Did you mean `image`? "
            "Allowed are `image`, `setup`, `hosts` and `packages`."
        )
    ]
    assert refusal("enviroment: a\n") == [
        (
            "line 1, `enviroment`: there is no such key. Did you mean `environment`? "
            f"Allowed are {ALL_KEYS}."
        )
    ]
    [line] = refusal("environments: {a: {packages: {R: [b]}}}")
    assert "Did you mean `r`? Allowed are `r`, `python` and `commands`." in line


def test_all_problems_are_told_at_once_in_the_order_of_their_lines():
    said = refusal(
        "environment: &x r-trail\n"
        "environments:\n"
        "  r-trial:\n"
        "    hosts: [10.0.0.1]\n"
        "    packages:\n"
        "      r: gsDesign\n"
        "    setup: ../x\n"
        "    setup: y\n"
        "  none: {image: a}\n"
        "colour: red\n"
    )
    assert [line.partition(":")[0] for line in said] == [
        "line 1, `environment`",
        "line 1, `environment`",
        "line 4, `environments.r-trial.hosts[0]`",
        "line 6, `environments.r-trial.packages.r`",
        "line 7, `environments.r-trial.setup`",
        "line 8, `environments.r-trial.setup`",
        "line 9, `environments.none`",
        "line 10, `colour`",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "- a\n- b\n",
            f"line 1: it must be a map; its keys are {ALL_KEYS}.",
        ),
        ("just words\n", "line 1: it must be a map"),
        ("environments: [a]\n", "`environments`: it must be a map from names"),
        ("environments: {a: }\n", "`environments.a`: it must be a map; its keys are `image`"),
        ("environments: {a: {}}\n", "`environments.a`: it says nothing; write at least one of"),
        ("environments: {a: {hosts: []}}\n", "`environments.a`: it says nothing"),
        ("environments: {a: {image: [b]}}\n", "`environments.a.image`: it must be text."),
        ("environments: {a: {hosts: [b.org, ]}}\n", None),
        ("environments: {a: {hosts: [b.org, ~]}}\n", "`environments.a.hosts[1]`: it is empty."),
        ("environments: {a: {hosts: {b: c}}}\n", "`environments.a.hosts`: it must be a list"),
        ("environment: [a]\n", "`environment`: it must be text."),
        ("environment: A b\n", "`A b` is no name for an environment"),
        ("environments: {A: {image: b}}\n", "`environments.A`: `A` is no name"),
        ("environment: gone\n", "no environment has this name. There are `r-pharma` and `none`."),
    ],
)
def test_what_does_not_fit_is_told_in_words(text: str, said: str | None):
    if said is None:
        assert parse_repo_file(text.encode())
    else:
        assert any(said in line for line in refusal(text))


def test_lists_and_maps_have_an_end():
    hosts = ", ".join(f"h{number}.org" for number in range(51))
    assert (
        "it has 51 entries; 50 are the most."
        in refusal(f"environments: {{a: {{hosts: [{hosts}]}}}}")[0]
    )
    many = "".join(f"  e{number}: {{image: a}}\n" for number in range(51))
    assert refusal(f"environments:\n{many}") == [
        "line 1, `environments`: it has 51 entries; 50 are the most."
    ]


def test_a_file_full_of_faults_is_answered_in_a_few_lines():
    said = refusal("".join(f"k{number}: x\n" for number in range(500)))
    assert len(said) == MAX_TOLD + 1
    assert said[-1] == "and 480 more"


def test_the_default_may_be_a_preset_or_the_plain_sandbox():
    assert parse_repo_file(b"environment: r-pharma").environment == "r-pharma"
    assert parse_repo_file(b"environment: none").environment == "none"


def test_an_environment_of_a_presets_name_wins():
    assert RepoFile().known_environments == PRESETS
    own = parse_repo_file(b"environments: {r-pharma: {image: mine}, other: {image: b}}")
    assert own.known_environments["r-pharma"].image == "mine"
    assert set(own.known_environments) == {"r-pharma", "other"}


def test_words_of_the_file_mention_nobody_and_mark_nothing_up():
    said = "\n".join(refusal("environment: '`@mona <!-- x'\n'`@octo': 1\n"))
    assert "`'@mona <!-- x`" in said
    assert "`'@octo`" in said
    assert said.count("`") % 2 == 0


WORDS = ["environment", "environments", "packages", "hosts", "image", "none", "r", "a", "~", "1"]
SCRAPS = [
    *WORDS,
    *"\n-[]{},'|>#?%\\\r\t\ufeff\0\x85\u2028",
    '"',
    ": ",
    "  ",
    "&x ",
    "*x",
    "!t ",
    "---",
]
VALUES = st.recursive(
    st.sampled_from(WORDS) | st.text(max_size=8) | st.none() | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(
    st.one_of(
        st.binary(max_size=300),
        st.text(max_size=300).map(lambda text: text.encode("utf-8", "surrogatepass")),
        st.lists(st.sampled_from(SCRAPS), max_size=60).map(lambda parts: "".join(parts).encode()),
        VALUES.map(lambda value: repr(value).encode("utf-8", "surrogatepass")),
    )
)
@example(b"environments: {a: {packages: {r: {x: [y]}}}}")
@example(b"? \n: environment")
@example(b"'': 1")
@example(b"- ! \n- !")
def test_no_file_raises_anything_but_the_named_error(content: bytes):
    said = outcome(content)
    assert said.replace("\n", "").isprintable()
    assert len(said) < 20_000


def outcome(content: bytes) -> str:
    """What is said of a file; empty where it can be used."""
    try:
        parse_repo_file(content)
    except RepoFileError as error:
        return str(error)
    return ""
