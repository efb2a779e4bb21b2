"""Reads a document from an address that a stranger named, without reaching what only this machine can reach."""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import AsyncIterator, Callable, Collection, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import cache
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Final

from aiohttp import BaseConnector, ClientError, ClientResponse, ClientSession, DummyCookieJar, TCPConnector
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from clients.shares import Shares
from refusal import Refusal

LONGEST_URL: Final = 2000
MOST_AT_ONCE: Final = 16
MOST_FOR_ONE: Final = 2

# Each of these forms holds another address, which may be a private one. No public service is found at them.
_HOLDING_ANOTHER: Final = [
    ip_network(text) for text in ("::/96", "::ffff:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "2001::/32", "2002::/16")
]
# Reserved, although not every version of Python says so.
_RESERVED: Final = [ip_network(text) for text in ("192.0.0.0/24", "192.88.99.0/24", "3fff::/20")]
# It looks public, and is where the platform itself answers every machine on Azure.
_AZURE_PLATFORM: Final = ip_address("168.63.129.16")
_NAME: Final = re.compile(r"(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]\.?")

Resolve = Callable[[str], Collection[str]]
Connect = Callable[[AbstractResolver], BaseConnector]


@dataclass(frozen=True, slots=True)
class FetchedFile:
    content_type: str
    body: bytes


class PublicFetcher:
    """Fetches over https, some at once. The addresses that were checked are the ones that are connected to."""

    def __init__(self, resolve: Resolve | None = None, connect: Connect | None = None) -> None:
        self._resolve = resolve or _addresses
        self._connect = connect or _over_tcp
        self._turns = asyncio.Semaphore(MOST_AT_ONCE)
        self._shares = Shares(MOST_FOR_ONE)
        # A look-up cannot be given up. Where a stranger's name hangs, it must hold no thread that others need.
        self._threads = ThreadPoolExecutor(MOST_AT_ONCE, thread_name_prefix="names-of-strangers")

    async def fetch(
        self,
        url: str,
        *,
        allowed_hosts: Collection[str] | None = None,
        largest: int,
        seconds: float,
        asker: str | None = None,
    ) -> FetchedFile:
        """Return what is at the address. Waiting for a turn counts as time, too.

        Nobody is let hold up the others: an `asker` has a few fetches at once, of which each lasts until the look-up of
        its name has ended.

        Raises:
            Refusal: The address is none that a stranger may name, or what is there cannot be read within the bounds.
        """
        address, names = checked_public(url, allowed_hosts), PublicResolver(self._resolve, self._threads)
        with self._share(asker, names):
            return await self._fetch(address, names, largest, seconds)

    async def _fetch(self, address: URL, names: PublicResolver, largest: int, seconds: float) -> FetchedFile:
        until = asyncio.get_running_loop().time() + seconds
        try:
            async with self._turn(until), asyncio.timeout_at(until), self._session(names) as session:
                headers = {"Accept-Encoding": "identity"}
                async with session.get(address, allow_redirects=False, headers=headers) as response:
                    return FetchedFile(_content_type(response), await _body(response, largest))
        except TimeoutError:
            raise Refusal(f"{address.host} did not answer within {seconds:g} seconds. Try again later.") from None
        except ClientError:
            raise Refusal(f"{address.host} could not be reached over https. Check the address.") from None

    @contextmanager
    def _share(self, asker: str | None, names: PublicResolver) -> Iterator[None]:
        give_back = _nothing if asker is None else self._shares.take(asker)
        if give_back is None:
            raise Refusal("This server is still reading other addresses for you. Try again in a minute.")
        try:
            yield
        finally:
            names.when_idle(give_back)

    @asynccontextmanager
    async def _turn(self, until: float) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout_at(until):
                await self._turns.acquire()
        except TimeoutError:
            raise Refusal("This server is busy with reading other addresses. Try again in a minute.") from None
        try:
            yield
        finally:
            self._turns.release()

    def _session(self, names: PublicResolver) -> ClientSession:
        return session_over(self._connect(names))


async def fetch_public(
    url: str, *, allowed_hosts: Collection[str] | None = None, largest: int, seconds: float
) -> FetchedFile:
    """See `PublicFetcher.fetch`. All who call this share one."""
    return await _shared_fetcher().fetch(url, allowed_hosts=allowed_hosts, largest=largest, seconds=seconds)


def public_session() -> ClientSession:
    """A session that connects to public addresses only, for whoever goes on talking with one, and closes it then."""
    return session_over(_over_tcp(PublicResolver(_addresses, _shared_threads())))


def session_over(connector: BaseConnector) -> ClientSession:
    """A session that keeps nothing, and takes nothing from the environment of this process."""
    return ClientSession(connector=connector, auto_decompress=False, cookie_jar=DummyCookieJar(), trust_env=False)


@cache
def _shared_threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(MOST_AT_ONCE, thread_name_prefix="names-of-peers")


@cache
def _shared_fetcher() -> PublicFetcher:
    return PublicFetcher()


def is_public(text: str) -> bool:
    """Whether the address is one that anybody on the internet would reach as we do."""
    address = ip_address(text)
    if address == _AZURE_PLATFORM or any(address in network for network in [*_HOLDING_ANOTHER, *_RESERVED]):
        return False
    if isinstance(address, IPv6Address) and (address.is_site_local or address.scope_id):
        return False
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


class PublicResolver(AbstractResolver):
    """Of one fetch, which looks up one name."""

    def __init__(self, resolve: Resolve, threads: ThreadPoolExecutor) -> None:
        self._resolve = resolve
        self._threads = threads
        self._look_up: Future[Collection[str]] | None = None

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        self._look_up = self._threads.submit(self._resolve, host)
        addresses = await asyncio.wrap_future(self._look_up)
        # A name with one private address is refused whole: its owner chooses which one is tried.
        if not addresses or not all(map(is_public, addresses)):
            raise Refusal(f"{host} does not resolve to a public address.")
        results = [_result(host, port, address) for address in addresses]
        return [result for result in results if family in {socket.AF_UNSPEC, result["family"]}]

    def when_idle(self, act: Callable[[], None]) -> None:
        """Act when no thread is at work for this any more, from whichever thread."""
        if self._look_up:
            self._look_up.add_done_callback(lambda _: act())
        else:
            act()

    async def close(self) -> None:
        pass  # the threads are for the next fetch


def _nothing() -> None:
    pass


def _addresses(host: str) -> Collection[str]:
    return [str(entry[4][0]) for entry in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)]


