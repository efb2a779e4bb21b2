"""What leads out of a lock, from `attacks.yaml`, and the places that the lock is about."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import yaml

from tests.clients.azure.estate import (
    SHOP,
)

ATTACKS: Final[dict[str, list[str]]] = yaml.safe_load(
    Path(__file__).with_name("attacks.yaml").read_text(encoding="utf-8")
)
GRAPH: Final = "POST /providers/Microsoft.ResourceGraph/resources"
WEB: Final = f"/subscriptions/{SHOP}/resourceGroups/web"
VAULT: Final = f"/subscriptions/{SHOP}/resourceGroups/vault"
