from __future__ import annotations

import json
import subprocess
import sys
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from identity.admission import Admission
from identity.caller import ANONYMOUS, Caller, CallerKind
from identity.denial import Denial
from identity.door import NoSignIn
from identity.platform_sign_in import PlatformSignIn
from identity.sign_in import BearerSignIn, KeySignIn
from tests.fakes.issuer import CLIENT, SCOPE, TENANT, USER, Issuer
from tests.identity.denials import denied
from tests.identity.forgeries import ABSENT, MISPLACED
from tests.identity.forging import OTHER_TENANT, bearing
from tests.identity.principals import principal, principal_headers

pytestmark = pytest.mark.anyio

TERMS = Admission.of([], SCOPE, [TENANT])
PLATFORM = PlatformSignIn(TERMS, is_on=True)
OFFLINE = Issuer("https://login.example.com")
ROLE = "http://schemas.microsoft.com/ws/2008/06/identity/claims/role"
ISSUER = f"https://login.microsoftonline.com/{TENANT}/v2.0"


class Believing:
    """Takes every token for a proof."""

    async def caller(self, token: str) -> Caller:
        return Caller(CallerKind.USER, subject=token)


@pytest.mark.parametrize("value", ["Bearer a.b.c", "bearer a.b.c", "BEARER a.b.c", "Bearer   a.b.c", " Bearer a.b.c\t"])
async def test_a_token_comes_in_its_header(value: str) -> None:
    assert (await BearerSignIn(Believing()).caller({"authorization": value})).subject == "a.b.c"


@pytest.mark.parametrize("write", MISPLACED.values(), ids=MISPLACED)
async def test_what_is_not_exactly_one_token_is_a_bad_request(write: Callable[[str], dict[str, str]]) -> None:
    denial = await denied(BearerSignIn(Believing()).caller(write(OFFLINE.token())))
    assert (denial.status, denial.error) == (400, "invalid_request")


@pytest.mark.parametrize("write", ABSENT.values(), ids=ABSENT)
async def test_without_a_token_in_its_header_nothing_was_presented(write: Callable[[str], dict[str, str]]) -> None:
    denial = await denied(BearerSignIn(Believing()).caller(write(OFFLINE.token())))
    assert (denial.status, denial.error) == (401, "")


@pytest.mark.parametrize(("auth_time", "at"), [("1800000000", 1_800_000_000), (1_800_000_000, 1_800_000_000), ("0", 0)])
async def test_app_service_tells_when_the_user_signed_in(auth_time: object, at: float) -> None:
    caller = await PLATFORM.caller(principal_headers(principal(("auth_time", auth_time))))
    assert caller.signed_in_at == at


@pytest.mark.parametrize("auth_time", ["soon", "", "-1", "1.5", "\u0661", "1 ", "9" * 20, None, True, [1]])
async def test_what_is_no_time_of_a_sign_in_is_refused(auth_time: object) -> None:
    with pytest.raises(Denial):
        await PLATFORM.caller(principal_headers(principal(("auth_time", auth_time))))


@pytest.mark.parametrize("headers", [principal_headers(), bearing(OFFLINE.token()), {"x-functions-key": "x"}])
async def test_where_nobody_signs_in_everybody_is_anonymous(headers: dict[str, str]) -> None:
    assert await NoSignIn().caller(headers) is ANONYMOUS


@pytest.mark.parametrize("headers", [{}, principal_headers(), bearing(OFFLINE.token())])
async def test_whoever_has_the_key_has_its_role(headers: dict[str, str]) -> None:
    assert await KeySignIn("Reader").caller(headers) == Caller(CallerKind.KEY, roles=frozenset({"Reader"}))


