"""What a stranger names is read from public places only, and within bounds."""

from __future__ import annotations

import asyncio
import socket
import threading
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path
from typing import Any

import anyio
import pytest
from aiohttp import web
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from hypothesis import given
from hypothesis import strategies as st

from clients.public_fetch import MOST_AT_ONCE, MOST_FOR_ONE, FetchedFile, PublicFetcher, fetch_public, is_public
from refusal import Refusal
from tests.clients.public_place import PUBLIC, URL, Names, Place, answering

pytestmark = pytest.mark.anyio


NOT_PUBLIC = [
    *"127.0.0.1 127.8.8.8 0.0.0.0 0.1.2.3 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254".split(),
    *"100.64.0.1 100.127.255.255 192.0.0.1 192.0.0.8 192.88.99.1 192.0.2.1 198.18.0.1 198.51.100.1".split(),
    *"203.0.113.1 224.0.0.1 3fff::1".split(),
    *"239.255.255.255 240.0.0.1 255.255.255.255 168.63.129.16".split(),
    *":: ::1 fe80::1 fe80::1%eth0 fc00::1 fd12:3456::1 fec0::1 ff02::1 ff0e::1 2001:db8::1 100::1".split(),
    *"::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:93.184.216.34 ::7f00:1 ::127.0.0.1".split(),
    *"2002:7f00:1:: 2002:a00:1:: 2002:c0a8:101::1 2001:0:4136:e378:8000:63bf:3fff:fdd2".split(),
    *"64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b::5db8:d822 64:ff9b:1::1".split(),
]
NOT_PLAIN = [
    # What claims to be an encoded name and decodes to none.
    "https://xn--0.com/",
    "https://xn--a.com/",
    "https://xn--99999999.com/x",
    "https://xn--a-ecp.ru/",
    "http://docs.example.net/",
    "ftp://docs.example.net/",
    "file:///etc/passwd",
    "https://user@docs.example.net/",
    "https://user:password@docs.example.net/",
    "https://@docs.example.net/",
    "https://docs.example.net:8443/",
    "https://docs.example.net:80/",
    "https://docs.example.net:0/",
    "https://docs.example.net:99999/",
    "https://127.0.0.1/",
    "https://127.1/",
    "https://93.184.216.34/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0177.0.0.1/",
    "https://127.0.0.1./",
    "https://[::1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://localhost/",
    "https://intranet/",
    "https://docs.example.net\\@evil.example/",
    "https://docs.example.net\t/",
    "https://docs.example.net/\r\nHost: evil.example",
    "https://d\u043ecs.example.net/",
    "https://",
    "https://" + "a" * 64 + ".example.net/",
    "https://.example.net/",
    "https://docs..example.net/",
    "https:docs.example.net",
    "//docs.example.net/",
    "docs.example.net",
    "",
    URL + "a" * 2000,
]


