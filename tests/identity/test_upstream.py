from __future__ import annotations

import asyncio
import json
import logging
import time
import traceback
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import jwt
import pytest
from aiohttp import web
from azure.core.credentials import AccessToken
from azure.core.credentials_async import AsyncTokenCredential
from azure.core.exceptions import ClientAuthenticationError
from azure.core.pipeline.policies import AsyncBearerTokenCredentialPolicy
from azure.core.rest import HttpRequest
from hypothesis import given, settings
from hypothesis import strategies as st

from clients.rest import RestClient
from identity.caller import ANONYMOUS, Caller, Kind
from identity.challenges import claims_challenge
from identity.denial import Denial
from identity.on_behalf_of import OnBehalfOf, Registration
from identity.own_identity import OwnIdentity
from identity.token_cache import Purpose, TokenCache
from identity.upstream import Upstream
from refusal import Refusal
from tests.fakes.issuer import AUDIENCE, TENANT, USER, Issuer, issuing
from tests.fakes.transport import HastyTransport
from tests.fakes.upstream_identity import IDENTITY_PATH, PRINCIPAL, TRACE, UpstreamIdentity

pytestmark = pytest.mark.anyio

SECRET = "marked-client-secret"  # noqa: S105 - not one
ARM = "https://management.azure.com/.default"
VAULT = "https://vault.azure.net/.default"
CLAIMS = '{"access_token":{"acrs":{"essential":true,"value":"c1"}}}'
KEY_CALLER = Caller(Kind.KEY, subject="ci")


@dataclass
class Clock:
    now: float = field(default_factory=time.time)

    def __call__(self) -> float:
        return self.now


@dataclass
class Place:
    """The server under test, and what it gets tokens from."""

    issuer: Issuer
    entra: UpstreamIdentity
    clock: Clock = field(default_factory=Clock)

    def upstream(
        self, registration: Registration | None = None, *, allowed: bool = False, on_azure: bool = False
    ) -> Upstream:
        own = OwnIdentity(is_on_azure=on_azure)
        return Upstream(registration or self.registration(), own, own_identity_allowed=allowed, clock=self.clock)

    def registration(self, **changes: str) -> Registration:
        secret, authority = self.entra.client_secret, self.issuer.origin
        return replace(Registration(self.issuer.tenant, AUDIENCE, secret, authority), **changes)

    def user(self, subject: str = USER, **changes: Any) -> Caller:
        token = self.issuer.token(oid=subject)
        return replace(Caller(Kind.USER, tenant=self.issuer.tenant, subject=subject, token=token), **changes)

    @property
    def exchanges(self) -> int:
        return self.issuer.count(self.issuer.token_path)


@asynccontextmanager
async def open_place(secret: str = SECRET) -> AsyncIterator[Place]:
    entra = UpstreamIdentity(secret)
    async with issuing(entra) as issuer:
        yield Place(issuer, entra)


@pytest.fixture
async def place() -> AsyncIterator[Place]:
    async with open_place() as opened:
        yield opened


@pytest.fixture
async def on_azure(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Place]:
    async with open_place(secret="") as opened:
        opened.entra.in_environment(monkeypatch)
        yield opened


def claims_of(authorization: str) -> dict[str, Any]:
    claims: dict[str, Any] = jwt.decode(authorization.removeprefix("Bearer "), options={"verify_signature": False})
    return claims


# On behalf of a user


async def test_a_service_is_called_on_behalf_of_the_user(place: Place) -> None:
    claims = claims_of(await place.upstream().authorization(place.user(), ARM))
    assert (claims["aud"], claims["oid"], claims["tid"]) == ("https://management.azure.com", USER, TENANT)


async def test_the_managed_identity_proves_that_this_is_the_app(on_azure: Place) -> None:
    upstream = on_azure.upstream(on_azure=True)
    assert claims_of(await upstream.authorization(on_azure.user(), ARM))["oid"] == USER
    (exchange,) = (seen for seen in on_azure.issuer.requests if seen.path == on_azure.issuer.token_path)
    assert "client_secret" not in exchange.form


