"""What others may try at the sign-in of a person at another server: none of it gives, or costs, anybody a token."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import web
from yarl import URL

from clients.folder_storage import FolderStorage
from clients.storage import Row
from extensions.sign_in.consenting import ConsentState
from extensions.sign_in.methods import ByConsent, ByHeader, ClientCredentials, OnBehalfOfUser, SignIn
from extensions.sign_in.outgoing import HttpSessions, Outgoing
from extensions.sign_in.sign_in_store import KeptTokens, SignInStore, owner_of
from extensions.sign_in.sign_ins import ConsentNeededError
from identity.caller import Caller
from identity.seals import Seals
from refusal import Refusal
from tests.extensions.sign_in.attacking import (
    ENTRY,
    NAME_OF_KEY,
    RESOURCE,
    is_lost,
    nobody_can_begin,
    nobody_is_signed_in,
    telling,
)
from tests.extensions.sign_in.desk import ADA, BEA, BROWSER, ORIGIN, PURPOSE, Desk, Entry
from tests.fakes.oauth import ISSUER, LOGIN, nowhere


@pytest.mark.parametrize(
    ("person", "browser", "entry"),
    [(BEA, BROWSER, ENTRY), (ADA, "another", ENTRY), (ADA, "", ENTRY), (ADA, BROWSER, Entry(name="other"))],
)
async def test_only_who_began_comes_back_with_their_browser(
    desk: Desk, person: Caller, browser: str, entry: Entry
) -> None:
    house = desk.instance()
    brought = await desk.agreed(await desk.begun(house, ENTRY))
    with pytest.raises(Refusal, match="Nothing was changed"):
        await house.consenting.finish(entry, person, browser, brought)
    await nobody_is_signed_in(desk)


async def test_a_sign_in_is_used_once_and_in_time_and_only_the_last(desk: Desk) -> None:
    house = desk.instance()
    older = await desk.agreed(await desk.begun(house, ENTRY))
    used = await desk.agreed(await desk.begun(house, ENTRY))
    await is_lost(desk, older)
    await house.consenting.finish(ENTRY, ADA, BROWSER, used)
    await house.sign_out(ENTRY, ADA)
    await is_lost(desk, used)
    late = await desk.agreed(await desk.begun(house, ENTRY))
    desk.pass_(600)
    await is_lost(desk, late)
    await nobody_is_signed_in(desk)


@pytest.mark.parametrize("made", ["tampered", "cut", "none", "by others", "for something else"])
async def test_a_state_that_is_not_ours_is_not_taken(desk: Desk, made: str) -> None:
    brought = await desk.agreed(await desk.begun(desk.instance(), ENTRY))
    state, owner = brought["state"], owner_of(ENTRY, ADA)
    middle = len(state) // 2
    forged = ConsentState(BROWSER, owner, ENTRY.name, "id")
    states = {
        "tampered": f"{state[:middle]}{'A' if state[middle] != 'A' else 'B'}{state[middle + 1 :]}",
        "cut": state[:-1],
        "none": "",
        "by others": Seals(["x" * 32], desk.clock, PURPOSE).seal(forged),
        "for something else": Seals(["k" * 32], desk.clock).seal(forged),
    }
    await is_lost(desk, brought | {"state": states[made]})
    await nobody_is_signed_in(desk)


async def test_of_two_who_come_back_with_the_same_at_once_one_is_signed_in(desk: Desk) -> None:
    brought = await desk.agreed(await desk.begun(desk.instance(), ENTRY))
    tries = [desk.instance().consenting.finish(ENTRY, ADA, BROWSER, brought) for _ in range(3)]
    outcomes = await asyncio.gather(*tries, return_exceptions=True)
    assert sorted(type(one).__name__ for one in outcomes) == ["NoneType", "Refusal", "Refusal"]
    assert len(desk.server.grants) == 1


@pytest.mark.parametrize(
    "changed",
    [
        {"iss": "https://evil.example.net"},
        {"iss": f"{ISSUER}/"},
        {"iss": ISSUER.upper()},
        {"iss": ""},
        {"iss": None},
        {"iss": None, "error": "access_denied"},
        {"error": "access_denied", "error_description": "<script>"},
        {"code": ""},
        {"code": None},
        {"code": "x" * 4001},
        {"code": "line\r\nHeader: x"},
        {"code": "somebody else's"},
    ],
)
async def test_only_the_issuers_own_answer_is_taken(desk: Desk, changed: dict[str, str | None]) -> None:
    house = desk.instance()
    brought = await desk.agreed(await desk.begun(house, ENTRY)) | changed
    given = {name: value for name, value in brought.items() if value is not None}
    with pytest.raises(Refusal) as told:
        await house.consenting.finish(ENTRY, ADA, BROWSER, given)
    assert "script" not in str(told.value)
    await nobody_is_signed_in(desk)


async def test_a_code_of_another_sign_in_is_good_for_nothing(desk: Desk) -> None:
    house = desk.instance()
    of_bea = await desk.agreed(await desk.begun(house, ENTRY, BEA, "browser-of-bea"))
    of_ada = await desk.agreed(await desk.begun(house, ENTRY))
    with pytest.raises(Refusal, match="declined to issue a token"):
        await house.consenting.finish(ENTRY, ADA, BROWSER, of_ada | {"code": of_bea["code"]})
    await nobody_is_signed_in(desk)


async def test_what_an_issuer_writes_behind_its_question_mark_changes_nothing_of_ours(desk: Desk) -> None:
    own = "?prompt=consent&redirect_uri=https://evil.example.net&code_challenge_method=plain&state=x&scope=all"
    desk.server.about_issuer = {"authorization_endpoint": f"{ISSUER}/authorize{own}"}
    url = await desk.begun(desk.instance(), ENTRY)
    assert "prompt=consent" in url
    for ours in ("redirect_uri=", "code_challenge_method=", "state="):
        assert url.count(ours) == 1
    assert not [part for part in ("evil", "plain", "scope=all") if part in url]


@pytest.mark.parametrize(
    "told",
    [
        {"access_token": "x\r\nHost: evil"},
        {"access_token": "x" * 5001},
        {"access_token": ""},
        {"access_token": "t", "token_type": "mac"},
        {"access_token": "t", "expires_in": -1},
        {"access_token": "t", "refresh_token": "x\n"},
        {"access_token": ["t"]},
        {},
    ],
)
async def test_what_is_no_token_is_not_kept(desk: Desk, told: dict[str, Any]) -> None:
    house = desk.instance()
    brought = await desk.agreed(await desk.begun(house, ENTRY))
    desk.server.instead[f"{LOGIN}/tenant/token"] = telling(told)
    with pytest.raises(Refusal, match="an invalid token"):
        await house.consenting.finish(ENTRY, ADA, BROWSER, brought)
    await nobody_is_signed_in(desk)


@pytest.mark.parametrize(
    "told",
    [
        {"redirect_uris": ["https://evil.example.net/"]},
        {"token_endpoint_auth_method": "private_key_jwt"},
        {"token_endpoint_auth_method": "client_secret_basic"},
        {"client_id": "x" * 2001},
        {"client_id": "a\nb"},
        {"client_id": None},
    ],
)
async def test_a_registration_that_is_not_ours_is_not_used(desk: Desk, told: dict[str, Any]) -> None:
    desk.server.registers = told
    await nobody_can_begin(desk)


@pytest.mark.parametrize("told", [{}, {"client_secret": "s"}], ids=["without a secret", "with a secret"])
async def test_a_registration_may_leave_out_how_the_client_proves_itself(desk: Desk, told: dict[str, Any]) -> None:
    desk.server.registers = {"token_endpoint_auth_method": None, **told}
    house = desk.instance()
    await desk.signed_in(house, ENTRY)
    assert await house.headers(ENTRY, ADA)


@pytest.mark.parametrize("scope", ["", "files", "files mail"])
async def test_a_client_is_registered_for_the_scope_that_it_requests(desk: Desk, scope: str) -> None:
    url = await desk.begun(desk.instance(), replace(ENTRY, sign_in=ByConsent(scope=scope)))
    (registered,) = desk.server.clients.values()
    assert registered.get("scope") == URL(url).query.get("scope") == (scope or None)


@pytest.mark.parametrize(("methods", "is_fit"), [(["private_key_jwt"], False), (["client_secret_post"], True)])
async def test_a_client_with_a_secret_needs_a_way_to_prove_itself(desk: Desk, methods: list[str], is_fit: bool) -> None:
    desk.secrets[NAME_OF_KEY] = "the-key"
    desk.server.about_issuer = {"token_endpoint_auth_methods_supported": methods}
    entry = Entry(ByConsent(issuer=ISSUER, client_id="ours", secret=NAME_OF_KEY))
    if is_fit:
        assert "client_id=ours" in await desk.begun(desk.instance(entry), entry)
    else:
        with pytest.raises(Refusal, match="a kind of client that this server does not support"):
            await desk.begun(desk.instance(entry), entry)


async def test_tokens_are_deleted_when_the_server_of_an_extension_has_another_url(desk: Desk) -> None:
    house = desk.instance()
    await desk.signed_in(house, ENTRY)
    assert await house.headers(ENTRY, ADA)
    for entry in (replace(ENTRY, url="https://new.example.com/mcp"), ENTRY):
        with pytest.raises(ConsentNeededError):
            await house.headers(entry, ADA)
    await nobody_is_signed_in(desk)


async def test_a_refresh_token_that_may_be_used_up_is_not_sent_again(desk: Desk) -> None:
    house, token = desk.instance(), f"{LOGIN}/tenant/token"
    away = desk.instance(sessions=HttpSessions(nowhere, nowhere))
    await desk.signed_in(house, ENTRY)
    desk.pass_(3600)
    with pytest.raises(Refusal, match="did not answer the sign-in request"):
        await away.headers(ENTRY, ADA)
    assert await house.headers(ENTRY, ADA)
    desk.pass_(3600)
    desk.server.instead[token] = telling({"access_token": "x" * 100_000})
    with pytest.raises(ConsentNeededError, match="did not renew your sign-in"):
        await house.headers(ENTRY, ADA)
    del desk.server.instead[token]
    with pytest.raises(ConsentNeededError, match="have not signed in yet"):
        await house.headers(ENTRY, ADA)


async def test_tokens_count_as_revoked_only_if_the_issuer_confirms_it(desk: Desk) -> None:
    away = desk.instance(sessions=HttpSessions(nowhere, nowhere))
    for house, is_revoked in ((away, False), (desk.instance(), True), (desk.instance(), None)):
        if is_revoked is not None:
            await desk.signed_in(desk.instance(), ENTRY)
        assert await house.sign_out(ENTRY, ADA) is is_revoked


async def test_the_id_of_a_client_has_up_to_2000_characters(desk: Desk) -> None:
    desk.server.registers = {"client_id": "x" * 2000}
    assert f"client_id={'x' * 2000}&" in await desk.begun(desk.instance(), ENTRY)


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("x" * 4000, "declined to issue a token"),
        ("x" * 4001, "an invalid code"),
        ("a\nb", "an invalid code"),
        ("ä", "an invalid code"),
        ("", "You were not signed in"),
    ],
    ids=lambda value: value[:20],
)
async def test_a_code_is_short_and_printable(desk: Desk, code: str, told: str) -> None:
    house = desk.instance()
    brought = await desk.agreed(await desk.begun(house, ENTRY))
    with pytest.raises(Refusal, match=told):
        await house.consenting.finish(ENTRY, ADA, BROWSER, {**brought, "code": code})
    await nobody_is_signed_in(desk)


@pytest.mark.parametrize(("status", "is_one"), [(200, True), (201, True), (202, False), (204, False), (400, False)])
async def test_a_registration_is_one_by_its_status(desk: Desk, status: int, is_one: bool) -> None:
    desk.server.status_of_registering = status
    if is_one:
        assert "client_id=" in await desk.begun(desk.instance(), ENTRY)
    else:
        with pytest.raises(Refusal, match="rejected this server as a client"):
            await desk.begun(desk.instance(), ENTRY)


@pytest.mark.parametrize(
    "kind",
    [
        OnBehalfOfUser("https://management.azure.com/.default"),
        ByHeader(NAME_OF_KEY),
        ClientCredentials(issuer=ISSUER, client_id="machine", secret=NAME_OF_KEY),
        ByConsent(issuer=ISSUER, client_id="ours", secret=NAME_OF_KEY),
    ],
)
async def test_no_secret_and_no_user_goes_where_the_file_does_not_say(desk: Desk, kind: SignIn) -> None:
    desk.secrets[NAME_OF_KEY] = "the-key"
    in_file = Entry(kind)
    moved = replace(in_file, url="https://evil.example.net/mcp")
    for house, entry in ((desk.instance(), in_file), (desk.instance(in_file), moved)):
        with pytest.raises(Refusal, match="entry must be in the extensions file, unchanged"):
            await house.headers(entry, ADA)
    assert (desk.delegated, desk.server.asked) == ([], [])


async def test_the_secret_of_a_client_goes_to_its_issuer_only(desk: Desk) -> None:
    kind = ClientCredentials(issuer=ISSUER, client_id="machine", secret=NAME_OF_KEY)
    elsewhere = Entry(replace(kind, issuer="https://evil.example.net"))
    with pytest.raises(Refusal, match="entry must be in the extensions file, unchanged"):
        await desk.instance(Entry(kind)).headers(elsewhere, ADA)
    desk.server.about_resource = {"authorization_servers": ["https://evil.example.net"]}
    with pytest.raises(Refusal, match="does not name the issuer"):
        await desk.instance(Entry(kind)).headers(Entry(kind), ADA)


@pytest.mark.parametrize(
    "kind",
    [
        ByHeader("database-password"),
        ByHeader("extension-other-key"),
        ByHeader("extension-bakery-"),
        ByHeader("extension-bakery-../x"),
        *(
            ByHeader(NAME_OF_KEY, header)
            for header in ("Host", "Content-Length", "MCP-Session-Id", "Cookie", "X\r\nY", "")
        ),
        ByHeader(NAME_OF_KEY, before="a\r\nb"),
        ByConsent(client_id="ours"),
        ByConsent(issuer=ISSUER, secret=NAME_OF_KEY),
    ],
)
async def test_an_entry_cannot_say_what_it_may_not(desk: Desk, kind: SignIn) -> None:
    desk.secrets |= {NAME_OF_KEY: "the-key", "database-password": "it", "extension-other-key": "it"}
    with pytest.raises(Refusal, match="extension 'bakery'"):
        await desk.instance(Entry(kind)).headers(Entry(kind), ADA)


async def test_a_row_moved_to_another_person_signs_nobody_in(desk: Desk) -> None:
    house = desk.instance()
    await desk.signed_in(house, ENTRY)
    storage = FolderStorage(desk.folder)
    (row,) = await storage.scan("sign-ins", "kept.")
    await storage.put_row("sign-ins", Row(f"kept.{owner_of(ENTRY, BEA)}", row.content))
    with pytest.raises(ConsentNeededError):
        await house.headers(ENTRY, BEA)
    other = SignInStore(lambda: storage, Seals(["x" * 32]))
    assert await other.find(KeptTokens, owner_of(ENTRY, ADA)) is None


async def test_no_secret_is_in_a_log_or_an_error(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    house = desk.instance()
    await desk.signed_in(house, ENTRY)
    family = desk.server.families[0]
    secrets = [family.access, family.refresh, desk.server.grants[0]["code"], desk.server.grants[0]["code_verifier"]]
    desk.pass_(4000)
    desk.server.instead[f"{LOGIN}/tenant/token"] = telling({"error": "invalid_grant", "error_description": secrets[1]})
    with pytest.raises(ConsentNeededError) as told:
        await house.headers(ENTRY, ADA)
    said = f"{told.value} {caplog.text}"
    assert ORIGIN in said
    assert not [secret for secret in secrets if secret in said]


async def test_the_token_of_our_caller_goes_nowhere(desk: Desk) -> None:
    await desk.signed_in(house := desk.instance(), ENTRY)
    desk.pass_(4000)
    await house.headers(ENTRY, ADA)
    await house.sign_out(ENTRY, ADA)
    assert len(desk.server.heard) >= 7
    assert ADA.token not in "".join(desk.server.heard)


async def test_an_answer_that_never_ends_is_given_up(desk: Desk) -> None:
    never = asyncio.Event()

    async def endless(_request: web.Request) -> web.StreamResponse:
        await never.wait()
        return web.Response()

    desk.server.instead[RESOURCE] = endless
    with pytest.raises(Refusal, match="did not answer"):
        await Outgoing(HttpSessions(desk.server.sessions), seconds=0.2).get(f"https://{RESOURCE}", is_private=False)


async def test_names_that_lead_to_this_machine_are_not_asked() -> None:
    with pytest.raises(Refusal):
        await Outgoing().get("https://localhost/mcp", is_private=False)
