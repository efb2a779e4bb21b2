"""The door: who comes, how often, and what they may do here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from identity.access import Access
from identity.caller import ANONYMOUS, Caller
from identity.denial import Denial
from identity.grants import UNLIMITED, Grants
from identity.limits import AddressLimit, RateLimit
from identity.tenants import NO_TENANTS, Tenants


class SignIn(Protocol):
    """One way to sign in."""

    async def caller(self, headers: Mapping[str, str], /) -> Caller:
        """Who sent these headers, whose names are in lower case.

        Raises:
            Denial: They prove nobody.
        """


class IncomingRequest(Protocol):
    """A request, as far as it tells by which address this server was reached."""

    @property
    def origin(self) -> str: ...

    @property
    def path(self) -> str: ...


class NoSignIn:
    """Nobody signs in."""

    async def caller(self, _headers: Mapping[str, str], /) -> Caller:
        return ANONYMOUS


@dataclass(frozen=True, slots=True)
class Needed:
    """What would open a tool to somebody who may not call it."""

    scopes: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Door:
    sign_in: SignIn
    grants_of: Callable[[Caller], Grants]
    needed: Callable[[str, str, Access], Needed]
    per_address: AddressLimit
    per_caller: RateLimit
    # How often one agent may come, for whomever, and how much it may change in a day.
    per_agent: RateLimit = field(default_factory=lambda: RateLimit("agent", 0))
    changes_per_agent: RateLimit = field(default_factory=lambda: RateLimit("agent", 0))
    # To which tenant of the team's data a caller belongs.
    tenants: Tenants = NO_TENANTS
    # How the client of a request is told to sign in or to ask for more, where it can.
    challenge: Callable[[Denial, IncomingRequest], str] | None = None

    def count(self, address: str) -> None:
        """Count a request of this network address.

        Raises:
            TooManyRequests: There were too many.
        """
        self.per_address.take(address)

    async def enter(self, headers: Mapping[str, str]) -> Caller:
        """Who the caller is.

        Raises:
            Denial: What came with the request proves nobody.
            TooManyRequests: The caller has come too often.
        """
        caller = await self.sign_in.caller(headers)
        self.count_caller(caller)
        return caller

    def count_caller(self, caller: Caller) -> None:
        """Count a request of this caller.

        Raises:
            TooManyRequests: There were too many.
        """
        # For each person an agent has a limit beside theirs, and for all of them together its own.
        self.per_caller.take(caller.person)
        if caller.agent:
            self.per_agent.take(caller.agent.id)

    def count_change(self, caller: Caller) -> None:
        """Count what this caller is about to change.

        Raises:
            TooManyRequests: It is an agent that has changed as much as it may in a day.
        """
        if caller.agent:
            self.changes_per_agent.take(caller.agent.id)

    def limits_of(self, caller: Caller) -> Mapping[str, int]:
        """How much one instance does for this caller, as far as that is limited."""
        limits = {"requests_a_minute": self.per_caller.most}
        if caller.agent:
            limits["requests_a_minute_of_the_agent"] = self.per_agent.most
            limits["changes_a_day_of_the_agent"] = self.changes_per_agent.most
        return {name: most for name, most in limits.items() if most}

    def askable(self, caller: Caller, toolset: str, tool: str, access: Access) -> Denial | None:
        """Why a tool is not for this caller, if they can ask for what would open it: only a person is given scopes."""
        denial = self.denial_of(toolset, tool, access)
        return denial if caller.is_person and denial.scopes else None

    def denial_of(self, toolset: str, tool: str, access: Access) -> Denial:
        """Why a tool is not for a caller who cannot see it, and what would change that."""
        needed = self.needed(toolset, tool, access)
        ways = [f"the scope {scope}" for scope in needed.scopes] + [f"the role {role}" for role in needed.roles]
        words = f" Required: {' or '.join(ways)}." if ways else ""
        return Denial(f"You may not {access.label} in {toolset}.{words}", "insufficient_scope", needed.scopes[:1])


def open_door(grants: Grants) -> Door:
    """A door for everybody, whoever they are, with the same grants for all."""
    return Door(NoSignIn(), lambda _: grants, lambda *_: Needed(), AddressLimit(0), RateLimit("caller", 0))


OPEN_DOOR: Final = open_door(UNLIMITED)