async def test_the_proof_of_the_app_serves_all_users(on_azure: Place) -> None:
    upstream = on_azure.upstream(on_azure=True)
    await asyncio.gather(*(upstream.authorization(on_azure.user(f"user-{n}"), ARM) for n in range(5)))
    assert on_azure.exchanges == 5
    assert on_azure.issuer.count(IDENTITY_PATH) == 1


async def test_asking_again_costs_no_request(place: Place) -> None:
    upstream, user = place.upstream(), place.user()
    assert await upstream.authorization(user, ARM) == await upstream.authorization(user, ARM)
    assert place.exchanges == 1


async def test_asking_many_times_at_once_costs_one_request(place: Place) -> None:
    upstream, user = place.upstream(), place.user()
    answers = await asyncio.gather(*(upstream.authorization(user, ARM) for _ in range(20)))
    assert len(set(answers)) == 1
    assert place.exchanges == 1


async def test_whoever_stops_waiting_leaves_the_answer_to_the_others(place: Place) -> None:
    upstream, user = place.upstream(), place.user()
    first = asyncio.create_task(upstream.authorization(user, ARM))
    second = asyncio.create_task(upstream.authorization(user, ARM))
    await asyncio.sleep(0)
    first.cancel()
    assert claims_of(await second)["oid"] == USER
    assert place.exchanges == 1


async def test_a_failed_exchange_is_tried_anew(place: Place) -> None:
    upstream, user = place.upstream(), place.user()
    place.issuer.fail(place.issuer.token_path, 500)
    failed = await asyncio.gather(*(upstream.authorization(user, ARM) for _ in range(3)), return_exceptions=True)
    assert [type(failure) for failure in failed] == [Refusal] * 3
    place.issuer.heal()
    assert claims_of(await upstream.authorization(user, ARM))["oid"] == USER


@pytest.mark.parametrize(("left", "exchanges"), [(301, 1), (299, 2)])
async def test_a_token_is_replaced_five_minutes_before_it_expires(place: Place, left: int, exchanges: int) -> None:
    upstream, user = place.upstream(), place.user()
    await upstream.authorization(user, ARM)
    place.clock.now += place.entra.lifetime - left
    await upstream.authorization(user, ARM)
    assert place.exchanges == exchanges


async def test_the_proof_of_the_app_is_replaced_in_time(on_azure: Place) -> None:
    upstream = on_azure.upstream(on_azure=True)
    await upstream.authorization(on_azure.user(), ARM)
    on_azure.clock.now += on_azure.entra.lifetime
    await upstream.authorization(on_azure.user(), ARM)
    assert on_azure.issuer.count(IDENTITY_PATH) == 2


SUBJECTS = st.sampled_from(["ada", "bob", ""])


@settings(max_examples=25, deadline=None)
@given(asked=st.lists(st.tuples(SUBJECTS, st.sampled_from([ARM, VAULT, "api://ours/x"])), min_size=1, max_size=8))
async def test_nobody_ever_gets_the_token_of_another(asked: list[tuple[str, str]]) -> None:
    async with open_place() as place:
        upstream, users = place.upstream(), {subject: place.user(subject) for subject, _ in asked}
        answers = await asyncio.gather(*(upstream.authorization(users[subject], scope) for subject, scope in asked))
        for (subject, scope), answer in zip(asked, answers, strict=True):
            assert claims_of(answer)["oid"] == subject
            assert claims_of(answer)["aud"] == scope.removesuffix("/.default")
        assert place.exchanges == len(set(asked))


async def test_of_many_tokens_those_used_last_are_kept() -> None:
    asked: list[str] = []

    async def ask(scope: str) -> AccessToken:
        asked.append(scope)
        return AccessToken(scope, 10_000)

    cache = TokenCache(lambda: 0, largest=2)
    for scope in "abacab":
        assert (await cache.token(Purpose("tenant", scope), partial(ask, scope))).token == scope
    assert asked == ["a", "b", "c", "b"]


