"""An approval request: the requested and shown change, the decision, and the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from hashlib import sha256
from typing import Any, Final, Self

from pydantic_core import from_json, to_json

from identity.caller import Caller

# The maximum time for applying it.
MOST_SECONDS_OF_APPLYING: Final = 300.0
_CODE: Final = 8


class ApprovalState(StrEnum):
    WAITING = "waiting"
    APPROVED = "approved"
    DENIED = "denied"
    # It is being applied. If it stays in this state for long, its result was never reported.
    APPLYING = "applying"
    APPLIED = "applied"
    FAILED = "failed"
    # The state differs from what was shown.
    OUTDATED = "outdated"


class By(StrEnum):
    """How it was approved."""

    FORM = "form"
    PAGE = "page"
    # On the page of a laptop without sign-in: it does not prove a person.
    LAPTOP = "laptop"
    # A model repeated the code from the preview, if a setting allows that.
    MODEL = "model"


class RequiredApprover(StrEnum):
    """Who must approve."""

    NOBODY = "nobody"
    CALLER = "caller"
    ANOTHER = "another"


@dataclass(frozen=True, slots=True)
class Who:
    """A person as stored: without a name, which tokens may not have."""

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
        """Whether both are the same person, regardless of client and agent."""
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
    """One row. Its preview is in a separate file, which never changes."""

    id: str
    call: str
    digest: str
    # Proves that secret arguments are still those of the call; empty without any.
    seal: str = ""
    toolset: str
    tool: str
    access: str
    what: str
    asked_by: Who
    asks: RequiredApprover
    # Approvers must have one of these roles; empty: anyone who may make the same call.
    of: Sequence[str] = ()
    # Why another person must approve, in words.
    because: str = ""
    # The maximum age in minutes of an approver's sign-in, with re-authentication; 0 means no limit.
    fresh: int = 0
    # The names of the places that notify approvers, and the origin that its caller used.
    notify: Sequence[str] = ()
    origin: str = ""
    # The request for the same call that it replaced, because the preview had changed.
    replaces: str = ""
    created: float
    until: float
    state: ApprovalState = ApprovalState.WAITING
    decision: Decision | None = None
    # When applying it began and ended, and the result, in a few words.
    begun: float = 0.0
    ended: float = 0.0
    result: str = ""
    # The etag of the row as read.
    version: str | None = field(default=None, compare=False)

    def is_open(self, now: float) -> bool:
        """Whether it can still be decided or applied."""
        return self.state in {ApprovalState.WAITING, ApprovalState.APPROVED} and now < self.until

    def is_undecided(self, now: float) -> bool:
        return self.state is ApprovalState.WAITING and self.is_open(now)

    def decided(self, decision: Decision) -> Self:
        return replace(
            self, decision=decision, state=ApprovalState.APPROVED if decision.is_yes else ApprovalState.DENIED
        )

    @property
    def path(self) -> str:
        """The path of its page."""
        return f"/changes/{self.id}"

    @property
    def code(self) -> str:
        """The code that a model repeats to say that the user approved this change, and no other."""
        return sha256(self.id.encode()).hexdigest()[:_CODE]

    @property
    def content(self) -> bytes:
        return to_json({name: value for name, value in asdict(self).items() if name != "version"})

    @classmethod
    def read(cls, content: bytes, version: str | None) -> ApprovalRequest:
        # Another version may have written the row.
        stored = {name: value for name, value in from_json(content).items() if name in cls.__slots__}
        decision = stored["decision"]
        return cls(
            **{
                **stored,
                "asked_by": Who(**stored["asked_by"]),
                "asks": RequiredApprover(stored["asks"]),
                "of": tuple(stored["of"]),
                "notify": tuple(stored.get("notify", ())),
                "state": ApprovalState(stored["state"]),
                "decision": _decision(decision) if decision else None,
                "version": version,
            }
        )


def _decision(stored: Mapping[str, Any]) -> Decision:
    return Decision(stored["at"], Who(**stored["who"]), By(stored["by"]), stored["is_yes"], stored["why"])
