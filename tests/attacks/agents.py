"""A place whose roles name an agent, and tokens that its issuer signs."""

from __future__ import annotations

from typing import Final

from tests.attacks.place import Place
from tests.fakes.issuer import TENANT
from tests.identity.agents import BLUEPRINT, Claims
from tests.identity.forging import bearing

ROLES: Final = f"""
signed-in: {{firewall: read, me: read}}
roles:
  Reader: {{azure-updates: read}}
  Admin: {{all: destroy}}
scopes:
  api://app/boards: {{azure-updates: write}}
agents:
  {BLUEPRINT}: {{all: destroy}}
"""
ADMIN: Final[Claims] = {"roles": ["Admin"]}


def signed(place: Place, claims: Claims) -> dict[str, str]:
    """A token with these claims, of the issuer that the server trusts."""
    plain = {"iss": place.issuer.url, "tid": TENANT}
    kept = ("sub", "scp", "azp")
    return bearing(place.issuer.token(**{**claims, **plain}, without=[name for name in kept if name not in claims]))
