"""What hostile clients, web pages and people try with the bridge."""

from __future__ import annotations

import asyncio
from string import ascii_letters, digits

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from identity.bridge.browsers import Browser
from identity.bridge.registrations import Registered
from identity.bridge.sign_in import Code, Consent, Journey
from identity.bridge.tokens import Renewal
from identity.seals import Sealable, Seals
from tests.identity.bridge.bench import (
    CHALLENGE,
    FURTHER,
    KEYS,
    LOOPBACK,
    ORIGIN,
    REDIRECT,
    RESOURCE,
    SCOPE,
    VERIFIER,
    Bench,
    authorize_url,
    callback_of,
    next_address,
    told,
)
from tests.sweeps import examples

pytestmark = pytest.mark.anyio

LETTERS = ascii_letters + digits + "-_"
SEALED: list[Sealable] = [
    Registered("name", [REDIRECT]),
    Consent("client", REDIRECT, CHALLENGE, "state", FURTHER, "browser"),
    Journey("client", REDIRECT, CHALLENGE, "state", FURTHER, "browser", VERIFIER),
    Code("client", REDIRECT, CHALLENGE, FURTHER, "code", VERIFIER),
    Renewal("client", "token", FURTHER, "session", 1),
    Browser("id"),
]


# --- sealed texts -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", SEALED, ids=lambda value: type(value).__name__)
def test_what_is_sealed_opens_as_what_it_is_and_as_nothing_else(value: Sealable) -> None:
    seals = Seals(KEYS)
    text = seals.seal(value)
    opened = {type(other): seals.open(type(other), text) for other in SEALED}
    assert [kind for kind, found in opened.items() if found] == [type(value)]
    assert opened[type(value)] == value


@given(st.integers(0, 3), st.integers(0, 400) | st.just(-1), st.integers(0, 7))
def test_one_bit_that_differs_and_nothing_opens(length: int, place: int, bit: int) -> None:
    seals = Seals(KEYS)
    text = seals.seal(Code("client", REDIRECT, CHALLENGE, FURTHER, "code!"[:length], VERIFIER))
    at = place % len(text)
    changed = text[:at] + chr(ord(text[at]) ^ 1 << bit) + text[at + 1 :]
    assert seals.open(Code, changed) is None


@given(st.text() | st.binary().map(lambda raw: raw.decode("latin-1")))
def test_nothing_else_opens(text: str) -> None:
    assert Seals(KEYS).open(Journey, text) is None


