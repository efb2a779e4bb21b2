"""Azure as it behaves, with state, over real HTTP: Resource Manager at the root, and vaults below `/vault/NAME`."""

from __future__ import annotations

import json
import re
import ssl
import time
from collections import deque
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final
from urllib.parse import unquote

from aiohttp import web

from tests.fakes.azure.advice import Advice
from tests.fakes.azure.authorization import Authorization
from tests.fakes.azure.bus.service import Bus
from tests.fakes.azure.charges import Bills
from tests.fakes.azure.compliance import Compliance
from tests.fakes.azure.costs import Costs
from tests.fakes.azure.deleted import Deleted
from tests.fakes.azure.deployments import Deployments
from tests.fakes.azure.directory import Directory
from tests.fakes.azure.estate import subscription_of
from tests.fakes.azure.granting import Granting
from tests.fakes.azure.graph.service import ResourceGraph
from tests.fakes.azure.history import LOCKS, happened
from tests.fakes.azure.long_running import LongRunning
from tests.fakes.azure.monitor.bakery import watched
from tests.fakes.azure.monitor.monitored import Monitored
from tests.fakes.azure.moves import Moves
from tests.fakes.azure.people import EVERYBODY, People
from tests.fakes.azure.provider_list import type_named
from tests.fakes.azure.quotas import Quotas
from tests.fakes.azure.resources import Resources
from tests.fakes.azure.routes import Asked, AzureError, Json, Reply, Route
from tests.fakes.azure.rules import Rules
from tests.fakes.azure.running.app_changes import AppChanges
from tests.fakes.azure.running.bakery import running, waiting
from tests.fakes.azure.running.stores import BusChanges, CosmosChanges
from tests.fakes.azure.stacks import Stacks
from tests.fakes.azure.stored_management import StoredManagement
from tests.fakes.azure.subscriptions import Subscriptions
from tests.fakes.azure.tags_and_locks import TagsAndLocks
from tests.fakes.azure.troubles import Accident, Trouble
from tests.fakes.azure.vault_management import VaultManagement
from tests.fakes.azure.vaults import Vaults
from tests.fakes.azure.world import bakery, rights
from tests.fakes.serving import serving_locally

_LOGIN: Final = "https://login.windows.net"


class FakeAzure:
    """Answers by its routes, and remembers what it was asked.

    A trouble befalls the next request, instead of its answer; one of `places` stays, and befalls every request whose
    path has that part, in any case; `headers` go with all answers. An accident befalls one request, which may be done.
    """

    def __init__(self) -> None:
        now = datetime.now(UTC)
        self.asked: list[Asked] = []
        self.troubles: deque[Trouble] = deque()
        self.places: dict[str, Trouble] = {}
        self.accidents: list[Accident] = []
        self.headers: dict[str, str] = {"x-ms-ratelimit-remaining-subscription-global-reads": "3749"}
        self.people = People(list(EVERYBODY))
        self.estate = bakery(now)
        happened(self.estate, now)
        self.access = rights(now)
        self.work = LongRunning()
        self.subscriptions = Subscriptions(self.estate, self.access)
        self.authorization = Authorization(self.estate, self.access, self.people)
        self.granting = Granting(self.estate, self.access, self.people)
        self.tags_and_locks = TagsAndLocks(self.estate, self.access)
        for scope, level, name in LOCKS:
            self.tags_and_locks.lock(scope, level, name, "Ask the platform team first.")
        self.deployments = Deployments(self.estate, self.access, self.work)
        self.stacks = Stacks(self.estate, self.access, self.work)
        self.graph = ResourceGraph(self.estate, self.access)
        self.costs = Costs(self.estate, self.access, Bills(self.estate, now), now)
        self.advice = Advice(self.estate, self.access)
        self.quotas = Quotas(self.estate, self.access)
        self.compliance = Compliance(self.estate, self.access, Rules.of(now))
        self.resources = Resources(self.estate, self.access, self.work)
        self.deleted = Deleted(self.estate, self.access)
        self.moves = Moves(self.estate, self.access, self.work)
        self.monitor = Monitored(self.estate, self.access, now)
        watched(self.monitor, now)
        self.app_service = running(self.estate, self.access, now)
        self.app_changes = AppChanges(self.estate, self.access, self.work, self.app_service, self.resources)
        self.bus_changes = BusChanges(self.estate, self.access, self.work, self.resources)
        self.cosmos_changes = CosmosChanges(self.estate, self.access, self.work, self.resources)
        self.bus = Bus(self.estate, self.people)
        waiting(self.bus)
        self.directory = Directory(self.people)
        self.vaults = Vaults(self.estate, self.access, self.people, now)
        self.stored = StoredManagement(self.estate, self.access)
        self.vault_management = VaultManagement(self.estate, self.access, self.work, self.resources, self.vaults)

    @property
    def routes(self) -> Iterable[Route]:
        """The most general last."""
        parts = (
            self.work,
            self.subscriptions,
            self.granting,
            self.authorization,
            self.tags_and_locks,
            self.deployments,
            self.stacks,
            self.graph,
            self.monitor,
            self.costs,
            self.advice,
            self.quotas,
            self.compliance,
            self.app_changes,
            self.bus_changes,
            self.cosmos_changes,
            self.app_service,
            self.deleted,
            self.moves,
            self.stored,
            self.vault_management,
            self.resources,
        )
        for part in parts:
            yield from part.routes

    @asynccontextmanager
    async def serving(self, context: ssl.SSLContext | None = None) -> AsyncIterator[str]:
        """Serve on a free port of this machine, and answer the address of Resource Manager there."""
        async with serving_locally(self._handle, context) as url:
            self.vaults.serve_at(url)
            self.bus.serve_at(url)
            yield url

    @property
    def storage_accounts(self) -> list[str]:
        accounts = (one for one in self.estate.resources.values() if one.type == "Microsoft.Storage/storageAccounts")
        return [str(account.document["name"]) for account in accounts]

    def point_storage_to(self, account: str, endpoints: Mapping[str, str]) -> None:
        """Let an account have its blobs, queues, tables and files there: `{"blob": "http://127.0.0.1:10000/x/"}`."""
        found = next(one for one in self.estate.resources.values() if one.document["name"] == account)
        found.properties["primaryEndpoints"] = dict(endpoints)

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        asked = await _asked(request)
        self.asked.append(asked)
        if self.troubles:
            return await self.troubles.popleft()(request)
        path = asked.path.lower()
        if stays := next((trouble for part, trouble in self.places.items() if part.lower() in path), None):
            return await stays(request)
        if accident := next((one for one in self.accidents if one.befalls(asked.method, path)), None):
            self.accidents.remove(accident)
            if accident.is_done:
                with suppress(AzureError):
                    self._reply(asked)
            return await accident.trouble(request)
        if namespace := self.bus.meant(asked.path):
            return await self.bus.converse(request, namespace)
        try:
            reply = self._reply(asked)
        except AzureError as error:
            reply = error.reply
        return _response(reply, {**self.headers, **_traced(asked)})

    def _reply(self, asked: Asked) -> Reply:
        if meant := self.vaults.meant(asked):
            return self.vaults.reply(meant)
        if meant := self.directory.meant(asked):
            return self.directory.reply(self._signed_in(meant))
        for route in self.routes:
            places = route.places(asked)
            if places is not None:
                ready = asked if route.is_open else self._signed_in(asked)
                _check_version(route, asked)
                self._check_subscription(ready)
                given = route.answer(replace(ready, places=places))
                return given if isinstance(given, Reply) else Reply(given)
        self._signed_in(asked)
        raise _nothing_there(asked)

    def _signed_in(self, asked: Asked) -> Asked:
        scheme, _, token = asked.headers.get("Authorization", "").partition(" ")
        if scheme != "Bearer":
            message = "Authentication failed. The 'Authorization' header is missing."
            raise _unauthenticated("AuthenticationFailed", message)
        found = self.people.of(token)
        if found is None:
            raise _unauthenticated("InvalidAuthenticationToken", "The access token is invalid.")
        caller, tenant, until = found
        if until < time.time():
            message = f"The access token expiry UTC time '{until}' is earlier than current UTC time '{time.time()}'."
            raise _unauthenticated("ExpiredAuthenticationToken", message)
        return replace(asked, caller=caller, tenant=tenant)

    def _check_subscription(self, asked: Asked) -> None:
        name = subscription_of(asked.path)
        tenant = self.estate.tenant_of(name)
        if name and tenant is None:
            raise AzureError(404, "SubscriptionNotFound", f"The subscription '{name}' could not be found.")
        if tenant and asked.caller and asked.tenant != tenant:
            issued, wanted = (f"https://sts.windows.net/{one}/" for one in (asked.tenant, tenant))
            message = (
                f"The access token is from the wrong issuer '{issued}'. It must match the tenant '{wanted}' associated"
                f" with this subscription. Please use the authority (URL) '{_LOGIN}/{tenant}' to get the token."
            )
            raise _unauthenticated("InvalidAuthenticationTokenTenant", message)


