from __future__ import annotations

import asyncio
import string
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from identity.admission import Admission
from identity.bearer import BearerTokens
from identity.caller import Caller, CallerKind
from identity.keys import IssuerKeys, KeysUnavailable
from identity.sign_in import BearerSignIn
from refusal import Refusal
from tests.fakes.issuer import AUDIENCE, CLIENT, LIFETIME, SCOPE, TENANT, USER, Issuer, issuing
from tests.identity.clock import Clock
from tests.identity.denials import denied
from tests.identity.forgeries import BEYOND_HTTP, FORGERIES, Forgery
from tests.identity.forging import ATTACKERS_SITE, OTHER_TENANT, bearing, elliptic_token, signed_as
from tests.sweeps import Sweep, examples

pytestmark = pytest.mark.anyio

API = "api://team-mcp"
TERMS = Admission.of([AUDIENCE, API], SCOPE, [TENANT])

slowly = settings(
    deadline=None, max_examples=examples(200), suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def tokens_of(issuer: Issuer, admission: Admission = TERMS, **options: Any) -> BearerTokens:
    return BearerTokens(IssuerKeys(issuer.url), admission, **options)


@pytest.fixture
def sign_in(issuer: Issuer) -> BearerSignIn:
    return BearerSignIn(tokens_of(issuer))


def test_every_forgery_has_its_own_name() -> None:
    names = [forgery.name for forgery in [*FORGERIES, *BEYOND_HTTP]]
    assert len(set(names)) == len(names) >= 120


@Sweep("forgery", [*FORGERIES, *BEYOND_HTTP], ids=lambda forgery: forgery.name, every=2)
async def test_what_is_forged_or_misused_is_refused(sign_in: BearerSignIn, issuer: Issuer, forgery: Forgery) -> None:
    assert (await sign_in.caller(bearing(issuer.token()))).subject == USER  # it is no other trouble that refuses it
    denial = await denied(sign_in.caller(forgery.headers(issuer)))
    assert (denial.status, denial.error) == (forgery.status, forgery.error)
    assert forgery.reason in denial.description


GENUINE: dict[str, Callable[[Issuer], str]] = {
    "of a user": lambda issuer: issuer.token(),
    "by an elliptic key": elliptic_token,
    "by PSS": lambda issuer: signed_as(issuer, "PS256"),
    "of the type for access tokens": lambda issuer: issuer.token(header={"typ": "at+jwt"}),
    "of that type in full": lambda issuer: issuer.token(header={"typ": "application/at+JWT"}),
    "with the thumbprint of the certificate": lambda issuer: issuer.token(header={"x5t": "thumbprint"}),
    "with an address of keys that nobody asks": lambda issuer: issuer.token(header={"jku": ATTACKERS_SITE}),
    "for several resources": lambda issuer: issuer.token(aud=["https://other.example.com", AUDIENCE]),
    "for the resource by its address": lambda issuer: issuer.token(aud=API),
    "with several scopes": lambda issuer: issuer.token(scp=f"User.Read {SCOPE}"),
    "with a list of scopes": lambda issuer: issuer.token(scp=["User.Read", SCOPE]),
    "with scopes by their other name": lambda issuer: issuer.token(without=["scp"], scope=f"openid {SCOPE}"),
    "with the scope in full": lambda issuer: issuer.token(scp=f"{API}/{SCOPE}"),
    "with times that are no whole numbers": lambda issuer: issuer.token(exp=time.time() + 600.5),
    "without the time from which it is valid": lambda issuer: issuer.token(without=["nbf"]),
    "expired a moment ago": lambda issuer: issuer.token(exp=time.time() - 20),
    "issued in a moment": lambda issuer: issuer.token(iat=time.time() + 20, nbf=time.time() + 20),
    "with the tenant in upper case": lambda issuer: issuer.token(tid=TENANT.upper()),
    "said to be that of a user": lambda issuer: issuer.token(idtyp="user"),
}


@pytest.mark.parametrize("make", GENUINE.values(), ids=GENUINE)
async def test_a_genuine_token_is_accepted(
    sign_in: BearerSignIn, issuer: Issuer, make: Callable[[Issuer], str]
) -> None:
    caller = await sign_in.caller(bearing(make(issuer)))
    assert (caller.kind, caller.subject) == (CallerKind.USER, USER)


NOW = 1_800_000_000
MONTH = 31 * 86_400


@pytest.mark.parametrize(
    ("times", "refusal"),
    [
        ({"exp": NOW - 59}, ""),
        ({"exp": NOW - 60}, "has expired"),
        ({"iat": NOW + 60, "nbf": NOW}, ""),
        ({"iat": NOW + 61, "nbf": NOW}, "not valid yet"),
        ({"nbf": NOW + 60}, ""),
        ({"nbf": NOW + 61}, "not valid yet"),
        ({"exp": NOW + MONTH}, ""),
        ({"exp": NOW + MONTH + 1}, "lifetime is too long"),
        ({"iat": 0}, ""),
        ({"iat": -1}, "not a time"),
        ({"iat": 2**53}, "not a time"),
        ({"iat": 2**53 - 1}, "not valid yet"),
        ({"auth_time": 2**53 - 1}, ""),
        ({"auth_time": 2**53}, "not a time"),
    ],
)
async def test_a_token_is_accepted_up_to_a_minute_around_its_life(
    issuer: Issuer, times: dict[str, int], refusal: str
) -> None:
    tokens = tokens_of(issuer, clock=lambda: NOW)
    claims: dict[str, Any] = {"iat": NOW, "nbf": NOW, "exp": NOW + 600, **times}
    token = issuer.token(**claims)
    if refusal:
        assert refusal in (await denied(tokens.caller(token))).description
    else:
        assert (await tokens.caller(token)).subject == USER


@pytest.mark.parametrize("algorithm", [None, 5, [], "none", "HS256", "ES256", "rs256"])
async def test_only_the_methods_of_a_key_sign(issuer: Issuer, algorithm: object) -> None:
    denial = await denied(tokens_of(issuer).caller(issuer.token(header={"alg": algorithm})))
    assert "unsupported algorithm" in denial.description


@pytest.mark.parametrize("kid", [None, 7, ["key"], {"kid": "key"}, "unknown"])
async def test_a_key_is_found_by_a_text_only(issuer: Issuer, kid: object) -> None:
    denial = await denied(tokens_of(issuer).caller(issuer.token(header={"kid": kid})))
    assert "not signed by a key" in denial.description


async def test_a_caller_is_what_the_token_says(sign_in: BearerSignIn, issuer: Issuer) -> None:
    token = issuer.token(scp=f"User.Read {SCOPE}", roles=["Mcp.Reader", "Mcp.Writer"])
    assert await sign_in.caller(bearing(token)) == Caller(
        CallerKind.USER,
        tenant=TENANT,
        subject=USER,
        client=CLIENT,
        issuer=issuer.url,
        roles=frozenset({"Mcp.Reader", "Mcp.Writer"}),
        scopes=frozenset({"User.Read", SCOPE}),
    )


async def test_the_token_of_a_user_is_kept_to_act_for_them(sign_in: BearerSignIn, issuer: Issuer) -> None:
    token = issuer.token()
    assert (await sign_in.caller(bearing(token))).token == token


@pytest.mark.parametrize("without", [(), ("idtyp",), ("oid",), ("idtyp", "oid")])
async def test_an_application_acts_for_itself(sign_in: BearerSignIn, issuer: Issuer, without: tuple[str, ...]) -> None:
    caller = await sign_in.caller(bearing(issuer.app_token(without=without)))
    assert (caller.kind, caller.subject, caller.client) == (CallerKind.APP, CLIENT, CLIENT)
    assert (caller.roles, caller.token) == (frozenset({"Mcp.Reader"}), "")


async def test_the_identity_of_an_application_in_a_tenant_is_its_subject(sign_in: BearerSignIn, issuer: Issuer) -> None:
    caller = await sign_in.caller(bearing(issuer.app_token(oid="principal", sub="principal", without=["idtyp"])))
    assert (caller.kind, caller.subject, caller.client) == (CallerKind.APP, "principal", CLIENT)


async def test_what_is_missing_is_named_in_full(sign_in: BearerSignIn, issuer: Issuer) -> None:
    denial = await denied(sign_in.caller(bearing(issuer.token(scp="User.Read"))))
    assert denial.scopes == (f"{API}/{SCOPE}",)


@pytest.mark.parametrize("scope", [SCOPE, f"api://other/{SCOPE}"])
async def test_a_scope_may_be_configured_in_full(issuer: Issuer, scope: str) -> None:
    tokens = tokens_of(issuer, Admission.of([AUDIENCE, "https://team.example.com"], scope))
    assert (await tokens.caller(issuer.token())).scopes == {SCOPE}
    assert (await denied(tokens.caller(issuer.token(scp="x")))).scopes == (scope,)


async def test_a_scope_that_is_in_full_is_not_made_longer(issuer: Issuer) -> None:
    assert Admission.of([AUDIENCE, API], f"{API}/{SCOPE}") == Admission.of([AUDIENCE, API], SCOPE)


async def test_another_issuer_names_people_and_clients_in_its_own_way() -> None:
    policy = "tfp/7e7a7700-0000-4000-8000-00000000cccc/b2c_1_sign_in"
    async with issuing(tenant=policy) as issuer:
        issuer.discovery["issuer"] = issuer.url + "/"
        token = issuer.token(
            without=["oid", "tid", "azp", "idtyp", "scp"],
            iss=issuer.url + "/",
            sub="ada",
            tfp="b2c_1_sign_in",
            client_id="portal",
            scope=SCOPE,
            roles="Mcp.Reader",
        )
        caller = await tokens_of(issuer, Admission.of([AUDIENCE], SCOPE)).caller(token)
    assert (caller.subject, caller.client, caller.tenant, caller.roles) == (
        "ada",
        "portal",
        "",
        frozenset({"Mcp.Reader"}),
    )


class TestAnIssuerForManyTenants:
    @staticmethod
    def tokens(issuer: Issuer, name: str = "organizations") -> BearerTokens:
        keys = IssuerKeys(f"{issuer.origin}/{name}/v2.0")
        return BearerTokens(keys, Admission.of([AUDIENCE], SCOPE, [TENANT.upper(), OTHER_TENANT]))

    @pytest.mark.parametrize("name", ["common", "organizations"])
    async def test_it_signs_for_each_tenant_that_is_allowed(self, issuer: Issuer, name: str) -> None:
        tokens, other = self.tokens(issuer, name), issuer.url.replace(TENANT, OTHER_TENANT)
        assert (await tokens.caller(issuer.token())).tenant == TENANT
        assert (await tokens.caller(issuer.token(iss=other, tid=OTHER_TENANT))).tenant == OTHER_TENANT

    async def test_a_tenant_cannot_name_another(self, issuer: Issuer) -> None:
        denial = await denied(self.tokens(issuer).caller(issuer.token(tid=OTHER_TENANT)))
        assert "issuer that this server does not trust" in denial.description

    async def test_a_tenant_that_is_not_allowed_is_refused(self, issuer: Issuer) -> None:
        third = "0def0000-0000-4000-8000-00000000dddd"
        token = issuer.token(iss=issuer.url.replace(TENANT, third), tid=third)
        assert "tenant" in (await denied(self.tokens(issuer).caller(token))).description

    @pytest.mark.parametrize("tenant", ["{tenantid}", "common", "organizations", ""])
    async def test_its_template_is_no_issuer(self, issuer: Issuer, tenant: str) -> None:
        token = issuer.token(iss=f"{issuer.origin}/{tenant}/v2.0", tid=tenant or "x")
        await denied(self.tokens(issuer).caller(token))

    async def test_a_key_for_one_tenant_signs_for_no_other(self, issuer: Issuer) -> None:
        issuer.keys[0]["issuer"] = issuer.url.replace(TENANT, OTHER_TENANT)
        issuer.keys[1]["issuer"] = f"{issuer.origin}/{{tenantid}}/v2.0"
        tokens = self.tokens(issuer)
        await denied(tokens.caller(issuer.token()))
        assert (await tokens.caller(elliptic_token(issuer))).tenant == TENANT

    async def test_nobody_is_served_unless_the_tenants_are_named(self, issuer: Issuer) -> None:
        with pytest.raises(Refusal, match="all tenants"):
            BearerTokens(IssuerKeys(f"{issuer.origin}/common/v2.0"), Admission.of([AUDIENCE], SCOPE))


class TestRemembering:
    async def test_a_token_is_verified_once(self, issuer: Issuer) -> None:
        tokens, token = tokens_of(issuer), issuer.token()
        assert await tokens.caller(token) is await tokens.caller(token)

    async def test_a_token_is_not_remembered_beyond_its_expiry(self, issuer: Issuer) -> None:
        clock = Clock(time.time())
        tokens, token = tokens_of(issuer, clock=clock), issuer.token()
        before = await tokens.caller(token)
        clock.now += LIFETIME + 10
        assert await tokens.caller(token) is not before  # for a moment, clocks may differ
        clock.now += 60
        assert "expired" in (await denied(tokens.caller(token))).description

    async def test_a_token_is_verified_anew_from_the_second_of_its_expiry(self, issuer: Issuer) -> None:
        clock = Clock(NOW)
        tokens, token = tokens_of(issuer, clock=clock), issuer.token(iat=NOW, nbf=NOW, exp=NOW + 600)
        remembered = await tokens.caller(token)
        clock.now = NOW + 599.9
        assert await tokens.caller(token) is remembered
        clock.now = NOW + 600
        assert await tokens.caller(token) is not remembered

    async def test_a_token_is_not_remembered_when_its_key_is_withdrawn(self, issuer: Issuer) -> None:
        clock = Clock()
        tokens = BearerTokens(IssuerKeys(issuer.url, clock=clock), TERMS)
        old = issuer.token()
        await tokens.caller(old)
        issuer.rotate()
        clock.now += 61
        await tokens.caller(issuer.token())
        assert "not signed by a key" in (await denied(tokens.caller(old))).description

    async def test_a_token_is_verified_anew_when_its_key_is_replaced(self, issuer: Issuer) -> None:
        clock = Clock()
        tokens = BearerTokens(IssuerKeys(issuer.url, clock=clock), TERMS)
        old, kid = issuer.token(), issuer.key.kid
        await tokens.caller(old)
        issuer.rotate()
        issuer.keys.append({**issuer.keys[0], "kid": kid})
        clock.now += 61
        await tokens.caller(issuer.token())
        assert "signature" in (await denied(tokens.caller(old))).description

    async def test_of_many_tokens_the_latest_thousand_are_remembered(self, issuer: Issuer) -> None:
        tokens = tokens_of(issuer)
        first, second = issuer.token(), issuer.token()
        callers = [await tokens.caller(first), await tokens.caller(second)]
        for _ in range(998):
            await tokens.caller(elliptic_token(issuer))
        assert await tokens.caller(first) is callers[0]
        await tokens.caller(issuer.token())
        assert await tokens.caller(first) is callers[0]
        assert await tokens.caller(second) is not callers[1]

    async def test_what_was_refused_is_not_remembered(self, issuer: Issuer) -> None:
        clock = Clock(time.time())
        tokens, token = tokens_of(issuer, clock=clock), issuer.token(nbf=int(time.time()) + 600)
        await denied(tokens.caller(token))
        clock.now += 600
        assert (await tokens.caller(token)).subject == USER


async def test_a_good_token_is_not_refused_while_keys_cannot_be_read(issuer: Issuer) -> None:
    issuer.fail("/")
    with pytest.raises(KeysUnavailable) as caught:
        await tokens_of(issuer).caller(issuer.token())
    assert caught.value.retry_after > 0


async def test_tokens_of_many_callers_do_not_mix(issuer: Issuer) -> None:
    tokens = tokens_of(issuer)
    presented = [issuer.token(oid=f"user-{number}") for number in range(40)] * 2
    callers = await asyncio.gather(*map(tokens.caller, presented))
    assert [caller.subject for caller in callers] == [f"user-{number}" for number in range(40)] * 2


ALPHABET = string.ascii_letters + string.digits + "-_.=~+/ ,"


@slowly
@given(place=st.floats(0, 1, exclude_max=True), cut=st.integers(0, 3), put=st.text(ALPHABET, max_size=3))
async def test_a_token_changed_anywhere_is_never_accepted(
    sign_in: BearerSignIn, issuer: Issuer, place: float, cut: int, put: str
) -> None:
    token = GENUINE["with the thumbprint of the certificate"](issuer)
    begin = int(place * len(token))
    changed = token[:begin] + put + token[begin + cut :]
    if changed.strip() != token:
        assert (await denied(sign_in.caller(bearing(changed)))).status in {400, 401}


@slowly
@given(parts=st.permutations([0, 1, 2, 3, 4, 5]))
async def test_parts_of_tokens_put_together_anew_are_never_accepted(
    sign_in: BearerSignIn, issuer: Issuer, parts: list[int]
) -> None:
    pieces = [*issuer.token(jti="a").split("."), *issuer.token(jti="b").split(".")]
    # The headers of both are the same.
    if parts[0] in {0, 3} and parts[1:3] in ([1, 2], [4, 5]):
        return
    mixed = ".".join(pieces[part] for part in parts[:3])
    assert (await denied(sign_in.caller(bearing(mixed)))).status == 401


@slowly
@given(
    value=st.text() | st.text(ALPHABET).map("Bearer ".__add__) | st.binary().map(lambda data: data.decode("latin-1"))
)
async def test_garbage_is_denied_and_breaks_nothing(sign_in: BearerSignIn, value: str) -> None:
    assert (await denied(sign_in.caller({"authorization": value}))).status in {400, 401}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)
DECISIVE = ["aud", "iss", "exp", "iat", "tid"]


@slowly
@given(claims=st.dictionaries(st.sampled_from(DECISIVE), JSON, min_size=1))
async def test_claims_of_any_kind_are_denied_and_break_nothing(
    sign_in: BearerSignIn, issuer: Issuer, claims: dict[str, Any]
) -> None:
    times = {"exp", "iat"}
    if claims.keys() <= times and all(isinstance(value, int | float) for value in claims.values()):
        return  # such a time may be a good one
    assert (await denied(sign_in.caller(bearing(issuer.token(**claims))))).status == 401


@slowly
@given(header=st.dictionaries(st.sampled_from(["kid", "alg", "typ"]), JSON, min_size=1))
async def test_headers_of_any_kind_are_denied_and_break_nothing(
    sign_in: BearerSignIn, issuer: Issuer, header: dict[str, Any]
) -> None:
    assert (await denied(sign_in.caller(bearing(issuer.token(header=header))))).status == 401
