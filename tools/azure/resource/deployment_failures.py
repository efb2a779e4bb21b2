"""Explains why a deployment failed: the errors of its failed operations, including nested deployments."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import of_id
from clients.azure.resource_scopes import VERSION
from refusal import Refusal
from tools.azure.resource.reasons import Reason, reasons_in
from tools.azure.shared.answers import Json, at, present

_DEEPEST: Final = 5
_MOST_READ: Final = 20
_MOST_REASONS: Final = 20
_MOST_OPERATIONS: Final = 200
_DEPLOYMENT: Final = "microsoft.resources/deployments"


@dataclass
class Failures:
    """Collects why a deployment failed, and which nested deployments could not be read."""

    azure: Azure
    read: set[str] = field(default_factory=set)
    unread: list[str] = field(default_factory=list)

    async def of(self, place: ResourceId, deployment: Mapping[str, Any], operations: Sequence[Any]) -> Json:
        """Return why a deployment failed: each reason with the affected resource.

        The reasons come from the operations or, if no operation has a reason, from the deployment.
        """
        self.read.add(place.key)
        found = [reason async for reason in self._in_operations(operations, [], _DEEPEST)]
        found = found or [_entry(reason, "", []) for reason in reasons_in(at(deployment, "properties.error"))]
        why = _each_once(found)
        return {"why": why[:_MOST_REASONS] or "Azure gives no reason.", "notRead": sorted(self.unread)}

    async def _in_operations(self, operations: Sequence[Any], within: Sequence[str], depth: int) -> AsyncIterator[Json]:
        for operation in operations:
            if str(at(operation, "properties.provisioningState")) != "Failed":
                continue
            target = str(at(operation, "properties.targetResource.id") or "")
            inner = [reason async for reason in self._nested(operation, target, within, depth)]
            for reason in inner or _own_reasons(operation, target, within):
                yield reason

    async def _nested(
        self, operation: Mapping[str, Any], target: str, within: Sequence[str], depth: int
    ) -> AsyncIterator[Json]:
        """If an operation created a nested deployment, yield the reasons why the nested deployment failed."""
        if str(at(operation, "properties.targetResource.resourceType")).lower() != _DEPLOYMENT:
            return
        operations = await self._operations_of(target, depth)
        async for reason in self._in_operations(operations, [*within, target.rpartition("/")[2]], depth - 1):
            yield reason

    async def _operations_of(self, target: str, depth: int) -> Sequence[Any]:
        try:
            place = ResourceId.of(target)
            if place.key in self.read:
                return ()
            if not depth or len(self.read) >= _MOST_READ:
                self.unread.append(place.text)
                return ()
            self.read.add(place.key)
            page = await self.azure.page(of_id("GET", place, "/operations", version=VERSION), _MOST_OPERATIONS)
        except Refusal:
            # The nested deployment is deleted or unreadable, so the errors of the operation itself are used.
            self.unread.append(target)
            return ()
        return page.items


def _own_reasons(operation: Mapping[str, Any], target: str, within: Sequence[str]) -> list[Json]:
    return [_entry(reason, target, within) for reason in reasons_in(at(operation, "properties.statusMessage"))]


def _entry(reason: Reason, target: str, within: Sequence[str]) -> Json:
    return present(
        {
            "resource": target or reason.target,
            "code": reason.code,
            "says": reason.message,
            "within": list(within),
        }
    )


def _each_once(found: Sequence[Json]) -> list[Json]:
    return list({(one.get("resource"), one.get("code"), one.get("says")): one for one in reversed(found)}.values())[
        ::-1
    ]
