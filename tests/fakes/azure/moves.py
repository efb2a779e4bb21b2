"""Moving resources to another group, and asking beforehand whether that can be done."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tests.fakes.azure.access import Access
from tests.fakes.azure.estate import Estate, Resource, is_within, locked_scope
from tests.fakes.azure.long_running import LongRunning, Style
from tests.fakes.azure.routes import Asked, AzureError, Json, Reply, Route

_GROUP: Final = "/subscriptions/{subscription}/resourceGroups/{group}"
_GROUP_TYPE: Final = "Microsoft.Resources/subscriptions/resourceGroups"
_GROUP_PARTS: Final = 5


@dataclass
class Moves:
    estate: Estate
    access: Access
    work: LongRunning
    # Types that their providers do not let be moved, in small letters.
    unmovable: set[str] = field(default_factory=lambda: {"microsoft.containerservice/managedclusters"})

    @property
    def routes(self) -> list[Route]:
        return [
            Route(f"POST {_GROUP}/validateMoveResources", self._validate, type=_GROUP_TYPE),
            Route(f"POST {_GROUP}/moveResources", self._move, type=_GROUP_TYPE),
        ]

    def _validate(self, asked: Asked) -> Reply:
        ids, _ = self._checked(asked)
        kinds = [self.estate.resources[one.lower()].type for one in ids]
        refused = [kind for kind in kinds if kind.lower() in self.unmovable]
        error = _not_movable(refused) if refused else None
        return self._begun(asked, self.work.begin(lambda: None, error))

    def _move(self, asked: Asked) -> Reply:
        ids, target = self._checked(asked)

        def finish() -> None:
            for one in ids:
                self._carry(one, target)

        return self._begun(asked, self.work.begin(finish))

    def _begun(self, asked: Asked, work: Any) -> Reply:
        headers = self.work.headers(asked, work, asked.places["subscription"], Style.LOCATION, "Microsoft.Resources")
        return Reply(status=202, headers=headers)

    def _checked(self, asked: Asked) -> tuple[Sequence[str], str]:
        source = asked.path.rpartition("/")[0]
        ids, target = asked.body.get("resources") or [], str(asked.body.get("targetResourceGroup") or "")
        self.access.demand(asked, f"{_GROUP_TYPE}/moveResources/action", source)
        self.access.demand(asked, f"{_GROUP_TYPE}/write", target)
        if self.estate.group_of(target) is None:
            raise AzureError(404, "ResourceGroupNotFound", f"Resource group '{target}' could not be found.")
        for one in ids:
            if one.lower() not in self.estate.resources or not is_within(one, source):
                raise AzureError(404, "ResourceNotFound", f"The resource '{one}' was not found.")
        self._check_locks(source, target)
        return ids, target

    def _check_locks(self, *groups: str) -> None:
        for group in groups:
            held = [lock for lock in self.estate.locks_on(group) if lock["properties"]["level"] == "ReadOnly"]
            if held:
                message = (
                    f"The scope '{group}' cannot perform write operation because following scope(s) are locked:"
                    f" '{locked_scope(held[0])}'. Please remove the lock and try again."
                )
                raise AzureError(409, "ScopeLocked", message)

    def _carry(self, own: str, target: str) -> None:
        for key in [key for key in self.estate.resources if is_within(key, own)]:
            moved = self.estate.resources.pop(key)
            self.estate.add(_at(moved, target))


def _at(resource: Resource, target: str) -> Resource:
    document: Json = deepcopy(resource.document)
    document["id"] = "/".join([target, *resource.id.split("/")[_GROUP_PARTS:]])
    return replace(resource, document=document, listed_id="")


def _not_movable(kinds: Sequence[str]) -> Json:
    inner = {"code": "ResourceMoveNotSupported", "message": f"Resource move is not supported for {kinds[0]}."}
    message = "Resource move policy validation failed. Please see details."
    return {"code": "ResourceMovePolicyValidationFailed", "message": message, "details": [inner]}
