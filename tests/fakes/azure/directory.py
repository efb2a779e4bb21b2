"""Microsoft Graph: the people and groups of the tenant, below `/graph` of this service."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Never

from tests.fakes.azure.people import AUDITORS, Group, People, Principal
from tests.fakes.azure.routes import Asked, AzureError, Json, Reply

_BASE: Final = "/graph/v1.0"
_BY_NAME: Final = re.compile(r"userPrincipalName eq '((?:[^']|'')*)'(?: or mail eq '((?:[^']|'')*)')?")
_BY_TITLE: Final = re.compile(r"displayName eq '((?:[^']|'')*)'")
_SIZE: Final = 100


@dataclass
class Directory:
    """`is_permitted` is whether an administrator has consented. `nested` are groups in groups, by name."""

    people: People
    is_permitted: bool = True
    nested: dict[str, Sequence[Group]] = field(default_factory=dict)

    def meant(self, asked: Asked) -> Asked | None:
        """The request as Graph sees it, where it is meant."""
        if not asked.path.startswith(f"{_BASE}/"):
            return None
        return replace(asked, path=asked.path.removeprefix(_BASE))

    def reply(self, asked: Asked) -> Reply:
        if not self.is_permitted:
            raise _failure(403, "Authorization_RequestDenied", "Insufficient privileges to complete the operation.")
        parts = asked.path.strip("/").split("/")
        if parts[0] in {"directoryObjects", "servicePrincipals"}:
            return Reply({"value": self._objects(asked, parts)})
        match parts:
            case ["users"]:
                return Reply({"value": [_person(one, asked) for one in self._named(asked)]})
            case ["users", one]:
                return Reply(_person(self._principal(one), asked))
            case ["groups"]:
                return Reply({"value": [_group(one) for one in self._called(asked)]})
            case ["groups", one]:
                return Reply(_group(self._group(one)))
            case ["groups", one, "members" | "transitiveMembers" as which]:
                return self._members(asked, self._group(one), deep=which == "transitiveMembers")
        raise _failure(400, "BadRequest", f"Resource not found for the segment '{parts[0]}'.")

    def _objects(self, asked: Asked, parts: Sequence[str]) -> list[Json]:
        """Those of some ids, or the apps of an application id."""
        if [*parts] == ["directoryObjects", "getByIds"] and asked.method == "POST":
            return [self._any(one) for one in asked.body["ids"] if self._is_known(one)]
        wanted = asked.query.get("$filter", "").removeprefix("appId eq '").removesuffix("'").lower()
        return [_whole(one) for one in self.people.principals if one.kind != "User" and one.application == wanted]

    def _members(self, asked: Asked, group: Group, *, deep: bool) -> Reply:
        inner = self.nested.get(group.name, ())
        groups = [group, *inner] if deep else [group]
        people = [one for one in self.people.principals if set(groups) & set(one.groups)]
        members = [*map(_group, inner), *(_person(one, asked) for one in people)]
        size = asked.number("$top", _SIZE)
        further = {"@odata.nextLink": f"{asked.origin}/graph/v1.0{asked.path}?$skiptoken=x"}
        return Reply({"value": members[:size], **(further if len(members) > size else {})})

    def _named(self, asked: Asked) -> list[Principal]:
        people = [one for one in self.people.principals if one.kind == "User"]
        text = asked.query.get("$filter")
        if not text:
            return people
        if not (found := _BY_NAME.fullmatch(text)):
            raise _failure(400, "Request_UnsupportedQuery", "Unsupported or invalid query filter clause specified.")
        wanted = {(name or "").replace("''", "'").lower() for name in found.groups()}
        return [one for one in people if one.name.lower() in wanted]

    def _called(self, asked: Asked) -> list[Group]:
        text = asked.query.get("$filter")
        if not text:
            return list(self._groups)
        if not (found := _BY_TITLE.fullmatch(text)):
            raise _failure(400, "Request_UnsupportedQuery", "Unsupported or invalid query filter clause specified.")
        wanted = found[1].replace("''", "'").lower()
        return [one for one in self._groups if one.name.lower() == wanted]

    def _principal(self, named: str) -> Principal:
        people = [one for one in self.people.principals if one.kind == "User"]
        found = next((one for one in people if named.lower() in {one.id, one.name.lower()}), None)
        return found or _absent(named)

    def _group(self, named: str) -> Group:
        return next((one for one in self._groups if one.id == named.lower()), None) or _absent(named)

    @property
    def _groups(self) -> set[Group]:
        """Also those that nobody is in."""
        return {AUDITORS, *self.people.groups(), *(one for inner in self.nested.values() for one in inner)}

    def _is_known(self, named: str) -> bool:
        return named in {*(one.id for one in self.people.principals), *(one.id for one in self._groups)}

    def _any(self, named: str) -> Json:
        group = next((one for one in self._groups if one.id == named), None)
        found = next((one for one in self.people.principals if one.id == named), None)
        return _group(group) if group else _whole(found or _absent(named))


def _whole(principal: Principal) -> Json:
    if principal.kind != "User":
        kind = {"@odata.type": "#microsoft.graph.servicePrincipal", "servicePrincipalType": "Application"}
        return {**kind, "id": principal.id, "displayName": principal.title, "appId": principal.application}
    return {
        "@odata.type": "#microsoft.graph.user",
        "id": principal.id,
        "displayName": principal.title,
        "userPrincipalName": principal.name,
        "mail": principal.name,
        "jobTitle": "Baker",
    }


def _person(principal: Principal, asked: Asked) -> Json:
    """What of somebody is asked for."""
    wanted = asked.query.get("$select", "").split(",")
    record = _whole(principal)
    return record if wanted == [""] else {name: record[name] for name in ("@odata.type", *wanted) if name in record}


def _group(group: Group) -> Json:
    return {"@odata.type": "#microsoft.graph.group", "id": group.id, "displayName": group.name}


def _absent(named: str) -> Never:
    message = f"Resource '{named}' does not exist or one of its queried reference-property objects are not present."
    raise _failure(404, "Request_ResourceNotFound", message)


def _failure(status: int, code: str, message: str) -> AzureError:
    inner = {"date": "2026-11-22T12:00:00", "request-id": "7ace0000-0000-4000-8000-00000000000a"}
    return AzureError(status, code, message, more={"innerError": inner})
