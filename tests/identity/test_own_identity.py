"""Calling a service with the app's own identity, or the developer's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from identity.caller import ANONYMOUS, Caller, CallerKind
from identity.on_behalf_of import AppRegistration
from identity.own_identity import OwnIdentity
from refusal import Refusal
from tests.fakes.issuer import TENANT
from tests.fakes.upstream_identity import IDENTITY_PATH, PRINCIPAL
from tests.identity.place import ARM, KEY_CALLER, Place, claims_of

pytestmark = pytest.mark.anyio


UNDELEGATED = [Caller(CallerKind.APP, tenant=TENANT, subject="app", token="its-token"), KEY_CALLER]  # noqa: S106


@pytest.mark.parametrize("caller", UNDELEGATED)
async def test_the_own_identity_is_used_where_that_is_allowed(on_azure: Place, caller: Caller) -> None:
    upstream = on_azure.upstream(on_azure=True, allowed=True)
    answers = [await upstream.authorization(caller, ARM) for _ in range(2)]
    assert claims_of(answers[0]) == claims_of(answers[1])
    assert (claims_of(answers[0])["sub"], claims_of(answers[0])["aud"]) == (PRINCIPAL, "https://management.azure.com")
    assert len(on_azure.issuer.requests) == 1


@pytest.mark.parametrize("allowed", [True, False])
async def test_what_the_server_asks_of_its_own_accord_it_asks_as_itself(on_azure: Place, allowed: bool) -> None:
    answer = await on_azure.upstream(on_azure=True, allowed=allowed).own_authorization(ARM)
    assert (claims_of(answer)["sub"], claims_of(answer)["aud"]) == (PRINCIPAL, "https://management.azure.com")


async def test_clients_of_azure_sdks_get_the_own_identity_too(on_azure: Place) -> None:
    upstream = on_azure.upstream(on_azure=True)
    async with upstream.own_credential() as credential:
        assert claims_of((await credential.get_token(ARM)).token)["sub"] == PRINCIPAL
    assert await upstream.own_authorization(ARM) == f"Bearer {on_azure.entra.given[0]}"
    assert len(on_azure.issuer.requests) == 1


@pytest.mark.parametrize(("client_id", "asked"), [("", {}), ("of-the-app", {"client_id": "of-the-app"})])
async def test_of_several_managed_identities_the_named_one_is_used(
    on_azure: Place, client_id: str, asked: dict[str, str]
) -> None:
    await OwnIdentity(is_on_azure=True, client_id=client_id).token(ARM)
    query = on_azure.issuer.requests[-1].query
    assert {name: value for name, value in query.items() if name == "client_id"} == asked


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
    without_client = on_azure.upstream(AppRegistration(), on_azure=True, allowed=allowed)
    without_token = replace(on_azure.user(), token="")
    for upstream, user in (
        (without_client, on_azure.user(tenant="")),
        (on_azure.upstream(on_azure=True, allowed=allowed), without_token),
    ):
        with pytest.raises(Refusal, match="cannot act on your behalf"):
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
    with pytest.raises(Refusal, match="managed identity of this server cannot get a token"):
        await on_azure.upstream(on_azure=True, allowed=True).authorization(KEY_CALLER, ARM)


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


async def test_the_developer_is_asked_for_in_the_tenant_of_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_cli(tmp_path, monkeypatch, az=SIGNED_IN)
    assert (await OwnIdentity(is_on_azure=False, tenant=TENANT).token(ARM)).token == TOKEN
    assert f"--tenant {TENANT}" in (tmp_path / "az.log").read_text(encoding="utf-8")


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
