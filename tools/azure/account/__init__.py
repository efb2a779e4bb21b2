"""Account: which subscriptions, tenants and locations there are, who we are, and what we may do."""

from __future__ import annotations

from typing import Final

from tools.azure.account import my_access, places, who

parts: Final = (places.part, who.part, my_access.part)
