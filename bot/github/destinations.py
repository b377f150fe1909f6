"""Where a download may be redirected to: GitHub's own redirects lead to the open internet.

A redirect is an address that somebody else chose, and this process can reach more than they
can: the machine itself, its network, a cloud's metadata service. So none of these is asked,
unless the API is such a place itself, as an Enterprise Server inside a network is.
"""

import asyncio
import ipaddress

import httpx

from bot.github.failures import NotFound
from jobs.proxy.connect import Resolve, is_public, resolve_host

LOOK_UP_S = 15.0


async def check_destination(
    url: httpx.URL, *, api: httpx.URL, resolve: Resolve = resolve_host
) -> None:
    """Raises `NotFound` where a redirect leads to what a download has no business with.

    Names are looked up here, once; what they lead to a moment later is not known. That is
    worth no more care: an answer that is no archive goes nowhere.
    """
    if url.scheme not in {"https", api.scheme} or url.scheme not in {"http", "https"}:
        raise NotFound(f"a download was redirected to {url.scheme}, which is not followed")
    if await _is_open(api.host, resolve) and not await _is_open(url.host, resolve):
        raise NotFound(f"a download was redirected to {url.host}, which is no public address")


async def _is_open(host: str, resolve: Resolve) -> bool:
    """Whether every address of a host is public; a host without any is not."""
    try:
        addresses = [str(ipaddress.ip_address(host.strip("[]")))]
    except ValueError:
        try:
            async with asyncio.timeout(LOOK_UP_S):
                addresses = list(await resolve(host))
        except (OSError, TimeoutError, UnicodeError):
            return False
    return bool(addresses) and all(is_public(address) for address in addresses)
