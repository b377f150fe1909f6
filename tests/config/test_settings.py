"""Every kind of setting: what is taken, what is refused, and how it reads afterwards."""

from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from config.settings import Settings, names_in


def some(**values: Any) -> Settings:
    return Settings(_env_file=None, **values)


@pytest.mark.parametrize(
    ("typed", "seconds"),
    [("1800", 1800), ("90.5", 90.5), ("PT30M", 1800), ("PT1H30M", 5400), ("0:30:00", 1800)],
)
def test_periods_are_seconds_iso_or_a_clocks(typed: str, seconds: float) -> None:
    assert some(session_timeout=typed).session_timeout == timedelta(seconds=seconds)


def test_a_period_survives_being_written_out() -> None:
    period = some(session_timeout="1800").session_timeout
    assert some(session_timeout=str(period)).session_timeout == period


@pytest.mark.parametrize(
    "typed", ["", "0", "-5", "PT0S", "soon", "30 min", "inf", "1e3", "9" * 20, "P1Y"]
)
def test_what_is_no_period_is_refused(typed: str) -> None:
    with pytest.raises(ValidationError, match="session_timeout"):
        some(session_timeout=typed)


@pytest.mark.parametrize(
    "address",
    ["redis://localhost", "redis://me:word@host:6379/0", "rediss://host/1", "unix:///run/r.sock"],
)
def test_redis_addresses(address: str) -> None:
    assert some(redis_url=address).redis_url == address


@pytest.mark.parametrize(
    "address",
    ["localhost:6379", "http://host", "redis://", "redis://host:port", "redis://[", "unix://", "x"],
)
def test_what_redis_cannot_be_reached_at_is_refused(address: str) -> None:
    with pytest.raises(ValidationError, match="redis_url"):
        some(redis_url=address)


@pytest.mark.parametrize("name", ["github_api_url", "github_web_url", "public_url"])
def test_web_addresses_lose_the_slash_at_their_end(name: str) -> None:
    assert getattr(some(**{name: "https://ghe.example/api/v3/"}), name) == (
        "https://ghe.example/api/v3"
    )


@pytest.mark.parametrize("address", ["ghe.example", "ftp://x", "https://", "https://h:0x1", "//h"])
def test_what_is_no_web_address_is_refused(address: str) -> None:
    with pytest.raises(ValidationError, match="github_api_url"):
        some(github_api_url=address)


@pytest.mark.parametrize("address", ["file:///var/blobs", "file://localhost/x", "s3://bucket/a"])
def test_blob_addresses(address: str) -> None:
    assert some(blob_url=address).blobs == address


@pytest.mark.parametrize("address", ["/var/blobs", "file://host/x", "file://", "s3://", "gs://b"])
def test_what_holds_no_blobs_is_refused(address: str) -> None:
    with pytest.raises(ValidationError, match="blob_url"):
        some(blob_url=address)


@pytest.mark.parametrize("mention", ["@skillbench", "@My-Bench2", "@a.b"])
def test_mentions(mention: str) -> None:
    assert some(mention=mention).mention == mention


@pytest.mark.parametrize("mention", ["bot", "@", "@a b", "@`x`", "@-x", "@x.", "@é"])
def test_what_nobody_could_mention_is_refused(mention: str) -> None:
    with pytest.raises(ValidationError, match="mention"):
        some(mention=mention)


@pytest.mark.parametrize("app_id", ["", "12345", "Iv1.8a61f9b3a7aba766", "Iv23liABCDEF"])
def test_app_ids(app_id: str) -> None:
    assert some(github_app_id=app_id).github_app_id == app_id


@pytest.mark.parametrize("app_id", ["my-app", "12 34", "-1", "Iv"])
def test_what_is_no_app_id_is_refused(app_id: str) -> None:
    with pytest.raises(ValidationError, match="github_app_id"):
        some(github_app_id=app_id)


@pytest.mark.parametrize("money", ["0", "-1", "NaN", "Infinity", "1e400", "five"])
def test_limits_of_money_are_real_amounts(money: str) -> None:
    with pytest.raises(ValidationError, match="max_usd_per_day"):
        some(max_usd_per_day=money)
    assert some(max_usd_per_day="0.5").max_usd_per_day == Decimal("0.5")


def test_an_empty_variable_is_not_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """`.env.example` is copied and half filled in."""
    (tmp_path / ".env").write_text("SKILLBENCH_MAX_USD_PER_RUN=\nSKILLBENCH_MODEL=gpt-4.1\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SKILLBENCH_PORT", "")
    monkeypatch.setenv("SKILLBENCH_DATA_DIR", "")
    settings = Settings()
    assert settings.port == 8000
    assert settings.data_dir.is_absolute()
    assert settings.max_usd_per_run == Decimal(5)
    assert settings.model == "gpt-4.1"


def test_a_private_key_is_text_or_the_path_of_a_file(tmp_path: Path) -> None:
    pem = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\n"
    (tmp_path / "key.pem").write_text(pem)
    assert some(github_private_key=pem).private_key_pem == pem
    assert some(github_private_key=pem.replace("\n", "\\n")).private_key_pem == pem
    assert some(github_private_key=str(tmp_path / "key.pem")).private_key_pem == pem
    with pytest.raises(FileNotFoundError):
        _ = some(github_private_key=str(tmp_path / "none.pem")).private_key_pem


def test_no_secret_shows_in_the_settings_or_in_what_is_wrong_with_them() -> None:
    secrets = dict.fromkeys(
        ["github_private_key", "github_webhook_secret", "anthropic_api_key", "openai_api_key"],
        "hunter2",
    )
    assert "hunter2" not in repr(some(**secrets)) + some(**secrets).model_dump_json()
    with pytest.raises(ValidationError) as wrong:
        some(**secrets, redis_url="http://me:hunter2@host", port=-1)
    assert "hunter2" not in str(wrong.value)


@pytest.mark.parametrize(
    ("typed", "names"),
    [("", ()), ("*", ("*",)), (" acme, ,Octo ,", ("acme", "Octo"))],
)
def test_comma_lists(typed: str, names: tuple[str, ...]) -> None:
    assert names_in(typed) == names


@pytest.mark.parametrize(
    ("typed", "hosts"),
    [("*", "*"), ("none", "none"), ("PyPI.org, p3m.dev,", "pypi.org,p3m.dev")],
)
def test_hosts_of_environments(typed: str, hosts: str) -> None:
    assert some(environment_hosts=typed).environment_hosts == hosts


@pytest.mark.parametrize("typed", ["*.org", "10.0.0.1", "pypi.org *", "https://pypi.org", "a,*"])
def test_what_is_no_list_of_hosts_is_refused(typed: str) -> None:
    with pytest.raises(ValidationError, match="environment_hosts"):
        some(environment_hosts=typed)


@pytest.mark.parametrize(
    ("typed", "origins"),
    [
        ("", ""),
        ("https://Charts.example.org, http://localhost:3000,",
         "https://charts.example.org,http://localhost:3000"),
    ],
)  # fmt: skip
def test_origins_that_may_read_the_api(typed: str, origins: str) -> None:
    assert some(api_origins=typed).api_origins == origins


@pytest.mark.parametrize(
    "typed",
    ["*", "null", "charts.example.org", "https://a.example/", "https://a.example/path",
     "https://*.example", "https://a@b.example", "https://a.example:x", "https://a.example?b"],
)  # fmt: skip
def test_what_is_no_list_of_origins_is_refused(typed: str) -> None:
    with pytest.raises(ValidationError, match="api_origins"):
        some(api_origins=typed)
