"""Clients that are known by a document about themselves, and those that pretend to be."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx2
import pytest

from clients.public_fetch import MOST_AT_ONCE, MOST_FOR_ONE, FetchedFile, fetch_public
from identity.bridge.app import sign_in_bridge
from identity.bridge.authority import Authority
from identity.bridge.offer import Site
from identity.bridge.published import PublishedClients
from identity.seals import Seals
from refusal import Refusal
from tests.identity.bridge.bench import (
    KEYS,
    NO_SESSIONS,
    ORIGIN,
    REDIRECT,
    RESOURCE,
    Bench,
    Clock,
    Web,
    authorize_url,
    document,
)

pytestmark = pytest.mark.anyio

ABOUT = "https://client.example.net/about.json"


@pytest.mark.parametrize(
    "published",
    [
        document("https://client.example.net/other.json"),
        document(f"{ABOUT}/"),
        document(ABOUT.upper()),
        document(ABOUT, redirect_uris=[]),
        document(ABOUT, redirect_uris=None),
        document(ABOUT, redirect_uris=["javascript:alert(1)"]),
        document(ABOUT, redirect_uris=["http://client.example.net/"]),
        document(ABOUT, redirect_uris=[f"{REDIRECT}/{number}" for number in range(11)]),
        document(ABOUT, token_endpoint_auth_method="private_key_jwt"),  # noqa: S106
        document(ABOUT, token_endpoint_auth_method="client_secret_basic"),  # noqa: S106
        document(ABOUT, client_name=["a"]),
        FetchedFile("application/json", b"{}"),
        FetchedFile("application/json", b"[]"),
        FetchedFile("application/json", b"not JSON"),
        FetchedFile("application/json", b"[" * 10_000),
        FetchedFile("application/json", b"\xff"),
        FetchedFile("text/html", document(ABOUT).body),
        FetchedFile("", document(ABOUT).body),
        FetchedFile("application/jsonp", document(ABOUT).body),
    ],
    ids=lambda fetched: f"{fetched.content_type} {fetched.body[:160]!r}",
)
async def test_a_document_that_is_not_right_makes_no_client(bench: Bench, published: FetchedFile) -> None:
    bench.web.documents[ABOUT] = published
    answer = await bench.http.get(authorize_url(ABOUT))
    assert (answer.status_code, "location" in answer.headers) == (400, False)


@pytest.mark.parametrize(
    ("published", "reason"),
    [
        (FetchedFile("application/json", b"{"), "is invalid: not JSON."),
        (document(ABOUT, redirect_uris=5), "is invalid: redirect_uris."),
        (document(ABOUT, redirect_uris=5, client_name=5), "is invalid: client_name, redirect_uris."),
        (FetchedFile("text/client-metadata+json", document(ABOUT).body), "is not served as application/json."),
        (document(f"{ABOUT}/"), "The client metadata document does not belong to this client id"),
        (document(ABOUT, token_endpoint_auth_method="x"), "is invalid: token_endpoint_auth_method."),  # noqa: S106
        (
            document(ABOUT, token_endpoint_auth_method="private_key_jwt"),  # noqa: S106
            "requires an unsupported authentication method. Only `none` is supported.",
        ),
        (document(ABOUT, redirect_uris=None), "A client must have 1 to 10 redirect URIs."),
        (document(ABOUT, redirect_uris=[f"{REDIRECT}/x"]), "The redirect URI is not registered for this client."),
    ],
)
async def test_what_is_wrong_with_a_document_is_told(bench: Bench, published: FetchedFile, reason: str) -> None:
    bench.web.documents[ABOUT] = published
    assert reason in (await bench.http.get(authorize_url(ABOUT))).text


@pytest.mark.parametrize("kind", ["application/json", "application/client-metadata+json"])
async def test_a_document_that_is_right_makes_one(bench: Bench, kind: str) -> None:
    more: dict[str, Any] = {"token_endpoint_auth_method": "none", "logo_uri": "https://client.example.net/x", "x": 1}
    bench.web.documents[ABOUT] = FetchedFile(kind, document(ABOUT, **more).body)
    assert (await bench.http.get(authorize_url(ABOUT))).status_code == 200


@pytest.mark.parametrize("client_id", ["https://client.example.net", "https://client.example.net/", f"{ABOUT}#x"])
async def test_an_address_that_names_no_document_is_no_client(bench: Bench, client_id: str) -> None:
    bench.web.documents[client_id] = document(client_id)
    assert (await bench.http.get(authorize_url(client_id))).status_code == 400


@pytest.mark.parametrize(
    "client_id",
    [
        "https://127.0.0.1/about",
        "https://169.254.169.254/metadata/instance",
        "https://[::1]/about",
        "https://localhost/about",
        "https://user@client.example.net/about",
        "https://client.example.net:8443/about",
        "http://client.example.net/about",
        "https:client",
        "HTTPS://client.example.net/about",
    ],
)
async def test_no_private_place_is_looked_at_for_a_client(client_id: str) -> None:
    assert "This sign-in cannot continue" in await _ask(_bridge(), "192.0.2.7", client_id)


@pytest.fixture
def names_that_hang(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Semaphore]:
    """Tells of each name of client.example.net that is looked up. All others lead nowhere."""
    begun, answered = threading.Semaphore(0), threading.Event()

    def look_up(host: str, *_asked: Any, **_more: Any) -> list[Any]:
        if host.endswith("client.example.net"):
            begun.release()
            answered.wait()
        return []

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    yield begun
    answered.set()


async def test_names_that_hang_take_no_turns_from_those_who_have_signed_in(
    names_that_hang: threading.Semaphore,
) -> None:
    bridge = _bridge()
    asking = [asyncio.ensure_future(_ask(bridge, f"198.51.100.{n}", f"{ABOUT}{n}")) for n in range(MOST_AT_ONCE)]
    assert all([await asyncio.to_thread(names_that_hang.acquire, timeout=5) for _ in asking])
    with pytest.raises(Refusal, match="does not resolve to a public address"):
        await fetch_public("https://files.example.net/picture.png", largest=10, seconds=2)
    for task in asking:
        task.cancel()


@pytest.mark.parametrize("eve", ["198.51.100.1", "2001:db8:5:{n:x}::1"])
async def test_hosts_that_hang_take_no_turns_from_who_asks_elsewhere(
    names_that_hang: threading.Semaphore, eve: str
) -> None:
    bridge = _bridge()
    asking = [
        asyncio.ensure_future(_ask(bridge, eve.format(n=n), f"https://{n}.client.example.net/about"))
        for n in range(2 * MOST_AT_ONCE)
    ]
    assert all([await asyncio.to_thread(names_that_hang.acquire, timeout=5) for _ in range(MOST_FOR_ONE)])
    answer = await _ask(bridge, "192.0.2.7", "https://honest.example.net/about")
    assert "does not resolve to a public address" in answer  # it was looked up, and that was all that it waited for
    for task in asking:
        task.cancel()


async def test_nothing_is_fetched_for_who_only_wants_tokens(bench: Bench) -> None:
    answer = await bench.redeem(ABOUT, "code")
    assert answer.json()["error"] == "invalid_grant"
    assert bench.web.asked == []


async def test_a_client_cannot_be_had_by_a_redirect_of_another(bench: Bench) -> None:
    bench.web.documents[ABOUT] = document(ABOUT)
    answer = await bench.http.get(authorize_url(ABOUT, redirect_uri="https://evil.example/callback"))
    assert (answer.status_code, "location" in answer.headers) == (400, False)


@dataclass
class Slow:
    """The web, where nobody answers before told to."""

    web: Web
    answers: asyncio.Event = field(default_factory=asyncio.Event)

    async def __call__(self, url: str, *, largest: int, seconds: float, asker: str) -> FetchedFile:
        found = await self.web(url, largest=largest, seconds=seconds, asker=asker)
        await self.answers.wait()
        return found


async def test_documents_are_kept_for_a_short_time_and_not_too_many() -> None:
    clock, web = Clock(0), Web()
    clients = PublishedClients(web, clock)
    addresses = [f"https://client.example.net/{number}" for number in range(101)]
    web.documents = {address: document(address) for address in addresses}
    for address in [*addresses, addresses[-1], addresses[0]]:
        await clients.find(address, "")
    assert web.asked == [*addresses, addresses[0]]
    clock.now = 3600
    await clients.find(addresses[0], "")
    assert web.asked[len(addresses) :] == [addresses[0]] * 2


async def test_the_documents_that_were_used_last_are_kept() -> None:
    web = Web()
    clients = PublishedClients(web, Clock(0))
    addresses = [f"https://client.example.net/{number}" for number in range(101)]
    web.documents = {address: document(address) for address in addresses}
    for address in [*addresses[:-1], addresses[0], addresses[-1], addresses[0], addresses[1]]:
        await clients.find(address, "")
    assert web.asked == [*addresses, addresses[1]]


async def test_a_document_is_asked_for_again_after_five_minutes_and_then_once_a_minute_for_an_hour(
    caplog: pytest.LogCaptureFixture,
) -> None:
    clock, web = Clock(0), Web({ABOUT: document(ABOUT)})
    clients = PublishedClients(web, clock)

    async def asked_at(now: float) -> int:
        clock.now = now
        await clients.find(ABOUT, "")
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return len(web.asked)

    assert [await asked_at(now) for now in (0, 299.9, 300, 599.9)] == [1, 1, 2, 2]
    web.documents.clear()
    assert not caplog.messages
    assert [await asked_at(now) for now in (600, 659.9, 660, 719.9)] == [3, 3, 4, 4]
    assert len([said for said in caplog.messages if said.startswith("Cannot read the document")]) == 2
    assert (await clients.find(ABOUT, "")).name == "Published"
    clock.now = 300 + 3599.9
    assert (await clients.find(ABOUT, "")).name == "Published"
    clock.now = 300 + 3600
    with pytest.raises(Refusal, match="no such document"):
        await clients.find(ABOUT, "")


async def test_a_document_has_up_to_16_kilobytes_and_five_seconds() -> None:
    bounds: list[tuple[int, float, str]] = []

    async def fetch(url: str, *, largest: int, seconds: float, asker: str) -> FetchedFile:
        bounds.append((largest, seconds, asker))
        return document(url)

    await PublishedClients(fetch).find(ABOUT, "198.51.100.1")
    assert bounds == [(16_384, 5.0, "198.51.100.1")]


async def test_who_waits_for_the_same_document_waits_for_one_reading() -> None:
    slow = Slow(Web({ABOUT: document(ABOUT)}))
    clients = PublishedClients(slow)
    waiting = [asyncio.ensure_future(clients.find(ABOUT, str(n))) for n in range(20)]
    await asyncio.wait(waiting, timeout=0)
    waiting[0].cancel()
    slow.answers.set()
    assert {client.name for client in await asyncio.gather(*waiting[1:])} == {"Published"}
    assert slow.web.asked == [ABOUT]


async def test_a_reading_that_is_cancelled_leaves_no_complaint() -> None:
    complaints = list[dict[str, Any]]()
    asyncio.get_running_loop().set_exception_handler(lambda _, complaint: complaints.append(complaint))
    earlier = asyncio.all_tasks()
    asking = asyncio.ensure_future(PublishedClients(Slow(Web({ABOUT: document(ABOUT)}))).find(ABOUT, ""))
    await asyncio.wait([asking], timeout=0)
    (reading,) = asyncio.all_tasks() - earlier - {asking}
    reading.cancel()
    await asyncio.wait([asking])
    assert complaints == []


async def test_a_document_that_is_known_serves_while_its_host_is_asked_again() -> None:
    clock, slow = Clock(0), Slow(Web({ABOUT: document(ABOUT, client_name="old")}))
    clients = PublishedClients(slow, clock)
    slow.answers.set()
    await clients.find(ABOUT, "")
    slow.answers.clear()
    slow.web.documents[ABOUT] = document(ABOUT, client_name="new")
    clock.now = 300
    assert [(await clients.find(ABOUT, "")).name for _ in range(3)] == ["old"] * 3
    clock.now = 3600  # now it is waited for, by joining the reading that goes on
    late = asyncio.ensure_future(clients.find(ABOUT, ""))
    slow.answers.set()
    assert (await late).name == "new"
    assert slow.web.asked == [ABOUT] * 2


async def test_a_document_that_is_known_serves_for_an_hour_where_its_host_has_gone() -> None:
    clock, web = Clock(0), Web({ABOUT: document(ABOUT)})
    clients = PublishedClients(web, clock)
    await clients.find(ABOUT, "")
    web.documents.clear()
    for minute in range(5, 60):
        clock.now = 60.0 * minute
        for _ in range(3):
            assert (await clients.find(ABOUT, "")).name == "Published"
            await asyncio.sleep(0)
    assert len(web.asked) <= 60
    clock.now = 3600
    with pytest.raises(Refusal, match="no such document"):
        await clients.find(ABOUT, "")


async def test_a_document_that_could_not_be_read_is_tried_again() -> None:
    web = Web()
    clients = PublishedClients(web)
    with pytest.raises(Refusal):
        await clients.find(ABOUT, "")
    web.documents[ABOUT] = FetchedFile(
        "application/json", json.dumps({"client_id": ABOUT, "redirect_uris": [REDIRECT]}).encode()
    )
    assert (await clients.find(ABOUT, "")).name == "A client without a name"


def _bridge() -> Any:
    authority = Authority(f"{ORIGIN}/a", f"{ORIGIN}/t", "id", "scope", _nothing)
    return sign_in_bridge(Site("Example", ORIGIN, [RESOURCE]), authority, Seals(KEYS), NO_SESSIONS)


async def _ask(bridge: Any, address: str, client_id: str) -> str:
    """What is told to who comes from that address in the name of such a client."""
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=bridge, client=(address, 0))) as http:
        return (await http.get(authorize_url(client_id))).text


async def _nothing() -> dict[str, str]:
    return {}
