"""Detects whether resources have changed. One request returns all resources and the times of their last changes."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Final

from clients.azure.client import Azure
from clients.azure.failures import AzureRefusal
from clients.azure.ids import ResourceId
from clients.azure.messages import of_id

_VERSION: Final = "2021-04-01"
_MOST: Final = 10_000
_NOT_READABLE: Final = frozenset({403, 404})


async def state_within(azure: Azure, place: ResourceId) -> str:
    """Return a fingerprint of the resources in a group or subscription, or a constant if the list is unreadable."""
    # The fingerprint covers names, tags, SKUs, identities and the time of each change.
    request = of_id("GET", place, "/resources", query={"$expand": "changedTime"}, version=_VERSION)
    try:
        found = (await azure.page(request, _MOST)).items
    except AzureRefusal as refusal:
        if refusal.status not in _NOT_READABLE:
            raise
        return f"not readable: {refusal.status}"
    lines = sorted(json.dumps(one, sort_keys=True) for one in found)
    return sha256("\n".join(lines).encode()).hexdigest()
