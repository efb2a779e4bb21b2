"""An approval request: what was asked for and shown, who decided what, and what became of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from hashlib import sha256
from typing import Any, Final, Self

from pydantic_core import from_json, to_json

from identity.caller import Caller

# For so long whoever applies it may be at it.
MOST_SECONDS_OF_APPLYING: Final = 300.0
_CODE: Final = 8


class ApprovalState(StrEnum):
    WAITING = "waiting"
    APPROVED = "approved"
    DENIED = "denied"
    # Somebody has begun to apply it. Whoever finds it so for long knows that its end was never told.
    APPLYING = "applying"
    APPLIED = "applied"
    FAILED = "failed"
    # Something else is there now than what was shown.
    OUTDATED = "outdated"


class By(StrEnum):
    """How somebody agreed."""

    FORM = "form"
    PAGE = "page"
    # At the page of a laptop, where nobody signs in: it proves no person.
    LAPTOP = "laptop"
    # A model repeated the code of what it was shown, where a setting permits that.
    MODEL = "model"


class RequiredApprover(StrEnum):
    """Who has to agree."""

    NOBODY = "nobody"
    CALLER = "caller"
    ANOTHER = "another"


@dataclass(frozen=True, slots=True)
class Who:
    """Somebody, as far as it is kept: no name, which a token need not have."""

    tenant: str = ""
    subject: str = ""
    kind: str = ""
    client: str = ""
    agent: str = ""
    name: str = ""

    @classmethod
    def of(cls, caller: Caller) -> Who:
        agent = caller.agent.id if caller.agent else ""
        return cls(caller.tenant, caller.subject, caller.acts, caller.client, agent, caller.name)

    def is_same_person(self, other: Who) -> bool:
        """Whether both are one person, by whichever client, and whoever acts for them."""
        return (self.tenant, self.subject) == (other.tenant, other.subject)


@dataclass(frozen=True, slots=True)
class Decision:
    at: float
    who: Who
    by: By
    is_yes: bool
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequest:
    """One row. What it would do is in a file of its own, which never changes."""

    id: str
    call: str
    digest: str
    # Tells whether secret arguments are still those of the call; nothing where it has none.
    seal: str = ""
    toolset: str
    tool: str
    access: str
    what: str
    asked_by: Who
    asks: RequiredApprover
    # The roles of which somebody has to have one who agrees; none: whoever may do the same.
    of: Sequence[str] = ()
    # Why it is another person who has to agree, in words.
    because: str = ""
    # How many minutes ago they may have signed in at most who agree, each time by proving who they are; 0 says nothing.
    fresh: int = 0
    # The places at which approvers are told of it, by their names, and the address by which its caller came.
    notify: Sequence[str] = ()
    origin: str = ""
    # The request for the same call that it replaced, because what the call would do had changed.
    replaces: str = ""
    created: float
    until: float
    state: ApprovalState = ApprovalState.WAITING
    decision: Decision | None = None
    # When its applying began and ended, and what came of it, in few words.
    begun: float = 0.0
    ended: float = 0.0
    result: str = ""
    # The tag of the row as it was read.
    version: str | None = field(default=None, compare=False)

    def is_open(self, now: float) -> bool:
        """Whether it may still be decided or applied."""
        return self.state in {ApprovalState.WAITING, ApprovalState.APPROVED} and now < self.until

    def is_undecided(self, now: float) -> bool:
        return self.state is ApprovalState.WAITING and self.is_open(now)

    def decided(self, decision: Decision) -> Self:
        return replace(
            self, decision=decision, state=ApprovalState.APPROVED if decision.is_yes else ApprovalState.DENIED
        )

    @property
    def path(self) -> str:
        """Of the page at which it is decided."""
        return f"/changes/{self.id}"

    @property
    def code(self) -> str:
        """What a model repeats to say that the user agreed to this: to no other change, nor to the next alike."""
        return sha256(self.id.encode()).hexdigest()[:_CODE]

    @property
    def content(self) -> bytes:
        return to_json({name: value for name, value in asdict(self).items() if name != "version"})

    @classmethod
    def read(cls, content: bytes, version: str | None) -> ApprovalRequest:
        # A row may have been written by another version.
        told = {name: value for name, value in from_json(content).items() if name in cls.__slots__}
        decision = told["decision"]
        return cls(
            **{
                **told,
                "asked_by": Who(**told["asked_by"]),
                "asks": RequiredApprover(told["asks"]),
                "of": tuple(told["of"]),
                "notify": tuple(told.get("notify", ())),
                "state": ApprovalState(told["state"]),
                "decision": _decision(decision) if decision else None,
                "version": version,
            }
        )


def _decision(told: Mapping[str, Any]) -> Decision:
    return Decision(told["at"], Who(**told["who"]), By(told["by"]), told["is_yes"], told["why"])
