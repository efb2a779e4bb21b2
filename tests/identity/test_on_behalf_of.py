"""Calling a service on behalf of the user who signed in."""

from __future__ import annotations

import asyncio
import time
from functools import partial
from typing import Any

import pytest
from aiohttp import web
from azure.core.credentials import AccessToken
from hypothesis import given, settings
from hypothesis import strategies as st

from identity.caller import Agent, CallerKind
from identity.denial import Denial
from identity.on_behalf_of import OnBehalfOf
from identity.token_cache import Purpose, TokenCache
from refusal import Refusal
from tests.fakes.issuer import AUDIENCE, TENANT, USER
from tests.fakes.upstream_identity import IDENTITY_PATH, TRACE
from tests.identity.place import ARM, BROKEN, CLAIMS, SECRET, VAULT, Place, claims_of, open_place
from tests.sweeps import examples

pytestmark = pytest.mark.anyio


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


@settings(max_examples=examples(25), deadline=None)
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


@pytest.mark.parametrize("kind", [CallerKind.USER, CallerKind.APP])
@pytest.mark.parametrize("tenant", ["", "0000aaaa-0000-4000-8000-00000000bbbb"])
async def test_no_token_is_ever_asked_for_a_member_of_another_tenant(
    place: Place, kind: CallerKind, tenant: str
) -> None:
    with pytest.raises(Refusal, match="its own tenant"):
        await place.upstream(allowed=True).authorization(place.user(tenant=tenant, kind=kind), ARM)
    assert place.issuer.requests == []


async def test_a_tenant_in_capitals_is_the_same(place: Place) -> None:
    capitals = TENANT.upper()
    for upstream, user in (
        (place.upstream(), place.user(tenant=capitals)),
        (place.upstream(place.registration(tenant=capitals)), place.user()),
    ):
        assert claims_of(await upstream.authorization(user, ARM))["oid"] == USER


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
        (65001, "invalid_grant", f"to grant this permission to the application {AUDIENCE}"),
        (7000114, "invalid_grant", "belongs to an application"),
        (7000222, "invalid_client", "check the application's client secret, or the federated credential"),
        (700213, "invalid_client", "check the application's client secret, or the federated credential"),
        (53003, "invalid_grant", "issued no token for https://management.azure.com"),
        (500011, "invalid_resource", "issued no token for https://management.azure.com"),
    ],
)
async def test_who_can_mend_it_is_told(place: Place, code: int, error: str, told: str) -> None:
    place.entra.refuse(code, error)
    with pytest.raises(Refusal, match=told) as refused:
        await place.upstream().authorization(place.user(), ARM)
    assert str(refused.value).endswith(f"(AADSTS{code}, trace {TRACE}).")


async def test_a_service_is_called_on_behalf_of_a_person_for_whom_an_agent_asks(place: Place) -> None:
    agent = place.user(agent=Agent("night-agent"))
    assert claims_of(await place.upstream().authorization(agent, ARM))["oid"] == USER


@pytest.mark.parametrize("code", [53003, 500011, 82001])
async def test_where_entra_passes_nothing_on_for_an_agent_that_is_told(place: Place, code: int) -> None:
    place.entra.refuse(code)
    with pytest.raises(
        Refusal, match=r"Agent night-agent acts for a person.* on behalf of this person\. The person can call"
    ) as refused:
        await place.upstream().authorization(place.user(agent=Agent("night-agent")), ARM)
    assert str(refused.value).endswith(f"(AADSTS{code}, trace {TRACE}).")


async def test_a_secret_that_is_not_accepted_is_for_an_administrator(place: Place) -> None:
    with pytest.raises(Refusal, match="check the application's client secret"):
        await place.upstream(place.registration(client_secret=SECRET[1:])).authorization(place.user(), ARM)


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
