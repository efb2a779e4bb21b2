"""How callers are signed in at other servers, with each kind of sign-in that an entry may have."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from urllib.parse import parse_qsl, urlsplit

import anyio
import pytest
from aiohttp import ClientSession, web

from clients.folder_storage import FolderStorage
from extensions.sign_in.methods import ByConsent, ByHeader, ClientCredentials, OnBehalfOfUser, OpenAccess
from extensions.sign_in.outgoing import HttpSessions, Outgoing
from extensions.sign_in.registering import callback_of
from extensions.sign_in.sign_ins import ConsentNeededError
from extensions.sign_in.vault import SecretVault
from identity.caller import ANONYMOUS, Agent, Caller, CallerKind
from refusal import Refusal
from tests.extensions.sign_in.desk import ADA, BEA, ORIGIN, Desk, Entry
from tests.fakes.mortality import KilledError, Life
from tests.fakes.oauth import ISSUER, LOGIN, MCP, URL, nowhere

ENTRY = Entry()
NAME_OF_KEY = "extension-bakery-key"
Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]
TOKEN = f"{LOGIN}/tenant/token"
MACHINE = ClientCredentials(issuer=ISSUER, client_id="machine", secret=NAME_OF_KEY)


async def test_without_a_sign_in_nothing_is_sent(desk: Desk) -> None:
    assert await desk.instance().headers(Entry(OpenAccess()), ADA) == {}


async def test_a_secret_of_the_vault_is_sent_in_the_header_of_the_entry(desk: Desk) -> None:
    desk.secrets[NAME_OF_KEY] = "the-key"
    entry = Entry(ByHeader(NAME_OF_KEY, "X-Api-Key"))
    assert await desk.instance(entry).headers(entry, ADA) == {"X-Api-Key": "the-key"}
    with pytest.raises(Refusal, match="rejected the sign-in that the extension's entry defines"):
        await desk.instance(entry).challenged(entry, ADA, "Bearer")


async def test_a_user_is_asked_for_in_their_name(desk: Desk) -> None:
    entry = Entry(OnBehalfOfUser("api://bakery/.default"))
    headers = await desk.instance(entry).headers(entry, ADA)
    assert headers == {"Authorization": "Bearer entra-token-for-ada"}
    assert desk.delegated == [("ada", "api://bakery/.default")]
    for caller in (ANONYMOUS, Caller(CallerKind.APP, subject="robot"), Caller(CallerKind.KEY)):
        with pytest.raises(Refusal, match="only on behalf of users"):
            await desk.instance(entry).headers(entry, caller)


async def test_the_server_itself_signs_in_once_for_all_until_its_token_ends(desk: Desk) -> None:
    desk.secrets[NAME_OF_KEY] = "machine-secret"
    desk.server.clients["machine"] = {"client_secret": "machine-secret"}
    entry = Entry(MACHINE)
    house = desk.instance(entry)
    first = await house.headers(entry, ADA)
    assert desk.server.lets_in(first)
    assert await house.headers(entry, BEA) == first
    desk.pass_(3600)
    assert await house.headers(entry, ADA) != first
    await house.challenged(entry, ADA, 'Bearer error="invalid_token"')
    await house.headers(entry, ADA)
    assert [grant["grant_type"] for grant in desk.server.grants] == ["client_credentials"] * 3


async def test_a_person_signs_in_on_a_page_once_and_is_let_in(desk: Desk) -> None:
    house = desk.instance()
    with pytest.raises(ConsentNeededError, match="Open /extensions/bakery in a browser") as told:
        await house.headers(ENTRY, ADA)
    assert told.value.path == "/extensions/bakery"
    await desk.signed_in(house, ENTRY)
    assert desk.server.lets_in(await house.headers(ENTRY, ADA))
    assert await desk.instance().headers(ENTRY, ADA) == await house.headers(ENTRY, ADA)
    assert await house.headers(ENTRY, replace(ADA, client="another client")) == await house.headers(ENTRY, ADA)


async def test_nobody_has_the_sign_in_of_another(desk: Desk) -> None:
    house = desk.instance()
    await desk.signed_in(house, ENTRY)
    for other in (BEA, replace(ADA, issuer="elsewhere"), replace(ADA, tenant="other")):
        with pytest.raises(ConsentNeededError):
            await house.headers(ENTRY, other)
    with pytest.raises(ConsentNeededError):
        await house.headers(Entry(name="other"), ADA)
    for caller in (ANONYMOUS, Caller(CallerKind.APP, subject="ada"), replace(ADA, agent=Agent("agent"))):
        with pytest.raises(Refusal, match="Only a person"):
            await house.headers(ENTRY, caller)


async def test_at_a_laptop_whoever_sits_there_signs_in(desk: Desk) -> None:
    house = desk.instance(is_laptop=True)
    await desk.signed_in(house, ENTRY, ANONYMOUS)
    assert desk.server.lets_in(await house.headers(ENTRY, ANONYMOUS))


async def test_a_client_with_a_secret_proves_to_be_itself(desk: Desk) -> None:
    for method in ("client_secret_basic", "client_secret_post"):
        desk.server.registers = {"client_secret": "se:cret +", "token_endpoint_auth_method": method}
        house, entry = desk.instance(), Entry(name=f"bakery-{method[14:]}")
        await desk.signed_in(house, entry)
        assert desk.server.lets_in(await house.headers(entry, ADA))


async def test_a_registered_client_is_used_where_the_entry_names_one(desk: Desk) -> None:
    redirects = [f"{ORIGIN}{callback_of(ENTRY.name, ISSUER)}"]
    desk.server.clients["ours"] = {"client_secret": "its-secret", "redirect_uris": redirects}
    desk.secrets[NAME_OF_KEY] = "its-secret"
    entry = Entry(ByConsent(issuer=ISSUER, client_id="ours", secret=NAME_OF_KEY))
    await desk.signed_in(house := desk.instance(entry), entry)
    assert desk.server.lets_in(await house.headers(entry, ADA))
    assert not any("register" in one for one in desk.server.asked)


@pytest.mark.parametrize(
    ("origin", "kind"), [(ORIGIN, "web"), ("http://localhost:7071", "native"), ("http://127.0.0.1:7071", "native")]
)
async def test_we_register_as_what_we_are(desk: Desk, origin: str, kind: str) -> None:
    house = desk.instance()
    await house.consenting.begin(ENTRY, house.check_consent(ENTRY, ADA), ADA, "browser", origin)
    (client,) = desk.server.clients.values()
    assert client["redirect_uris"] == [f"{origin}{callback_of(ENTRY.name, ISSUER)}"]
    assert (client["application_type"], client["token_endpoint_auth_method"]) == (kind, "none")


async def test_where_clients_are_documents_ours_is_named_and_nothing_is_registered(desk: Desk) -> None:
    desk.server.about_issuer = {"client_id_metadata_document_supported": True}
    url = await desk.begun(desk.instance(), ENTRY)
    assert "client_id=https%3A%2F%2Foffice.example.com%2Fextension-client.json" in url
    assert not any("register" in one for one in desk.server.asked)


async def test_a_token_is_renewed_before_it_ends(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("extensions.sign_in.renewing._PAUSE", 3600)  # only other instances wait for a renewal
    house = desk.instance()
    await desk.signed_in(house, ENTRY)
    first = await house.headers(ENTRY, ADA)
    desk.pass_(3600 - 121)
    assert await house.headers(ENTRY, ADA) == first
    desk.pass_(1)
    second = await house.headers(ENTRY, ADA)
    assert second != first
    assert desk.server.lets_in(second)
    desk.pass_(4000)
    assert desk.server.lets_in(await house.headers(ENTRY, ADA))


async def test_an_issuer_that_does_not_rotate_is_asked_with_the_same_token(desk: Desk) -> None:
    desk.server.rotates = False
    await desk.signed_in(house := desk.instance(), ENTRY)
    for _ in range(2):
        desk.pass_(4000)
        assert desk.server.lets_in(await house.headers(ENTRY, ADA))


async def test_of_many_instances_at_once_one_renews(desk: Desk) -> None:
    instances = [desk.instance() for _ in range(4)]
    await desk.signed_in(instances[0], ENTRY)
    desk.pass_(4000)
    got = await asyncio.gather(*(one.headers(ENTRY, ADA) for one in instances * 2))
    assert len({one["Authorization"] for one in got}) == 1
    assert desk.server.lets_in(got[0])
    assert [grant["grant_type"] for grant in desk.server.grants].count("refresh_token") == 1


async def test_while_one_instance_renews_the_others_use_what_is_still_good(desk: Desk) -> None:
    await desk.signed_in(house := desk.instance(), ENTRY)
    first = await house.headers(ENTRY, ADA)
    asked, go_on = asyncio.Event(), asyncio.Event()

    async def slow(request: web.Request) -> web.StreamResponse:
        asked.set()
        await go_on.wait()
        return await desk.server.token(request)

    desk.server.instead[TOKEN] = slow
    desk.pass_(3600 - 5.5)
    async with anyio.create_task_group() as both:
        both.start_soon(house.headers, ENTRY, ADA)
        await asked.wait()
        assert await desk.instance().headers(ENTRY, ADA) == first
        go_on.set()
    assert desk.server.lets_in(await desk.instance().headers(ENTRY, ADA))


async def test_who_stops_waiting_for_a_renewal_loses_nothing(desk: Desk) -> None:
    await desk.signed_in(house := desk.instance(), ENTRY)
    asked, go_on = asyncio.Event(), asyncio.Event()

    async def slow(request: web.Request) -> web.StreamResponse:
        asked.set()
        await go_on.wait()
        return await desk.server.token(request)

    desk.server.instead[TOKEN] = slow
    desk.pass_(4000)
    impatient = asyncio.create_task(house.headers(ENTRY, ADA))
    await asked.wait()
    impatient.cancel()
    go_on.set()
    assert desk.server.lets_in(await desk.instance().headers(ENTRY, ADA))


@pytest.mark.parametrize("last_step", range(1, 7))
async def test_killed_at_any_step_of_a_renewal_no_token_is_used_twice_and_what_is_lost_is_told(
    desk: Desk, last_step: int
) -> None:
    await desk.signed_in(desk.instance(), ENTRY)
    desk.pass_(4000)
    mortal = Life(last_step).of(FolderStorage(desk.folder))
    with pytest.raises(KilledError):
        await desk.instance(storage=lambda: mortal).headers(ENTRY, ADA)
    desk.pass_(31)
    house = desk.instance()
    if last_step in {4, 5}:  # after the claim, and before what it gave is kept
        with pytest.raises(ConsentNeededError, match="its renewal was interrupted"):
            await house.headers(ENTRY, ADA)
        await desk.signed_in(house, ENTRY)
    assert desk.server.lets_in(await house.headers(ENTRY, ADA))
    used = [grant["refresh_token"] for grant in desk.server.grants if grant["grant_type"] == "refresh_token"]
    assert len({*used}) == len(used)


async def test_an_issuer_that_cannot_be_reached_costs_no_sign_in(desk: Desk) -> None:
    await desk.signed_in(desk.instance(), ENTRY)
    desk.pass_(4000)
    with pytest.raises(Refusal, match="did not answer"):
        await desk.instance(sessions=HttpSessions(nowhere, nowhere)).headers(ENTRY, ADA)
    assert desk.server.lets_in(await desk.instance().headers(ENTRY, ADA))


async def test_an_issuer_whose_name_leads_to_a_private_address_now_costs_no_sign_in(desk: Desk) -> None:
    def refused() -> ClientSession:
        raise Refusal("It does not resolve to a public address.")

    await desk.signed_in(desk.instance(), ENTRY)
    desk.pass_(4000)
    with pytest.raises(Refusal, match="does not resolve to a public"):
        await desk.instance(sessions=HttpSessions(refused)).headers(ENTRY, ADA)
    assert desk.server.lets_in(await desk.instance().headers(ENTRY, ADA))


@pytest.mark.parametrize(
    ("status", "error", "is_final"), [(400, "invalid_grant", True), (401, "invalid_client", False)]
)
async def test_what_the_issuer_declines_for_good_takes_a_new_sign_in(
    desk: Desk, status: int, error: str, is_final: bool
) -> None:
    await desk.signed_in(house := desk.instance(), ENTRY)
    desk.pass_(4000)
    desk.server.instead[TOKEN] = _answering(status, {"error": error, "error_description": "what-the-issuer-says"})
    with pytest.raises(Refusal) as told:
        await house.headers(ENTRY, ADA)
    assert isinstance(told.value, ConsentNeededError) is is_final
    assert "what-the-issuer-says" not in str(told.value)
    del desk.server.instead[TOKEN]
    if is_final:
        with pytest.raises(ConsentNeededError):
            await house.headers(ENTRY, ADA)
    else:
        assert desk.server.lets_in(await house.headers(ENTRY, ADA))


@pytest.mark.parametrize("status", [200, 500, 503])
async def test_after_an_answer_that_says_nothing_the_token_is_not_used_again(desk: Desk, status: int) -> None:
    await desk.signed_in(house := desk.instance(), ENTRY)
    desk.pass_(4000)
    desk.server.instead[TOKEN] = _answering(status, {})
    with pytest.raises(ConsentNeededError, match="did not renew"):
        await house.headers(ENTRY, ADA)


async def test_a_token_that_is_not_taken_is_renewed_and_the_call_tried_again(desk: Desk) -> None:
    await desk.signed_in(house := desk.instance(), ENTRY)
    first = await house.headers(ENTRY, ADA)
    desk.pass_(60)
    await house.challenged(ENTRY, ADA, 'Bearer error="invalid_token"')
    second = await house.headers(ENTRY, ADA)
    assert second != first
    await house.challenged(ENTRY, ADA, 'Bearer error="invalid_token"')
    assert await house.headers(ENTRY, ADA) == second


async def test_for_more_scopes_the_person_is_asked_again_once(desk: Desk) -> None:
    await desk.signed_in(house := desk.instance(), ENTRY)
    endings: tuple[Callable[[], Awaitable[object]], ...] = (
        lambda: desk.signed_in(house, ENTRY),
        lambda: house.sign_out(ENTRY, ADA),
    )
    for end in endings:
        with pytest.raises(ConsentNeededError, match="requires you to sign in"):
            await house.challenged(ENTRY, ADA, 'Bearer error="insufficient_scope", scope="bake eat"')
        assert "scope=bake+eat" in await desk.begun(house, ENTRY)
        await end()
        assert "scope=" not in await desk.begun(house, ENTRY)


async def test_without_a_scope_none_is_asked_for(desk: Desk) -> None:
    asked = dict(parse_qsl(urlsplit(await desk.begun(desk.instance(), ENTRY)).query, keep_blank_values=True))
    assert "scope" not in asked
    scoped = replace(ENTRY, sign_in=ByConsent(scope="bake"))
    assert "scope=bake" in await desk.begun(desk.instance(scoped), scoped)


async def test_who_signs_out_is_forgotten_here_and_void_there(desk: Desk) -> None:
    await desk.signed_in(house := desk.instance(), ENTRY)
    headers = await house.headers(ENTRY, ADA)
    assert await house.sign_out(ENTRY, BEA) is None
    assert desk.server.lets_in(headers)
    assert await house.sign_out(ENTRY, ADA) is True
    assert not desk.server.lets_in(headers)
    with pytest.raises(ConsentNeededError):
        await house.headers(ENTRY, ADA)
    assert await house.sign_out(ENTRY, ADA) is None


async def test_who_signs_out_where_nothing_can_be_revoked_is_told_so(desk: Desk) -> None:
    desk.server.about_issuer = {"revocation_endpoint": None}
    await desk.signed_in(house := desk.instance(), ENTRY)
    assert await house.sign_out(ENTRY, ADA) is False


async def test_who_signs_out_during_a_renewal_is_signed_out(desk: Desk) -> None:
    await desk.signed_in(house := desk.instance(), ENTRY)

    async def meanwhile(request: web.Request) -> web.StreamResponse:
        await desk.instance().sign_out(ENTRY, ADA)
        desk.server.families[0].is_void = False
        return await desk.server.token(request)

    desk.server.instead[TOKEN] = meanwhile
    desk.pass_(4000)
    with pytest.raises(ConsentNeededError, match="You signed out"):
        await house.headers(ENTRY, ADA)
    assert desk.server.families[0].is_void


async def test_nothing_that_is_kept_shows_a_secret(desk: Desk) -> None:
    await desk.signed_in(desk.instance(), ENTRY)
    family = desk.server.families[0]
    kept = b"".join(path.read_bytes() for path in desk.folder.rglob("*") if path.is_file())
    assert kept
    for secret in (family.access, family.refresh, URL):
        assert secret.encode() not in kept


async def test_an_entry_that_leads_elsewhere_takes_no_tokens_along(desk: Desk) -> None:
    await desk.signed_in(house := desk.instance(), ENTRY)
    with pytest.raises(ConsentNeededError, match="has changed since you signed in"):
        await house.headers(Entry(url="https://new.example.com/mcp"), ADA)


def _answering(status: int, document: object) -> Answer:
    async def answer(_request: web.Request) -> web.StreamResponse:
        return web.json_response(document, status=status)

    return answer


async def test_a_secret_is_read_from_the_vault_with_the_servers_own_identity_once_in_a_while(desk: Desk) -> None:
    told = {"value": "first"}
    desk.server.instead[f"{MCP}/secrets/{NAME_OF_KEY}"] = _answering(200, told)
    vault = SecretVault(f"https://{MCP}/", _own, Outgoing(desk.sessions), desk.clock)
    assert [await vault.secret(NAME_OF_KEY) for _ in range(2)] == ["first", "first"]
    assert len(desk.server.asked) == 1
    assert f"/secrets/{NAME_OF_KEY}?api-version=" in desk.server.heard[0]
    assert "Bearer own-token" in desk.server.heard[0]
    told["value"] = "second"
    desk.pass_(300)
    assert await vault.secret(NAME_OF_KEY) == "second"


@pytest.mark.parametrize(
    ("status", "told", "words"),
    [
        (403, {"error": "words of the vault"}, "status 403"),
        (200, {}, "status 200"),
        (200, {"value": "a\nb"}, "not valid in a request header"),
    ],
)
async def test_a_secret_that_cannot_be_had_is_told_without_the_words_of_the_vault(
    desk: Desk, status: int, told: object, words: str
) -> None:
    desk.server.instead[f"{MCP}/secrets/{NAME_OF_KEY}"] = _answering(status, told)
    with pytest.raises(Refusal, match=words) as refused:
        await SecretVault(f"https://{MCP}", _own, Outgoing(desk.sessions)).secret(NAME_OF_KEY)
    assert "words of the vault" not in str(refused.value)


async def _own() -> str:
    return "Bearer own-token"
