"""The one settings class: what differs between two deployments.

Built once, in the command line, and passed down; nothing else reads the environment.
Secrets are `SecretStr`, so that a log line or a traceback shows stars.
"""

from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Literal

from platformdirs import user_data_path
from pydantic import AfterValidator, AliasChoices, Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from config.environments.presets import PYTHON_HOSTS, R_HOSTS
from config.kinds import (
    AppId,
    BlobAddress,
    Dollars,
    HostList,
    Mention,
    OriginList,
    Period,
    RedisAddress,
    WebAddress,
)

SHORTEST_SECRET = 32
CommaList = str
"""A comma-separated list, kept as typed; `names_in` splits it."""


def _long_enough(secret: SecretStr) -> SecretStr:
    """A secret that nobody guesses; empty stays empty: the setting is not set."""
    if 0 < len(secret.get_secret_value()) < SHORTEST_SECRET:
        raise ValueError(
            f"must be at least {SHORTEST_SECRET} characters, such as of openssl rand -hex 32"
        )
    return secret


def names_in(value: CommaList) -> tuple[str, ...]:
    """The names of a comma-separated list, without blanks and empty entries."""
    return tuple(name.strip() for name in value.split(",") if name.strip())


class Settings(BaseSettings):
    """Every setting of the bot, from the environment or a `.env` file.

    Raises `pydantic.ValidationError` naming each variable that cannot be used.
    """

    model_config = SettingsConfigDict(
        env_prefix="SKILLBENCH_",
        env_file=".env",
        env_ignore_empty=True,  # `.env.example` lists variables that need not be set
        extra="ignore",
        frozen=True,
        populate_by_name=True,
        hide_input_in_errors=True,
    )

    # The App
    github_app_id: AppId = ""
    github_private_key: SecretStr = SecretStr("")
    """PEM text, or the path of a PEM file; `private_key_pem` gives the text."""
    github_webhook_secret: SecretStr = SecretStr("")
    github_api_url: WebAddress = "https://api.github.com"
    github_web_url: WebAddress = "https://github.com"
    github_client_id: str = ""
    """The App's client id and a client secret of it, for sign-in on the pages."""
    github_client_secret: SecretStr = SecretStr("")
    mention: Mention = "@skillbench"
    allowed_owners: CommaList = ""
    """Whose repositories may spend the operator's money; empty: the App's owner; `*`: all."""
    allowed_bots: CommaList = ""
    """Logins of other bots whose comments and labels count as commands."""

    # The server
    host: str = Field(default="127.0.0.1", min_length=1)
    port: int = Field(default=8000, ge=0, le=65535)
    public_url: WebAddress = ""
    session_secret: Annotated[SecretStr, AfterValidator(_long_enough)] = SecretStr("")
    """Signs the cookies of people who are signed in; the same for all web processes."""
    web_users: CommaList = ""
    """Logins on GitHub that may use all pages, and so spend the operator's money; empty: nobody."""
    public_pages: bool = False
    """Whether pages about public repositories are shown to everybody, without a sign-in."""
    api_origins: OriginList = ""
    """Origins whose scripts may read the API, such as `https://charts.example.org`; empty: none."""

    # Storage
    redis_url: RedisAddress = ""
    data_dir: Path = Field(default_factory=lambda: user_data_path("skillbench", appauthor=False))
    blob_url: BlobAddress = ""
    """`file://` or `s3://` address of the blob store; empty: a folder in the data folder."""
    keep_days: int = Field(default=30, ge=1)
    """How long the blob store keeps what a request left behind once it has ended."""

    # Money
    max_usd_per_run: Dollars = Decimal(5)
    max_usd_per_day: Dollars = Decimal(50)
    max_tokens_per_run: int = Field(default=2_000_000, gt=0)

    # Sessions
    sandbox: Literal["bubblewrap", "docker", "none"] = "bubblewrap"
    docker_image: str = "python:3.12-slim-bookworm"
    """What sessions of the docker sandbox see. The tools need /bin/sh and coreutils, Claude
    Code Python, and most skills' scripts Python too."""
    docker_host: str = Field(
        default="unix:///var/run/docker.sock", validation_alias=AliasChoices("DOCKER_HOST")
    )
    """Where the docker sandbox finds its engine; a name of Docker's own."""
    launcher: Literal["api", "claude-code"] = "api"
    """How a session is run where the command does not say."""
    claude_binary: str = ""
    """The program of Claude Code, where it is not on PATH."""
    model: str = "claude-sonnet"
    judge_model: str = "claude-opus"
    session_timeout: Period = timedelta(minutes=30)
    """Wall time of one session; what it has produced by then is scored."""
    session_idle_timeout: Period = timedelta(minutes=5)
    """A model that sends nothing for this long is stalled; retried, never scored."""
    session_max_turns: int = Field(default=100, gt=0)
    session_max_output_tokens: int = Field(default=200_000, gt=0)
    session_memory_mb: int = Field(default=4096, ge=64)
    queries_at_once: int = Field(default=10, gt=0, le=100)
    """Sessions that go on together with one provider in one worker to measure descriptions."""
    setup_timeout: Period = timedelta(minutes=30)
    """Of an environment's setup script, which runs once for each of its versions."""
    check_timeout: Period = timedelta(seconds=60)
    """Of one command among an eval case's checks."""
    max_concurrent_requests: int = Field(default=4, gt=0)
    """How many requests one worker carries out at a time, with up to four sessions each."""
    max_requests_overall: int = Field(default=100, gt=0)
    """How many requests all workers together carry out at a time."""
    max_requests_per_repository: int = Field(default=3, gt=0)
    """Of one repository; less than a worker's room, so that another's always finds a place."""
    max_requests_per_provider: int = Field(default=50, gt=0)
    """With models of one provider."""

    # What a skill's set of eval cases must show (`jobs/conclusions/`)
    set_alpha: float = Field(default=0.05, gt=0, lt=0.5)
    """How often at most a set says *helps* where nothing helps; likewise *hurts*."""
    set_fewest: int = Field(default=5, ge=1)
    """Eval cases that must differ."""
    set_net_wins: float = Field(default=0.2, ge=0, le=1)
    """Least share of all eval cases by which wins must outnumber losses."""
    set_win_rate: float = Field(default=0.8, gt=0.5, lt=1)
    """Share of wins, among eval cases that differ, which a set should be able to see ..."""
    set_power: float = Field(default=0.8, gt=0, lt=1)
    """... so often; a set that cannot is underpowered."""
    set_unscored: float = Field(default=0.2, ge=0, lt=1)
    """Largest share of eval cases without a score; beyond it the set is invalid."""

    # Whether outputs give their arm away (`jobs/leaks/`)
    guesser_share: float = Field(default=0.1, ge=0, le=1)
    """Share of runs of which the guesser is asked which output had the skill; 0: of none."""
    guesser_model: str = Field(default="claude-haiku", min_length=1)
    """The model that guesses: a cheap one."""

    # Environments: what a repository's file may ask for
    environment_hosts: HostList = ",".join((*R_HOSTS, *PYTHON_HOSTS))
    """Hosts that sessions may reach where an environment names them; `*`: all, `none`: none."""
    environment_images: CommaList = "*"
    """Patterns of the images that an environment may name, such as `ghcr.io/acme/*`."""

    # Datasets: where they may be read from, and the systems that they are run against
    dataset_hosts: HostList = "none"
    """Hosts that datasets may be fetched from over HTTPS; `*`: all, `none`: none."""
    hermes_api_base_url: WebAddress = Field(
        default="http://127.0.0.1:8642", validation_alias=AliasChoices("HERMES_API_BASE_URL")
    )
    hermes_api_key: SecretStr = Field(
        default=SecretStr(""), validation_alias=AliasChoices("HERMES_API_KEY")
    )
    evermemos_base_url: WebAddress = Field(
        default="http://localhost:1995", validation_alias=AliasChoices("EVERMEMOS_BASE_URL")
    )
    evermemos_api_key: SecretStr = Field(
        default=SecretStr(""), validation_alias=AliasChoices("EVERMEMOS_API_KEY")
    )
    mem0_base_url: WebAddress = Field(
        default="http://localhost:8888", validation_alias=AliasChoices("MEM0_BASE_URL")
    )
    mem0_api_key: SecretStr = Field(
        default=SecretStr(""), validation_alias=AliasChoices("MEM0_API_KEY")
    )
    hippo_rag_base_url: WebAddress = Field(
        default="", validation_alias=AliasChoices("HIPPO_RAG_BASE_URL")
    )
    hippo_rag_api_key: SecretStr = Field(
        default=SecretStr(""), validation_alias=AliasChoices("HIPPO_RAG_API_KEY")
    )
    dyg_rag_base_url: WebAddress = Field(
        default="", validation_alias=AliasChoices("DYG_RAG_BASE_URL")
    )
    dyg_rag_api_key: SecretStr = Field(
        default=SecretStr(""), validation_alias=AliasChoices("DYG_RAG_API_KEY")
    )
    mirobody_base_url: WebAddress = Field(
        default="http://localhost:18080", validation_alias=AliasChoices("MIROBODY_BASE_URL")
    )
    mirobody_tokens: SecretStr = Field(
        default=SecretStr(""), validation_alias=AliasChoices("MIROBODY_TOKENS")
    )
    """JSON: the bearer token of each user, by address; `*` stands for every user."""

    # Model providers, under the names their own tools use
    anthropic_api_key: SecretStr = Field(
        default=SecretStr(""), validation_alias=AliasChoices("ANTHROPIC_API_KEY")
    )
    anthropic_base_url: WebAddress = Field(
        default="https://api.anthropic.com", validation_alias=AliasChoices("ANTHROPIC_BASE_URL")
    )
    openai_api_key: SecretStr = Field(
        default=SecretStr(""), validation_alias=AliasChoices("OPENAI_API_KEY")
    )
    openai_base_url: WebAddress = Field(
        default="https://api.openai.com/v1", validation_alias=AliasChoices("OPENAI_BASE_URL")
    )
    gemini_api_key: SecretStr = Field(
        default=SecretStr(""), validation_alias=AliasChoices("GEMINI_API_KEY")
    )

    @property
    def private_key_pem(self) -> str:
        """The App's private key as PEM text, read from the file if a path was given.

        Raises `FileNotFoundError` if the path does not exist.
        """
        value = self.github_private_key.get_secret_value()
        if not value or "-----BEGIN" in value:
            return value.replace("\\n", "\n")
        return Path(value).expanduser().read_text(encoding="ascii")

    @property
    def target_variables(self) -> dict[str, str]:
        """What targets of datasets look up, by the name of the variable."""
        plain = {
            "HERMES_API_BASE_URL": self.hermes_api_base_url,
            "EVERMEMOS_BASE_URL": self.evermemos_base_url,
            "MEM0_BASE_URL": self.mem0_base_url,
            "HIPPO_RAG_BASE_URL": self.hippo_rag_base_url,
            "DYG_RAG_BASE_URL": self.dyg_rag_base_url,
            "MIROBODY_BASE_URL": self.mirobody_base_url,
            "OPENAI_BASE_URL": self.openai_base_url,
        }
        secret = {
            "HERMES_API_KEY": self.hermes_api_key,
            "EVERMEMOS_API_KEY": self.evermemos_api_key,
            "MEM0_API_KEY": self.mem0_api_key,
            "HIPPO_RAG_API_KEY": self.hippo_rag_api_key,
            "DYG_RAG_API_KEY": self.dyg_rag_api_key,
            "MIROBODY_TOKENS": self.mirobody_tokens,
            "OPENAI_API_KEY": self.openai_api_key,
        }
        return plain | {name: one.get_secret_value() for name, one in secret.items()}

    @property
    def blobs(self) -> str:
        """The address of the blob store."""
        return self.blob_url or (self.data_dir / "blobs").absolute().as_uri()

    @property
    def datasets(self) -> Path:
        """The folder of the operator's own datasets."""
        return self.data_dir / "datasets"