@contextmanager
def hanging() -> Iterator[Callable[[str], list[str]]]:
    """Names that nobody answers for until the end, and which then lead nowhere."""
    answered = threading.Event()

    def look_up(_host: str) -> list[str]:
        answered.wait()
        return []

    try:
        yield look_up
    finally:
        answered.set()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "docs.example.net")])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("docs.example.net")]), critical=False)
        .sign(key, SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "docs.pem"
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path.write_bytes(secret + made.public_bytes(Encoding.PEM))
    return path


async def test_a_public_document_is_read(certificate: Path) -> None:
    place = Place(answering(text="{}", content_type="application/json"), certificate)
    assert await place.fetch() == FetchedFile("application/json", b"{}")
    assert place.led_from == [PUBLIC]
    assert place.names.asked == ["docs.example.net"]
    assert "cookie" not in place.seen[0].headers
    assert place.seen[0].headers["accept-encoding"] == "identity"


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_no_address_that_others_cannot_reach_is_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", [PUBLIC, "1.1.1.1", "20.190.128.1", "2606:4700::1111", "2a00:1450:4001::200e"])
def test_addresses_that_everybody_reaches_are_public(address: str) -> None:
    assert is_public(address)


@given(st.ip_addresses(v=4, network="10.0.0.0/8") | st.ip_addresses(v=4, network="169.254.0.0/16"))
def test_a_private_address_stays_private_in_another_form(address: IPv4Address) -> None:
    number = int(address)
    forms = [number, (0xFFFF << 32) + number, (0x64FF9B << 96) + number, (0x2002 << 112) + (number << 80)]
    assert not any(is_public(str(IPv6Address(form))) for form in forms)


@pytest.mark.parametrize("address", NOT_PUBLIC)
async def test_a_name_that_leads_to_a_private_place_is_refused(certificate: Path, address: str) -> None:
    for found in ([address], [PUBLIC, address], [address, PUBLIC]):
        place = Place(answering(), certificate, Names([found]))
        with pytest.raises(Refusal, match="does not resolve to a public address"):
            await place.fetch()
        assert (place.seen, place.led_from) == ([], [])


async def test_a_name_that_leads_nowhere_is_refused(certificate: Path) -> None:
    with pytest.raises(Refusal, match="does not resolve"):
        await Place(answering(), certificate, Names([[]])).fetch()


async def test_a_name_is_asked_for_once_so_that_its_answer_cannot_change(certificate: Path) -> None:
    place = Place(answering(text="ok"), certificate, Names([[PUBLIC], ["127.0.0.1"]]))
    await place.fetch()
    assert (place.names.asked, place.led_from) == (["docs.example.net"], [PUBLIC])


@pytest.mark.parametrize("url", NOT_PLAIN)
async def test_an_address_with_anything_odd_is_refused_before_its_name_is_looked_up(url: str) -> None:
    names = Names([["127.0.0.1"]])
    with pytest.raises(Refusal):
        await PublicFetcher(names).fetch(url, largest=10, seconds=5)
    assert names.asked == []


@pytest.mark.parametrize("status", [201, 204, 301, 302, 307, 308, 400, 401, 404, 500, 503])
async def test_only_a_plain_answer_is_taken_and_no_redirect_followed(certificate: Path, status: int) -> None:
    place = Place(answering(status=status, headers={"Location": "https://docs.example.net/other"}), certificate)
    with pytest.raises(Refusal, match=f"status {status}"):
        await place.fetch()
    assert len(place.seen) == 1


@pytest.mark.parametrize(("size", "fits"), [(0, True), (1000, True), (1001, False), (100_000, False)])
async def test_no_more_than_the_bound_is_read(certificate: Path, size: int, fits: bool) -> None:
    place = Place(answering(body=b"x" * size), certificate)
    if fits:
        assert len((await place.fetch()).body) == size
    else:
        with pytest.raises(Refusal, match="more than 1000 bytes"):
            await place.fetch()


async def test_what_never_ends_is_not_read_to_its_end(certificate: Path) -> None:
    async def endless(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b"x" * 100)

    with pytest.raises(Refusal, match="more than"):
        await Place(endless, certificate).fetch()


async def test_what_is_packed_is_not_unpacked(certificate: Path) -> None:
    body = zlib.compress(b"x" * 1_000_000)[:900]
    place = Place(answering(body=body, headers={"Content-Encoding": "deflate"}), certificate)
    with pytest.raises(Refusal, match="compressed"):
        await place.fetch()


async def test_who_does_not_answer_is_not_waited_for(certificate: Path) -> None:
    async def silent(_request: web.Request) -> web.StreamResponse:
        await asyncio.Event().wait()
        raise AssertionError

    with pytest.raises(Refusal, match="did not answer within"):
        await Place(silent, certificate).fetch(seconds=0.2)


async def test_a_name_that_does_not_resolve_in_time_is_not_waited_for() -> None:
    with hanging() as names, pytest.raises(Refusal, match="did not answer within"):
        await PublicFetcher(names).fetch(URL, largest=10, seconds=0.05)


async def test_names_that_hang_hold_nothing_that_others_need() -> None:
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
    with hanging() as names:
        fetcher = PublicFetcher(names)
        for _ in range(MOST_AT_ONCE + 1):
            with pytest.raises(Refusal, match="did not answer within"):
                await fetcher.fetch(URL, largest=10, seconds=0.05)
        with anyio.fail_after(5):
            assert await asyncio.to_thread(str, "free") == "free"


async def test_who_asks_for_names_that_hang_asks_for_a_few_at_once_and_others_are_served() -> None:
    def look_up(host: str) -> list[str]:
        return hang(host) if host.startswith("hang") else []

    with hanging() as hang:
        fetcher = PublicFetcher(look_up)
        for number in range(MOST_FOR_ONE):
            with pytest.raises(Refusal, match="did not answer within"):
                await fetcher.fetch(f"https://hang{number}.example.net/", largest=10, seconds=0.05, asker="eve")
        for _ in range(3 * MOST_AT_ONCE):  # the fetches have ended, and the look-ups have not
            with pytest.raises(Refusal, match="too many downloads in progress"):
                await fetcher.fetch("https://hang.example.net/", largest=10, seconds=60, asker="eve")
        with pytest.raises(Refusal, match="does not resolve to a public address"):
            await fetcher.fetch(URL, largest=10, seconds=60, asker="ada")


@pytest.mark.parametrize(
    ("url", "told"),
    [(URL, "does not resolve to a public address"), ("https://127.0.0.1/", "The address must look like")],
)
async def test_what_was_asked_for_before_does_not_count(url: str, told: str) -> None:
    fetcher = PublicFetcher(Names([[]]))
    for _ in range(3 * MOST_FOR_ONE):
        with pytest.raises(Refusal, match=told):
            await fetcher.fetch(url, largest=10, seconds=60, asker="ada")


async def test_who_gets_no_turn_in_time_is_told_to_come_again() -> None:
    with hanging() as names:
        fetcher = PublicFetcher(names)
        earlier = [asyncio.ensure_future(fetcher.fetch(URL, largest=10, seconds=60)) for _ in range(MOST_AT_ONCE)]
        late = asyncio.ensure_future(fetcher.fetch(URL, largest=10, seconds=0.05))
        with pytest.raises(Refusal, match="This server has too many downloads"):
            await late
    for fetch in (*earlier, fetcher.fetch(URL, largest=10, seconds=60)):
        with pytest.raises(Refusal, match="does not resolve to a public address"):
            await fetch


async def test_who_goes_away_leaves_its_turn_to_others() -> None:
    with hanging() as names:
        fetcher = PublicFetcher(names)
        for _ in range(MOST_AT_ONCE):
            fetch = asyncio.ensure_future(fetcher.fetch(URL, largest=10, seconds=60))
            await asyncio.wait([fetch], timeout=0)
            fetch.cancel()
            await asyncio.wait([fetch])
        with pytest.raises(Refusal, match="did not answer within"):
            await fetcher.fetch(URL, largest=10, seconds=0.05)


async def test_names_of_the_system_are_looked_up_in_threads_of_the_fetchers_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[str] = []

    def getaddrinfo(*_asked: Any, **_more: Any) -> list[Any]:
        seen.append(threading.current_thread().name)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", 0))]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    with pytest.raises(Refusal, match="does not resolve to a public address"):
        await fetch_public(URL, largest=10, seconds=5)
    assert [name.rpartition("_")[0] for name in seen] == ["names-of-strangers"]


async def test_who_cuts_the_answer_short_is_refused(certificate: Path) -> None:
    async def cut(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Length": "500"})
        await response.prepare(request)
        await response.write(b"x" * 100)
        assert request.transport is not None
        request.transport.abort()
        return response

    with pytest.raises(Refusal, match="Cannot reach"):
        await Place(cut, certificate).fetch()


async def test_who_cannot_prove_its_name_is_refused(certificate: Path) -> None:
    place = Place(answering(text="ok"), certificate)
    with pytest.raises(Refusal, match="Cannot reach"):
        await place.fetch("https://other.example.net/")
    assert place.seen == []


async def test_only_allowed_hosts_are_read_if_they_are_named(certificate: Path) -> None:
    place = Place(answering(text="ok"), certificate)
    assert (await place.fetch(allowed_hosts={"docs.example.net"})).body == b"ok"
    for hosts in ({"example.net"}, {"other.example.net"}, set()):
        with pytest.raises(Refusal, match="The host docs"):
            await place.fetch(allowed_hosts=hosts)


async def test_this_machine_is_not_public_by_any_of_its_names() -> None:
    with pytest.raises(Refusal):
        await fetch_public("https://ip6-localhost.localhost/", largest=10, seconds=5)
