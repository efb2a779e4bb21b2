"""Removes a role from a principal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

from changes.preview import Edit, Preview
from changes.undo import by_call
from clients.answers import Json, at
from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import of_id
from mcp_server.declarations.field import Field
from mcp_server.declarations.function_tool import further_name
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.account.who import Identity, Me
from tools.azure.roles.definitions import called, definitions, key_of
from tools.azure.roles.grants import OWNER, Grant, owners_but, why_grave
from tools.azure.roles.parameters import OF_PLACE, AnyPlace, asked_place
from tools.azure.roles.recipients import Principal, Recipient, recipient
from tools.azure.roles.role_holdings import Spot, holders_at, identities_of, spot_at, standing_of
from tools.azure.shared.applying import SECONDS, gone
from tools.azure.shared.parameters import AnyResourceGroup, Subscription
from tools.azure.shared.resource_change import ResourceChange
from tools.azure.shared.rights import HERE, VERSION
from tools.azure.shared.scopes import short_scope

part = Part()

_MOST: Final = 2000


def role_assignment_delete(
    assignee: Principal,
    role: Annotated[
        str | None, Field(max_length=2048, description="Required if the principal has several roles")
    ] = None,
    scope: Annotated[str | None, Field(max_length=2048, description="Default: the subscription")] = None,
) -> dict[str, Any]:
    """Delete a role assignment."""
    return {"principal": assignee, "role": role, "resource": scope}


@dataclass(frozen=True, slots=True)
class _Removal:
    grant: Grant
    spot: Spot
    record: Json
    # The Owners that remain after the removal. None if the role to remove is not Owner.
    owners: Sequence[tuple[str, str]] | None

    @property
    def id(self) -> ResourceId:
        return ResourceId.of(str(self.record["id"]))

    @property
    def grave(self) -> list[str]:
        are_apps = bool(self.owners) and all(kind == "ServicePrincipal" for kind, _ in self.owners or ())
        return ["All remaining Owners at this scope would be apps, not people or groups."] if are_apps else []


async def _removal(azure: Azure, me: Identity, scope: ResourceId, principal: str, role: str | None) -> _Removal:
    """Find the only matching assignment. Raises Refusal if removing the assignment would leave no Owner."""
    who = await recipient(azure, principal, None, me)
    spot = await spot_at(azure, scope)
    record = await _theirs(azure, scope, who, role)
    found = called(await definitions(azure, scope), str(at(record, "properties.roleDefinitionId")))
    own = who.is_known_as([(str(at(record, "properties.principalType") or ""), who.id)])
    condition = str(at(record, "properties.condition") or "")
    grant = Grant(scope=scope, role=found, who=own, condition=condition)
    owners = await _owners_left(azure, scope, record) if found.key == OWNER else None
    return _Removal(grant, spot, record, owners)


async def _theirs(azure: Azure, scope: ResourceId, who: Recipient, role: str | None) -> Json:
    """Return the only matching assignment."""
    assigned = await _assigned(azure, scope, who)
    known = await definitions(azure, scope)
    wanted = called(known, role).key if role else None
    matching = [one for one in assigned if wanted in {None, key_of(str(at(one, "properties.roleDefinitionId")))}]
    here = [one for one in matching if _scope_of(one).rstrip("/").lower() == scope.key]
    if not here:
        raise Refusal(_not_here(sorted({_scope_of(one) or "/" for one in matching})))
    if len(here) > 1:
        names = sorted({_name_of(known, record) for record in here})
        raise Refusal(f"The principal has several roles at this scope: {', '.join(names)}. Pass `role`.")
    return here[0]


async def _assigned(azure: Azure, scope: ResourceId, who: Recipient) -> Sequence[Json]:
    query = {"$filter": f"principalId eq '{who.id}'"}
    request = of_id("GET", scope, f"{HERE}/roleAssignments", query=query, version=VERSION)
    return (await azure.page(request, _MOST)).items


def _scope_of(assignment: Json) -> str:
    return str(at(assignment, "properties.scope") or "")


def _name_of(known: Mapping[str, Any], record: Json) -> str:
    key = key_of(str(at(record, "properties.roleDefinitionId")))
    return known[key].name if key in known else key


def _not_here(scopes: Sequence[str]) -> str:
    if scopes:
        return (
            f"The role was not assigned at this scope, but at {', '.join(scopes[:5])}. To remove the role at another"
            " scope, pass that scope as `resource`."
        )
    return (
        "The principal does not have this role directly at this scope. Use show_access to list roles and the groups"
        " that grant them."
    )


async def _owners_left(azure: Azure, scope: ResourceId, record: Json) -> Sequence[tuple[str, str]]:
    records, _ = await holders_at(azure, scope)
    left = owners_but(records, str(record.get("id")).lower())
    if not left:
        raise Refusal(
            "Nothing was done: no Owner would remain at this scope to undo the change. Assign Owner to someone else"
            " first."
        )
    return left


@part.change(
    Access.DESTROY,
    harmless=(*OF_PLACE, "role"),
    seconds=SECONDS,
    further_names=[further_name(role_assignment_delete)],
)
async def remove_role_assignment(
    azure: Arm,
    me: Me,
    principal: Principal,
    role: Annotated[
        str | None, Field(max_length=2048, description="Required if the principal has several roles")
    ] = None,
    resource: AnyPlace = None,
    resource_group: AnyResourceGroup = None,
    subscription: Subscription = None,
) -> ResourceChange:
    """Remove a role from a person, group or app. Pass the exact scope at which the role was assigned."""
    scope = await asked_place(azure, resource, resource_group, subscription)
    removal = await _removal(azure, me, scope, principal, role)
    grant = removal.grant
    return ResourceChange(
        azure,
        of_id("DELETE", removal.id, version=VERSION),
        on=removal.id,
        before=removal.record,
        judge=gone,
        call=grant.look,
        shows=lambda _: _preview(azure, me, removal),
        answers={"removed": grant.role.name, "who": grant.who.label, "scope": scope.text},
        inspected=removal.spot.around(removal.id),
    )


async def _preview(azure: Azure, me: Identity, removal: _Removal) -> Preview:
    grant, scope = removal.grant, removal.grant.scope
    standing = await standing_of(azure, grant)
    kept = [one for one in standing.theirs if not grant.is_given_by({"properties": one.properties})]
    graves = [why_grave(grant, await identities_of(azure, scope, me)), *removal.grave]
    roles = sorted(one.role for one in standing.theirs)
    facts = {
        **standing.facts_for(grant),
        "given": f"{at(removal.record, 'properties.createdOn')} by {at(removal.record, 'properties.createdBy')}",
        "condition": grant.condition,
        "remaining owners": None if removal.owners is None else len(removal.owners),
        "assignment": str(removal.record["id"]).lower(),
        **removal.spot.facts,
    }
    return Preview(
        what=f"{grant.role.name} for {grant.who.label} on {short_scope(scope.text)}",
        sentence=f"Remove the role {grant.role.name} on {short_scope(scope.text)} from {grant.who.label}",
        facts=facts,
        edits=[Edit(f"roles of {grant.who.label} there", roles, sorted(one.role for one in kept) or None)],
        affected=[grant.who.label],
        grave=" ".join(filter(None, graves)),
        effects=[f"{grant.who.label} loses the permissions of this role within minutes"],
        undo=by_call(
            "assign_role",
            principal=grant.who.id,
            role=grant.role.name,
            resource=scope.text,
            condition=grant.condition or None,
            description=at(removal.record, "properties.description"),
        ),
        missing=standing.missing,
    )
