"""The authenticated caller of a request."""

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
    """The kind of actor, as recorded."""

    ANONYMOUS = "anonymous"
    KEY = "key"
    PERSON = "user"
    FOR_A_PERSON = "agent for a user"
    AGENT = "agent"
    APPLICATION = "app"


# The actor if there is no agent.
_THEMSELVES: Final = {
    CallerKind.ANONYMOUS: Acting.ANONYMOUS,
    CallerKind.KEY: Acting.KEY,
    CallerKind.USER: Acting.PERSON,
    CallerKind.APP: Acting.APPLICATION,
}


@dataclass(frozen=True, slots=True)
class Agent:
    """An autonomous program with its own identity in its tokens. The blueprint is only recorded; no decision depends on
    it.
    """

    id: str
    blueprint: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Caller:
    """`subject` is the object id if the issuer has one, otherwise the `sub`; `client` is the calling application."""

    kind: CallerKind
    tenant: str = ""
    subject: str = ""
    client: str = ""
    issuer: str = ""
    roles: frozenset[str] = frozenset()
    scopes: frozenset[str] = frozenset()
    # The user's own token, sent only to exchange it for one on the user's behalf.
    token: str = field(default="", repr=False, compare=False)
    # The token's id, if any: not a secret, and useless on its own.
    token_id: str = field(default="", compare=False)
    # The person's display name: no decision depends on it.
    name: str = field(default="", compare=False)
    # Other string claims, for mappings by claim in the roles file.
    further_claims: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)
    # When the person last authenticated, in seconds since 1970, if the token says so.
    signed_in_at: float = field(default=0.0, compare=False)
    # The acting agent, if any: for the subject or for itself.
    agent: Agent | None = None
    # Whether the subject is the agent's account: it signs in like a person but is not one.
    is_agents_account: bool = False

    @property
    def principal(self) -> tuple[str, ...]:
        """Identifies a caller across requests."""
        return (*self.person, self.client)

    @property
    def acts(self) -> Acting:
        """The actor: a person, an agent for a person, an agent for itself, or something else."""
        if not self.agent:
            return _THEMSELVES[self.kind]
        is_for_itself = self.kind is not CallerKind.USER or self.is_agents_account
        return Acting.AGENT if is_for_itself else Acting.FOR_A_PERSON

    @property
    def is_person(self) -> bool:
        """Whether a person acts directly, according to the sign-in."""
        return self.acts is Acting.PERSON

    @property
    def can_agree(self) -> bool:
        """Whether a person may have answered a question: programs never approve. For key holders and anonymous callers
        this is unknown.
        """
        return self.acts in {Acting.PERSON, Acting.ANONYMOUS, Acting.KEY}

    @property
    def person(self) -> tuple[str, ...]:
        """The identity, independent of the client. An agent for a person is not that person."""
        return (self.kind, self.issuer, self.tenant, self.subject, *([self.agent.id] if self.agent else []))


ANONYMOUS: Final = Caller(CallerKind.ANONYMOUS)
