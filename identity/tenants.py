"""To which tenant of the team's own data a caller belongs, as the roles file maps it from a verified sign-in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from identity.caller import Acting, Caller
from refusal import Refusal


@dataclass(frozen=True, slots=True)
class Tenants:
    """A claim of the token names the tenant, or a role gives it, or a line for one subject, which stands above both."""

    claim: str = ""
    subjects: Mapping[str, str] = field(default_factory=dict)
    roles: Mapping[str, str] = field(default_factory=dict)
    # Whoever has one of these roles may work in the data of every tenant.
    across: frozenset[str] = frozenset()

    def of(self, caller: Caller) -> str:
        """The caller's own tenant, or an empty text where there is none.

        Raises:
            Refusal: The sign-in tells of several.
        """
        if own := self.subjects.get(caller.subject):
            return own
        named = {self.roles[role] for role in caller.roles if role in self.roles}
        if self.claim and (claimed := caller.further_claims.get(self.claim)):
            named.add(claimed)
        if len(named) > 1:
            raise Refusal("Your sign-in belongs to several tenants of the data. Ask an operator to map it to one.")
        return next(iter(named), "")

    def may_cross(self, caller: Caller) -> bool:
        """Whether the caller may work for other tenants. An agent that acts for a person never does."""
        return caller.acts is not Acting.FOR_A_PERSON and not caller.roles.isdisjoint(self.across)


NO_TENANTS: Final = Tenants()
