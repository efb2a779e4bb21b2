"""A hostile extension that leads people on to the issuer of an honest one, to be given what that one answers."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

import pytest
from aiohttp import web

from extensions.sign_in.methods import ByConsent
from extensions.sign_in.registering import callback_of
from refusal import Refusal
from tests.extensions.sign_in.desk import ADA, BROWSER, ORIGIN, Desk, Entry
from tests.fakes.oauth import ISSUER, LOGIN

HONEST: Final = Entry(name="bakery")
HOSTILE: Final = Entry(name="mill")
# An issuer that does not say who it is when it answers.
SILENT: Final[dict[str, Any]] = {"authorization_response_iss_parameter_supported": False}


@pytest.fixture
def silent(desk: Desk) -> Desk:
    desk.server.about_issuer = SILENT

    async def authorize(request: web.Request) -> web.StreamResponse:
        answer = await desk.server._authorize(request)  # noqa: SLF001 - it answers as always, without `iss`
        address, _, query = answer.headers["location"].partition("?")
        left = [(name, value) for name, value in parse_qsl(query) if name != "iss"]
        return web.Response(status=302, headers={"location": f"{address}?{urlencode(left)}"})

    desk.server.instead[f"{LOGIN}/tenant/authorize"] = authorize
    return desk


def asked_in(url: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}


def test_each_extension_and_issuer_has_an_address_of_its_own() -> None:
    issuers = [ISSUER, f"{ISSUER}/", "https://login.example.com", "https://other.example.com/tenant"]
    names = ["bakery", "bakery-2", "mill"]
    assert len({callback_of(name, issuer) for name in names for issuer in issuers}) == 12


async def test_a_code_of_an_honest_issuer_is_not_brought_to_a_hostile_one(silent: Desk) -> None:
    house = silent.instance()
    honest, hostile = asked_in(await silent.begun(house, HONEST)), asked_in(await silent.begun(house, HOSTILE))
    assert honest["redirect_uri"] != hostile["redirect_uri"]
    # What the hostile issuer sends the browser on with: its own state and challenge, for the honest client.
    mixed = {**honest, "state": hostile["state"], "code_challenge": hostile["code_challenge"]}
    brought = await silent.agreed(f"{ISSUER}/authorize?{urlencode(mixed)}")
    with pytest.raises(Refusal, match="Nothing was changed"):
        house.consenting.extension_in(brought, honest["redirect_uri"])
    assert silent.server.grants == []


async def test_no_issuer_sends_its_codes_to_the_address_of_another(silent: Desk) -> None:
    house = silent.instance()
    honest, hostile = asked_in(await silent.begun(house, HONEST)), asked_in(await silent.begun(house, HOSTILE))
    with pytest.raises(AssertionError):  # the issuer knows its client by one address
        await silent.agreed(f"{ISSUER}/authorize?{urlencode({**honest, 'redirect_uri': hostile['redirect_uri']})}")


async def test_an_issuer_without_iss_serves_nobody_by_the_document_that_all_share(silent: Desk) -> None:
    """That document has one address, at which only `iss` tells issuers apart."""
    silent.server.about_issuer = {**SILENT, "client_id_metadata_document_supported": True}
    asked = asked_in(await silent.begun(silent.instance(), HONEST))
    assert asked["redirect_uri"] == f"{ORIGIN}{callback_of('bakery', ISSUER)}"
    assert not asked["client_id"].startswith("https://")
    silent.server.about_issuer = {**silent.server.about_issuer, "registration_endpoint": None}
    with pytest.raises(Refusal, match="register a client with the redirect URI"):
        await silent.begun(silent.instance(), HONEST)


async def test_people_sign_in_at_a_silent_issuer(silent: Desk) -> None:
    house = silent.instance()
    brought = await silent.agreed(await silent.begun(house, HONEST))
    assert house.consenting.extension_in(brought, f"{ORIGIN}{callback_of('bakery', ISSUER)}") == "bakery"
    await house.consenting.finish(HONEST, ADA, BROWSER, brought)
    assert silent.server.lets_in(await house.headers(HONEST, ADA))


ELSEWHERE: Final = {
    "an issuer": {"authorization_servers": ["http://169.254.169.254/tenant"]},
    "an issuer by name": {"authorization_servers": ["http://metadata.internal/tenant"]},
    "an issuer over https": {"authorization_servers": ["https://10.0.0.1/tenant"]},
}


@pytest.mark.parametrize("about", ELSEWHERE.values(), ids=ELSEWHERE)
async def test_a_private_server_leads_only_to_hosts_that_its_entry_names(desk: Desk, about: dict[str, Any]) -> None:
    desk.server.about_resource = about
    with pytest.raises(Refusal):
        await desk.begun(desk.instance(), Entry(is_private=True))
    assert not any("/tenant" in asked for asked in desk.server.asked)


@pytest.mark.parametrize(
    "endpoint", ["token_endpoint", "authorization_endpoint", "registration_endpoint", "revocation_endpoint"]
)
async def test_nor_does_the_issuer_of_one(desk: Desk, endpoint: str) -> None:
    desk.server.about_issuer = {endpoint: "http://169.254.169.254/token"}
    named = ByConsent(issuer=ISSUER)
    with pytest.raises(Refusal):
        await desk.begun(desk.instance(), Entry(named, is_private=True))
    assert not any("169.254" in asked for asked in desk.server.asked)
