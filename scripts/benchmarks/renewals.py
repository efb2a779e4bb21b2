"""Measures how long users wait for a new token. The token is either exchanged on behalf of the user or renewed at an
extension's issuer.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Final

from app.signing_in import upstream_of
from identity.caller import Caller, CallerKind
from scripts.benchmarks.measure import Timing
from settings import Settings, SignInSettings, UpstreamSettings
from tests.extensions.sign_in.desk import ADA, Desk, Entry, desk_in
from tests.fakes.issuer import AUDIENCE, SCOPE, TENANT, USER, issuing
from tests.fakes.upstream_identity import UpstreamIdentity

ROUNDS: Final = 300
_SECRET: Final = "invented"  # noqa: S105 - of an invented issuer
_SERVICE: Final = "https://management.azure.com/.default"
# A number of seconds after which every token from the fake server has expired.
_LONG: Final = 7200.0


async def measured() -> dict[str, Timing]:
    return {
        "on behalf of a user, for Azure": await _exchanges(),
        "for an extension, from the extension's issuer": await _renewals(),
    }


async def _exchanges() -> Timing:
    """Measure token exchanges. Each user has a different token, so no result is cached."""
    async with issuing(UpstreamIdentity(_SECRET)) as issuer:
        sign_in = SignInSettings(mode="oauth", issuer=issuer.url, audience=(AUDIENCE,), scope=SCOPE)
        registration = UpstreamSettings(client_id=AUDIENCE, client_secret=_SECRET)
        upstream = upstream_of(Settings(sign_in=sign_in, upstream=registration))
        users = [Caller(CallerKind.USER, TENANT, USER, token=issuer.token(turn=turn)) for turn in range(ROUNDS)]
        before = len(issuer.requests)
        seconds = [await _timed(partial(upstream.authorization, user, _SERVICE)) for user in users]
        if len(issuer.requests) - before < ROUNDS:
            raise RuntimeError("Some tokens came from a cache instead of an exchange.")
    return Timing.of(seconds)


async def _renewals() -> Timing:
    with TemporaryDirectory() as folder:
        async with desk_in(Path(folder)) as desk:
            entry, at = Entry(), desk.instance()
            await desk.signed_in(at, entry)
            return Timing.of([await _renewed(desk, partial(at.headers, entry, ADA)) for _ in range(ROUNDS)])


async def _renewed(desk: Desk, headers: Callable[[], Awaitable[Mapping[str, str]]]) -> float:
    before = await headers()
    desk.pass_(_LONG)
    seconds = await _timed(headers)
    if await headers() == before:
        raise RuntimeError("A token was not renewed.")
    return seconds


async def _timed(renew: Callable[[], Awaitable[object]]) -> float:
    start = perf_counter()
    await renew()
    return perf_counter() - start