async def test_a_new_sign_in_of_the_same_user_is_exchanged_anew(place: Place) -> None:
    upstream = place.upstream()
    answers = {await upstream.authorization(place.user(), ARM) for _ in range(2)}
    assert len(answers) == place.exchanges == 2


@pytest.mark.parametrize("kind", [Kind.USER, Kind.APP])
@pytest.mark.parametrize("tenant", ["", "0000aaaa-0000-4000-8000-00000000bbbb"])
async def test_no_token_is_ever_asked_for_a_member_of_another_tenant(place: Place, kind: Kind, tenant: str) -> None:
    with pytest.raises(Refusal, match="its own tenant"):
        await place.upstream(allowed=True).authorization(place.user(tenant=tenant, kind=kind), ARM)
    assert place.issuer.requests == []


# What Entra ID may say instead


async def test_a_request_for_more_claims_goes_back_to_the_client(place: Place) -> None:
    place.entra.refuse(50076, "interaction_required", claims=CLAIMS, suberror="basic_action")
    with pytest.raises(Denial) as denied:
        await place.upstream().authorization(place.user(), ARM)
    assert (denied.value.error, denied.value.claims, denied.value.status) == ("insufficient_claims", CLAIMS, 401)


@pytest.mark.parametrize("code", [500133, 50013, 50076, 50173])
async def test_a_sign_in_that_serves_no_more_is_denied(place: Place, code: int) -> None:
    place.entra.refuse(code)
    with pytest.raises(Denial, match=f"AADSTS{code}, trace {TRACE}") as denied:
        await place.upstream().authorization(place.user(), ARM)
    assert (denied.value.error, denied.value.status) == ("invalid_token", 401)


async def test_an_expired_assertion_is_denied(place: Place) -> None:
    user = place.user(token=place.issuer.token(exp=int(time.time()) - 60))
    with pytest.raises(Denial, match="AADSTS500133"):
        await place.upstream().authorization(user, ARM)


@pytest.mark.parametrize(
    ("code", "error", "told"),
    [
        (65001, "invalid_grant", f"has to consent to that permission for the application {AUDIENCE}"),
        (7000114, "invalid_grant", "one of an application itself"),
        (7000222, "invalid_client", "check its client secret or its federated credential"),
        (700213, "invalid_client", "check its client secret or its federated credential"),
        (53003, "invalid_grant", "gives no token for https://management.azure.com"),
        (500011, "invalid_resource", "gives no token for https://management.azure.com"),
    ],
)
async def test_who_can_mend_it_is_told(place: Place, code: int, error: str, told: str) -> None:
    place.entra.refuse(code, error)
    with pytest.raises(Refusal, match=told) as refused:
        await place.upstream().authorization(place.user(), ARM)
    assert str(refused.value).endswith(f"(AADSTS{code}, trace {TRACE}).")


async def test_a_secret_that_is_not_accepted_is_for_an_administrator(place: Place) -> None:
    with pytest.raises(Refusal, match="check its client secret"):
        await place.upstream(place.registration(client_secret=SECRET[1:])).authorization(place.user(), ARM)


BROKEN = [
    web.Response(text="<html>Sign in</html>", content_type="text/html"),
    web.json_response(text='{"access_token": '),
    web.json_response(["access_token"]),
    web.json_response({"token_type": "Bearer", "expires_in": 3600}),
    web.json_response({"access_token": "abc", "expires_in": "soon"}),
    web.json_response({"access_token": "a\r\nHost: b", "expires_in": 3600}),
    web.json_response({"access_token": {}, "expires_in": 3600}),
    web.json_response(text="[" * 100_000),
    web.json_response({"error": {"code": 7}}, status=400),
    web.json_response({"error": "temporarily_unavailable"}, status=400),
    web.json_response(["error"], status=400),
    web.Response(text="nonsense", status=400),
    web.Response(status=503),
    web.Response(status=302, headers={"Location": "/elsewhere"}),
    web.Response(status=429, headers={"Retry-After": "60"}),
]


