"""The data of storage accounts as it behaves, over real HTTP: `/blob/NAME`, `/table/NAME` and `/queue/NAME`."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Final

from aiohttp import web

from tests.fakes.azure.stored.asked import Asked, Reply, StorageError
from tests.fakes.azure.stored.blobs import Blobs
from tests.fakes.azure.stored.queues import Queues
from tests.fakes.azure.stored.tables import Tables
from tests.fakes.azure.troubles import Accident
from tests.fakes.serving import serving_locally

KINDS: Final = ("blob", "table", "queue")

Trouble = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]
# Whether whoever has a token may read, or else write, what an account has of a kind.
Permits = Callable[[str, str, str, bool], bool]


@dataclass
class Stored:
    """What one account has."""

    name: str
    blob: Blobs = field(init=False)
    table: Tables = field(default_factory=Tables)
    queue: Queues = field(default_factory=Queues)
    # Whether its firewall keeps us out.
    is_closed: bool = False

    def __post_init__(self) -> None:
        self.blob = Blobs(self.name)

    def reply(self, kind: str, asked: Asked) -> Reply:
        parts: dict[str, Blobs | Tables | Queues] = {"blob": self.blob, "table": self.table, "queue": self.queue}
        return parts[kind].reply(asked)


def _everybody(*_: object) -> bool:
    return True


class FakeStorage:
    """Answers for its accounts, and remembers what it was asked. A trouble befalls the next request, instead of its
    answer; one of `places` stays, and befalls every request whose path has that part. An accident befalls one request,
    which may be done.
    """

    def __init__(self, permits: Permits = _everybody) -> None:
        self.accounts: dict[str, Stored] = {}
        self.asked: list[Asked] = []
        self.troubles: deque[Trouble] = deque()
        self.places: dict[str, Trouble] = {}
        self.accidents: list[Accident] = []
        self._permits = permits
        self._url = ""

    def account(self, name: str) -> Stored:
        """The account of a name, which is made where it was not there."""
        return self.accounts.setdefault(name, Stored(name))

    def endpoints(self, account: str) -> dict[str, str]:
        """What Resource Manager tells of it, while it is served."""
        return {kind: f"{self._url}/{kind}/{account}/" for kind in KINDS}

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[str]:
        async with serving_locally(self.handle) as url:
            self._url = url
            yield url

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        _, kind, account, *rest = request.raw_path.partition("?")[0].split("/")
        address = f"{request.scheme}://{request.host}/{kind}/{account}"
        content = await request.read()
        asked = Asked(request.method, "/".join(rest), dict(request.query), request.headers, content, address)
        self.asked.append(asked)
        if self.troubles:
            return await self.troubles.popleft()(request)
        if stays := next((trouble for part, trouble in self.places.items() if part in request.path), None):
            return await stays(request)
        if accident := next((one for one in self.accidents if one.befalls(asked.method, request.path)), None):
            self.accidents.remove(accident)
            if accident.is_done:
                with suppress(StorageError):
                    self._reply(kind, account, asked)
            return await accident.trouble(request)
        try:
            reply = self._reply(kind, account, asked)
        except StorageError as error:
            reply = error.reply(asked)
        return web.Response(body=reply.content or None, status=reply.status, headers=_headers(asked, reply))

    def _reply(self, kind: str, account: str, asked: Asked) -> Reply:
        if kind not in KINDS or account not in self.accounts:
            raise StorageError(404, "ResourceNotFound", "The specified resource does not exist.")
        stored = self.accounts[account]
        if stored.is_closed:
            raise StorageError(403, "AuthorizationFailure", "This request is not authorized to perform this operation.")
        if "sig" in asked.query and kind == "blob":
            stored.blob.signatures.check(asked)
        else:
            self._check_token(kind, account, asked)
        return stored.reply(kind, asked)

    def _check_token(self, kind: str, account: str, asked: Asked) -> None:
        scheme, _, token = asked.headers.get("Authorization", "").partition(" ")
        if scheme != "Bearer" or not (asked.headers.get("x-ms-version") and asked.headers.get("x-ms-date")):
            raise StorageError(401, "NoAuthenticationInformation", "Server failed to authenticate the request.")
        reads = asked.method in {"GET", "HEAD"} or asked.query.get("comp") == "userdelegationkey"
        if not self._permits(token, account, kind, reads):
            message = "This request is not authorized to perform this operation using this permission."
            raise StorageError(403, "AuthorizationPermissionMismatch", message)


def _headers(asked: Asked, reply: Reply) -> dict[str, str]:
    own = {"x-ms-request-id": "7ace0000-0000-4000-8000-00000000000a"}
    return {**own, "x-ms-version": asked.headers.get("x-ms-version", ""), **reply.headers}
