"""Maps verified callers to tenants of the team's data, according to the roles file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from identity.caller import Acting, Caller
from refusal import Refusal


@dataclass(frozen=True, slots=True)
class Tenants:
    """Finds the tenant of a caller from the subject, a claim or a role. An entry for the subject takes precedence."""

    claim: str = ""
    subjects: Mapping[str, str] = field(default_factory=dict)
    roles: Mapping[str, str] = field(default_factory=dict)
    # Callers with one of these roles may use the data of all tenants.
    across: frozenset[str] = frozenset()

    def of(self, caller: Caller) -> str:
        """The tenant that the caller's sign-in matches, or an empty string if there is none.

        Raises:
            Refusal: The sign-in matches several tenants.
        """
        if own := self.subjects.get(caller.subject):
            return own
        named = {self.roles[role] for role in caller.roles if role in self.roles}
        if self.claim and (claimed := caller.claim(self.claim)):
            named.add(claimed)
        if len(named) > 1:
            raise Refusal("Your sign-in is mapped to several tenants. Ask an operator to map it to exactly one tenant.")
        return next(iter(named), "")

    def may_cross(self, caller: Caller) -> bool:
        """Whether the caller may use the data of other tenants.

        An agent that acts for a person may never use the data of other tenants.
        """
        return caller.acts is not Acting.FOR_A_PERSON and not caller.roles.isdisjoint(self.across)


NO_TENANTS: Final = Tenants()