class TestAppServiceAuthentication:
    async def test_a_user_is_who_the_platform_says(self) -> None:
        headers = principal_headers(principal((ROLE, "Mcp.Reader"), ("roles", "Mcp.Writer")))
        assert await PLATFORM.caller(headers) == Caller(
            CallerKind.USER,
            tenant=TENANT,
            subject=USER,
            client=CLIENT,
            issuer=ISSUER,
            roles=frozenset({"Mcp.Reader", "Mcp.Writer"}),
            scopes=frozenset({SCOPE}),
        )

    async def test_claims_by_their_short_names_say_the_same(self) -> None:
        short = [("tid", TENANT), ("oid", USER), ("sub", "x"), ("scp", SCOPE), ("azp", CLIENT), ("iss", ISSUER)]
        document = {"auth_typ": "aad", "claims": [{"typ": name, "val": value} for name, value in short]}
        assert await PLATFORM.caller(principal_headers(document)) == await PLATFORM.caller(principal_headers())

    async def test_without_an_object_id_a_user_is_named_by_the_subject(self) -> None:
        headers = principal_headers(principal(without=("objectidentifier",)))
        assert (await PLATFORM.caller(headers)).subject == "pairwise-subject-of-ada"

    async def test_a_user_of_a_browser_needs_no_scope(self) -> None:
        headers = principal_headers(principal(without=("scope", "azp")))
        assert (await PLATFORM.caller(headers)).scopes == frozenset()

    async def test_an_application_needs_a_role(self) -> None:
        app = principal(("idtyp", "app"), without=("scope",))
        assert (await denied(PLATFORM.caller(principal_headers(app)))).error == "insufficient_scope"
        with_role = principal(("idtyp", "app"), ("roles", "Mcp.Reader"), without=("scope",))
        assert (await PLATFORM.caller(principal_headers(with_role))).kind is CallerKind.APP

    async def test_a_scope_that_will_not_do_is_not_enough(self) -> None:
        other = principal(("scp", "User.Read"), without=("scope",))
        assert (await denied(PLATFORM.caller(principal_headers(other)))).scopes == (SCOPE,)

    @pytest.mark.parametrize("name", ["authorization", "x-ms-token-aad-access-token"])
    async def test_the_users_token_is_kept_to_act_for_them(self, name: str) -> None:
        token = OFFLINE.token()
        value = f"Bearer {token}" if name == "authorization" else token
        assert (await PLATFORM.caller({**principal_headers(), name: value})).token == token

    async def test_the_token_sent_comes_before_the_one_stored(self) -> None:
        sent, stored = OFFLINE.token(), OFFLINE.token()
        headers = {**principal_headers(), **bearing(sent), "x-ms-token-aad-access-token": stored}
        assert (await PLATFORM.caller(headers)).token == sent

    @pytest.mark.parametrize("claims", [{"oid": "somebody-else"}, {"tid": OTHER_TENANT}])
    @pytest.mark.parametrize("name", ["authorization", "x-ms-token-aad-access-token"])
    async def test_nobody_acts_by_the_token_of_somebody_else(self, name: str, claims: dict[str, Any]) -> None:
        token = OFFLINE.token(**claims)
        value = f"Bearer {token}" if name == "authorization" else token
        denial = await denied(PLATFORM.caller({**principal_headers(), name: value}))
        assert "not belong to the signed-in caller" in denial.description

    @pytest.mark.parametrize(
        "headers", [{}, principal_headers(), bearing(OFFLINE.token()), {**principal_headers(), "x-ms-token": "x"}]
    )
    async def test_while_it_is_off_its_headers_are_those_of_anybody(self, headers: dict[str, str]) -> None:
        denial = await denied(PlatformSignIn(TERMS, is_on=False).caller(headers))
        assert (denial.status, denial.error) == (401, "")

    @pytest.mark.parametrize(
        "headers",
        [
            {},
            {"x-ms-client-principal": ""},
            {"x-ms-client-principal-id": USER, "x-ms-client-principal-idp": "aad"},
            {"x-ms-client-principal-name": "ada@example.com"},
            {"x-ms-token-aad-access-token": OFFLINE.token()},
            bearing(OFFLINE.token()),
        ],
    )
    async def test_without_a_principal_nobody_has_signed_in(self, headers: dict[str, str]) -> None:
        denial = await denied(PLATFORM.caller(headers))
        assert (denial.status, denial.error) == (401, "")

    BROKEN: tuple[object, ...] = (
        None,
        1,
        "text",
        [],
        {},
        {"auth_typ": "aad"},
        {"auth_typ": "aad", "claims": None},
        {"auth_typ": "aad", "claims": {"typ": "oid", "val": USER}},
        {"auth_typ": "aad", "claims": ["oid"]},
        {"auth_typ": "aad", "claims": [["oid", USER]]},
        {"auth_typ": "aad", "claims": [{"typ": "oid"}]},
        {"auth_typ": "aad", "claims": [{"val": "x"}]},
        {"auth_typ": "aad", "claims": [{"typ": ["oid"], "val": USER}]},
        {"claims": []},
        {"auth_typ": "aad", "claims": []},
        principal(auth_typ="google"),
        principal(auth_typ="AAD"),
        principal(auth_typ=["aad"]),
        principal(auth_typ=None),
        principal(without=("tenantid",)),
        principal(without=("objectidentifier", "nameidentifier")),
        principal(("tid", OTHER_TENANT), without=("tenantid",)),
        principal(("tid", OTHER_TENANT), without=("tenantid", "scope")),
        principal(("tid", "common"), without=("tenantid",)),
        principal(("tid", 1), without=("tenantid",)),
        principal(("tid", None), without=("tenantid",)),
        principal(("tid", [TENANT]), without=("tenantid",)),
        principal(("tid", ""), without=("tenantid",)),
        principal(("oid", {}), without=("objectidentifier",)),
        principal(("oid", "a\0b"), without=("objectidentifier",)),
        principal(("tid", OTHER_TENANT)),
        principal(("oid", "somebody-else")),
        principal(("scp", "everything")),
        principal(("iss", "https://attacker.example")),
        principal(("idtyp", "app")),
        principal(("idtyp", "device"), without=("scope",)),
        principal(("roles", 1)),
        principal(("roles", ["Mcp.Admin"])),
        principal((ROLE, None)),
        principal(("scp", 1), without=("scope",)),
    )

    @pytest.mark.parametrize("document", BROKEN, ids=str)
    async def test_a_principal_that_is_not_as_it_should_be_is_refused(self, document: object) -> None:
        header = b64encode(json.dumps(document).encode()).decode()
        assert (await denied(PLATFORM.caller({"x-ms-client-principal": header}))).error == "invalid_token"

    async def test_who_is_of_no_tenant_is_refused_where_all_are_allowed(self) -> None:
        anywhere = PlatformSignIn(Admission.of([], SCOPE), is_on=True)
        assert (await anywhere.caller(principal_headers())).tenant == TENANT
        denial = await denied(anywhere.caller(principal_headers(principal(without=("tenantid",)))))
        assert "does not contain a tenant" in denial.description

    @pytest.mark.parametrize(
        "name",
        [
            *("oid", "tid", "scp", "sub", "azp", "appid", "idtyp", "iss", "uti", "preferred_username", "auth_time"),
            *("xms_act_fct", "xms_sub_fct", "xms_par_app_azp", "act", "XMS_ACT_FCT"),
        ],
    )
    async def test_a_claim_that_decides_has_one_value(self, name: str) -> None:
        twice = principal((name, "11"), (name, "12"))
        denial = await denied(PLATFORM.caller(principal_headers(twice)))
        assert denial.description == f"The sign-in has more than one claim `{name}`."

    GOOD = principal_headers()["x-ms-client-principal"]

    @pytest.mark.parametrize(
        "header",
        [
            f"{GOOD},{GOOD}",
            f"{GOOD}, {GOOD}",
            GOOD + GOOD,
            GOOD[:-8],
            f" {GOOD}",
            GOOD + "\n",
            "é" + GOOD,
            "\ud800",
            "not base64",
            principal_headers(principal(("padding", "x" * 70_000)))["x-ms-client-principal"],
            b64encode(b"\xff\xfe").decode(),
            b64encode(b'{"auth_typ": "aad", "auth_typ": "aad", "claims": []}').decode(),
            b64encode(b"[" * 40_000).decode(),
            b64encode(b'{"auth_typ": "aad", "claims": NaN}').decode(),
        ],
    )
    async def test_a_principal_that_cannot_be_read_is_refused(self, header: str) -> None:
        denial = await denied(PLATFORM.caller({"x-ms-client-principal": header}))
        assert "is invalid" in denial.description

    @pytest.mark.parametrize(
        "headers",
        [
            bearing("no-token"),
            {"authorization": "Bearer a, Bearer b"},
            {"authorization": "Bearer"},
            {"x-ms-token-aad-access-token": "no-token"},
            {"x-ms-token-aad-access-token": f"{OFFLINE.token()},{OFFLINE.token()}"},
        ],
    )
    async def test_a_token_that_cannot_be_read_is_refused(self, headers: dict[str, str]) -> None:
        await denied(PLATFORM.caller({**principal_headers(), **headers}))


