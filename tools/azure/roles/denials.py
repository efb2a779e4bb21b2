"""Reads deny assignments, which prevent actions even if a role permits them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from clients.answers import Json, at, present
from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import AzureRequest, of_id
from clients.azure.permissions import Permissions
from clients.messages import ListPage
from mcp_server.declarations.toolset import Access, Part
from tools.azure.access import Arm
from tools.azure.roles.parameters import OF_PLACE, AnyAction, AnyPlace, AskedPlace, at_each_place
from tools.azure.shared.actions import Action, action_called
from tools.azure.shared.answers import many
from tools.azure.shared.parameters import AnyResourceGroup, MaxResults, Subscription
from tools.azure.shared.principals import People, Somebody, looked_up
from tools.azure.shared.rights import HERE, VERSION, first_of

part = Part()

# The principal id that denotes all principals.
EVERYBODY: Final = "00000000-0000-0000-0000-000000000000"


@dataclass(frozen=True, slots=True)
class DenyAssignment:
    record: Mapping[str, Any]

    @property
    def permissions(self) -> Permissions:
        return Permissions.of(_entries(self.record, "permissions"))

    @property
    def name(self) -> str:
        return str(at(self.record, "properties.denyAssignmentName") or self.record.get("name") or "")

    @property
    def principals(self) -> list[Somebody]:
        return _principals(self.record, "principals")

    @property
    def excluded(self) -> list[Somebody]:
        return _principals(self.record, "excludePrincipals")

    def befalls(self, identities: Collection[str]) -> bool:
        """Check whether the deny assignment applies to any of these ids, which belong to a principal and its groups."""
        ids = {one.lower() for one in identities}
        if ids & {one.lower() for _, one in self.excluded}:
            return False
        return any(one == EVERYBODY or one.lower() in ids for _, one in self.principals)

    def summary(self, people: People) -> Json:
        properties = self.record.get("properties")
        values = properties if isinstance(properties, Mapping) else {}
        everybody = any(one == EVERYBODY for _, one in self.principals)
        return present(
            {
                "name": self.name,
                "scope": values.get("scope"),
                "denies": first_of(self.permissions.actions),
                "but_not": first_of(self.permissions.left_out),
                "denies_data": first_of(self.permissions.data_actions),
                "to": "everybody" if everybody else [people.entry_of(one) for _, one in self.principals],
                "except": [people.entry_of(one) for _, one in self.excluded],
                "not_below": values.get("doNotApplyToChildScopes") or None,
                "by_system": values.get("isSystemProtected") or None,
            }
        )


def _entries(record: Mapping[str, Any], name: str) -> Sequence[Mapping[str, Any]]:
    found = at(record, f"properties.{name}")
    return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []


def _principals(record: Mapping[str, Any], name: str) -> list[Somebody]:
    return [(str(one.get("type") or ""), str(one.get("id") or "")) for one in _entries(record, name)]


def asked_denials(scope: ResourceId) -> AzureRequest:
    """Build the request for the deny assignments at a scope and above it."""
    return of_id("GET", scope, f"{HERE}/denyAssignments", query={"$filter": "atScope()"}, version=VERSION)


@part.tool(Access.READ, harmless=(*OF_PLACE, "action"))
async def list_deny_assignments(
    azure: Arm,
    resource: AnyPlace = None,
    resource_group: AnyResourceGroup = None,
    subscription: Subscription = None,
    action: AnyAction = None,
    max_results: MaxResults = 30,
) -> Json:
    """List deny assignments at a scope and above: what is denied to whom, regardless of roles, and who is exempt.

    Only managed applications and deployment stacks create them.
    """
    wanted = await action_called(azure, action) if action else None
    asked = AskedPlace(resource, resource_group, subscription)
    return await at_each_place(azure, asked, lambda scope: _denied_at(azure, scope, wanted, max_results))


async def _denied_at(azure: Azure, scope: ResourceId, wanted: Action | None, limit: int) -> Json:
    page = await azure.page(asked_denials(scope), limit)
    found = [DenyAssignment(record) for record in page.items]
    meant = [one for one in found if not wanted or wanted.is_allowed_by(one.permissions)]
    people = await looked_up(azure, [somebody for one in meant for somebody in (*one.principals, *one.excluded)])
    items = [one.summary(people) for one in meant]
    return many(ListPage(items, page.has_more, page.left_out), scope=scope.text, **people.gaps)