@given(st.text(st.characters(exclude_categories=["Cs"])), st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_what_is_sealed_comes_back_whole(text: str, texts: list[str]) -> None:
    seals, value = Seals(KEYS), Registered(text, texts)
    assert seals.open(Registered, seals.seal(value)) == value


def test_a_key_is_needed() -> None:
    with pytest.raises(ValueError, match="secret"):
        Seals([])


@settings(max_examples=examples(15), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.floats(0, 1, exclude_max=True), step=st.integers(1, 63))
async def test_a_changed_text_is_refused_wherever_it_is_brought(bench: Bench, place: float, step: int) -> None:
    def changed(text: str) -> str:
        at = int(place * len(text))
        letter = LETTERS[(LETTERS.index(text[at]) + step) % 64]
        return text[:at] + letter + text[at + 1 :]

    client_id, person = await bench.register(), await bench.person()
    callback = await callback_of(bench, person, client_id)
    state = callback.partition("state=")[2].partition("&")[0]
    assert (await bench.http.get(authorize_url(changed(client_id)))).status_code == 400
    assert (await person.http.get(callback.replace(state, changed(state)))).status_code == 400
    code = told(await person.http.get(callback))["code"]
    assert (await bench.redeem(client_id, changed(code))).json()["error"] == "invalid_grant"
    assert (await bench.redeem(changed(client_id), code)).status_code == 401
    tokens = (await bench.redeem(client_id, code)).json()
    assert (await bench.renew(client_id, changed(tokens["refresh_token"]))).json()["error"] == "invalid_grant"


@pytest.mark.parametrize(("seconds", "is_good"), [(599, True), (600, False)])
async def test_a_consent_is_good_for_ten_minutes(bench: Bench, seconds: int, is_good: bool) -> None:
    person = await bench.person()
    page = await person.visit(authorize_url(await bench.register()))
    bench.clock.now = int(bench.clock.now) + seconds
    assert (await person.answer(page, "approve")).status_code == (302 if is_good else 400)


@pytest.mark.parametrize(("seconds", "is_good"), [(599, True), (600, False)])
async def test_a_state_is_good_for_ten_minutes(bench: Bench, seconds: int, is_good: bool) -> None:
    person = await bench.person()
    callback = await callback_of(bench, person, await bench.register())
    bench.clock.now = int(bench.clock.now) + seconds
    assert (await person.http.get(callback)).status_code == (302 if is_good else 400)


@pytest.mark.parametrize(("seconds", "status"), [(119, 200), (120, 400)])
async def test_a_code_is_good_for_two_minutes(bench: Bench, seconds: int, status: int) -> None:
    client_id = await bench.register()
    code = (await bench.signed_in(client_id))["code"]
    bench.clock.now = int(bench.clock.now) + seconds
    assert (await bench.redeem(client_id, code)).status_code == status


async def test_a_registration_ends_after_two_years(bench: Bench) -> None:
    client_id = await bench.register()
    bench.clock.now = int(bench.clock.now) + 63_071_999
    assert (await bench.http.get(authorize_url(client_id))).status_code == 200
    bench.clock.now += 1
    assert (await bench.http.get(authorize_url(client_id))).status_code == 400
    assert (await bench.renew(client_id, "token")).json()["error"] == "invalid_client"


# --- codes and tokens -------------------------------------------------------------------------------------------------


async def test_a_code_can_be_used_once(bench: Bench) -> None:
    client_id = await bench.register()
    code = (await bench.signed_in(client_id))["code"]
    assert (await bench.redeem(client_id, code)).status_code == 200
    replayed = await bench.redeem(client_id, code)
    assert replayed.status_code == 400
    assert replayed.json() == {
        "error": "invalid_grant",
        "error_description": "AADSTS54005: OAuth2 Authorization code was already redeemed.",
    }


async def test_of_two_who_redeem_a_code_at_once_one_gets_tokens(bench: Bench) -> None:
    client_id = await bench.register()
    code = (await bench.signed_in(client_id))["code"]
    answers = await asyncio.gather(*(bench.redeem(client_id, code) for _ in range(4)))
    assert sorted(answer.status_code for answer in answers) == [200, 400, 400, 400]


async def test_the_code_of_another_client_is_worth_nothing(bench: Bench) -> None:
    client_id, other = await bench.register(), await bench.register()
    code = (await bench.signed_in(client_id))["code"]
    assert (await bench.redeem(other, code)).json()["error"] == "invalid_grant"
    assert (await bench.redeem("https://client.example.net/about", code)).json()["error"] == "invalid_grant"
    assert (await bench.redeem(client_id, code)).status_code == 200


async def test_the_refresh_token_of_another_client_is_worth_nothing(bench: Bench) -> None:
    client_id, other = await bench.register(), await bench.register()
    tokens = (await bench.redeem(client_id, (await bench.signed_in(client_id))["code"])).json()
    assert (await bench.renew(other, tokens["refresh_token"])).json()["error"] == "invalid_grant"
    assert (await bench.renew(client_id, tokens["access_token"])).json()["error"] == "invalid_grant"
    assert (await bench.renew(client_id, next(iter(bench.page.refresh_tokens)))).json()["error"] == "invalid_grant"


async def test_a_code_is_no_refresh_token_and_the_other_way_round(bench: Bench) -> None:
    client_id = await bench.register()
    code = (await bench.signed_in(client_id))["code"]
    assert (await bench.renew(client_id, code)).json()["error"] == "invalid_grant"
    tokens = (await bench.redeem(client_id, code)).json()
    assert (await bench.redeem(client_id, tokens["refresh_token"])).json()["error"] == "invalid_grant"


async def test_the_code_of_the_authority_itself_is_worth_nothing_here(bench: Bench) -> None:
    client_id = await bench.register()
    await bench.signed_in(client_id)
    assert (await bench.redeem(client_id, next(iter(bench.page.codes)))).json()["error"] == "invalid_grant"


@pytest.mark.parametrize(
    "changed",
    [
        {"code_verifier": "not the verifier of the client, but one of its length"},
        {"code_verifier": CHALLENGE},
        {"code_verifier": ""},
        {"redirect_uri": "https://evil.example/"},
        {"redirect_uri": ""},
        {"grant_type": "client_credentials"},
        {"grant_type": "password"},
        {"grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": "a.b.c"},
        {"resource": "https://evil.example/mcp"},
    ],
    ids=str,
)
async def test_a_code_is_redeemed_only_as_it_was_asked_for(bench: Bench, changed: dict[str, str]) -> None:
    client_id = await bench.register()
    code = (await bench.signed_in(client_id))["code"]
    refused = await bench.redeem(client_id, code, **changed)
    assert refused.status_code in {400, 401}
    assert "access_token" not in refused.json()
    assert bench.issuer.count(bench.issuer.token_path) == 0
    assert (await bench.redeem(client_id, code)).status_code == 200


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"code_challenge": ""}, "invalid_request"),
        ({"code_challenge": "short"}, "invalid_request"),
        ({"code_challenge": CHALLENGE + "="}, "invalid_request"),
        ({"code_challenge": CHALLENGE[:-1] + "+"}, "invalid_request"),
        ({"code_challenge": VERIFIER, "code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge_method": "s256"}, "invalid_request"),
        ({"code_challenge_method": ""}, "invalid_request"),
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"response_type": "code token"}, "unsupported_response_type"),
        ({"response_type": ""}, "unsupported_response_type"),
        ({"scope": "https://graph.microsoft.com/.default"}, "invalid_scope"),
        ({"scope": f"{SCOPE} everything"}, "invalid_scope"),
        ({"resource": "https://evil.example/mcp"}, "invalid_target"),
        ({"resource": ORIGIN}, "invalid_target"),
        ({"resource": f"{RESOURCE}.evil.example"}, "invalid_target"),
        ({"resource": f"{RESOURCE}/../admin"}, "invalid_target"),
        ({"resource": f"{RESOURCE}/%2e%2e/admin"}, "invalid_target"),
        ({"resource": f"{RESOURCE}?x"}, "invalid_target"),
        ({"resource": f"{RESOURCE}/?x"}, "invalid_target"),
        ({"resource": f"{RESOURCE}/#x"}, "invalid_target"),
        ({"resource": f"{RESOURCE}/x%2fadmin"}, "invalid_target"),
        ({"resource": f"{RESOURCE}/x\\admin"}, "invalid_target"),
        ({"resource": f"{RESOURCE}/x\nadmin"}, "invalid_target"),
        ({"resource": f"{RESOURCE}/\u00fc"}, "invalid_target"),
        ({"resource": "not an address"}, "invalid_target"),
    ],
    ids=str,
)
async def test_what_is_asked_for_wrongly_goes_back_to_the_client_with_its_reason(
    bench: Bench, changed: dict[str, str], error: str
) -> None:
    asked = authorize_url(await bench.register(LOOPBACK), redirect_uri=LOOPBACK, **changed)
    answer = told(await bench.http.get(asked))
    assert (answer["error"], answer["state"], answer["iss"]) == (error, "of the client", ORIGIN)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"response_type": "token"}, "response_type must be code."),
        ({"code_challenge": ""}, "PKCE is required: code_challenge must have 43 characters."),
        ({"code_challenge_method": "plain"}, "code_challenge_method must be S256."),
        ({"scope": f"{SCOPE} some"}, f"Unknown scope 'some'. Allowed: {SCOPE} offline_access openid profile"),
        ({"scope": "s" * 101}, f"Unknown scope '{'s' * 100}'. Allowed: {SCOPE} offline_access openid profile"),
        ({"resource": "none"}, f"Tokens are issued only for {RESOURCE}."),
    ],
    ids=str,
)
async def test_the_reason_says_what_would_be_right(bench: Bench, changed: dict[str, str], reason: str) -> None:
    asked = authorize_url(await bench.register(LOOPBACK), redirect_uri=LOOPBACK, **changed)
    assert told(await bench.http.get(asked))["error_description"] == reason