def _over_tcp(resolver: AbstractResolver) -> BaseConnector:
    return TCPConnector(resolver=resolver, use_dns_cache=False)


def _result(host: str, port: int, address: str) -> ResolveResult:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    return ResolveResult(hostname=host, host=address, port=port, family=family, proto=0, flags=socket.AI_NUMERICHOST)


def checked_public(url: str, allowed_hosts: Collection[str] | None = None) -> URL:
    """Return the address, if it is one that a stranger may name.

    Raises:
        Refusal: It is not.
    """
    # What is checked is the very object that is fetched, so no other reading of the same text can differ from it.
    try:
        address = URL(url) if len(url) <= LONGEST_URL and url.isascii() and url.isprintable() else URL()
    except ValueError:
        address = URL()
    authority = url.partition("//")[2].partition("/")[0]
    if not _is_plain(address) or {*authority} & {*"@\\"}:
        raise Refusal("Only addresses such as https://host.example.com/path are read: a name, no user and no port.")
    if allowed_hosts is not None and address.host not in allowed_hosts:
        raise Refusal(
            f"Nothing is read from {address.host}, only from {', '.join(sorted(allowed_hosts)) or 'no host'}."
        )
    return address


def _is_plain(address: URL) -> bool:
    # The connector takes numbers as they are and asks no resolver, so they would never be checked.
    is_name = bool(_NAME.fullmatch(address.raw_host or "")) and len(address.raw_host or "") < 254
    return is_name and has_readable_host(address) and address.scheme == "https" and address.port == 443


def has_readable_host(address: URL) -> bool:
    """Whether the host can be shown: what claims to be an encoded name (IDNA) may decode to none."""
    try:
        return bool(address.host)
    except UnicodeError:
        return False


def _content_type(response: ClientResponse) -> str:
    if response.status != 200 or response.headers.get("Content-Encoding", "identity") != "identity":
        raise Refusal(f"{response.url.host} answered with status {response.status}, or compressed: nothing to read.")
    return response.content_type


async def _body(response: ClientResponse, largest: int) -> bytes:
    try:
        await response.content.readexactly(largest + 1)
    except asyncio.IncompleteReadError as whole:
        return whole.partial
    raise Refusal(f"{response.url.host} answered with more than {largest} bytes.")
