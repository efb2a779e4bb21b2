"""Ends temporary roles, either through Azure itself or through a task of this server."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any, Final

from clients.answers import at
from clients.azure.client import Azure
from clients.azure.failures import AzureRefusal
from clients.azure.ids import ResourceId
from clients.azure.messages import of_id
from clients.azure.permissions import Permissions
from clients.azure.times import moment
from mcp_server.declarations.injection import Resolve
from mcp_server.visit import Context
from refusal import Refusal
from tools.azure.access import AZURE
from tools.azure.shared.rights import HERE, VERSION

if TYPE_CHECKING:
    from tasks.task import Task
    from tasks.tasks import Tasks
    from tasks.work import StepOutcome, WorkStep
    from tools.azure.access import AzureAccess

logger = logging.getLogger(__name__)

REMOVAL: Final = "remove_role_assignment"
SCHEDULED: Final = "2020-10-01"
_SOONEST: Final = timedelta(minutes=5)
_LATEST: Final = timedelta(days=365)
_NO_LICENSE: Final = "AadPremiumLicenseRequired"
_REMOVING: Final = "Microsoft.Authorization/roleAssignments/delete"
# The owner of the task that removes the role. The owner is not the requester, so the requester cannot cancel the task.
_OWNER: Final = "the end of roles"
_SECONDS_BETWEEN_TRIES: Final = 3600.0
_MOST_POLICIES: Final = 100
# The id of the policy rule that limits how long administrators can assign a role.
_END_OF_ASSIGNMENTS: Final = "Expiration_Admin_Assignment"
_MOST_TRIES: Final = 24 * 14


@dataclass(frozen=True)
class ExpiryKeeper:
    """Schedules the removal of roles by this server."""

    tasks: Callable[[], Tasks]
    own: Callable[[], Azure]
    scopes: tuple[str, ...] = ()

    def may_act_on(self, scope: ResourceId) -> bool:
        return is_within(scope, self.scopes)

    async def promise_to_remove(self, assignment: ResourceId, until: datetime, title: str) -> Task:
        """Schedule the removal of an assignment. The scheduled task survives a restart of this process.

        Raises:
            Refusal: The task could not be scheduled.
        """
        seconds = max(0.0, (until - datetime.now(UTC)).total_seconds())
        return await self.tasks().begin(REMOVAL, _OWNER, {"assignment": assignment.text}, title, after=seconds)

    async def take_back(self, promise: Task) -> None:
        await self.tasks().cancel(promise)


async def _keeper_of(context: Context) -> ExpiryKeeper:
    opened = await AZURE.of(context)
    return ExpiryKeeper(context.visit.means.tasks, opened.own, opened.scopes_of_work)


TheKeeper = Annotated[ExpiryKeeper, Resolve(_keeper_of)]


@dataclass(frozen=True, slots=True)
class Ending:
    """The time when a role ends, and whether Azure or this server ends it.

    If `by_azure` is true, Privileged Identity Management ends the role assignment.
    """

    until: datetime
    by_azure: bool

    @property
    def text(self) -> str:
        by = (
            "Azure (Privileged Identity Management)"
            if self.by_azure
            else "a task of this server, with the server's own identity"
        )
        return f"{self.until.isoformat().replace('+00:00', 'Z')}, by {by}"


def is_within(scope: ResourceId, listed: Iterable[str]) -> bool:
    """Check whether a scope is one of these scopes or inside one of them."""
    return any(f"{scope.key}/".startswith(f"{one.strip().rstrip('/').lower()}/") for one in listed if one.strip("/ "))


def end_of(text: str | None) -> datetime | None:
    """Parse the end of a temporary role. Raises Refusal if the time is invalid, too soon or too late."""
    if text is None:
        return None
    now = datetime.now(UTC)
    # `moment` also accepts relative times, but they are in the past, so they are rejected like other past times.
    with suppress(Refusal):
        until = datetime.fromisoformat(moment("until", text, is_end=True))
        if now + _SOONEST <= until <= now + _LATEST:
            return until
    raise _not_an_end(now + timedelta(days=7))


def _not_an_end(example: datetime) -> Refusal:
    return Refusal(
        "`until` must be a date or time between 5 minutes and 365 days from now, for example"
        f" {example:%Y-%m-%d} or {example:%Y-%m-%dT18:00:00Z}."
    )


async def ending_of(azure: Azure, keeper: ExpiryKeeper, scope: ResourceId, until: datetime) -> Ending:
    """Decide how a temporary role ends.

    Raises:
        Refusal: The role must not be assigned, because neither Azure nor this server could end the assignment.
    """
    if await _has_schedules(azure, scope):
        return Ending(until, by_azure=True)
    if not keeper.may_act_on(scope):
        raise Refusal(
            "Temporary roles are not available at this scope, because nothing would remove them: this tenant has no"
            " Privileged Identity Management, and tasks of this server cannot act at this scope. Ask an operator to"
            f" add the id of {scope.text}, or of a scope above it, to TASKS_SCOPES. At that scope, the server's"
            " identity also requires 'User Access Administrator' or 'Role Based Access Control Administrator'."
            " Nothing was done."
        )
    if not await _may_remove(keeper.own(), scope):
        raise Refusal(
            "Temporary roles are not available at this scope, because this server's identity could not remove them: it"
            " requires 'User Access Administrator' or 'Role Based Access Control Administrator' on"
            f" {scope.text}. Nothing was done."
        )
    return Ending(until, by_azure=False)


async def _has_schedules(azure: Azure, scope: ResourceId) -> bool:
    """Check whether the tenant has Privileged Identity Management."""
    query = {"$filter": "asTarget()"}
    asked = of_id("GET", scope, f"{HERE}/roleAssignmentScheduleInstances", query=query, version=SCHEDULED)
    try:
        await azure.page(asked, 1)
    except AzureRefusal as refusal:
        if refusal.code != _NO_LICENSE:
            raise
        return False
    return True


async def _may_remove(own: Azure, scope: ResourceId) -> bool:
    page = await own.page(of_id("GET", scope, f"{HERE}/permissions", version=VERSION), 500)
    return Permissions.of(page.items).allow(_REMOVING, of_data=False)


async def remove_when_it_ends(opened: AzureAccess, given: WorkStep) -> StepOutcome:
    """Remove an expired assignment. Repeating is safe: a missing assignment counts as removed."""
    from tasks.work import HopelessError, Next, StepDone  # noqa: PLC0415 - tasks are imported where they run

    assignment = ResourceId.of(str(given.arguments["assignment"]))
    try:
        await _remove(opened, assignment)
    except Refusal as refusal:
        if given.number >= _MOST_TRIES:
            raise HopelessError(f"{assignment.text} has expired but could not be removed: {refusal}") from refusal
        logger.exception("The role assignment %s has expired but has not been removed yet", assignment.text)
        return Next({"trouble": str(refusal)[:500]}, after=_SECONDS_BETWEEN_TRIES)
    return StepDone({"removed": assignment.text})


async def _remove(opened: AzureAccess, assignment: ResourceId) -> None:
    if not is_within(assignment, opened.scopes_of_work):
        raise Refusal("An operator removed the scope of the role from TASKS_SCOPES.")
    try:
        await opened.own().send(of_id("DELETE", assignment, version=VERSION))
    except AzureRefusal as refusal:
        if refusal.status != 404:
            raise


async def longest_by_policy(azure: Azure, scope: ResourceId, role: str) -> str:
    """Describe the longest duration that a policy allows. Return an empty text if the policy cannot be read."""
    place = f"{HERE}/roleManagementPolicyAssignments"
    query = {"$filter": f"roleDefinitionId eq '{role}'"}
    try:
        page = await azure.page(of_id("GET", scope, place, query=query, version=SCHEDULED), _MOST_POLICIES)
    except Refusal:
        return ""
    rules = [rule for one in page.items for rule in at(one, "properties.effectiveRules") or ()]
    longest = next((rule.get("maximumDuration") for rule in rules if rule.get("id") == _END_OF_ASSIGNMENTS), None)
    return f"A policy allows at most {longest} (an ISO 8601 duration)." if longest else ""


def end_in(request: Mapping[str, Any] | None) -> datetime | None:
    """Return when the role ends, according to the accepted request.

    A policy may have set an earlier end than requested.
    """
    ends = at(request, "properties.scheduleInfo.expiration.endDateTime")
    return datetime.fromisoformat(str(ends)) if ends else None


def scheduled(properties: Mapping[str, Any], until: datetime, why: str) -> Mapping[str, Any]:
    """Build the body of a request for a temporary role: Azure assigns the role now, and removes it at the end."""
    begins, ends = (time.isoformat().replace("+00:00", "Z") for time in (datetime.now(UTC), until))
    schedule = {"startDateTime": begins, "expiration": {"type": "AfterDateTime", "endDateTime": ends}}
    said = {"justification": why or "Temporary role."}
    return {"properties": {**properties, "requestType": "AdminAssign", "scheduleInfo": schedule, **said}}
