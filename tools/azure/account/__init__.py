"""The toolset `account`: subscriptions, tenants and locations, the signed-in identity, and its permissions."""

from __future__ import annotations

from typing import Final

from tools.azure.account import my_access, subscriptions, who

parts: Final = (subscriptions.part, who.part, my_access.part)
