"""The way in that every request takes, and what is answered where it ends on the way."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST

from identity.denial import Denial, Unavailable
from identity.door import OPEN_DOOR, Door
from identity.limits import TooManyRequests
from mcp_server.calls.audit import Outcome
from mcp_server.calls.recording import record_unanswered
from mcp_server.failures import report_failure
from mcp_server.http.gate import Gate
from mcp_server.http.messages import HttpAnswer, HttpRequest
from mcp_server.visit import Visit
from refusal import Refusal
from telemetry.metrics import count_throttled

Answering = Callable[[HttpRequest, Visit], Awaitable[HttpAnswer]]


class Form(Protocol):
    """How a failure is written: for clients of the protocol, or for people and programs that read pages."""

    def __call__(
        self, status: int, code: int, message: str, headers: Mapping[str, str] | None = None, /
    ) -> HttpAnswer: ...


@dataclass(frozen=True, slots=True)
class Reception:
    """Nothing is answered that did not come this way, so limits and denials are told and counted alike everywhere."""

    gate: Gate
    door: Door = OPEN_DOOR

    async def receive(self, request: HttpRequest, visit: Visit, answering: Answering, form: Form) -> HttpAnswer:
        """Answer, and leave a record of the tool that was asked for if it never came to a call.

        Whoever comes too often from one address is only counted: a flood must not cost a record each.
        """
        try:
            self.door.count(request.address)
            answer, outcome = await answering(request, visit), Outcome.REFUSED
        except Denial as denial:
            answer, outcome = self._denied(request, denial, form), Outcome.DENIED
        except TooManyRequests as limit:
            count_throttled(limit.who)
            answer, outcome = _later(429, str(limit), limit.seconds, form), Outcome.LIMITED
        except Unavailable as unknown:
            answer, outcome = _later(503, str(unknown), unknown.retry_after, form), Outcome.DENIED
        except Refusal as refusal:
            answer, outcome = form(400, INVALID_PARAMS, str(refusal)), Outcome.REFUSED
        except Exception as defect:  # noqa: BLE001 - whatever has gone wrong, the caller is answered
            answer, outcome = form(500, INTERNAL_ERROR, report_failure("The request", defect)), Outcome.FAILED
        record_unanswered(visit, outcome)
        return answer

    def _denied(self, request: HttpRequest, denial: Denial, form: Form) -> HttpAnswer:
        challenge = self.door.challenge(denial, request) if self.door.challenge else ""
        headers = {"www-authenticate": challenge} if challenge else {}
        return form(denial.status, INVALID_REQUEST, str(denial), headers)


def _later(status: int, message: str, seconds: int, form: Form) -> HttpAnswer:
    return form(status, INVALID_REQUEST, message, {"retry-after": str(seconds)})
