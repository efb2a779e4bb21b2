"""A small Azure that answers everything to everybody, and reads paths in the most obliging way."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from clients.azure.client import Azure
from clients.azure.cloud import CLOUDS, Service
from clients.azure.confinement.confined import ConfinedAzure
from clients.azure.messages import AzureAnswer, AzureRequest
from clients.azure.reach import AzureReach, group_entries, subscription_entries
from clients.kept import Kept

SHOP: Final = "11111111-1111-1111-1111-111111111111"
LAB: Final = "22222222-2222-2222-2222-222222222222"
MILL: Final = "33333333-3333-3333-3333-333333333333"
NAMES: Final = {SHOP: "Shop", LAB: "Lab", MILL: "The Mill"}
GROUPS: Final = ("web", "vault", "providers", "resourceGroups", "subscriptions")
GRAPH: Final = "/providers/microsoft.resourcegraph/resources"
MANAGER: Final = CLOUDS["public"].manager
_IDS: Final = re.compile(r"subscriptionId =~ '([^']+)'(?: and resourceGroup in~ \(([^)]*)\))?")


def secret(subscription: str, group: str = "") -> str:
    """What only an answer about this can have."""
    return f"Incident in {NAMES.get(subscription, subscription)}/{group}".rstrip("/")


@dataclass
class Estate:
    """An exchange. `sent` is what it was asked, each request with the scope that it reads in its path."""

    sent: list[tuple[str, str, str]] = field(default_factory=list)
    bodies: list[Any] = field(default_factory=list)
    # What its next answers also say, such as where the next piece is.
    next_link: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    status: int = 200
    # What it answers instead of what it has.
    rows: list[Mapping[str, Any]] | None = None

    async def sleep(self, seconds: float) -> None:
        """No time passes here."""

    async def admit(self, service: Service) -> None:
        """Notes whose data somebody reads without it."""
        self.sent.append(("", service.owner.text if service.owner else "", ""))

    async def send(
        self, service: Service, request: AzureRequest, _authorization: str, _largest: int | None = None
    ) -> AzureAnswer:
        path = _as_read(request.path)
        place = f"data of {service.owner.text}" if service.owner else path
        self.sent.append((request.method, place, _scope(place)))
        self.bodies.append(request.body)
        rows = list(_rows(path, request)) if self.rows is None else self.rows
        document: dict[str, Any] = {"data": rows} if path == GRAPH else {"value": rows}
        if self.next_link:
            document["nextLink"], self.next_link = self.next_link, ""
        headers, self.headers, status, self.status = dict(self.headers), {}, self.status, 200
        return AzureAnswer(status, headers, json.dumps(document).encode())


def _as_read(path: str) -> str:
    """The path as the most obliging server would read it."""
    for _ in range(5):
        path = unquote(path)
    parts: list[str] = []
    for part in re.split(r"[/\\]+", urlsplit(path).path.strip("/")):
        parts = parts[:-1] if part.strip() == ".." else [*parts, part.strip()]
    return "/" + "/".join(part for part in parts if part not in {"", "."}).lower()


def _scope(path: str) -> str:
    """The innermost scope that a path names, wherever it stands in it: `subscription/group`."""
    found = re.findall(r"/subscriptions/([0-9a-f-]{36})(?:/resourcegroups/([^/]+))?", path)
    return "/".join(filter(None, found[-1])) if found else ""


def _rows(path: str, request: AzureRequest) -> Iterator[Mapping[str, Any]]:
    if path == "/subscriptions":
        yield from ({"id": f"/subscriptions/{one}", "subscriptionId": one, "displayName": NAMES[one]} for one in NAMES)
        return
    for subscription in NAMES:
        yield _row(subscription)
        yield from (_row(subscription, group) for group in GROUPS if _is_asked(subscription, group, path, request))


def _is_asked(subscription: str, group: str, path: str, request: AzureRequest) -> bool:
    """Whether it belongs to the answer: a query is about what its body says, whatever its text says."""
    if path != GRAPH:
        return True  # whoever asks has to leave out what is out of reach
    body = request.body or {}
    asked, conditions = body.get("subscriptions"), dict(_IDS.findall(str(body.get("query"))))
    if asked and subscription not in asked:
        return False
    return not conditions or f"'{group}'" in (conditions.get(subscription) or f"'{group}'")


def _row(subscription: str, group: str = "") -> Mapping[str, Any]:
    inner = f"/resourcegroups/{group}/providers/Microsoft.Web/sites/s" if group else ""
    return {"id": f"/Subscriptions/{subscription.upper()}{inner}", "note": secret(subscription, group)}


async def token(_scope: str) -> str:
    return "Bearer token"


def reach(subscriptions: str = "", groups: str = "") -> AzureReach:
    """The reach of these settings."""
    return AzureReach.of(
        subscription_entries(subscriptions.split(",")) if subscriptions else (),
        group_entries(groups.split(",")) if groups else (),
    )


def locked(estate: Estate, subscriptions: str = "", groups: str = "") -> Azure:
    """Azure as one call reaches it under these locks."""
    confined = ConfinedAzure(estate, MANAGER, token, reach(subscriptions, groups), kept=Kept())
    return Azure(confined, CLOUDS["public"], token)


def written(line: str, **options: Any) -> AzureRequest:
    """A request for a path as a caller wrote it, each part of which is a value."""
    method, _, address = line.partition(" ")
    path, _, query = address.partition("?")
    parts = path.removeprefix("/").split("/")
    values = {f"part{number}": part for number, part in enumerate(parts)}
    places = "".join(f"/{{{name}}}" for name in values)
    asked = dict(pair.partition("=")[::2] for pair in query.split("&") if pair)
    return AzureRequest(f"{method} {places}", values, asked, **{"version": "2021-04-01", **options})
