from __future__ import annotations

import asyncio
from typing import Any

import pytest
from aiohttp import ClientSession
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

from identity.keys import (
    FRESH_SECONDS,
    PAUSE_SECONDS,
    IssuerKeys,
    KeysUnavailable,
)
from refusal import Refusal
from tests.fakes.issuer import Issuer, signing_key
from tests.identity.clock import Clock

pytestmark = pytest.mark.anyio

RSA_METHODS = {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"}


async def test_keys_are_read_once_for_all_who_wait(keys: IssuerKeys, issuer: Issuer) -> None:
    found = await asyncio.gather(*(keys.find(issuer.key.kid) for _ in range(50)))
    assert found[0] is not None
    assert all(key is found[0] for key in found)
    assert (issuer.count(issuer.discovery_path), issuer.count(issuer.keys_path)) == (1, 1)


async def test_one_who_gives_up_does_not_take_the_keys_from_the_others(keys: IssuerKeys, issuer: Issuer) -> None:
    first = asyncio.create_task(keys.find(issuer.key.kid))
    others = [asyncio.create_task(keys.find(issuer.key.kid)) for _ in range(3)]
    await asyncio.sleep(0)
    first.cancel()
    assert all(await asyncio.gather(*others))
    assert issuer.count(issuer.keys_path) == 1


async def test_a_new_key_is_found_when_a_token_names_it(keys: IssuerKeys, issuer: Issuer, clock: Clock) -> None:
    old = issuer.key.kid
    await keys.find(old)
    issuer.rotate()
    clock.now += PAUSE_SECONDS
    assert await keys.find(issuer.key.kid) is not None
    assert await keys.find(old) is None


async def test_unknown_keys_are_looked_for_once_in_a_while(keys: IssuerKeys, issuer: Issuer, clock: Clock) -> None:
    for reading in range(1, 4):
        await asyncio.gather(*(keys.find(f"unknown-{number}") for number in range(20)))
        clock.now += PAUSE_SECONDS - 1
        assert [await keys.find("unknown"), issuer.count(issuer.keys_path)] == [None, reading]
        clock.now += 1
    assert await keys.find(issuer.key.kid) is not None


async def test_who_names_unknown_keys_holds_back_a_new_one_for_seconds_only(
    keys: IssuerKeys, issuer: Issuer, clock: Clock
) -> None:
    await keys.find("unknown")
    issuer.rotate()
    for second in range(11):
        found = await keys.find(issuer.key.kid) or await keys.find(f"unknown-{second}")
        clock.now += 1
    assert found is not None


async def test_a_key_that_was_withdrawn_while_nobody_asked_is_not_trusted_again(
    keys: IssuerKeys, issuer: Issuer, clock: Clock
) -> None:
    old = issuer.key.kid
    await keys.find(old)
    issuer.rotate()
    clock.now += 20 * 60 + 1
    assert await keys.find(old) is None


async def test_a_key_that_was_withdrawn_is_trusted_for_minutes_only(
    keys: IssuerKeys, issuer: Issuer, clock: Clock
) -> None:
    old = issuer.key.kid
    await keys.find(old)
    issuer.rotate()
    found = []
    for _ in range(22):
        found.append(await keys.find(old))
        clock.now += 60
    assert found[0] is not None
    assert found[-1] is None


async def test_keys_are_read_anew_while_the_old_ones_serve(keys: IssuerKeys, issuer: Issuer, clock: Clock) -> None:
    old = issuer.key.kid
    before = await keys.find(old)
    issuer.rotate()
    clock.now += FRESH_SECONDS + 1
    assert await keys.find(old) is before  # nobody waits for it
    clock.now -= FRESH_SECONDS  # at this time none would begin, so what is waited for has begun before
    assert await keys.find(issuer.key.kid) is not None
    assert (await keys.find(old), issuer.count(issuer.keys_path)) == (None, 2)


@pytest.mark.parametrize(("age", "readings"), [(600, 1), (600.5, 2)])
async def test_keys_are_read_anew_after_ten_minutes(
    keys: IssuerKeys, issuer: Issuer, clock: Clock, age: float, readings: int
) -> None:
    await keys.find(issuer.key.kid)
    clock.now += age
    await keys.find(issuer.key.kid)
    await asyncio.gather(*(task for task in asyncio.all_tasks() if task.get_coro().__name__ == "_read"))  # type: ignore[union-attr]
    assert issuer.count(issuer.keys_path) == readings


@pytest.mark.parametrize(("age", "is_waited_for"), [(1200, False), (1200.5, True)])
async def test_nobody_waits_for_keys_of_up_to_twenty_minutes(
    keys: IssuerKeys, issuer: Issuer, clock: Clock, age: float, is_waited_for: bool
) -> None:
    old = issuer.key.kid
    before = await keys.find(old)
    issuer.rotate()
    clock.now += age
    assert await keys.find(old) is (None if is_waited_for else before)
    await keys.close()


async def test_a_document_has_up_to_256_kilobytes(issuer: Issuer, clock: Clock) -> None:
    issuer.discovery["padding"] = ""
    async with ClientSession() as session, session.get(f"{issuer.origin}{issuer.discovery_path}") as answer:
        frame = len(await answer.read())
    for size, is_read in ((256 * 1024, True), (256 * 1024 + 1, False)):
        issuer.discovery["padding"] = "x" * (size - frame)
        keys = IssuerKeys(issuer.url, clock=clock)
        if is_read:
            assert await keys.find(issuer.key.kid) is not None
        else:
            with pytest.raises(KeysUnavailable):
                await keys.find(issuer.key.kid)


async def test_keys_may_be_behind_a_query(keys: IssuerKeys, issuer: Issuer) -> None:
    issuer.discovery["jwks_uri"] = f"{issuer.origin}{issuer.keys_path}?appid=one%20two"
    assert await keys.find(issuer.key.kid) is not None
    assert issuer.requests[-1].query == {"appid": "one two"}


@pytest.mark.parametrize("url", ["http://login.example.com/v2.0", "https://user@login.example.com", "login", ""])
def test_an_issuer_is_reached_over_https(url: str) -> None:
    with pytest.raises(Refusal):
        IssuerKeys(url)


def _rsa(bits: int = 2048, **members: Any) -> dict[str, Any]:
    public = (signing_key("odd", 0).private if bits == 2048 else generate_private_key(65537, bits)).public_key()
    return {**RSAAlgorithm.to_jwk(public, as_dict=True), "kid": "odd", **members}


def _elliptic(curve: ec.EllipticCurve, **members: Any) -> dict[str, Any]:
    return {**ECAlgorithm.to_jwk(ec.generate_private_key(curve).public_key(), as_dict=True), "kid": "odd", **members}


def _private() -> dict[str, Any]:
    return {**RSAAlgorithm.to_jwk(signing_key("odd", 0).private, as_dict=True), "kid": "odd"}


@pytest.mark.parametrize(
    ("jwk", "methods"),
    [
        (_rsa(), RSA_METHODS),
        (_rsa(alg="RS256"), {"RS256"}),
        (_rsa(alg="PS256", use="sig"), {"PS256"}),
        (_private(), RSA_METHODS),
        (_elliptic(ec.SECP256R1()), {"ES256"}),
        (_elliptic(ec.SECP384R1()), {"ES384"}),
        (_elliptic(ec.SECP521R1()), {"ES512"}),
        ({"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", "kid": "odd"}, {"EdDSA"}),
        (_rsa(alg="HS256"), None),
        (_rsa(alg="none"), None),
        (_rsa(alg="ES256"), None),
        (_rsa(alg=["RS256"]), None),
        (_rsa(use="enc"), None),
        (_rsa(bits=1024), None),
        (_rsa(kid=None), None),
        (_rsa(kid=["odd"]), None),
        (_rsa(n=17), None),
        (_rsa(n="not base64url!"), None),
        (_rsa(e=""), None),
        (_rsa(kty="rsa"), None),
        (_rsa(kty=["RSA"]), None),
        (_elliptic(ec.SECP256K1()), None),
        (_elliptic(ec.SECP256R1(), crv="P-384"), None),
        (_elliptic(ec.SECP256R1(), x="AAAA"), None),
        ({"kty": "oct", "k": "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3JldA", "kid": "odd", "alg": "HS256"}, None),
        ({"kty": "OKP", "crv": "X25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", "kid": "odd"}, None),
        ({}, None),
    ],
)
async def test_only_keys_that_the_issuer_alone_can_sign_with_are_used(
    keys: IssuerKeys, issuer: Issuer, jwk: dict[str, Any], methods: set[str] | None
) -> None:
    issuer.keys.append(jwk)
    found = await keys.find("odd")
    assert (found.algorithms if found else None) == methods
    assert found is None or not hasattr(found.material, "sign")
    assert await keys.find(issuer.key.kid) is not None


@pytest.mark.parametrize("jwk", [None, 1, "key", []])
async def test_what_is_no_key_at_all_is_passed_over(keys: IssuerKeys, issuer: Issuer, jwk: Any) -> None:
    issuer.keys.insert(0, jwk)
    assert await keys.find(issuer.key.kid) is not None
