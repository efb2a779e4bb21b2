"""An issuer in trouble: for how long old keys serve, when it is asked again, and what the log says."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from aiohttp import web

from identity.keys import (
    FRESH_SECONDS,
    LARGEST_DOCUMENT,
    OLDEST_SECONDS,
    PAUSE_SECONDS,
    PAUSE_WITHOUT_KEYS_SECONDS,
    IssuerKeys,
    KeysUnavailable,
)
from tests.fakes.issuer import Issuer, issuing
from tests.identity.clock import Clock

pytestmark = pytest.mark.anyio


async def test_while_the_issuer_is_away_old_keys_serve_and_few_wait_for_it(
    keys: IssuerKeys, issuer: Issuer, clock: Clock
) -> None:
    before = await keys.find(issuer.key.kid)
    issuer.fail("/", 404)
    clock.now += 2 * FRESH_SECONDS + 1
    for _ in range(5):
        assert await keys.find(issuer.key.kid) is before
    assert issuer.count("/") == 3  # two when the keys came, and one that failed


async def test_while_the_issuer_is_silent_nobody_waits_for_its_next_reading(clock: Clock) -> None:
    async with issuing(_with_odd_pages) as issuer:
        keys, kid = IssuerKeys(issuer.url, patience=0.2, clock=clock), issuer.key.kid
        before = await keys.find(kid)
        issuer.discovery["jwks_uri"] = issuer.origin + "/silence"
        clock.now += 1201
        assert (await keys.find(kid), _readings()) == (before, 0)
        clock.now += 10
        assert (await keys.find(kid), _readings()) == (before, 1)
        await keys.close()


def _readings() -> int:
    """How many go on."""
    return sum(task.get_coro().__name__ == "_read" for task in asyncio.all_tasks())  # type: ignore[union-attr]


TROUBLES: dict[str, Callable[[Issuer], None]] = {
    "no discovery": lambda issuer: issuer.fail(issuer.discovery_path),
    "no such discovery": lambda issuer: issuer.fail(issuer.discovery_path, 404),
    "no keys": lambda issuer: issuer.fail(issuer.keys_path, 500),
    "cut off": lambda issuer: issuer.fail("/", None),
    "elsewhere": lambda issuer: issuer.fail(issuer.discovery_path, 302),
    "empty set of keys": lambda issuer: issuer.keys.clear(),
    "another issuer's discovery": lambda issuer: issuer.discovery.update(issuer="https://attacker.example"),
    "an issuer that goes on": lambda issuer: issuer.discovery.update(issuer=issuer.url + "/more"),
    "a template where there is one tenant": lambda issuer: issuer.discovery.update(
        issuer=f"{issuer.origin}/{{tenantid}}/v2.0"
    ),
    "no issuer": lambda issuer: issuer.discovery.update(issuer=None),
    "nowhere to look for keys": lambda issuer: issuer.discovery.update(jwks_uri=None),
    "keys over plain http": lambda issuer: issuer.discovery.update(jwks_uri="http://keys.attacker.example/keys"),
    "keys in a file": lambda issuer: issuer.discovery.update(jwks_uri="file:///etc/passwd"),
    "keys at no address": lambda issuer: issuer.discovery.update(jwks_uri="https://[oops"),
    "keys behind a password": lambda issuer: issuer.discovery.update(jwks_uri="https://user:word@localhost/keys"),
    "keys that are a page": lambda issuer: issuer.discovery.update(jwks_uri=issuer.origin + "/page"),
    "keys that are a list": lambda issuer: issuer.discovery.update(jwks_uri=issuer.origin + "/list"),
    "keys of another kind": lambda issuer: issuer.discovery.update(jwks_uri=issuer.origin + "/text"),
    "a discovery too large": lambda issuer: issuer.discovery.update(padding="x" * LARGEST_DOCUMENT),
    "keys too large": lambda issuer: issuer.keys.append({"x": "x" * LARGEST_DOCUMENT}),
}


@pytest.mark.parametrize("befall", TROUBLES.values(), ids=TROUBLES)
async def test_without_keys_the_caller_is_asked_to_come_back(clock: Clock, befall: Callable[[Issuer], None]) -> None:
    async with issuing(_with_odd_pages) as issuer:
        befall(issuer)
        keys = IssuerKeys(issuer.url, patience=0.4, clock=clock)
        with pytest.raises(KeysUnavailable) as caught:
            await keys.find(issuer.key.kid)
        assert caught.value.retry_after == PAUSE_WITHOUT_KEYS_SECONDS
        assert "127.0.0.1" not in str(caught.value)


@pytest.mark.parametrize("befall", TROUBLES.values(), ids=TROUBLES)
async def test_old_keys_go_on_serving_while_new_ones_cannot_be_read(
    clock: Clock, befall: Callable[[Issuer], None]
) -> None:
    async with issuing(_with_odd_pages) as issuer:
        keys, kid = IssuerKeys(issuer.url, patience=2.0, clock=clock), issuer.key.kid
        before = await keys.find(kid)
        befall(issuer)
        clock.now += PAUSE_SECONDS
        with pytest.raises(KeysUnavailable):  # it may be a key that came meanwhile
            await keys.find("unknown")
        assert await keys.find(kid) is before is not None


async def test_an_issuer_that_does_not_answer_is_waited_for_a_few_seconds_only(
    clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    async with issuing(_with_odd_pages) as issuer:
        issuer.discovery["jwks_uri"] = issuer.origin + "/silence"
        async with asyncio.timeout(10):
            with pytest.raises(KeysUnavailable):
                await IssuerKeys(issuer.url, patience=0.2, clock=clock).find("any")
        assert f"Cannot read the keys of {issuer.url}: TimeoutError" in caplog.messages


@pytest.mark.parametrize(
    ("trouble", "reason"),
    [
        ("no keys", "Internal Server Error"),
        ("empty set of keys", "The issuer publishes no usable keys."),
        ("another issuer's discovery", "The discovery document names a different issuer."),
        ("nowhere to look for keys", "The discovery document does not contain the location of the keys."),
        ("keys at no address", "The discovery document does not contain the location of the keys."),
        ("keys that are a list", "The issuer's document is not a JSON object."),
        ("keys too large", "The issuer's document is larger than 262144 bytes."),
    ],
)
async def test_the_log_says_why_keys_cannot_be_read(
    clock: Clock, caplog: pytest.LogCaptureFixture, trouble: str, reason: str
) -> None:
    async with issuing(_with_odd_pages) as issuer:
        TROUBLES[trouble](issuer)
        with pytest.raises(KeysUnavailable):
            await IssuerKeys(issuer.url, patience=0.4, clock=clock).find("any")
        (line,) = [record.getMessage() for record in caplog.records if record.name == "identity.keys"]
    assert line.startswith(f"Cannot read the keys of {issuer.url}: ")
    assert reason in line


async def test_an_issuer_in_trouble_is_not_asked_by_every_caller(
    keys: IssuerKeys, issuer: Issuer, clock: Clock
) -> None:
    issuer.fail(issuer.discovery_path, 404)
    for attempt in range(1, 4):
        for _ in range(10):
            with pytest.raises(KeysUnavailable):
                await keys.find(issuer.key.kid)
        assert issuer.count("/") == attempt
        clock.now += PAUSE_WITHOUT_KEYS_SECONDS
    issuer.heal()
    assert await keys.find(issuer.key.kid) is not None


@pytest.mark.parametrize(("age", "serves"), [(259_200, True), (259_200.5, False)])
async def test_keys_serve_for_three_days_while_the_issuer_is_away(
    keys: IssuerKeys, issuer: Issuer, clock: Clock, age: float, serves: bool
) -> None:
    before = await keys.find(issuer.key.kid)
    issuer.fail("/", 404)
    clock.now += age
    if serves:
        assert await keys.find(issuer.key.kid) is before
    else:
        with pytest.raises(KeysUnavailable):
            await keys.find(issuer.key.kid)


@pytest.mark.parametrize(("has_keys", "pause"), [(True, 10), (False, 5)])
async def test_the_next_reading_comes_after_seconds(
    keys: IssuerKeys, issuer: Issuer, clock: Clock, has_keys: bool, pause: int
) -> None:
    if has_keys:
        await keys.find(issuer.key.kid)
    issuer.fail("/", 404)
    clock.now += 1000
    for wait in (0.0, pause - 0.5, 0.5):
        clock.now += wait
        with pytest.raises(KeysUnavailable) as caught:
            await keys.find("unknown")
        assert caught.value.retry_after == (1 if wait == pause - 0.5 else pause)
    assert issuer.count("/") == 2 + 2 * has_keys


async def test_keys_that_are_too_old_serve_no_longer(keys: IssuerKeys, issuer: Issuer, clock: Clock) -> None:
    await keys.find(issuer.key.kid)
    issuer.fail("/", 404)
    clock.now += OLDEST_SECONDS + 1
    with pytest.raises(KeysUnavailable):
        await keys.find(issuer.key.kid)
    issuer.heal()
    clock.now += PAUSE_SECONDS
    assert await keys.find(issuer.key.kid) is not None


async def test_closing_ends_a_reading(clock: Clock) -> None:
    async with issuing(_with_odd_pages) as issuer:
        issuer.discovery["jwks_uri"] = issuer.origin + "/silence"
        keys = IssuerKeys(issuer.url, clock=clock)
        waiting = asyncio.create_task(keys.find("any"))
        await asyncio.sleep(0)
        await keys.close()
        assert _readings() == 0
        with pytest.raises(asyncio.CancelledError):
            await waiting


def _with_odd_pages(issuer: Issuer) -> None:
    async def page(_: web.Request) -> web.StreamResponse:
        return web.Response(text="<html>Sign in</html>", content_type="text/html")

    async def listing(_: web.Request) -> web.StreamResponse:
        return web.json_response([issuer.keys])

    async def text(_: web.Request) -> web.StreamResponse:
        return web.json_response({"keys": 5})

    async def silence(_: web.Request) -> web.StreamResponse:
        await asyncio.Event().wait()
        raise AssertionError

    for path, handler in {"/page": page, "/list": listing, "/text": text, "/silence": silence}.items():
        issuer.app.router.add_get(path, handler)
