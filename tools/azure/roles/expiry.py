"""How a role ends that is given for a while: by Azure itself, or by a task of this server."""

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
# Nobody's: whoever asked for it is not to cancel it.
_OWNER: Final = "the end of roles"
_SECONDS_BETWEEN_TRIES: Final = 3600.0
_MOST_POLICIES: Final = 100
# The rule of a policy for assignments that an administrator makes.
_END_OF_ASSIGNMENTS: Final = "Expiration_Admin_Assignment"
_MOST_TRIES: Final = 24 * 14


@dataclass(frozen=True)
class ExpiryKeeper:
    """What this server can do later, when whoever asked is gone."""

    tasks: Callable[[], Tasks]
    own: Callable[[], Azure]
    scopes: tuple[str, ...] = ()

    def may_act_on(self, scope: ResourceId) -> bool:
        return is_within(scope, self.scopes)

    async def promise_to_remove(self, assignment: ResourceId, until: datetime, title: str) -> Task:
        """See to it that an assignment is removed then, whatever becomes of this process.

        Raises:
            Refusal: That could not be kept.
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
    """When a role ends, and by whom: `by_azure` is Privileged Identity Management."""

    until: datetime
    by_azure: bool

    @property
    def told(self) -> str:
        by = "Azure (Privileged Identity Management)" if self.by_azure else "a task of this server, as its own identity"
        return f"{self.until.isoformat().replace('+00:00', 'Z')}, by {by}"


def is_within(scope: ResourceId, listed: Iterable[str]) -> bool:
    """Whether a scope is one of these, or in one."""
    return any(f"{scope.key}/".startswith(f"{one.strip().rstrip('/').lower()}/") for one in listed if one.strip("/ "))


def end_of(text: str | None) -> datetime | None:
    """The moment that is meant.

    Raises:
        Refusal: It is none, or too soon or too late.
    """
    if text is None:
        return None
    now = datetime.now(UTC)
    # What counts from now counts backwards, and is no end.
    with suppress(Refusal):
        until = datetime.fromisoformat(moment("until", text, is_end=True))
        if now + _SOONEST <= until <= now + _LATEST:
            return until
    raise Refusal(
        "until is a date or a time between 5 minutes and 365 days from now, such as"
        f" {now + timedelta(days=7):%Y-%m-%d} or {now + timedelta(days=7):%Y-%m-%dT18:00:00Z}."
    )


async def ending_of(azure: Azure, keeper: ExpiryKeeper, scope: ResourceId, until: datetime) -> Ending:
    """Who ends it.

    Raises:
        Refusal: Nobody would, so it may not be given.
    """
    if await _has_schedules(azure, scope):
        return Ending(until, by_azure=True)
    if not keeper.may_act_on(scope):
        raise Refusal(
            "A role with an end is not given here, because nobody would take it away: this tenant has no Privileged"
            " Identity Management, and an operator has not let tasks of this server act there. They would list the id"
            f" of {scope.text}, or of what it is in, in TASKS_SCOPES, and give the server's own identity 'User Access"
            " Administrator' or 'Role Based Access Control Administrator' there. Nothing was done."
        )
    if not await _may_remove(keeper.own(), scope):
        raise Refusal(
            "A role with an end is not given here, because this server's own identity could not take it away: it needs"
            f" 'User Access Administrator' or 'Role Based Access Control Administrator' on {scope.text}. Nothing was"
            " done."
        )
    return Ending(until, by_azure=False)


async def _has_schedules(azure: Azure, scope: ResourceId) -> bool:
    """Whether the tenant has Privileged Identity Management."""
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
    """Remove an assignment whose time is over. What is gone already is done, so this may happen again."""
    from tasks.work import HopelessError, Next, StepDone  # noqa: PLC0415 - what tasks are is imported where they are done

    assignment = ResourceId.of(str(given.arguments["assignment"]))
    try:
        await _remove(opened, assignment)
    except Refusal as refusal:
        if given.number >= _MOST_TRIES:
            raise HopelessError(f"{assignment.text} is over, and could not be removed: {refusal}") from refusal
        logger.exception("The role assignment %s is over, and is not removed yet", assignment.text)
        return Next({"trouble": str(refusal)[:500]}, after=_SECONDS_BETWEEN_TRIES)
    return StepDone({"removed": assignment.text})


async def _remove(opened: AzureAccess, assignment: ResourceId) -> None:
    if not is_within(assignment, opened.scopes_of_work):
        raise Refusal("An operator has taken its scope out of TASKS_SCOPES.")
    try:
        await opened.own().send(of_id("DELETE", assignment, version=VERSION))
    except AzureRefusal as refusal:
        if refusal.status != 404:
            raise


async def longest_by_policy(azure: Azure, scope: ResourceId, role: str) -> str:
    """A sentence that says for how long a policy lets a role be given; nothing where that cannot be read."""
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
    """When a role ends by the request that Azure took, which a policy may have shortened."""
    ends = at(request, "properties.scheduleInfo.expiration.endDateTime")
    return datetime.fromisoformat(str(ends)) if ends else None


def scheduled(properties: Mapping[str, Any], until: datetime, why: str) -> Mapping[str, Any]:
    """The request by which Azure gives a role and takes it away again."""
    begins, ends = (time.isoformat().replace("+00:00", "Z") for time in (datetime.now(UTC), until))
    schedule = {"startDateTime": begins, "expiration": {"type": "AfterDateTime", "endDateTime": ends}}
    said = {"justification": why or "Given for a while."}
    return {"properties": {**properties, "requestType": "AdminAssign", "scheduleInfo": schedule, **said}}
