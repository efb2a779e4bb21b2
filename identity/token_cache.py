"""Caches valid tokens, each for a single purpose."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from azure.core.credentials import AccessToken

MARGIN: Final = 5 * 60  # the cache stops using a token this many seconds before the token expires
LARGEST: Final = 1000  # the maximum number of cached tokens; each has a few kilobytes

Clock = Callable[[], float]
Ask = Callable[[], Coroutine[Any, Any, AccessToken]]


@dataclass(frozen=True, slots=True)
class Purpose:
    """The key of a cached token: what the token is for, and whose token it is.

    Tokens of the app itself have no `subject` and no `assertion`.
    """

    tenant: str
    scope: str
    subject: str = ""
    assertion: bytes = b""


class TokenCache:
    """Caches tokens.

    Concurrent callers share one request for a token, and the least recently used tokens are removed.
    """

    def __init__(self, clock: Clock, largest: int = LARGEST) -> None:
        self._clock, self._largest = clock, largest
        self._tokens: OrderedDict[Purpose, AccessToken] = OrderedDict()
        self._asked: dict[Purpose, asyncio.Task[AccessToken]] = {}

    async def token(self, purpose: Purpose, ask: Ask) -> AccessToken:
        kept = self._tokens.get(purpose)
        if kept and self._clock() < kept.expires_on - MARGIN:
            self._tokens.move_to_end(purpose)
            return kept
        # Shield the request, because other callers may wait for the same token when this caller is cancelled.
        return await asyncio.shield(self._asked.get(purpose) or self._begin(purpose, ask))

    def _begin(self, purpose: Purpose, ask: Ask) -> asyncio.Task[AccessToken]:
        task = self._asked[purpose] = asyncio.create_task(ask())
        task.add_done_callback(partial(self._settle, purpose))
        return task

    def _settle(self, purpose: Purpose, task: asyncio.Task[AccessToken]) -> None:
        del self._asked[purpose]
        if not task.cancelled() and task.exception() is None:
            self._keep(purpose, task.result())

    def _keep(self, purpose: Purpose, token: AccessToken) -> None:
        self._tokens[purpose] = token
        self._tokens.move_to_end(purpose)
        if len(self._tokens) > self._largest:
            self._tokens.popitem(last=False)
