"""Manages app registrations in Microsoft Graph with azd's sign-in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from signed_in import SignedIn
from waiting import Clock
from web import BUSY, Web, WebAnswer

HOST = "https://graph.microsoft.com"
LIVING = "/v1.0/applications"
DELETED = "/v1.0/directory/deletedItems"
SHOWN = "id,displayName,tags,deletedDateTime"
# Microsoft Graph requires this header and `$count` to filter by tag, and to list deleted objects.
COUNTED = {"ConsistencyLevel": "eventual"}
# The status codes after which a request is retried. For a while after a deletion, Microsoft Graph may still return the
# old state.
BUSY_OR_NOT_YET_THERE = BUSY | {404}


@dataclass(frozen=True)
class Registration:
    id: str
    name: str
    tags: tuple[str, ...]
    deleted_on: str


class Graph:
    def __init__(self, web: Web, clock: Clock, tenant: str) -> None:
        self._service = SignedIn(HOST, "Microsoft Graph", web, clock, tenant)

    def living(self, beginning: str) -> WebAnswer:
        """The existing app registrations that have a tag with this prefix."""
        return self._list(LIVING, f"tags/any(tag:startswith(tag,{_quoted(beginning)}))")

    def deleted(self, name: str) -> WebAnswer:
        """The app registrations that were deleted in the last 30 days and whose names start with this text."""
        return self._list(f"{DELETED}/microsoft.graph.application", f"startswith(displayName,{_quoted(name)})")

    def restore(self, registration: Registration) -> WebAnswer:
        return self._service.ask("POST", f"{DELETED}/{registration.id}/restore")

    def delete(self, registration: Registration) -> WebAnswer:
        return self._service.ask("DELETE", f"{LIVING}/{registration.id}")

    def delete_for_good(self, registration: Registration) -> WebAnswer:
        return self._service.ask("DELETE", f"{DELETED}/{registration.id}", again=BUSY_OR_NOT_YET_THERE)

    def service(self, application: str) -> WebAnswer:
        """The service principal with this application ID in the tenant."""
        path = f"/v1.0/servicePrincipals(appId='{application}')"
        return self._service.ask("GET", f"{path}?{urlencode({'$select': 'oauth2PermissionScopes'})}")

    def _list(self, path: str, filtered: str) -> WebAnswer:
        query = urlencode({"$count": "true", "$filter": filtered, "$select": SHOWN, "$top": "999"})
        return self._service.ask("GET", f"{path}?{query}", headers=COUNTED)


def registrations(answer: WebAnswer, beginning: str) -> list[Registration]:
    """The app registrations that have a tag with this prefix, starting with the most recently deleted registration."""
    found = [one for one in _read(answer) if any(tag.startswith(beginning) for tag in one.tags)]
    return sorted(found, key=lambda one: one.deleted_on, reverse=True)


def _read(answer: WebAnswer) -> Iterator[Registration]:
    entries: Any = answer.content.get("value")
    for entry in entries if isinstance(entries, list) else []:
        texts = [str(entry.get(name) or "") for name in ("id", "displayName", "deletedDateTime")]
        yield Registration(texts[0], texts[1], tuple(entry.get("tags") or ()), texts[2])


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
