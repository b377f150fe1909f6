"""One TLS context for all connections to models.

To read all certificates takes a tenth of a second, in which nothing else moves on; a context
for every conversation would stop the worker that often.
"""

import ssl
from functools import cache

import httpx


@cache
def tls_context() -> ssl.SSLContext:
    """The context, made when it is first asked for; best in a thread before any work."""
    return httpx.create_ssl_context()
