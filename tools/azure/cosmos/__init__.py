"""The toolset `cosmos`: shows and changes Cosmos DB accounts, databases and containers. The toolset never reads data or
keys.
"""

from __future__ import annotations

from typing import Final

from tools.azure.cosmos import (
    account_changes,
    accounts,
    container_updates,
    containers,
    creating,
    databases,
    deleting,
    throughputs,
)

parts: Final = (
    *(accounts.part, databases.part, containers.part),
    *(account_changes.part, creating.part, container_updates.part, throughputs.part, deleting.part),
)
