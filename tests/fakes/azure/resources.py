"""Resource groups and resources, as Resource Manager itself and as their providers list, show and change them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from tests.fakes.azure.access import Access, called_by
from tests.fakes.azure.estate import Estate, Resource, is_within, locked_scope
from tests.fakes.azure.filters import filtered
from tests.fakes.azure.long_running import LongRunning, Style
from tests.fakes.azure.provider_list import type_named
from tests.fakes.azure.routes import Asked, AzureError, Json, Reply, Route, paged

_GROUP: Final = "/subscriptions/{subscription}/resourceGroups/{group}"
_GROUP_TYPE: Final = "Microsoft.Resources/subscriptions/resourceGroups"
_LIST_TYPE: Final = "Microsoft.Resources/subscriptions/resources"
_EXPANDED: Final = ("createdTime", "changedTime", "provisioningState")
# What the list of all resources tells of each.
_LISTED: Final = ("id", "name", "type", "kind", "managedBy", "sku", "plan", "identity", "zones", "location", "tags")
STYLES: Final[Mapping[str, Style]] = {
    "microsoft.storage/storageaccounts": Style.LOCATION,
    "microsoft.documentdb/databaseaccounts": Style.ASYNC_OPERATION,
    "microsoft.network/virtualnetworks": Style.ASYNC_OPERATION,
    "microsoft.app/managedenvironments": Style.BOTH,
    "microsoft.dbforpostgresql/flexibleservers": Style.BOTH,
    "microsoft.servicebus/namespaces": Style.STATE,
    "microsoft.containerservice/managedclusters": Style.STATE,
}
# Though they are not made at once.
_REMOVED_AT_ONCE: Final = {"microsoft.storage/storageaccounts"}


@dataclass
class Resources:
    estate: Estate
    access: Access
    work: LongRunning
    # So many at most are on a page, whatever is asked for.
    page_size: int = 1000
    # What lists by a provider take at most.
    provider_page_size: int = 100

    @property
    def routes(self) -> list[Route]:
        subscription = "/subscriptions/{subscription}"
        return [
            Route(f"GET {subscription}/resourceGroups", self._groups, type=_GROUP_TYPE),
            Route(f"GET {_GROUP}", self._get_group, type=_GROUP_TYPE),
            Route(f"HEAD {_GROUP}", self._has_group, type=_GROUP_TYPE),
            Route(f"PUT {_GROUP}", self._put_group, type=_GROUP_TYPE),
            Route(f"PATCH {_GROUP}", self._put_group, type=_GROUP_TYPE),
            Route(f"DELETE {_GROUP}", self._delete_group, type=_GROUP_TYPE),
            Route(f"GET {subscription}/resources", self._list, type=_LIST_TYPE),
            Route(f"GET {_GROUP}/resources", self._list_in_group, type=_LIST_TYPE),
            *self._any,
        ]

    @property
    def _any(self) -> list[Route]:
        """Whatever has an id."""
        place = "{scope}/providers/{namespace}/{rest}"
        return [
            Route(f"GET {place}", self._get),
            Route(f"HEAD {place}", self._has),
            Route(f"PUT {place}", self.put),
            Route(f"PATCH {place}", self._patch),
            Route(f"DELETE {place}", self.delete),
        ]

    # Groups

    def _groups(self, asked: Asked) -> Json:
        scope = f"/subscriptions/{asked.places['subscription']}"
        action = f"{_GROUP_TYPE}/read"
        self.access.demand_below(asked, action, scope)
        caller = called_by(asked)
        in_it = [group for key, group in self.estate.groups.items() if is_within(key, scope)]
        seen = [group for group in in_it if self.access.may(caller, action, str(group["id"]))]
        return paged(asked, filtered(seen, asked.query.get("$filter", "")), self.page_size)

    def _group(self, asked: Asked, verb: str) -> Json:
        scope = f"/subscriptions/{asked.places['subscription']}/resourceGroups/{asked.places['group']}"
        self.access.demand(asked, f"{_GROUP_TYPE}/{verb}", scope)
        return self._existing_group(scope)

    def _existing_group(self, scope: str) -> Json:
        group = self.estate.group_of(scope)
        if group is None:
            raise AzureError(
                404, "ResourceGroupNotFound", f"Resource group '{scope.split('/')[4]}' could not be found."
            )
        return group

    def _get_group(self, asked: Asked) -> Json:
        return self._group(asked, "read")

    def _has_group(self, asked: Asked) -> Reply:
        return _presence(asked, self._get_group)

    def _put_group(self, asked: Asked) -> Reply:
        self.access.demand(asked, f"{_GROUP_TYPE}/write", asked.path)
        known = self.estate.group_of(asked.path)
        self._check_locks(asked.path, "write", with_children=False)
        if known is None and asked.method == "PATCH":
            self._existing_group(asked.path)
        name = asked.places["group"]
        if known is None and "location" not in asked.body:
            raise AzureError(400, "LocationRequired", "The location property is required for this definition.")
        about = {"id": asked.path.replace("resourcegroups", "resourceGroups"), "name": name}
        made = {**about, "type": "Microsoft.Resources/resourceGroups", **(known or {}), **asked.body}
        made["properties"] = {"provisioningState": "Succeeded"}
        self.estate.groups[asked.path.lower()] = made
        return Reply(made, 200 if known else 201)

    def _delete_group(self, asked: Asked) -> Reply:
        group = self._group(asked, "delete")
        self._check_locks(asked.path, "delete", with_children=True)
        return self._removing(asked, str(group["id"]), Style.LOCATION)

    # Resources, as they are listed

    def _list(self, asked: Asked) -> Json:
        return self._listed(asked, f"/subscriptions/{asked.places['subscription']}")

    def _list_in_group(self, asked: Asked) -> Json:
        scope = f"/subscriptions/{asked.places['subscription']}/resourceGroups/{asked.places['group']}"
        self._existing_group(scope)
        return self._listed(asked, scope)

    def _listed(self, asked: Asked, scope: str) -> Json:
        self.access.demand_below(asked, f"{_LIST_TYPE}/read", scope)
        expand = {part.strip().lower() for part in asked.query.get("$expand", "").split(",")}
        wanted = [name for name in _EXPANDED if name.lower() in expand]
        shown = [_listing(one, wanted) for one in self._seen(asked, scope) if _is_of_the_list(one)]
        return paged(asked, filtered(shown, asked.query.get("$filter", "")), self.page_size)

    def _seen(self, asked: Asked, scope: str) -> list[Resource]:
        caller = called_by(asked)
        within = self.estate.resources_within(scope)
        return [one for one in within if self.access.may(caller, f"{one.type}/read", one.id)]

    # Resources, as their providers show them

    def _get(self, asked: Asked) -> Reply | Json:
        kind, is_list = self._check_type(asked)
        if is_list:
            return self._by_type(asked, kind)
        self.access.demand(asked, f"{kind}/read", asked.path)
        found = self._resource(asked, kind)
        if found.polled:
            found.polled()
        return found.document

    def _has(self, asked: Asked) -> Reply:
        return _presence(asked, self._get)

    def _by_type(self, asked: Asked, kind: str) -> Json:
        scope = asked.path.rpartition("/")[0] if "/" in asked.places["rest"] else asked.places["scope"]
        self._check_group(scope)
        self.access.demand_below(asked, f"{kind}/read", scope)
        found = [one.document for one in self._seen(asked, scope) if one.type.lower() == kind.lower()]
        return paged(asked, found, self.provider_page_size)

    def _resource(self, asked: Asked, kind: str) -> Resource:
        self._check_group(asked.path)
        found = self.estate.resources.get(asked.path.lower())
        if found is None:
            parts = asked.path.split("/")
            where = f" under resource group '{parts[4]}'" if parts[3:4] == ["resourceGroups"] else ""
            name = f"{kind}/{'/'.join(asked.places['rest'].split('/')[1::2])}"
            help_page = "For more details please go to https://aka.ms/ARMResourceNotFoundFix"
            raise AzureError(404, "ResourceNotFound", f"The Resource '{name}'{where} was not found. {help_page}")
        return found

    def _check_group(self, scope: str) -> None:
        parts = scope.split("/")
        if [part.lower() for part in parts[3:4]] == ["resourcegroups"]:
            self._existing_group("/".join(parts[:5]))

    def _check_type(self, asked: Asked) -> tuple[str, bool]:
        """The type that is meant, and whether all of it are."""
        namespace, parts = asked.places["namespace"], asked.places["rest"].split("/")
        kind = "/".join([namespace, *parts[::2]])
        check_version(kind, asked.version, self.estate, asked.path)
        return kind, len(parts) % 2 == 1

    # Changes

    def put(self, asked: Asked) -> Reply:
        return self._write(asked, asked.body, is_whole=True)

    def _patch(self, asked: Asked) -> Reply:
        return self._write(asked, asked.body, is_whole=False)

    def _write(self, asked: Asked, body: Json, *, is_whole: bool) -> Reply:
        kind, _ = self._check_type(asked)
        self.access.demand(asked, f"{kind}/write", asked.path)
        self._check_group(asked.path)
        self._check_locks(asked.path, "write", with_children=False)
        known = self.estate.resources.get(asked.path.lower())
        if known is None and not is_whole:
            self._resource(asked, kind)
        _check_etag(asked, known)
        made = self._made(asked, kind, body, known)
        style = STYLES.get(kind.lower())
        if style is None:
            made.properties["provisioningState"] = "Succeeded"
            return Reply(made.document, 200 if known else 201)
        return self._working(asked, made, style, kind)

    def _made(self, asked: Asked, kind: str, body: Json, known: Resource | None) -> Resource:
        before = known.document if known else {}
        properties = {**before.get("properties", {}), **body.get("properties", {}), "provisioningState": "Creating"}
        name = asked.path.rpartition("/")[2]
        document = {**before, **body, "id": asked.path, "name": name, "type": kind, "properties": properties}
        now = datetime.now(UTC)
        return self.estate.add(Resource(document, known.created if known else now, now))

    def _working(self, asked: Asked, made: Resource, style: Style, kind: str) -> Reply:
        def finish() -> Json:
            made.properties["provisioningState"] = "Succeeded"
            return made.document

        work = self.work.begin(finish)
        subscription, namespace = asked.path.split("/")[2], kind.partition("/")[0]
        headers = self.work.headers(asked, work, subscription, style, namespace)
        if style is Style.STATE:
            made.polled = work.poll
        return Reply(
            None if style is Style.LOCATION else made.document, 202 if style is Style.LOCATION else 201, headers
        )

    def delete(self, asked: Asked) -> Reply:
        kind, _ = self._check_type(asked)
        self.access.demand(asked, f"{kind}/delete", asked.path)
        self._check_group(asked.path)
        self._check_locks(asked.path, "delete", with_children=True)
        if asked.path.lower() not in self.estate.resources:
            return Reply(status=204)
        style = STYLES.get(kind.lower(), Style.STATE)
        if style is Style.STATE or kind.lower() in _REMOVED_AT_ONCE:
            self.estate.remove(asked.path)
            return Reply(status=200)
        return self._removing(asked, asked.path, style)

    def _removing(self, asked: Asked, scope: str, style: Style) -> Reply:
        work = self.work.begin(lambda: self.estate.remove(scope))
        namespace = asked.places.get("namespace", "Microsoft.Resources")
        return Reply(status=202, headers=self.work.headers(asked, work, asked.path.split("/")[2], style, namespace))

    def check_locks(self, scope: str, verb: str) -> None:
        """Refuse what a lock forbids: to write something, or to delete it with all that is below."""
        self._check_locks(scope, verb, with_children=verb == "delete")

    def _check_locks(self, scope: str, verb: str, *, with_children: bool) -> None:
        locks = self.estate.locks_on(scope) + (self.estate.locks_below(scope) if with_children else [])
        levels = {"readonly"} if verb == "write" else {"readonly", "cannotdelete"}
        held = sorted({locked_scope(lock) for lock in locks if lock["properties"]["level"].lower() in levels})
        if held:
            message = (
                f"The scope '{scope}' cannot perform {verb} operation because following scope(s) are locked:"
                f" '{','.join(held)}'. Please remove the lock and try again."
            )
            raise AzureError(409, "ScopeLocked", message)


def check_version(kind: str, version: str, estate: Estate, path: str) -> None:
    """Refuse a type or a version that there is not, in the words of the service."""
    namespace, _, name = kind.partition("/")
    known = type_named(kind)
    if known is None:
        message = (
            f"The resource type '{name}' could not be found in the namespace '{namespace}' for api version '{version}'."
        )
        raise AzureError(404, "InvalidResourceType", message)
    parts = path.split("/")
    if parts[1].lower() == "subscriptions" and (parts[2].lower(), namespace) in estate.unregistered:
        message = (
            f"The subscription is not registered to use namespace '{namespace}'. See https://aka.ms/rps-not-found for"
            " how to register subscriptions."
        )
        raise AzureError(409, "MissingSubscriptionRegistration", message)
    if version not in known.versions:
        places = ", ".join(location.lower().replace(" ", "") for location in known.locations)
        message = (
            f"No registered resource provider found for location '{places.partition(',')[0]}' and API version"
            f" '{version}' for type '{name}'. The supported api-versions are '{', '.join(known.versions)}'. The"
            f" supported locations are '{places}'."
        )
        raise AzureError(400, "NoRegisteredProviderFound", message)


def _check_etag(asked: Asked, known: Resource | None) -> None:
    wanted = asked.headers.get("If-Match")
    if wanted and (known is None or wanted not in {"*", known.document.get("etag")}):
        raise AzureError(412, "PreconditionFailed", f"The resource {asked.path} has been modified (etag mismatch).")
    if asked.headers.get("If-None-Match") == "*" and known is not None:
        raise AzureError(412, "PreconditionFailed", f"The resource {asked.path} exists already.")


def _is_of_the_list(resource: Resource) -> bool:
    """Children are listed where they are tracked, as databases are, and others are not."""
    return "location" in resource.document and resource.id.lower().count("/providers/") == 1


def _listing(resource: Resource, expand: list[str]) -> Json:
    document: Json = {name: resource.document[name] for name in _LISTED if name in resource.document}
    more = {
        "createdTime": shown(resource.created),
        "changedTime": shown(resource.changed),
        "provisioningState": resource.document.get("properties", {}).get("provisioningState", "Succeeded"),
    }
    return {**document, "id": resource.listed_id or resource.id, **{name: more[name] for name in expand}}


def shown(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f0Z")


def _presence(asked: Asked, read: Callable[[Asked], Reply | Json]) -> Reply:
    try:
        read(asked)
    except AzureError as error:
        return Reply(status=error.status)
    return Reply(status=204)
