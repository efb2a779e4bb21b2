"""The last that is allowed passes, and the first that is not is refused or has expired."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from clients.folder_storage import FolderStorage
from extensions.sign_in.consenting import ConsentState
from extensions.sign_in.methods import ByConsent, ByHeader, OnBehalfOfUser, OpenAccess, SignIn, is_private_at
from extensions.sign_in.outgoing import IssuerReply, Outgoing, UnansweredError
from extensions.sign_in.servers import Challenge
from extensions.sign_in.sign_in_store import KeptTokens, Pending, SignInDemand, SignInStore
from extensions.sign_in.sign_ins import ConsentNeededError
from identity.caller import ANONYMOUS, Caller, CallerKind
from identity.seals import Seals
from refusal import Refusal
from tests.extensions.sign_in.attacking import NAME_OF_KEY, RESOURCE, telling
from tests.extensions.sign_in.desk import ADA, BROWSER, Clock, Desk, Entry
from tests.fakes.oauth import ISSUER, LOGIN, URL, OAuthServer, nowhere

DAY = 24 * 3600
KEPT = KeptTokens("ada", "url", "resource", "token", "", "client", "", "none", "a", 0.0, "r", 0.0)
PENDING = Pending("ada", "id", "url", "issuer", False, "resource", "token", "", "client", "", "none", "v", "back")


@pytest.mark.parametrize(
    ("value", "seconds"), [(KEPT, 90 * DAY), (PENDING, 600), (SignInDemand("ada", "url", "scope", ""), 3600)]
)
async def test_what_is_stored_of_a_sign_in_expires(
    tmp_path: Path, value: KeptTokens | Pending | SignInDemand, seconds: int
) -> None:
    storage, clock = FolderStorage(tmp_path), Clock()
    store = SignInStore(lambda: storage, Seals(["k" * 32], clock))
    await store.put(value)
    clock.now += seconds - 1
    kind: type[Any] = type(value)
    held = await store.find(kind, "ada")
    assert held
    assert held.value == value
    clock.now += 1
    assert await store.find(kind, "ada") is None


def test_the_state_of_a_sign_in_expires_after_ten_minutes() -> None:
    clock = Clock()
    seals = Seals(["k" * 32], clock)
    state = ConsentState(BROWSER, "ada", "bakery", "id")
    sealed = seals.seal(state)
    clock.now += 599
    assert seals.open(ConsentState, sealed) == state
    clock.now += 1
    assert seals.open(ConsentState, sealed) is None


@pytest.mark.parametrize(("size", "is_read"), [(64 * 1024, True), (64 * 1024 + 1, False)])
async def test_a_reply_has_up_to_64_kilobytes(desk: Desk, size: int, *, is_read: bool) -> None:
    async def tell(_request: web.Request) -> web.Response:
        return web.Response(body=b'{"a": 1}'.ljust(size))

    desk.server.instead[RESOURCE] = tell
    asking = Outgoing(desk.sessions).get(f"https://{RESOURCE}", is_private=False)
    if is_read:
        reply = await asking
        assert (reply.status, len(reply.body), reply.document) == (200, size, {"a": 1})
    else:
        with pytest.raises(UnansweredError) as unanswered:
            await asking
        assert unanswered.value.may_have_arrived


@pytest.mark.parametrize(
    ("body", "document"),
    [
        (b'{"a": 1}', {"a": 1}),
        *((body, {}) for body in (b"", b"<html>", b"\xff", b"[1]", b"7", b"null", b'{"a"', b"[" * 64_000)),
    ],
    ids=lambda value: str(value)[:10],
)
def test_a_reply_is_a_json_object_or_counts_as_an_empty_one(body: bytes, document: dict[str, Any]) -> None:
    assert IssuerReply(200, body).document == document


def test_a_challenge_is_read_up_to_4000_printable_characters() -> None:
    before = 'Bearer error="invalid_token", scope="'
    scope = "x" * (4000 - len(before) - 1)
    assert Challenge.read(f'{before}{scope}"') == Challenge("invalid_token", scope)
    assert Challenge.read(f'{before}{scope}x"').scope != f"{scope}x"
    assert Challenge.read('Bearer scope="a\u202eb\x07"') == Challenge(scope="ab")


@pytest.mark.parametrize(
    ("entry", "private", "public"),
    [
        (
            Entry(
                ByConsent(issuer="https://login.example.com/t", hosts=frozenset({"keys.example.com"})), is_private=True
            ),
            ["https://mcp.example.com/x", "https://login.example.com/token", "http://keys.example.com:8080/"],
            ["https://elsewhere.example.com/", "https://example.com/", "https://[/", "/token", ""],
        ),
        (Entry(ByConsent(), is_private=True), [URL], [ISSUER]),
        (Entry(OnBehalfOfUser("x"), is_private=True), [URL], [ISSUER]),
        (Entry(ByConsent(issuer=ISSUER), is_private=False), [], [URL, ISSUER]),
    ],
    ids=["with hosts", "without an issuer", "on behalf of", "public"],
)
def test_only_hosts_that_a_private_entry_names_may_be_private(
    entry: Entry, private: list[str], public: list[str]
) -> None:
    assert [url for url in (*private, *public) if is_private_at(entry, url)] == private


@pytest.mark.parametrize(("length", "is_allowed"), [(1000, True), (1001, False)])
async def test_a_sign_in_asks_for_scopes_of_up_to_1000_characters(desk: Desk, length: int, *, is_allowed: bool) -> None:
    entry = Entry(ByConsent(scope="x" * length))
    if is_allowed:
        assert f"scope={'x' * 1000}" in await desk.begun(desk.instance(), entry)
    else:
        with pytest.raises(Refusal, match="requests an invalid scope"):
            await desk.begun(desk.instance(), entry)


@pytest.mark.parametrize(
    ("kind", "caller", "told"),
    [
        (
            ByConsent(issuer=ISSUER, client_id="ours", secret=NAME_OF_KEY),
            ADA,
            "must be in the extensions file, unchanged",
        ),
        (ByConsent(client_id="ours"), ADA, "extension 'bakery'"),
        (ByHeader(NAME_OF_KEY), ADA, "must be in the extensions file, unchanged"),
        (OpenAccess(), ADA, "requires no sign-in"),
        (ByConsent(), ANONYMOUS, "Only a person can sign in"),
        (ByConsent(), Caller(CallerKind.APP, subject="robot"), "Only a person can sign in"),
    ],
)
def test_nobody_begins_a_sign_in_that_is_not_allowed(tmp_path: Path, kind: SignIn, caller: Caller, told: str) -> None:
    desk = Desk(OAuthServer(), tmp_path)
    desk.server.sessions = nowhere
    with pytest.raises(Refusal, match=told):
        desk.instance().check_consent(Entry(kind), caller)
    assert desk.instance(Entry(kind)).check_consent(Entry(ByConsent()), ADA) == ByConsent()


async def test_an_expired_sign_in_without_a_refresh_token_is_deleted(desk: Desk) -> None:
    entry, token = Entry(), f"{LOGIN}/tenant/token"
    desk.server.instead[token] = telling({"access_token": "short", "token_type": "Bearer", "expires_in": 60})
    await desk.signed_in(house := desk.instance(), entry)
    desk.pass_(54)
    assert await house.headers(entry, ADA) == {"Authorization": "Bearer short"}
    desk.pass_(1)
    for told in ("Your sign-in has expired", "You have not signed in yet"):
        with pytest.raises(ConsentNeededError, match=told):
            await house.headers(entry, ADA)
    assert await house.signed_in_at(entry, ADA) is None


async def test_a_refresh_token_without_a_successor_is_used_again(desk: Desk) -> None:
    entry, token = Entry(), f"{LOGIN}/tenant/token"
    await desk.signed_in(house := desk.instance(), entry)
    desk.pass_(4000)
    desk.server.instead[token] = telling({"access_token": "new", "token_type": "Bearer", "expires_in": 60})
    assert await house.headers(entry, ADA) == {"Authorization": "Bearer new"}
    del desk.server.instead[token]
    desk.pass_(4000)
    assert desk.server.lets_in(await house.headers(entry, ADA))


@pytest.mark.parametrize("caller", [ANONYMOUS, Caller(CallerKind.APP, subject="robot"), Caller(CallerKind.KEY)])
async def test_only_people_sign_out(tmp_path: Path, caller: Caller) -> None:
    desk = Desk(OAuthServer(), tmp_path)
    desk.server.sessions = nowhere
    with pytest.raises(Refusal, match="Only a person can sign in"):
        await desk.instance().sign_out(Entry(), caller)
