"""Account: which subscriptions, tenants and locations there are, who we are, and what we may do."""

from __future__ import annotations

from typing import Final

from tools.azure.account import my_access, subscriptions, who

parts: Final = (subscriptions.part, who.part, my_access.part)
