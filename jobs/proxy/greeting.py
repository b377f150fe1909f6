"""What a client says first through a tunnel: a TLS greeting that names the host it asks for.

A tunnel leads to an address, and behind one address of a large network stand the hosts of
many people: which of them answers is decided by the name in the greeting. So that name is
looked at before a byte is passed on. The rest stays encrypted and is nobody's business here.
"""

import asyncio
import ssl

_MOST_BYTES = 64 * 1024
"""A greeting has some hundred bytes, with keys of the newest kinds two thousand."""
_GREETING_S = 15.0
_CHUNK = 16 * 1024


class HostRefused(Exception):  # noqa: N818
    """A tunnel that is not opened, or not used; the message says why."""


async def read_greeting(reader: asyncio.StreamReader, sent: bytes, host: str) -> bytes:
    """What a client has sent up to the end of its greeting, which has to name `host`.

    `sent` was read from it before. Empty if it left without a word. Raises `HostRefused`.
    """
    greeting = _Greeting()
    chunk, said = sent, sent
    try:
        async with asyncio.timeout(_GREETING_S):
            while not greeting.is_read(chunk) and len(said) <= _MOST_BYTES:
                chunk = await reader.read(_CHUNK)
                if not chunk:
                    break
                said += chunk
    except TimeoutError as error:
        raise HostRefused("its tunnel was opened, and nothing asked for through it") from error
    except OSError:
        return b""
    if said and greeting.host != host:
        asked = greeting.host[:100] or "nobody, or not by TLS"
        raise HostRefused(f"through its tunnel something else was asked for: {asked}")
    return said


class _Greeting:
    """Reads the greeting as a server would, and breaks off once it has the name."""

    def __init__(self) -> None:
        self.host = ""
        self._received = ssl.MemoryBIO()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.sni_callback = self._take
        self._server = context.wrap_bio(self._received, ssl.MemoryBIO(), server_side=True)

    def is_read(self, chunk: bytes) -> bool:
        """Take the next piece, cut anywhere; whether nothing more is to be learnt."""
        self._received.write(chunk)
        try:
            self._server.do_handshake()
        except ssl.SSLWantReadError:
            return False
        except ssl.SSLError:
            return True
        return True

    def _take(self, _: object, name: str | None, __: object) -> int:
        self.host = (name or "").lower()
        return ssl.ALERT_DESCRIPTION_UNRECOGNIZED_NAME
