"""The way to other machines: CONNECT to hosts that the environment names, and to no others.

A host is allowed by its name; where the name leads is looked up here, once, and only public
addresses are used, so that no name can lead to the worker's own machine or network. Every
host that was asked for is remembered, for the report. Of what goes through a tunnel only the
greeting is looked at, which has to name the same host; the rest is encrypted.
"""

import asyncio
import contextlib
import ipaddress
import re
import socket
from collections.abc import Awaitable, Callable, Iterable, Sequence

from jobs.proxy.greeting import HostRefused, read_greeting

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Resolve = Callable[[str], Awaitable[Sequence[str]]]
Dial = Callable[[str, int], Awaitable[Streams]]
ReadGreeting = Callable[[asyncio.StreamReader, bytes, str], Awaitable[bytes]]

PORT = 443
PLAIN_REFUSED = "only HTTPS is open"
MAX_REMEMBERED = 100
"""Hosts that are remembered by name; a session can ask for any number."""
_DIAL_S = 15.0
_CHUNK = 64 * 1024
_HOST = re.compile(r"[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9_])?")
_UNICAST = ipaddress.IPv6Network("2000::/3")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


async def resolve_host(host: str) -> list[str]:
    """The addresses of a host. Raises `OSError` if it has none."""
    found = await asyncio.get_running_loop().getaddrinfo(host, PORT, type=socket.SOCK_STREAM)
    return [str(place[0]) for *_, place in found]


def is_public(address: str) -> bool:
    """Whether an address belongs to the open internet, also where it is wrapped in another."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.ipv4_mapped:
            return is_public(str(ip.ipv4_mapped))
        if ip in _NAT64:
            return is_public(str(ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)))
        if ip not in _UNICAST or ip.sixtofour or ip.teredo:
            return False
    return ip.is_global and not ip.is_multicast and not ip.is_reserved


class HostGate:
    """Opens tunnels for one session."""

    def __init__(
        self,
        allowed: Iterable[str],
        *,
        resolve: Resolve = resolve_host,
        dial: Dial = asyncio.open_connection,
        read_greeting: ReadGreeting = read_greeting,
    ) -> None:
        self._allowed = {_plain(host) for host in allowed}
        self._resolve = resolve
        self._dial = dial
        self._read_greeting = read_greeting
        self.reached: dict[str, None] = {}
        """Hosts to which a tunnel was opened, in order."""
        self.refused: dict[str, str] = {}
        """What was asked for in vain, and why."""

    async def open(self, target: str) -> Streams:
        """Open the tunnel that a CONNECT asks for (`host:port`). Raises `HostRefused`."""
        try:
            host = self._check(target)
            streams = await self._reach(host)
        except HostRefused as refusal:
            self._remember(target, str(refusal))
            raise
        self.reached.setdefault(host)
        return streams

    async def greet(self, target: str, reader: asyncio.StreamReader, sent: bytes) -> bytes:
        """What a client says first through the tunnel to `target`, to be passed on.

        `sent` was read from it before. Raises `HostRefused` where it asks for another host.
        """
        try:
            return await self._read_greeting(reader, sent, _plain(target.rpartition(":")[0]))
        except HostRefused as refusal:
            self._remember(target, str(refusal))
            raise

    def refuse_plain(self, target: str) -> None:
        """Note that an address was asked for without encryption (`http://host/path`)."""
        place = target.partition("://")[2].partition("/")[0] or target
        self._remember(place, PLAIN_REFUSED)

    @property
    def refusals(self) -> tuple[str, ...]:
        """What was asked for in vain, each with the reason, as a session's result has it."""
        return tuple(f"{place}: {why}" for place, why in self.refused.items())

    def _remember(self, target: str, why: str) -> None:
        shown = "".join(character for character in target[:260] if character.isprintable())
        if len(self.refused) < MAX_REMEMBERED:
            self.refused.setdefault(shown, why)

    def _check(self, target: str) -> str:
        name, _, port = target.rpartition(":")
        host = _plain(name)
        if not _HOST.fullmatch(host):
            raise HostRefused("only names of hosts are reached")
        if host not in self._allowed:
            raise HostRefused("the environment does not allow this host")
        if port != str(PORT):
            raise HostRefused(f"only port {PORT} is open")
        return host

    async def _reach(self, host: str) -> Streams:
        try:
            async with asyncio.timeout(_DIAL_S):
                addresses = await self._resolve(host)
                public = [address for address in addresses if is_public(address)]
                if not public:
                    raise HostRefused("its name leads to no public address")
                for address in public[:4]:
                    with contextlib.suppress(OSError):
                        return await self._dial(address, PORT)
        except (OSError, TimeoutError) as error:
            raise HostRefused("it could not be reached") from error
        raise HostRefused("it could not be reached")


async def carry(first: Streams, second: Streams) -> None:
    """Carry bytes both ways until both ends are done."""
    try:
        await asyncio.gather(_pump(first[0], second[1]), _pump(second[0], first[1]))
    finally:
        first[1].close()
        second[1].close()


async def _pump(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while chunk := await source.read(_CHUNK):
            target.write(chunk)
            await target.drain()
        target.write_eof()


def _plain(host: str) -> str:
    return host.strip().rstrip(".").lower()
