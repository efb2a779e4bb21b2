"""Reads existing work items for retirements, with one query on behalf of the caller."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Final

from mcp_server.visit import Context
from refusal import Refusal
from retirements.planned_work import DESCRIPTION, NO_WORK, STATE, PlannedWork
from tools.azure_devops.shared.parameters import MOST_IDS
from tools.azure_devops.shared.work_item_reading import items_of
from tools.retirements.code import devops_of
from tools.retirements.permitted import WORK_ITEM_TOOL
from tools.retirements.work_items import tagged

_SECONDS: Final = 20.0
_CUT: Final = f"only the {MOST_IDS} most recently changed work items were read."


async def planned_work(context: Context) -> PlannedWork:
    """Return the organization's work items that have the retirement tag. If the query fails, the result contains a note
    instead of work items.
    """
    try:
        async with asyncio.timeout(_SECONDS):
            return await _read(context)
    except Refusal as refusal:
        return replace(NO_WORK, failed=str(refusal))
    except TimeoutError:
        return replace(NO_WORK, failed=f"No answer within {_SECONDS:g} s.")


async def _read(context: Context) -> PlannedWork:
    devops = await devops_of(context, *WORK_ITEM_TOOL)
    ids = await tagged(devops, None, MOST_IDS + 1)
    items = await items_of(devops, ids[:MOST_IDS], (DESCRIPTION, STATE)) if ids else []
    link = f"{devops.organization.link('_workitems', 'edit')}/"
    return PlannedWork.of(items, link, _CUT if len(ids) > MOST_IDS else "")
