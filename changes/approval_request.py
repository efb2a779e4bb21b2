"""An approval request: a change that a caller requested, its preview, the decision, and the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from hashlib import sha256
from typing import Any, Final, Self

from pydantic_core import from_json, to_json

from identity.caller import Caller

# The maximum time in seconds that applying a change can take.
MOST_SECONDS_OF_APPLYING: Final = 300.0
_CODE: Final = 8


class ApprovalState(StrEnum):
    WAITING = "waiting"
    APPROVED = "approved"
    DENIED = "denied"
    # The change is being applied. If a change stays in this state for a long time, the result of applying the change
    # was never stored.
    APPLYING = "applying"
    APPLIED = "applied"
    FAILED = "failed"
    # The service has changed, so the preview is no longer correct.
    OUTDATED = "outdated"


class By(StrEnum):
    """How the change was approved or denied."""

    FORM = "form"
    PAGE = "page"
    # Somebody decided on the approval page of a local server, which has no sign-in and cannot prove who decided.
    LAPTOP = "laptop"
    # A model repeated the code from the preview, to state that the user approves. A setting must allow this.
    MODEL = "model"


class RequiredApprover(StrEnum):
    """Who must approve a change."""

    NOBODY = "nobody"
    CALLER = "caller"
    ANOTHER = "another"


@dataclass(frozen=True, slots=True)
class Who:
    """A person, as stored with a change. The name may be empty, because not all tokens contain a name."""

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
        """Whether `other` is the same person, possibly with a different client or agent."""
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
    """An approval request as stored in its row. The preview is stored in a separate file, which is never modified."""

    id: str
    call: str
    digest: str
    # A hash of the secret arguments, to check that a later call has the same secret arguments. Empty if the call has no
    # secret arguments.
    seal: str = ""
    toolset: str
    tool: str
    access: str
    what: str
    asked_by: Who
    asks: RequiredApprover
    # An approver must have at least one of these roles. If no roles are listed, everyone who may make the same call can
    # approve.
    of: Sequence[str] = ()
    # A sentence that says why another person must approve.
    because: str = ""
    # The maximum time in minutes since the approver last entered credentials; 0 means no limit.
    fresh: int = 0
    # The names of the channels for approvers.
    notify: Sequence[str] = ()
    # The origin of the URL that the requester used to call this server.
    origin: str = ""
    # The ID of the earlier approval request that this request replaced. Both requests are for the same call, but with
    # different previews.
    replaces: str = ""
    created: float
    until: float
    state: ApprovalState = ApprovalState.WAITING
    decision: Decision | None = None
    # The times when the server began and finished applying the change, and a short result.
    begun: float = 0.0
    ended: float = 0.0
    result: str = ""
    # The version of the stored row. Writing the row fails if another request has changed the version.
    version: str | None = None

    def is_open(self, now: float) -> bool:
        """Whether the change can still be approved, denied or applied."""
        return self.state in {ApprovalState.WAITING, ApprovalState.APPROVED} and now < self.until

    def is_undecided(self, now: float) -> bool:
        return self.state is ApprovalState.WAITING and self.is_open(now)

    def decided(self, decision: Decision) -> Self:
        return replace(
            self, decision=decision, state=ApprovalState.APPROVED if decision.is_yes else ApprovalState.DENIED
        )

    @property
    def path(self) -> str:
        """The path of the page about this change."""
        return f"/changes/{self.id}"

    @property
    def code(self) -> str:
        """The code of this change. A model repeats this code to confirm that the user approved exactly this change."""
        return sha256(self.id.encode()).hexdigest()[:_CODE]

    @property
    def content(self) -> bytes:
        return to_json({name: value for name, value in asdict(self).items() if name != "version"})

    @classmethod
    def read(cls, content: bytes, version: str | None) -> ApprovalRequest:
        # Ignore unknown names, because another version of the server may have written the row.
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
