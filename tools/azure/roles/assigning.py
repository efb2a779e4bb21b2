"""Assigns a role, permanently or temporarily."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Annotated, Any, Final

from changes.preview import Edit, Preview
from changes.undo import by_call
from clients.answers import Json, at
from clients.azure.client import Azure
from clients.azure.failures import AzureRefusal
from clients.azure.ids import ResourceId
from clients.azure.messages import of_id
from mcp_server.declarations.field import Field
from mcp_server.declarations.function_tool import further_name
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.account.who import Identity, Me
from tools.azure.roles.definitions import called, definitions
from tools.azure.roles.expiry import (
    SCHEDULED,
    Ending,
    ExpiryKeeper,
    TheKeeper,
    end_in,
    end_of,
    ending_of,
    longest_by_policy,
    scheduled,
)
from tools.azure.roles.grants import Grant, why_grave
from tools.azure.roles.parameters import OF_PLACE, AnyPlace, asked_place
from tools.azure.roles.recipients import AnyKind, Principal, recipient
from tools.azure.roles.role_holdings import Spot, identities_of, spot_at, standing_of
from tools.azure.shared.applying import SECONDS, AppliedChange, OutcomeCheck, SeenOutcome, change, made
from tools.azure.shared.parameters import AnyResourceGroup, Subscription
from tools.azure.shared.resource_change import ResourceChange
from tools.azure.shared.rights import HERE, VERSION
from tools.azure.shared.scopes import short_scope

part = Part()

_EXISTS: Final = "RoleAssignmentExists"
_TOO_LONG: Final = "ExpirationRule"
# Azure may round times to whole seconds, so times within this range count as equal.
_ROUNDED: Final = timedelta(minutes=1)
_IN_VAIN: Final = frozenset({"failed", "denied", "canceled", "revoked", "invalid", "timedout", "admindenied"})

RoleName = Annotated[str, Field(min_length=1, max_length=2048, description="Name or id")]
AnyEnd = Annotated[str | None, Field(max_length=40, description="When it expires: ISO date or time")]
AnyCondition = Annotated[str | None, Field(max_length=8192, description="ABAC condition, version 2.0")]
AnyReason = Annotated[str | None, Field(max_length=500, description="Reason")]


def role_assignment_create(
    assignee: Principal,
    role: RoleName,
    scope: Annotated[str | None, Field(max_length=2048, description="Default: the subscription")] = None,
) -> dict[str, Any]:
    """Create a role assignment."""
    return {"principal": assignee, "role": role, "resource": scope}


@dataclass(frozen=True, slots=True)
class _Plan:
    grant: Grant
    spot: Spot
    ending: Ending | None

    @property
    def title(self) -> str:
        return f"{self.grant.role.name} for {self.grant.who.label} on {short_scope(self.grant.scope.text)}"


async def _planned(
    azure: Azure, me: Identity, keeper: ExpiryKeeper, scope: ResourceId, given: Mapping[str, Any]
) -> tuple[_Plan, Json | None]:
    """Return the planned assignment, and the existing assignment if there is one."""
    until = end_of(given["until"])
    role = called(await definitions(azure, scope), given["role"])
    who = await recipient(azure, given["principal"], given["kind"], me)
    spot = await spot_at(azure, scope)
    ending = await ending_of(azure, keeper, scope, until) if until else None
    said = {"condition": given["condition"] or "", "description": given["description"] or ""}
    grant = Grant(scope=scope, role=role, who=who, until=until, **said)
    return _Plan(grant, spot, ending), await grant.existing(azure)


@part.change(
    Access.DESTROY,
    harmless=(*OF_PLACE, "role", "until", "kind"),
    seconds=SECONDS,
    further_names=[further_name(role_assignment_create)],
)
async def assign_role(
    azure: Arm,
    me: Me,
    keeper: TheKeeper,
    principal: Principal,
    role: RoleName,
    resource: AnyPlace = None,
    resource_group: AnyResourceGroup = None,
    subscription: Subscription = None,
    until: AnyEnd = None,
    condition: AnyCondition = None,
    description: AnyReason = None,
    kind: AnyKind = None,
) -> ResourceChange:
    """Give a person, group or app a role (RBAC role assignment) on a subscription, group or resource.

    `until` makes the role temporary. Fails if nothing could remove the role at that time.
    """
    scope = await asked_place(azure, resource, resource_group, subscription)
    given = {"principal": principal, "role": role, "until": until, "kind": kind}
    plan, there = await _planned(
        azure, me, keeper, scope, {**given, "condition": condition, "description": description}
    )
    if there and plan.ending:
        raise Refusal(_there_already(plan))
    grant = plan.grant
    answers = {"role": grant.role.name, "who": grant.who.label, "scope": scope.text}
    return ResourceChange(
        azure,
        of_id("PUT", grant.id, body=grant.body, version=VERSION),
        on=grant.id,
        before=there,
        judge=made,
        call=grant.look,
        shows=lambda _: _preview(azure, me, plan),
        sends=lambda look: _assign(azure, keeper, plan, look),
        answers=lambda done: {**answers, **_result(plan, done.document)},
        is_no_op=there is not None,
        inspected=plan.spot.around(grant.id),
    )


def _result(plan: _Plan, document: Json) -> Json:
    until = end_in(document)
    ending = replace(plan.ending, until=until) if plan.ending and until else plan.ending
    return {"ends": ending.text if ending else None, "state": at(document, "properties.status")}


async def _preview(azure: Azure, me: Identity, plan: _Plan) -> Preview:
    grant, scope = plan.grant, plan.grant.scope
    standing = await standing_of(azure, grant)
    roles = sorted(one.role for one in standing.theirs)
    facts = {
        **standing.facts_for(grant),
        "ends": plan.ending.text if plan.ending else "never, unless removed",
        "condition": grant.condition,
        **plan.spot.facts,
    }
    return Preview(
        what=plan.title,
        sentence=f"Give {grant.who.label} the role {grant.role.name} on {short_scope(scope.text)}",
        facts=facts,
        edits=[Edit(f"roles of {grant.who.label} there", roles or None, sorted([*roles, grant.role.name]))],
        affected=[grant.who.label],
        grave=why_grave(grant, await identities_of(azure, scope, me)),
        undo=by_call("remove_role_assignment", principal=grant.who.id, role=grant.role.name, resource=scope.text),
        destroys=False,
        missing=standing.missing,
    )


def _there_already(plan: _Plan) -> str:
    ends = "" if plan.ending is None else " To add an end date, first remove the role with remove_role_assignment."
    return f"Nothing to do: the principal already has {plan.grant.role.name} at this scope.{ends}"


async def _assign(azure: Azure, keeper: ExpiryKeeper, plan: _Plan, look: OutcomeCheck) -> AppliedChange:
    if plan.ending is None:
        return await _put(azure, plan, look)
    if plan.ending.by_azure:
        return await _scheduled(azure, plan.grant, plan.ending)
    # The removal is scheduled before the role is assigned, so that a crash cannot leave the role assigned.
    promise = await keeper.promise_to_remove(plan.grant.id, plan.ending.until, f"End the role {plan.title}")
    try:
        return await _put(azure, plan, look)
    except AzureRefusal:
        await keeper.take_back(promise)
        raise


async def _put(azure: Azure, plan: _Plan, look: OutcomeCheck) -> AppliedChange:
    try:
        return await change(azure, of_id("PUT", plan.grant.id, body=plan.grant.body, version=VERSION), look)
    except AzureRefusal as refusal:
        if refusal.code == _EXISTS:
            raise refusal.with_more(_there_already(plan)) from None
        raise


async def _scheduled(azure: Azure, grant: Grant, ending: Ending) -> AppliedChange:
    place = f"{HERE}/roleAssignmentScheduleRequests/{grant.name}"
    body = scheduled(grant.properties, ending.until, grant.description)
    request = of_id("PUT", grant.scope, place, body=body, version=SCHEDULED)
    look = OutcomeCheck(of_id("GET", grant.scope, place, version=SCHEDULED), _is_accepted, grant.look)
    try:
        done = await change(azure, request, look)
    except AzureRefusal as refusal:
        if _TOO_LONG not in refusal.message:
            raise
        longest = await longest_by_policy(azure, grant.scope, grant.role_id)
        raise refusal.with_more(f"{longest} Pass an earlier `until`.".strip()) from None
    return await _with_its_end(azure, grant, ending, done)


async def _with_its_end(azure: Azure, grant: Grant, ending: Ending, done: AppliedChange) -> AppliedChange:
    """If Azure ends the role earlier than requested, add a note to the result.

    The note contains the maximum duration that a policy allows.
    """
    ends = end_in(done.document)
    if ends is None or ends >= ending.until - _ROUNDED:
        return done
    longest = await longest_by_policy(azure, grant.scope, grant.role_id)
    return replace(done, note=f"Azure ends the role earlier than requested. {longest}".strip())


def _is_accepted(found: Json | None) -> SeenOutcome:
    """Check whether Azure has accepted the request for a temporary role."""
    state = str(at(found, "properties.status") or "").lower()
    return SeenOutcome.NOT_DONE if found is None or state in _IN_VAIN else SeenOutcome.DONE
