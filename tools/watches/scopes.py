"""Decides which Azure scopes a caller may watch, and assesses retirements in these scopes with the
app's own identity.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from clients.azure.ids import ResourceId
from clients.azure.messages import of_id
from clients.azure.permissions import Permissions
from mcp_server.visit import Context
from refusal import Refusal
from retirements.announcements import announced
from retirements.assessment import Assessment, RetirementInquiry, assess
from retirements.scope import Scope
from tools.azure.access import AZURE
from tools.azure.shared.rights import HERE, VERSION
from tools.azure_updates.access import UPDATES
from tools.provider import Supplies
from tools.retirements.access import RETIREMENTS
from tools.retirements.looking import scope_of
from watching.subject import WatchFailsError

if TYPE_CHECKING:
    from clients.azure.client import Azure

_MOST_PERMISSIONS: Final = 200
_TOOL: Final = ("retirements", "what_retires_here")


async def scopes_for(context: Context, named: Sequence[str]) -> tuple[str, ...]:
    """Return the ids of these scopes. The operator must have listed them, and the caller must be able to read them."""
    if not context.visit.view.opens(*_TOOL):
        raise Refusal("Watching resources requires what_retires_here, which you cannot use on this server.")
    access = await AZURE.of(context)
    azure = access.client(context.visit.caller)
    found = [await scope_of(azure, one) for one in named]
    ids = [one for scope in found for one in (*scope.groups, *(f"/subscriptions/{each}" for each in scope.whole))]
    _check_listed(ids, Scope.of_ids(access.scopes_of_work))
    for one in dict.fromkeys(ids):
        await _check_reading(azure, ResourceId.of(one))
    return tuple(dict.fromkeys(ids))


def _check_listed(ids: Sequence[str], listed: Scope) -> None:
    if strange := [one for one in ids if not listed.has(one)]:
        raise Refusal(
            f"{strange[0]} is not in TASKS_SCOPES, so this server does not read this scope without a signed-in user."
            " Ask an operator to add the scope, and to assign the role Reader on the scope to the app's identity."
        )


async def _check_reading(azure: Azure, scope: ResourceId) -> None:
    """Check that the caller may read everything in a scope, because later the app's own identity reads the scope for
    the caller.
    """
    page = await azure.page(of_id("GET", scope, f"{HERE}/permissions", version=VERSION), _MOST_PERMISSIONS)
    if Permissions.of(page.items).reading != "everything":
        raise Refusal(
            f"Watching {scope.text} requires the role Reader on the whole scope. Pass a resource group that you can"
            " read."
        )


async def assessed(supplies: Supplies, scopes: Sequence[str]) -> Assessment:
    """Assess retirements in these scopes with the app's own identity.

    Raises:
        WatchFailsError: A scope is no longer in the operator's list.
        Refusal: The scopes could not be read now.
    """
    access = await supplies.opened(AZURE)
    listed = Scope.of_ids(access.scopes_of_work)
    if strange := [one for one in scopes if not listed.has(one)]:
        raise WatchFailsError(f"{strange[0]} is no longer in TASKS_SCOPES.")
    edition = await (await supplies.opened(UPDATES)).library.edition()
    if edition is None:
        raise Refusal("No updates have been read yet. Try again when check_azure_updates_health reports a sync.")
    inquiry = RetirementInquiry(
        azure=access.own(),
        scope=Scope.of_ids(scopes),
        announcements=await asyncio.to_thread(announced, edition.index),
        owner_tags=(await supplies.opened(RETIREMENTS)).owner_tags,
    )
    return await assess(inquiry)
