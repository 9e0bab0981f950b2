"""A listing behind an https address, fetched once: public addresses only, within a size and a time.

The name is resolved here, every address it has must be public, and the connection goes to the address that was checked,
so a name that answers differently the next time leads nowhere else. Each redirect is checked anew.
"""

from __future__ import annotations

import http.client
import ipaddress
import socket
import ssl
import time
import zlib
from collections.abc import Callable, Sequence
from urllib.parse import urljoin, urlsplit

from assay.papers.listings.document import ListingError

MOST_REDIRECTS = 5
SECONDS = 60
"""For everything together."""
_PIECE = 1 << 16
_AGENT = "assay (reads one listing at its user's request)"

Resolve = Callable[[str, int], Sequence[str]]
Connect = Callable[[str, str, int, float], http.client.HTTPConnection]


def is_address(source: str) -> bool:
    """Whether a source is meant as an address on the web."""
    return source.lower().startswith(("https://", "http://"))


def fetch(
    address: str, most: int, resolve: Resolve | None = None, connect: Connect | None = None, seconds: float = SECONDS
) -> bytes:
    """The bytes behind an https address, at most `most`, unpacked where they were sent packed.

    `resolve` (name, port to addresses) and `connect` (address, name, port, seconds to a connection) can be replaced in
    tests. ListingError, one line, for anything else than an answer of status 200.
    """
    until = time.monotonic() + seconds
    start = address
    for _ in range(MOST_REDIRECTS + 1):
        name, port, path = _parts(address, start)
        to = _public(address, name, port, resolve or _resolve)
        connection = (connect or _Pinned)(to, name, port, max(0.1, until - time.monotonic()))
        try:
            headers = {"Host": name, "User-Agent": _AGENT, "Accept-Encoding": "gzip, identity"}
            connection.request("GET", path, headers=headers)
            answer = connection.getresponse()
            if answer.status in (301, 302, 303, 307, 308):
                address = urljoin(address, answer.headers.get("Location", ""))
                continue
            if answer.status != 200:
                raise ListingError(f"{start}: the server answered {answer.status} {answer.reason}")
            return _body(answer, start, most, until)
        except (OSError, http.client.HTTPException, zlib.error) as error:
            why = "no answer in time" if isinstance(error, TimeoutError) else str(error) or type(error).__name__
            raise ListingError(f"{start}: cannot be fetched: {why}") from None
        finally:
            connection.close()
    raise ListingError(f"{start}: more than {MOST_REDIRECTS} redirects")


def _parts(address: str, start: str) -> tuple[str, int, str]:
    """Name, port and path with query of an https address."""
    try:
        parts = urlsplit(address)
        port = parts.port or 443
        name = (parts.hostname or "").encode("idna").decode()
    except (ValueError, UnicodeError):
        raise ListingError(f"{start}: not an address") from None
    if parts.scheme != "https":
        raise ListingError(
            f"{start}: only https addresses are fetched" + (f", not {address}" if address != start else "")
        )
    if not name or parts.username is not None:
        raise ListingError(f"{start}: not an address of a page")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return name, port, "".join(c if 33 <= ord(c) < 127 else "".join(f"%{b:02X}" for b in c.encode()) for c in path)


def _public(address: str, name: str, port: int, resolve: Resolve) -> str:
    """One of the public addresses of a name; all of them must be public."""
    try:
        found = resolve(name, port)
    except OSError as error:
        raise ListingError(f"{address}: no such name ({error.strerror or error})") from None
    for one in found:
        ip = ipaddress.ip_address(one.split("%")[0])
        inner = getattr(ip, "ipv4_mapped", None) or getattr(ip, "sixtofour", None) or ip
        if not (ip.is_global and inner.is_global) or ip.is_multicast:
            raise ListingError(f"{address}: leads to {one}, an address that is not public; refused")
    if not found:
        raise ListingError(f"{address}: no such name")
    return found[0]


def _resolve(name: str, port: int) -> list[str]:
    return [str(info[4][0]) for info in socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)]


class _Pinned(http.client.HTTPSConnection):
    """A connection to an address that was checked, with the certificate of the name."""

    def __init__(self, to: str, name: str, port: int, seconds: float) -> None:
        self._context_ = ssl.create_default_context()
        super().__init__(name, port, timeout=seconds, context=self._context_)
        self._to = to

    def connect(self) -> None:
        plain = socket.create_connection((self._to, self.port), self.timeout)
        self.sock = self._context_.wrap_socket(plain, server_hostname=self.host)


def _body(answer: http.client.HTTPResponse, start: str, most: int, until: float) -> bytes:
    packed = answer.headers.get("Content-Encoding", "").lower() in ("gzip", "x-gzip")
    unpack = zlib.decompressobj(wbits=31) if packed else None
    found = bytearray()
    while piece := answer.read(_PIECE):
        while piece:
            if unpack is None:
                found += piece
                piece = b""
            else:
                found += unpack.decompress(piece, most + 1 - len(found))
                piece = unpack.unconsumed_tail
            if len(found) > most:
                raise ListingError(f"{start}: over {most >> 20} MB; refused")
        if time.monotonic() > until:
            raise ListingError(f"{start}: not complete after {SECONDS} seconds")
    return bytes(found)
