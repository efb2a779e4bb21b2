"""Clients that are known by a document about themselves, and those that pretend to be."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from typing import Any

import httpx2
import pytest

from clients.public_fetch import MOST_AT_ONCE, Fetched, fetch_public
from identity.bridge.app import sign_in_bridge
from identity.bridge.authority import Authority
from identity.bridge.offer import Site
from identity.bridge.registrations import KEPT_FOR, MOST_KEPT, Registrations
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
        Fetched("application/json", b"{}"),
        Fetched("application/json", b"[]"),
        Fetched("application/json", b"not JSON"),
        Fetched("application/json", b"[" * 10_000),
        Fetched("application/json", b"\xff"),
        Fetched("text/html", document(ABOUT).body),
        Fetched("", document(ABOUT).body),
        Fetched("application/jsonp", document(ABOUT).body),
    ],
    ids=lambda fetched: f"{fetched.content_type} {fetched.body[:160]!r}",
)
async def test_a_document_that_is_not_right_makes_no_client(bench: Bench, published: Fetched) -> None:
    bench.web.documents[ABOUT] = published
    answer = await bench.http.get(authorize_url(ABOUT))
    assert (answer.status_code, "location" in answer.headers) == (400, False)


@pytest.mark.parametrize("kind", ["application/json", "application/client-metadata+json"])
async def test_a_document_that_is_right_makes_one(bench: Bench, kind: str) -> None:
    more: dict[str, Any] = {"token_endpoint_auth_method": "none", "logo_uri": "https://client.example.net/x", "x": 1}
    bench.web.documents[ABOUT] = Fetched(kind, document(ABOUT, **more).body)
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
    authority = Authority(f"{ORIGIN}/a", f"{ORIGIN}/t", "id", "scope", _nothing)
    app = sign_in_bridge(Site("Example", ORIGIN, [RESOURCE]), authority, Seals(KEYS), NO_SESSIONS, fetch=fetch_public)
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app)) as http:
        assert (await http.get(authorize_url(client_id))).status_code == 400


async def test_names_that_hang_take_no_turns_from_those_who_have_signed_in(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, answered = threading.Semaphore(0), threading.Event()

    def look_up(host: str, *_asked: Any, **_more: Any) -> list[Any]:
        if host == "client.example.net":
            begun.release()
            answered.wait()
        return []

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    authority = Authority(f"{ORIGIN}/a", f"{ORIGIN}/t", "id", "scope", _nothing)
    app = sign_in_bridge(Site("Example", ORIGIN, [RESOURCE]), authority, Seals(KEYS), NO_SESSIONS)
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app)) as http:
        asking = [asyncio.ensure_future(http.get(authorize_url(f"{ABOUT}{n}"))) for n in range(MOST_AT_ONCE)]
        try:
            assert all([await asyncio.to_thread(begun.acquire, timeout=5) for _ in asking])
            with pytest.raises(Refusal, match="does not lead to a public address"):
                await fetch_public("https://files.example.net/picture.png", largest=10, seconds=2)
        finally:
            answered.set()
        assert {answer.status_code for answer in await asyncio.gather(*asking)} == {400}


async def test_nothing_is_fetched_for_who_only_wants_tokens(bench: Bench) -> None:
    answer = await bench.redeem(ABOUT, "code")
    assert answer.json()["error"] == "invalid_grant"
    assert bench.web.asked == []


async def test_a_client_cannot_be_had_by_a_redirect_of_another(bench: Bench) -> None:
    bench.web.documents[ABOUT] = document(ABOUT)
    answer = await bench.http.get(authorize_url(ABOUT, redirect_uri="https://evil.example/callback"))
    assert (answer.status_code, "location" in answer.headers) == (400, False)


async def test_documents_are_kept_for_a_short_time_and_not_too_many() -> None:
    clock, web = Clock(0), Web()
    registrations = Registrations(Seals(KEYS), web, clock)
    addresses = [f"https://client.example.net/{number}" for number in range(MOST_KEPT + 1)]
    web.documents = {address: document(address) for address in addresses}
    for address in [*addresses, addresses[-1], addresses[0]]:
        await registrations.find(address)
    assert web.asked == [*addresses, addresses[0]]
    clock.now = KEPT_FOR
    await registrations.find(addresses[0])
    assert web.asked[-1] == addresses[0]
    assert len(web.asked) == len(addresses) + 2


async def test_a_document_that_could_not_be_read_is_tried_again() -> None:
    web = Web()
    registrations = Registrations(Seals(KEYS), web)
    with pytest.raises(Refusal):
        await registrations.find(ABOUT)
    web.documents[ABOUT] = Fetched(
        "application/json", json.dumps({"client_id": ABOUT, "redirect_uris": [REDIRECT]}).encode()
    )
    assert (await registrations.find(ABOUT)).name == "A client without a name"


async def _nothing() -> dict[str, str]:
    return {}