NAMES = ["tid", "oid", "sub", "scp", "roles", ROLE, "idtyp", "azp", "iss"]
VALUES = st.none() | st.integers() | st.text() | st.lists(st.text()) | st.sampled_from([TENANT, USER, SCOPE, "app"])
ENTRIES = st.fixed_dictionaries({"typ": st.sampled_from(NAMES) | VALUES, "val": VALUES})


@settings(deadline=None)
@given(claims=st.lists(ENTRIES) | VALUES)
async def test_no_principal_breaks_anything_nor_comes_from_another_tenant(claims: Any) -> None:
    try:
        caller = await PLATFORM.caller(principal_headers({"auth_typ": "aad", "claims": claims}))
    except Denial:
        return
    assert caller.tenant == TENANT


@settings(deadline=None)
@given(value=st.text() | st.binary().map(lambda data: b64encode(data).decode()))
async def test_garbage_is_no_principal(value: str) -> None:
    await denied(PLATFORM.caller({"x-ms-client-principal": value}))


def test_what_is_not_needed_for_a_way_to_sign_in_is_not_imported() -> None:
    code = (
        "import sys, identity.sign_in, identity.platform_sign_in, identity.metadata;"
        "print([name for name in ('jwt', 'cryptography', 'aiohttp', 'azure.core') if name in sys.modules])"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
