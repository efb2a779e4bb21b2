"""Downloads a document from an untrusted URL without giving access to private networks."""

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

# Addresses in these ranges embed other addresses, which may be private. Public services do not use these ranges.
_HOLDING_ANOTHER: Final = [
    ip_network(text) for text in ("::/96", "::ffff:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "2001::/32", "2002::/16")
]
# Reserved ranges that some versions of Python count as public.
_RESERVED: Final = [ip_network(text) for text in ("192.0.0.0/24", "192.88.99.0/24", "3fff::/20")]
# The address of the Azure platform, which every machine on Azure can reach. The address looks public, but is not.
_AZURE_PLATFORM: Final = ip_address("168.63.129.16")
_NAME: Final = re.compile(r"(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]\.?")

Resolve = Callable[[str], Collection[str]]
Connect = Callable[[AbstractResolver], BaseConnector]


@dataclass(frozen=True, slots=True)
class FetchedFile:
    content_type: str
    body: bytes


class PublicFetcher:
    """Downloads documents over https, several at once. Connects only to addresses that were checked."""

    def __init__(self, resolve: Resolve | None = None, connect: Connect | None = None) -> None:
        self._resolve = resolve or _addresses
        self._connect = connect or _over_tcp
        self._turns = asyncio.Semaphore(MOST_AT_ONCE)
        self._shares = Shares(MOST_FOR_ONE)
        # Names are looked up in separate threads, because a lookup that hangs cannot be canceled and would block other
        # work.
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
        """Download the document at a URL. The timeout includes the wait for other downloads.

        An `asker` can have only a few downloads at once, so that it cannot block other callers. A download that timed
        out still counts toward this limit until the lookup of its host name has ended.

        Raises:
            Refusal: The URL is not allowed, or the document cannot be read within the limits.
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
            raise Refusal(f"Cannot reach {address.host} over https. Check the address.") from None

    @contextmanager
    def _share(self, asker: str | None, names: PublicResolver) -> Iterator[None]:
        give_back = _nothing if asker is None else self._shares.take(asker)
        if give_back is None:
            raise Refusal("You have too many downloads in progress. Try again in a minute.")
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
            raise Refusal("This server has too many downloads in progress. Try again in a minute.") from None
        try:
            yield
        finally:
            self._turns.release()

    def _session(self, names: PublicResolver) -> ClientSession:
        return session_over(self._connect(names))


async def fetch_public(
    url: str, *, allowed_hosts: Collection[str] | None = None, largest: int, seconds: float
) -> FetchedFile:
    """Download a document with the shared fetcher, see `PublicFetcher.fetch`."""
    return await _shared_fetcher().fetch(url, allowed_hosts=allowed_hosts, largest=largest, seconds=seconds)


def public_session() -> ClientSession:
    """Open a session for several requests.

    The session connects only to public addresses. The caller must close the session.
    """
    return session_over(_over_tcp(PublicResolver(_addresses, _shared_threads())))


def session_over(connector: BaseConnector) -> ClientSession:
    """Open a session that has no cookies, and ignores proxy settings and other environment variables."""
    return ClientSession(connector=connector, auto_decompress=False, cookie_jar=DummyCookieJar(), trust_env=False)


@cache
def _shared_threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(MOST_AT_ONCE, thread_name_prefix="names-of-peers")


@cache
def _shared_fetcher() -> PublicFetcher:
    return PublicFetcher()


def is_public(text: str) -> bool:
    """Whether the address is public, and therefore leads to the same machine from everywhere."""
    address = ip_address(text)
    if address == _AZURE_PLATFORM or any(address in network for network in [*_HOLDING_ANOTHER, *_RESERVED]):
        return False
    if isinstance(address, IPv6Address) and (address.is_site_local or address.scope_id):
        return False
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


class PublicResolver(AbstractResolver):
    """Resolves the host name of a single download."""

    def __init__(self, resolve: Resolve, threads: ThreadPoolExecutor) -> None:
        self._resolve = resolve
        self._threads = threads
        self._look_up: Future[Collection[str]] | None = None

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        self._look_up = self._threads.submit(self._resolve, host)
        addresses = await asyncio.wrap_future(self._look_up)
        # Reject a host name if any of its addresses is private, because the owner of the name can choose which address
        # is used.
        if not addresses or not all(map(is_public, addresses)):
            raise Refusal(f"{host} does not resolve to a public address.")
        results = [_result(host, port, address) for address in addresses]
        return [result for result in results if family in {socket.AF_UNSPEC, result["family"]}]

    def when_idle(self, act: Callable[[], None]) -> None:
        """Call `act` when the lookup has ended. The call may come from any thread."""
        if self._look_up:
            self._look_up.add_done_callback(lambda _: act())
        else:
            act()

    async def close(self) -> None:
        pass  # the threads are kept for later downloads


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
    """Check that an untrusted URL may be downloaded.

    Raises:
        Refusal: The URL is not allowed.
    """
    # Use the checked URL object for the download, because another parser could read the URL differently.
    try:
        address = URL(url) if len(url) <= LONGEST_URL and url.isascii() and url.isprintable() else URL()
    except ValueError:
        address = URL()
    authority = url.partition("//")[2].partition("/")[0]
    if not _is_plain(address) or {*authority} & {*"@\\"}:
        raise Refusal(
            "The address must look like https://host.example.com/path, without a username, a port or an IP address."
        )
    if allowed_hosts is not None and address.host not in allowed_hosts:
        raise Refusal(
            f"The host {address.host} is not allowed. Allowed hosts: {', '.join(sorted(allowed_hosts)) or 'none'}."
        )
    return address


def _is_plain(address: URL) -> bool:
    # The host must be a name. The connector does not resolve IP addresses, so these addresses would not be checked.
    is_name = bool(_NAME.fullmatch(address.raw_host or "")) and len(address.raw_host or "") < 254
    return is_name and has_readable_host(address) and address.scheme == "https" and address.port == 443


def has_readable_host(address: URL) -> bool:
    """Whether the host can be displayed. The IDNA encoding of a name may be invalid."""
    try:
        return bool(address.host)
    except UnicodeError:
        return False


def _content_type(response: ClientResponse) -> str:
    if response.status != 200 or response.headers.get("Content-Encoding", "identity") != "identity":
        what = f"status {response.status}" if response.status != 200 else "compressed content"
        raise Refusal(f"{response.url.host} answered with {what}, so the answer cannot be read.")
    return response.content_type


async def _body(response: ClientResponse, largest: int) -> bytes:
    try:
        await response.content.readexactly(largest + 1)
    except asyncio.IncompleteReadError as whole:
        return whole.partial
    raise Refusal(f"{response.url.host} sent more than {largest} bytes.")
