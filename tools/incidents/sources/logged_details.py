"""Extracts details from the activity log: the role and principal of role changes, and the throughput of Cosmos DB."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.decoding import decoded
from incidents.events import Setting, mapping
from refusal import Refusal
from tools.azure.roles.definitions import definitions, key_of
from tools.azure.shared.actors import actors_of
from tools.azure.shared.answers import at

_BODIES: Final = ("requestbody", "responsebody")
_THROUGHPUT: Final = ("properties.resource.throughput", "properties.resource.autoscaleSettings.maxThroughput")

Record = Mapping[str, Any]


async def details_of(azure: Azure, subscription: str, records: Sequence[Record]) -> list[tuple[Setting, ...]]:
    """Return the details of each logged change, with the names of roles and principals if these names can be read."""
    details = [_properties(record) for record in records]
    roles = await _roles(azure, subscription, details)
    actors = await actors_of(azure, (one.get("principalId") for one in details))
    before = _throughputs_before(records)
    found = []
    for number, (record, one) in enumerate(zip(records, details, strict=True)):
        role = roles.get(key_of(str(one.get("roleDefinitionId") or "")), "")
        settings = _of_role(record, {"role": role, "principal": actors.name(one.get("principalId"))})
        if throughput := _throughput(record):
            settings.append(Setting("throughput", before.get(number), throughput))
        found.append(tuple(settings))
    return found


def _of_role(record: Record, details: Mapping[str, str]) -> list[Setting]:
    """Return the role and the principal of a role assignment, as settings that were added or removed."""
    is_taken = str(at(record, "operationName.value")).lower().endswith("/delete")
    given = [(name, value) for name, value in details.items() if value]
    return [Setting(name, value, None) if is_taken else Setting(name, None, value) for name, value in given]


async def _roles(azure: Azure, subscription: str, details: Iterable[Record]) -> Mapping[str, str]:
    ids = [str(one["roleDefinitionId"]) for one in details if one.get("roleDefinitionId")]
    named = {key_of(one): key_of(one) for one in ids}
    if not ids:
        return named
    try:
        known = await definitions(azure, ResourceId.of_subscription(subscription))
    except Refusal:
        return named  # the text then shows IDs, which role administrators know
    return named | {key: one.name for key, one in known.items()}


def _throughputs_before(records: Sequence[Record]) -> dict[int, Any]:
    """Return the throughput before each change, as set by the previous change in the log. Records are sorted
    newest first.
    """
    last: dict[str, Any] = {}
    found: dict[int, Any] = {}
    for number in reversed(range(len(records))):
        if throughput := _throughput(records[number]):
            target = str(records[number].get("resourceId")).lower()
            found[number] = last.get(target)
            last[target] = throughput
    return found


def _throughput(record: Record) -> Any:
    return next((value for body in _bodies(record) for path in _THROUGHPUT if (value := at(body, path))), None)


def _properties(record: Record) -> Record:
    """Return the properties of a role assignment. The log contains these properties in the request or in the previous
    state.
    """
    return next((found for body in _bodies(record) if (found := _folded(mapping(at(body, "properties"))))), {})


def _folded(properties: Record) -> Record:
    """Normalize names, because Azure writes `PrincipalId` in requests and `principalId` in responses."""
    found = {f"{name[:1].lower()}{name[1:]}": value for name, value in properties.items() if name}
    return {name: found[name] for name in ("principalId", "roleDefinitionId") if found.get(name)}


def _bodies(record: Record) -> Iterator[Record]:
    for name, text in mapping(record.get("properties")).items():
        if str(name).lower() in _BODIES and isinstance(text, str):
            try:
                body = mapping(decoded(text))
            except (ValueError, RecursionError):
                continue  # the text is truncated or unreadable
            yield {f"{key[:1].lower()}{key[1:]}": value for key, value in body.items()}