async def _asked(request: web.BaseRequest) -> Asked:
    path, _, _ = request.raw_path.partition("?")
    return Asked(
        request.method,
        f"{request.scheme}://{request.host}",
        re.sub("//+", "/", unquote(path)).rstrip("/") or "/",
        {name.lower(): value for name, value in request.query.items()},
        request.headers.copy(),
        await request.read(),
    )


def _check_version(route: Route, asked: Asked) -> None:
    if not asked.version and not route.is_of_data:
        message = "The api-version query parameter (?api-version=) is required for all requests."
        raise AzureError(400, "MissingApiVersionParameter", message)
    known = type_named(route.type) if route.type else None
    if known and asked.version not in known.versions:
        supported = ",".join(reversed(known.versions))
        message = f"The api-version '{asked.version}' is invalid. The supported versions are '{supported}'."
        raise AzureError(400, "InvalidApiVersionParameter", message)


def _nothing_there(asked: Asked) -> AzureError:
    if asked.method not in {"GET", "HEAD"}:
        message = f"The requested resource does not support http method '{asked.method}'."
        return AzureError(405, "HttpMethodNotAllowed", message)
    return AzureError(
        404, "MissingSubscription", "The request did not have a subscription or a valid tenant level resource provider."
    )


def _unauthenticated(code: str, message: str) -> AzureError:
    challenge = f'Bearer authorization_uri="{_LOGIN}/common", error="invalid_token", error_description="{message}"'
    return AzureError(401, code, message, headers={"WWW-Authenticate": challenge})


def _traced(asked: Asked) -> Json:
    own = asked.headers.get("x-ms-client-request-id") or "7ace0000-0000-4000-8000-00000000000a"
    return {"x-ms-request-id": own, "x-ms-correlation-request-id": own, "x-content-type-options": "nosniff"}


def _response(reply: Reply, more: Mapping[str, str]) -> web.Response:
    headers = {**more, **reply.headers}
    if reply.content is not None:
        return web.Response(body=reply.content, status=reply.status, headers=headers)
    if reply.document is None:
        return web.Response(status=reply.status, headers=headers)
    headers["Content-Type"] = "application/json; charset=utf-8"
    return web.Response(body=json.dumps(reply.document).encode(), status=reply.status, headers=headers)
