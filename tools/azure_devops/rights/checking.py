"""Checks the caller's permissions in Azure DevOps before a change is approved or sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.permissions import check_rights
from refusal import Refusal
from tools.azure_devops.rights.needs import PermissionNeed
from tools.azure_devops.rights.table import NEEDED, UNCHECKED
from tools.azure_devops.shared.people import current_user
from tools.permitted import UNKNOWN, not_permitted, unknown_because

_ADVICE: Final = "Ask a project administrator."


async def doubt_of(devops: AzureDevOps, tool: str, given: Mapping[str, Any]) -> str:
    """Refuse a caller without permission. Return why permissions are unknown, or an empty string if they are known."""
    if tool in UNCHECKED:
        return unknown_because(UNCHECKED[tool])
    try:
        lacking = await _lacking(devops, await NEEDED[tool](devops, given))
    except Refusal:
        return UNKNOWN
    if lacking:
        raise not_permitted("; ".join(need.words for need in lacking), _ADVICE)
    return ""


async def _lacking(devops: AzureDevOps, needs: Sequence[PermissionNeed]) -> list[PermissionNeed]:
    """With a single request to Azure DevOps, determine which required permissions the caller does not have."""
    has = await check_rights(devops, [right for need in needs for right in need.rights])
    lacking: list[PermissionNeed] = []
    for need in needs:
        own, has = has[: len(need.rights)], has[len(need.rights) :]
        if not any(own):
            lacking.append(need)
    if not any(need.exempt for need in lacking):
        return lacking
    me = str((await current_user(devops))["id"]).lower()
    return [need for need in lacking if me not in need.exempt]
