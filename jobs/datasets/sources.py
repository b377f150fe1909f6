"""Where a dataset is read from: a folder, a repository of GitHub at a ref, a web address.

A web address is fetched only from hosts that the operator has named, over HTTPS, from a public
address that is looked up once and then held to; a redirect is followed nowhere.
"""

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlsplit

import httpx

from jobs.content.tarball import extract_tarball
from jobs.datasets.loading import LARGEST_DATASET, METADATA, find_suite, is_name, suite_names
from jobs.datasets.suite_files import DATA
from jobs.errors import Refused, Transient
from jobs.ports import RepositoryReader
from jobs.proxy.connect import Resolve, is_public, resolve_host

HTTPS_PORT = 443
LARGEST_METADATA = 10_000_000
LONGEST_S = 600.0
CONNECT_S = 30.0
_REPOSITORY = re.compile(
    r"(?P<name>[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100})@(?P<ref>[^\s:?*\[\\~^]{1,200})"
)


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository of GitHub at a branch, tag or commit."""

    full_name: str
    ref: str


@dataclass(frozen=True, slots=True)
class WebFolder:
    """An address below which `<benchmark>/<dataset>.jsonl` lies."""

    address: str


Source = Path | Repository | WebFolder


def parse_source(text: str) -> Source:
    """What somebody typed: a folder, `owner/name@ref`, or an address that begins with https.

    A folder that is there is a folder, whatever its name looks like. Raises `Refused`.
    """
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", text):
        if not text.startswith("https://"):
            raise Refused("datasets are fetched over https:// alone")
        return WebFolder(text.rstrip("/"))
    path = Path(text).expanduser()
    if not path.is_dir() and (found := _REPOSITORY.fullmatch(text)):
        return Repository(found["name"], found["ref"])
    return path


def find_root(folder: Path, benchmark: str | None = None) -> Path:
    """The folder of suites: this one, or the `data` in it, as repositories have it.

    Raises `Refused` where there is no such folder.
    """
    if not folder.is_dir():
        raise Refused(
            f"there is no folder {folder}; datasets go there as <benchmark>/<dataset>.jsonl, or "
            "name another place with --data."
        )
    inner = folder / DATA
    if not inner.is_dir():
        return folder
    here, there = suite_names(folder), suite_names(inner)
    is_inner = benchmark not in here if benchmark is not None else bool(there)
    return inner if is_inner else folder


async def fetch_repository(source: Repository, reader: RepositoryReader, target: Path) -> Path:
    """Download and unpack a repository below `target`; gives the folder to look for suites in.

    Raises `Refused`, `Gone`, `Transient`.
    """
    await asyncio.to_thread(target.mkdir, parents=True, exist_ok=True)
    archive = target / "repository.tar.gz"
    await reader.download_tarball(source.ref, archive)
    await asyncio.to_thread(extract_tarball, archive, target / "repository")
    await asyncio.to_thread(archive.unlink)
    return target / "repository"


@dataclass(frozen=True, slots=True, kw_only=True)
class WebFetcher:
    """Fetches datasets from allowed hosts."""

    hosts: tuple[str, ...]
    """Exact names in lower case; `*` alone for all."""
    http: httpx.AsyncClient
    resolve: Resolve = resolve_host
    is_open: Callable[[str], bool] = is_public
    """Whether an address may be asked."""
    port: int = HTTPS_PORT

    async def fetch(self, source: WebFolder, benchmark: str, dataset: str, target: Path) -> Path:
        """Write a dataset and its `metadata.json`, if there is one, below `target`.

        Raises `Refused` for what may not or cannot be fetched, `Transient` where the host fails.
        """
        for name in (benchmark, dataset):
            if not is_name(name):
                raise Refused(f"`{name[:100]}` cannot be the name of a benchmark or a dataset")
        folder = target / benchmark
        await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
        place = f"{source.address}/{quote(benchmark)}"
        file = f"{dataset}.jsonl"
        if not await self._save(f"{place}/{quote(file)}", folder / file, LARGEST_DATASET):
            raise Refused(f"there is no {place}/{file}")
        await self._save(f"{place}/{METADATA}", folder / METADATA, LARGEST_METADATA)
        find_suite(target, benchmark)
        return target

    async def _save(self, address: str, path: Path, largest: int) -> bool:
        """Write what stands at an address to a file; False where nothing does."""
        host = self._check(address)
        try:
            async with asyncio.timeout(LONGEST_S):
                found = await self._look_up(host)
                return await self._download(address, host, found, path, largest)
        except TimeoutError:
            raise Transient(f"{host} did not send the dataset within {LONGEST_S:g} s") from None
        except httpx.HTTPError as trouble:
            raise Transient(f"{host} broke off ({type(trouble).__name__})") from None

    def _check(self, address: str) -> str:
        """The host of an address that may be asked. Raises `Refused`."""
        try:
            parts = urlsplit(address)
            host, port = (parts.hostname or "").lower(), parts.port
        except ValueError:
            raise Refused("this is no web address") from None
        if not host:
            raise Refused("an address of datasets names a host: https://HOST/PATH")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise Refused("an address of datasets holds no password, no `?` and no `#`")
        if port not in {None, self.port}:
            raise Refused(f"datasets are fetched from port {self.port} alone")
        if self.hosts != ("*",) and host not in self.hosts:
            raise Refused(
                f"datasets may not be fetched from {host[:100]}: the operator can name it in "
                "SKILLBENCH_DATASET_HOSTS."
            )
        return host

    async def _look_up(self, host: str) -> str:
        """An address of the host that may be asked. Raises `Refused`."""
        try:
            found = await self.resolve(host)
        except (OSError, UnicodeError):
            raise Transient(f"the name {host} leads nowhere") from None
        allowed = [one for one in found if self.is_open(one)]
        if not found or len(allowed) != len(found):
            raise Refused(f"{host} leads to an address that is not public")
        return allowed[0]

    async def _download(
        self, address: str, host: str, found: str, path: Path, largest: int
    ) -> bool:
        # the address that was looked at is the one that is asked; the certificate is the name's
        url = httpx.URL(address).copy_with(host=found, port=self.port)
        headers = {"Host": host, "Accept-Encoding": "identity"}
        async with self.http.stream(
            "GET",
            url,
            headers=headers,
            timeout=httpx.Timeout(60.0, connect=CONNECT_S),
            follow_redirects=False,
            extensions={"sni_hostname": host},
        ) as answer:
            if answer.status_code == httpx.codes.NOT_FOUND:
                return False
            if answer.is_redirect:
                raise Refused(f"{host} redirects {address}, which is not followed")
            if answer.status_code != httpx.codes.OK:
                raise Transient(f"{host} answered with status {answer.status_code}")
            await _write(answer, path, largest)
            return True


async def _write(answer: httpx.Response, path: Path, largest: int) -> None:
    size = 0
    with path.open("wb") as file:
        async for part in answer.aiter_bytes():
            size += len(part)
            if size > largest:
                raise Refused(f"{path.name} is larger than {largest:,} bytes")
            file.write(part)