@pytest.mark.parametrize("changed", [{"scope": "none"}, {"resource": "none"}, {"response_type": "token"}], ids=str)
@pytest.mark.parametrize(
    "redirect", [REDIRECT, "cursor://anysphere.cursor-mcp/oauth/callback", "warp://mcp/oauth2callback"]
)
async def test_nobody_is_led_by_a_mistake_to_where_a_stranger_says(
    bench: Bench, redirect: str, changed: dict[str, str]
) -> None:
    client_id, known = await bench.register(redirect), await bench.register()
    person = await bench.person()
    await bench.signed_in(known, person)
    for http in (bench.http, person.http):
        answer = await http.get(authorize_url(client_id, redirect_uri=redirect, **changed))
        assert (answer.status_code, next_address(answer)) == (400, None)
        assert "This sign-in cannot continue" in answer.text
        assert redirect not in answer.text


@pytest.mark.parametrize(
    "changed", [{"resource": ""}, {"resource": f"{RESOURCE}/"}, {"resource": f"{RESOURCE}/readonly"}]
)
async def test_what_is_asked_for_rightly_is_asked_of_the_user(bench: Bench, changed: dict[str, str]) -> None:
    assert (await bench.http.get(authorize_url(await bench.register(), **changed))).status_code == 200


@pytest.mark.parametrize("name", ["client_id", "redirect_uri", "state", "code_challenge", "scope"])
async def test_a_parameter_that_is_there_twice_is_not_chosen_from(bench: Bench, name: str) -> None:
    url = f"{authorize_url(await bench.register())}&{name}=other"
    answer = await bench.http.get(url)
    assert (answer.status_code, "location" in answer.headers) == (400, False)


