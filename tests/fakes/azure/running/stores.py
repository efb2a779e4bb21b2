"""What is written to Service Bus and Cosmos DB through Resource Manager: what they take, keep and refuse."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from tests.fakes.azure.access import Access
from tests.fakes.azure.estate import Estate, Resource
from tests.fakes.azure.long_running import LongRunning, Style
from tests.fakes.azure.resources import Resources, check_version
from tests.fakes.azure.routes import Asked, AzureError, Json, Reply, Route

_GROUP: Final = "/subscriptions/{subscription}/resourceGroups/{group}/providers"
_BUS: Final = f"{_GROUP}/Microsoft.ServiceBus/namespaces/{{namespace}}"
_ACCOUNT: Final = f"{_GROUP}/Microsoft.DocumentDB/databaseAccounts/{{account}}"
_NOTHING: Final = {
    "activeMessageCount": 0,
    "deadLetterMessageCount": 0,
    "scheduledMessageCount": 0,
    "transferMessageCount": 0,
    "transferDeadLetterMessageCount": 0,
}
_USUAL: Final[Json] = {
    "lockDuration": "PT1M",
    "maxSizeInMegabytes": 1024,
    "requiresDuplicateDetection": False,
    "requiresSession": False,
    "defaultMessageTimeToLive": "P10675199DT2H48M5.4775807S",
    "deadLetteringOnMessageExpiration": False,
    "maxDeliveryCount": 10,
    "status": "Active",
    "enablePartitioning": False,
}
_FIXED: Final = ("requiresSession", "requiresDuplicateDetection", "enablePartitioning")
_LONGEST_LOCK: Final = 300
_MINUTES: Final = re.compile(r"PT(?:(\d+)M)?(?:(\d+)S)?")


@dataclass
class BusChanges:
    """Queues, topics, subscriptions and rules: a PUT is the whole, and what it leaves out becomes what is usual."""

    estate: Estate
    access: Access
    work: LongRunning
    resources: Resources

    @property
    def routes(self) -> list[Route]:
        return [
            *(
                Route(f"GET {place}/AuthorizationRules", self._keys, type="Microsoft.ServiceBus/namespaces")
                for place in (_BUS, f"{_BUS}/queues/{{name}}", f"{_BUS}/topics/{{name}}")
            ),
            Route(f"PUT {_BUS}/queues/{{name}}", self._put),
            Route(f"PUT {_BUS}/topics/{{name}}", self._put),
            Route(f"PUT {_BUS}/topics/{{topic}}/subscriptions/{{name}}", self._put),
            Route(f"PUT {_BUS}/topics/{{topic}}/subscriptions/{{name}}/rules/{{rule}}", self._put_rule),
            Route(f"DELETE {_BUS}", self._delete_namespace),
        ]

    def _keys(self, asked: Asked) -> Json:
        place = asked.path.rpartition("/")[0]
        self.access.demand(asked, "Microsoft.ServiceBus/namespaces/authorizationRules/read", place)
        is_namespace = len(place.split("/")) == 9
        rights = ["Listen", "Manage", "Send"]
        own = [{"name": "RootManageSharedAccessKey", "properties": {"rights": rights}}] if is_namespace else []
        return {"value": own}

    def _put(self, asked: Asked) -> Json:
        kind = _kind(asked.path)
        known = self._begun(asked, kind)
        given = asked.body.get("properties") or {}
        _check_entity(given, known)
        counts = known.properties.get("countDetails") if known else None
        properties = {**_USUAL, **given, "countDetails": counts or dict(_NOTHING)}
        if known:
            properties["messageCount"] = known.properties.get("messageCount", 0)
        return self._kept(asked, kind, properties, known).document

    def _put_rule(self, asked: Asked) -> Json:
        kind = _kind(asked.path)
        known = self._begun(asked, kind)
        given = asked.body.get("properties") or {}
        expression = (given.get("sqlFilter") or {}).get("sqlExpression")
        if given.get("filterType") == "SqlFilter" and not re.search(r"[=<>]|\b(?:IN|LIKE|EXISTS)\b", str(expression)):
            raise AzureError(400, "BadRequest", f"SubCode=40000. The filter '{expression}' cannot be parsed.")
        return self._kept(asked, kind, given, known).document

    def _begun(self, asked: Asked, kind: str) -> Resource | None:
        check_version(kind, asked.version, self.estate, asked.path)
        self.access.demand(asked, f"{kind}/write", asked.path)
        self.resources.check_locks(asked.path, "write")
        above = asked.path.rpartition("/")[0].rpartition("/")[0]
        owner = self.estate.resources.get(above.lower())
        if owner is None:
            raise AzureError(404, "ParentResourceNotFound", f"Failed to perform 'write' on '{asked.path}'.")
        return self.estate.resources.get(asked.path.lower())

    def _kept(self, asked: Asked, kind: str, properties: Json, known: Resource | None) -> Resource:
        now = datetime.now(UTC)
        document = {"id": asked.path, "name": asked.path.rpartition("/")[2], "type": kind, "properties": properties}
        made = self.estate.add(Resource(document, known.created if known else now, now))
        above = self.estate.resources[asked.path.rpartition("/")[0].rpartition("/")[0].lower()]
        if known is None and kind.endswith("/subscriptions"):
            above.properties["subscriptionCount"] = above.properties.get("subscriptionCount", 0) + 1
        return made

    def _delete_namespace(self, asked: Asked) -> Reply:
        self.access.demand(asked, "Microsoft.ServiceBus/namespaces/delete", asked.path)
        self.resources.check_locks(asked.path, "delete")
        if asked.path.lower() not in self.estate.resources:
            return Reply(status=204)
        return _later(self.work, asked, "Microsoft.ServiceBus", lambda: self.estate.remove(asked.path))


def _check_entity(given: Json, known: Resource | None) -> None:
    lock = _MINUTES.fullmatch(str(given.get("lockDuration", "PT1M")))
    if lock is None or int(lock[1] or 0) * 60 + int(lock[2] or 0) > _LONGEST_LOCK:
        message = "SubCode=40000. The supplied lock time exceeds the allowed maximum of '300' seconds."
        raise AzureError(400, "MessagingGatewayBadRequest", message)
    for name in _FIXED if known else ():
        if bool(given.get(name)) is not bool(known and known.properties.get(name)):
            raise AzureError(400, "BadRequest", f"SubCode=40000. The value for the property '{name}' can't be changed.")


def _kind(path: str) -> str:
    namespace, *rest = path.rpartition("/providers/")[2].split("/")
    return "/".join([namespace, *rest[::2]])


def _later(work: LongRunning, asked: Asked, namespace: str, finish: Any, style: Style = Style.LOCATION) -> Reply:
    begun = work.begin(finish)
    return Reply(status=202, headers=work.headers(asked, begun, asked.path.split("/")[2], style, namespace))


@dataclass
class CosmosChanges:
    """Databases, containers and throughput: all of it takes a while."""

    estate: Estate
    access: Access
    work: LongRunning
    resources: Resources

    @property
    def routes(self) -> list[Route]:
        place = f"{_ACCOUNT}/{{rest}}"
        return [
            Route(f"POST {place}/throughputSettings/default/migrateToAutoscale", self._to_autoscale),
            Route(f"POST {place}/throughputSettings/default/migrateToManualThroughput", self._to_manual),
            Route(f"PUT {place}/throughputSettings/default", self._put_throughput),
            Route(f"PUT {place}", self._put),
            Route(f"DELETE {place}", self._delete),
        ]

    def _begun(self, asked: Asked, place: str, verb: str = "write") -> Resource | None:
        kind = _kind(place)
        check_version(kind, asked.version, self.estate, place)
        self.access.demand(asked, f"{kind}/{verb}", place)
        self.resources.check_locks(place, verb)
        known = self.estate.resources.get(place.lower())
        account = self.estate.resources.get("/".join(place.split("/")[:9]).lower())
        if account is None or (verb == "write" and self._above(place) is None):
            raise AzureError(404, "NotFound", 'Message: {"code":"NotFound","message":"Owner resource does not exist"}')
        return known

    def _above(self, place: str) -> Resource | None:
        return self.estate.resources.get(place.rpartition("/")[0].rpartition("/")[0].lower())

    def _put(self, asked: Asked) -> Reply:
        known = self._begun(asked, asked.path)
        given = asked.body.get("properties") or {}
        resource = given.get("resource") or {}
        if resource.get("id") != asked.path.rpartition("/")[2]:
            raise AzureError(400, "BadRequest", "The id of the resource and the name in the path differ.")
        before = known.properties.get("resource", {}) if known else {}
        for name in ("partitionKey", "shardKey", "uniqueKeyPolicy"):
            if known and before.get(name) != resource.get(name):
                message = f"Document collection '{name}' cannot be changed."
                raise AzureError(400, "BadRequest", message)
        return _later(self.work, asked, "Microsoft.DocumentDB", lambda: self._keep(asked, given, known), Style.BOTH)

    def _keep(self, asked: Asked, given: Json, known: Resource | None) -> Json:
        now = datetime.now(UTC)
        name = asked.path.rpartition("/")[2]
        document = {
            "id": asked.path,
            "name": name,
            "type": _kind(asked.path),
            "properties": {"resource": {**given["resource"], "_rid": "aa==", "_ts": 1760000000}},
        }
        self.estate.add(Resource(document, known.created if known else now, now))
        if options := given.get("options"):
            self._set(asked.path, options)
        return document

    def _set(self, place: str, resource: Json) -> Json:
        own = f"{place}/throughputSettings/default"
        scaling = resource.get("autoscaleSettings") or {}
        # `az` sends the number as text, which the service takes.
        highest = int(scaling.get("maxThroughput") or 0)
        if highest:
            resource = {**resource, "autoscaleSettings": {**scaling, "maxThroughput": highest}}
        units = highest // 10 if highest else resource.get("throughput")
        now = datetime.now(UTC)
        told = {"throughput": units, "minimumThroughput": "400", **resource}
        document = {"id": own, "name": "default", "type": _kind(own), "properties": {"resource": told}}
        return self.estate.add(Resource(document, now, now)).document

    def _throughput(self, asked: Asked, place: str) -> Json:
        self.access.demand(asked, f"{_kind(place)}/write", place)
        self.resources.check_locks(place, "write")
        found = self.estate.resources.get(place.lower())
        if found is None:
            raise AzureError(404, "NotFound", "It has no throughput of its own.")
        resource: Json = found.properties["resource"]
        return resource

    def _put_throughput(self, asked: Asked) -> Reply:
        now = self._throughput(asked, asked.path)
        wanted = (asked.body.get("properties") or {}).get("resource") or {}
        if bool(now.get("autoscaleSettings")) is not bool(wanted.get("autoscaleSettings")):
            raise AzureError(400, "BadRequest", "Migrate between manual throughput and autoscale first.")
        place = asked.path.rpartition("/throughputSettings/")[0]
        return self._later(asked, lambda: self._set(place, wanted))

    def _to_autoscale(self, asked: Asked) -> Reply:
        return self._migrate(asked, {"autoscaleSettings": {"maxThroughput": 4000}})

    def _to_manual(self, asked: Asked) -> Reply:
        return self._migrate(asked, {"throughput": 400})

    def _migrate(self, asked: Asked, wanted: Json) -> Reply:
        place = asked.path.rpartition("/")[0]
        self._throughput(asked, place)
        return self._later(asked, lambda: self._set(place.rpartition("/throughputSettings/")[0], wanted))

    def _delete(self, asked: Asked) -> Reply:
        if self._begun(asked, asked.path, "delete") is None:
            return Reply(status=204)
        return self._later(asked, lambda: self.estate.remove(asked.path))

    def _later(self, asked: Asked, finish: Any) -> Reply:
        return _later(self.work, asked, "Microsoft.DocumentDB", finish, Style.BOTH)
