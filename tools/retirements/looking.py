"""Finds retirements on behalf of a caller, in the requested scope."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from clients.answers import some_of
from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import of_id
from clients.azure.named import groups_called
from clients.azure.resource_scopes import VERSION
from clients.folding import folded
from mcp_server.visit import Context
from refusal import Refusal
from retirements.announcements import Announcement, announced, last_day_of
from retirements.assessment import ALL, Assessment, RetirementInquiry, assess
from retirements.scope import Scope
from tools.azure_updates.access import UPDATES as UPDATES_KEY
from tools.retirements.access import RETIREMENTS
from tools.retirements.permitted import UPDATES, PermittedSources
from updates.searching.index import UpdatesIndex

_DATE: Final = re.compile(r"\d{4}(-\d\d(-\d\d)?)?", re.ASCII)
_PLACES: Final = {"microsoft.resources/subscriptions", "microsoft.resources/subscriptions/resourcegroups"}
_INVENTED: Final = "The updates are samples until the first sync of the real updates."


@dataclass(slots=True)
class Look:
    inquiry: RetirementInquiry
    assessment: Assessment
    permitted: PermittedSources
    notes: list[str] = field(default_factory=list)


async def look(context: Context, azure: Azure, named: str | None, until: str | None) -> Look:
    """Return the retirements that take effect by a date and affect resources in a scope.

    Raises:
        Refusal: The scope does not exist, or the date is invalid.
    """
    last_day = until_of(until)
    scope, permitted = await scope_of(azure, named), PermittedSources.of(context)
    announcements, notes = await _announcements(context, permitted)
    inquiry = RetirementInquiry(
        azure=azure,
        scope=scope,
        announcements=announcements,
        until=last_day,
        sources=ALL & permitted.open,
        owner_tags=(await RETIREMENTS.of(context)).owner_tags,
    )
    return Look(inquiry, await assess(inquiry), permitted, notes)


async def _announcements(context: Context, permitted: PermittedSources) -> tuple[tuple[Announcement, ...], list[str]]:
    """Return the announcements, and notes on sources that the caller cannot read."""
    if UPDATES not in permitted.open:
        return (), []
    try:
        index = await (await UPDATES_KEY.of(context)).library.index()
    except Refusal as refusal:
        return (), [f"{UPDATES}: {refusal}"]
    # Read the index in a thread, because the first call reads all retirements in the index.
    return await asyncio.to_thread(announced, index), [_INVENTED] if index.is_sample else []


async def index_for(context: Context) -> UpdatesIndex | None:
    """Return the index of updates, if it exists and the caller may read updates."""
    if UPDATES not in PermittedSources.of(context).open:
        return None
    try:
        return await (await UPDATES_KEY.of(context)).library.index()
    except Refusal:  # the answer contains the reason in a note
        return None


async def scope_of(azure: Azure, named: str | None) -> Scope:
    """Return the subscription or resource group with this name or id. By default, return all visible subscriptions."""
    text = (named or "").strip()
    if not text:
        asked = await azure.asked_subscriptions(None)
        return Scope.of_subscriptions((one.id for one in asked), some_of([one.name or one.id for one in asked]))
    if text.startswith("/"):
        return await _of_id(azure, ResourceId.of(text))
    there = await azure.subscriptions()
    if found := [one for one in there if folded(text) in one.called]:
        return Scope.of_subscriptions((one.id for one in found), found[0].name or found[0].id)
    return await _of_group_name(azure, text, is_only=len(there) == 1)


async def _of_group_name(azure: Azure, name: str, *, is_only: bool) -> Scope:
    groups = await groups_called(azure, name, None)
    for group in groups[:1] if is_only else ():
        await azure.send(of_id("GET", group, version=VERSION))
    return _of_groups(groups)


async def _of_id(azure: Azure, place: ResourceId) -> Scope:
    if place.type.lower() not in _PLACES:
        raise Refusal(
            "`scope` must be the name or id of a subscription or resource group. list_resource_groups lists both."
        )
    if place.group:
        return _of_groups([place])
    one = await azure.subscription(place.subscription)
    return Scope.of_subscriptions([one.id], one.name or one.id)


def _of_groups(groups: list[ResourceId]) -> Scope:
    subscriptions = tuple(dict.fromkeys(one.subscription for one in groups))
    return Scope(subscriptions, tuple(one.text for one in groups), called=groups[0].group)


def until_of(text: str | None) -> str:
    """Return the last day to include, or an empty string if no day was given."""
    if not text:
        return ""
    try:
        if _DATE.fullmatch(text.strip()):
            return date.fromisoformat(last_day_of(text.strip())).isoformat()
    except ValueError:
        pass
    raise Refusal("`until` must be a date, for example 2027-03 or 2027-03-31.")