@pytest.mark.parametrize("answer", BROKEN)
async def test_an_answer_that_is_none_is_worth_another_try(place: Place, answer: web.Response) -> None:
    place.entra.answer = answer
    with pytest.raises(Refusal, match="Try again"):
        await place.upstream().authorization(place.user(), ARM)
    assert place.exchanges == 1


@pytest.mark.parametrize("status", [500, None])
async def test_a_failing_token_endpoint_is_worth_another_try(place: Place, status: int | None) -> None:
    place.issuer.fail(place.issuer.token_path, status)
    with pytest.raises(Refusal, match="Try again"):
        await place.upstream().authorization(place.user(), ARM)


async def test_an_exchange_does_not_take_for_ever(place: Place) -> None:
    place.entra.stalled = True
    exchange = OnBehalfOf(place.registration(), place.clock, patience=0.05)
    with pytest.raises(Refusal, match="Try again"):
        await exchange.token(place.user().token, ARM, {})


@pytest.mark.parametrize("trace", ["x" * 36, "<script>", {"a": 1}, None, "a" * 10_000])
async def test_only_what_can_be_looked_up_is_repeated_of_an_answer(place: Place, trace: Any) -> None:
    place.entra.refuse(53003, trace_id=trace, error_codes=[53003, "marked", None])
    with pytest.raises(Refusal) as refused:
        await place.upstream().authorization(place.user(), ARM)
    assert str(refused.value).endswith("(AADSTS53003).")


# With the app's own identity

UNDELEGATED = [Caller(Kind.APP, tenant=TENANT, subject="app", token="its-token"), KEY_CALLER]  # noqa: S106


@pytest.mark.parametrize("caller", UNDELEGATED)
async def test_the_own_identity_is_used_where_that_is_allowed(on_azure: Place, caller: Caller) -> None:
    upstream = on_azure.upstream(on_azure=True, allowed=True)
    answers = [await upstream.authorization(caller, ARM) for _ in range(2)]
    assert claims_of(answers[0]) == claims_of(answers[1])
    assert (claims_of(answers[0])["sub"], claims_of(answers[0])["aud"]) == (PRINCIPAL, "https://management.azure.com")
    assert len(on_azure.issuer.requests) == 1


@pytest.mark.parametrize("caller", UNDELEGATED)
async def test_the_own_identity_is_refused_where_it_is_not_allowed(on_azure: Place, caller: Caller) -> None:
    with pytest.raises(Refusal, match="UPSTREAM_OWN_IDENTITY"):
        await on_azure.upstream(on_azure=True).authorization(caller, ARM)
    assert on_azure.issuer.requests == []


async def test_a_service_that_knows_no_users_is_called_with_the_own_identity(on_azure: Place) -> None:
    upstream, user = on_azure.upstream(on_azure=True, allowed=True), on_azure.user()
    assert claims_of(await upstream.authorization(user, ARM, delegable=False))["sub"] == PRINCIPAL
    with pytest.raises(Refusal, match="UPSTREAM_OWN_IDENTITY"):
        await on_azure.upstream(on_azure=True).authorization(user, ARM, delegable=False)


@pytest.mark.parametrize("allowed", [True, False])
async def test_a_user_who_cannot_be_represented_is_never_the_app_instead(on_azure: Place, allowed: bool) -> None:
    without_client = on_azure.upstream(Registration(), on_azure=True, allowed=allowed)
    without_token = replace(on_azure.user(), token="")
    for upstream, user in (
        (without_client, on_azure.user(tenant="")),
        (on_azure.upstream(on_azure=True, allowed=allowed), without_token),
    ):
        with pytest.raises(Refusal, match="no way to act on your behalf"):
            await upstream.authorization(user, ARM)
    assert on_azure.issuer.requests == []


