"""Who makes a request, as far as what came with it proves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final


class CallerKind(StrEnum):
    ANONYMOUS = "anonymous"
    KEY = "key"
    USER = "user"
    APP = "app"


class Acting(StrEnum):
    """Who acts, as a record says it."""

    ANONYMOUS = "anonymous"
    KEY = "key"
    PERSON = "user"
    FOR_A_PERSON = "agent for a user"
    AGENT = "agent"
    APPLICATION = "app"


# Who acts where no agent does.
_THEMSELVES: Final = {
    CallerKind.ANONYMOUS: Acting.ANONYMOUS,
    CallerKind.KEY: Acting.KEY,
    CallerKind.USER: Acting.PERSON,
    CallerKind.APP: Acting.APPLICATION,
}


@dataclass(frozen=True, slots=True)
class Agent:
    """A program that decides by itself and has an identity of its own, by which its tokens name it.

    The blueprint from which it was made is for the record only: nothing is decided by it.
    """

    id: str
    blueprint: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Caller:
    """`subject` is the object id where the issuer has one, else the `sub`; `client` is the application that asks."""

    kind: CallerKind
    tenant: str = ""
    subject: str = ""
    client: str = ""
    issuer: str = ""
    roles: frozenset[str] = frozenset()
    scopes: frozenset[str] = frozenset()
    # The user's own token, with which another is asked for on the user's behalf. It leaves this process for that only.
    token: str = field(default="", repr=False, compare=False)
    # What the issuer calls the token that was presented, if it calls it anything: no secret, and good for nothing.
    token_id: str = field(default="", compare=False)
    # What the issuer says the person is called, for people to read: nothing is decided by it.
    name: str = field(default="", compare=False)
    # Texts that the issuer says beside all this, for what the roles file maps by the name of a claim.
    further_claims: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)
    # When the person last proved who they are, in seconds since 1970, if the token says it.
    signed_in_at: float = field(default=0.0, compare=False)
    # Who acts, where that is an agent: for the person who is the subject, or for itself.
    agent: Agent | None = None
    # Whether the subject is an account that belongs to the agent: it signs in as people do, and is none.
    is_agents_account: bool = False

    @property
    def principal(self) -> tuple[str, ...]:
        """What stays the same over all requests of one caller, and differs from every other caller."""
        return (*self.person, self.client)

    @property
    def acts(self) -> Acting:
        """Who acts: a person themselves, an agent for a person, an agent for itself, or something else."""
        if not self.agent:
            return _THEMSELVES[self.kind]
        is_for_itself = self.kind is not CallerKind.USER or self.is_agents_account
        return Acting.AGENT if is_for_itself else Acting.FOR_A_PERSON

    @property
    def is_person(self) -> bool:
        """Whether a person acts themselves, as far as their sign-in tells."""
        return self.acts is Acting.PERSON

    @property
    def can_agree(self) -> bool:
        """Whether a person may have answered a question: no program agrees to anything.

        Of who has a key, or has not signed in, nothing is known.
        """
        return self.acts in {Acting.PERSON, Acting.ANONYMOUS, Acting.KEY}

    @property
    def person(self) -> tuple[str, ...]:
        """Who it is, by whichever client. An agent that acts for a person is not that person."""
        return (self.kind, self.issuer, self.tenant, self.subject, *([self.agent.id] if self.agent else []))


ANONYMOUS: Final = Caller(CallerKind.ANONYMOUS)