@pytest.mark.parametrize(
    ("second", "status"), [(RESOURCE, 200), (f"{RESOURCE}/readonly", 200), ("", 200), ("https://evil.example/mcp", 400)]
)
async def test_each_of_several_resources_must_be_of_this_server(bench: Bench, second: str, status: int) -> None:
    client_id = await bench.register()
    url = f"{authorize_url(client_id)}&resource={second}"
    assert (await bench.http.get(url)).status_code == status
    form = {"code": (await bench.signed_in(client_id))["code"], "resource": [RESOURCE, second]}
    own = {"grant_type": "authorization_code", "client_id": client_id, "redirect_uri": REDIRECT}
    answer = await bench.http.post(f"{ORIGIN}/token", data={**own, **form, "code_verifier": VERIFIER})
    assert answer.status_code == status


@pytest.mark.parametrize("name", ["client_id", "redirect_uri", "state", "code_challenge", "scope"])
async def test_a_parameter_without_a_value_is_as_good_as_absent(bench: Bench, name: str) -> None:
    assert (await bench.http.get(f"{authorize_url(await bench.register())}&{name}=")).status_code == 200


async def test_a_field_that_is_there_twice_is_not_chosen_from(bench: Bench) -> None:
    answer = await bench.http.post(f"{ORIGIN}/token", data={"grant_type": "refresh_token", "client_id": ["a", "b"]})
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_request")