@pytest.mark.parametrize("allowed", [True, False])
async def test_on_azure_nobody_in_particular_gets_nothing(on_azure: Place, allowed: bool) -> None:
    with pytest.raises(Refusal, match="Sign in"):
        await on_azure.upstream(on_azure=True, allowed=allowed).authorization(ANONYMOUS, ARM)
    assert on_azure.issuer.requests == []


@pytest.mark.parametrize("status", [400, None])
async def test_a_managed_identity_that_gets_no_token_is_told_in_words(on_azure: Place, status: int | None) -> None:
    on_azure.issuer.fail(IDENTITY_PATH, status)
    with pytest.raises(Refusal, match="managed identity of this server gets no token"):
        await on_azure.upstream(on_azure=True, allowed=True).authorization(KEY_CALLER, ARM)


# On a laptop

TOKEN = "developers-token"  # noqa: S105 - not one
SIGNED_IN = f"""echo '{{"accessToken": "{TOKEN}", "expires_on": 4102444800, "tenant": "t"}}'; echo "$@" >> "$0.log" """
NOT_SIGNED_IN = "echo \"Please run 'az login' to set up an account.\" >&2; exit 1"


def put_cli(folder: Path, monkeypatch: pytest.MonkeyPatch, **scripts: str) -> None:
    for name, script in scripts.items():
        (folder / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


async def test_on_a_laptop_the_developer_who_is_signed_in_calls(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_cli(tmp_path, monkeypatch, az=SIGNED_IN)
    upstream = place.upstream()
    answers = [await upstream.authorization(ANONYMOUS, ARM) for _ in range(2)]
    assert answers == [f"Bearer {TOKEN}"] * 2
    assert len((tmp_path / "az.log").read_text(encoding="utf-8").splitlines()) == 1


@pytest.mark.parametrize("scripts", [{}, {"az": NOT_SIGNED_IN}, {"az": "echo nonsense"}, {"azd": "exit 1"}])
async def test_a_developer_is_told_to_sign_in(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scripts: dict[str, str]
) -> None:
    put_cli(tmp_path, monkeypatch, **scripts)
    with pytest.raises(Refusal, match="az login"):
        await place.upstream().authorization(ANONYMOUS, ARM)


async def test_a_laptop_without_the_apps_secret_acts_for_no_user(place: Place) -> None:
    with pytest.raises(Refusal, match="client secret"):
        await place.upstream(place.registration(client_secret="")).authorization(place.user(), ARM)


# As the clients of Azure SDKs use it, and when a service answers with a challenge


def challenge_of(claims: str) -> str:
    encoded = b64encode(claims.encode()).decode()
    uri = "https://login.microsoftonline.com/common/oauth2/authorize"
    return f'Bearer realm="", authorization_uri="{uri}", error="insufficient_claims", claims="{encoded}"'


class PlainTransport(HastyTransport):
    """Lets a bearer token go over plain HTTP, which the policy under test allows nowhere."""

    async def send(self, request: Any, **options: Any) -> Any:
        request.url = request.url.replace("https:", "http:")
        return await super().send(request, **options)


@asynccontextmanager
async def service(challenge: str = "") -> AsyncIterator[tuple[str, list[str]]]:
    seen: list[str] = []

    async def handle(request: web.BaseRequest) -> web.Response:
        seen.append(request.headers["Authorization"])
        if challenge:
            return web.json_response({}, status=401, headers={"WWW-Authenticate": challenge})
        return web.json_response({})

    runner = web.ServerRunner(web.Server(handle), shutdown_timeout=0)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"https://127.0.0.1:{runner.addresses[0][1]}", seen
    finally:
        await runner.cleanup()


def client_of(url: str, credential: AsyncTokenCredential) -> RestClient:
    policy = AsyncBearerTokenCredentialPolicy[HttpRequest, Any](credential, ARM)
    return RestClient(url, authentication=policy, transport=PlainTransport())


async def test_clients_of_azure_sdks_call_as_the_caller(place: Place) -> None:
    async with (
        place.upstream().credential(place.user()) as credential,
        service() as (url, seen),
        client_of(url, credential) as client,
    ):
        await client.get("/x")
    assert claims_of(seen[0])["oid"] == USER


async def test_a_services_challenge_goes_back_to_the_client(place: Place) -> None:
    credential = place.upstream().credential(place.user())
    async with service(challenge_of(CLAIMS)) as (url, seen), client_of(url, credential) as client:
        with pytest.raises(Denial) as denied:
            await client.get("/x")
    assert (denied.value.error, denied.value.claims) == ("insufficient_claims", CLAIMS)
    assert len(seen) == 1


async def test_a_challenge_that_the_own_identity_cannot_meet_stays_here(on_azure: Place) -> None:
    credential = on_azure.upstream(on_azure=True, allowed=True).credential(KEY_CALLER)
    async with service(challenge_of(CLAIMS)) as (url, seen), client_of(url, credential) as client:
        with pytest.raises(ClientAuthenticationError):
            await client.get("/x")
    assert len(set(seen)) == 2


@pytest.mark.parametrize(
    "header",
    [
        challenge_of(CLAIMS),
        challenge_of(CLAIMS).rstrip('="') + '"',
        f"PoP error=x, nonce=y, {challenge_of(CLAIMS)}",
        f'{challenge_of(CLAIMS)}, Basic realm="claims"',
    ],
)
def test_a_challenge_is_read_from_its_header(header: str) -> None:
    denial = claims_challenge(header)
    assert denial
    assert json.loads(denial.claims) == json.loads(CLAIMS)


@pytest.mark.parametrize(
    "header",
    [
        "",
        "Bearer",
        'Bearer error="invalid_token"',
        'Bearer error="insufficient_claims"',
        'Bearer error="insufficient_claims", claims="%%%"',
        'Bearer error="insufficient_claims", claims="/w=="',
        challenge_of("no json"),
        challenge_of(CLAIMS).replace("Bearer", "PoP"),
        'Bearer error="insufficient_claims", claims="' + "A" * 100_000,
    ],
)
def test_what_is_no_challenge_is_none(header: str) -> None:
    assert claims_challenge(header) is None


@given(header=st.text() | st.text('Bearer error=insufficient_claims," '))
def test_no_header_can_break_the_reading(header: str) -> None:
    claims_challenge(header)


# Nothing tells a secret


async def test_no_secret_is_ever_told(on_azure: Place, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    user, told = on_azure.user(), [""]
    for secret in ("", SECRET):
        on_azure.entra.client_secret = secret
        upstream = on_azure.upstream(on_azure=True, allowed=True)
        told += [
            repr(upstream),
            repr(upstream.credential(user)),
            repr(on_azure.registration()),
            repr(upstream.__dict__),
        ]
        await upstream.authorization(user, ARM)
        await upstream.authorization(KEY_CALLER, VAULT)
        for answer in BROKEN:
            on_azure.entra.answer = answer
            told += [await told_by(upstream, on_azure.user())]
        on_azure.entra.refuse(53003, error_description=f"{user.token} {SECRET}")
        told += [await told_by(upstream, on_azure.user())]
        on_azure.entra.answer = None
    on_azure.entra.header = "another"
    told += [await told_by(on_azure.upstream(on_azure=True, allowed=True), KEY_CALLER)]
    everything = "\n".join([*told, caplog.text])
    sent = [value for seen in on_azure.issuer.requests for value in (seen.form.get("assertion"), SECRET) if value]
    headers = [value for seen in on_azure.issuer.requests if (value := seen.headers.get("X-IDENTITY-HEADER"))]
    assert [secret for secret in [*sent, *headers, *on_azure.entra.given] if secret in everything] == []


async def told_by(upstream: Upstream, caller: Caller) -> str:
    try:
        return repr(await upstream.authorization(caller, ARM))
    except (Refusal, Denial) as failure:
        return "".join(traceback.format_exception(failure)) + repr(failure)
