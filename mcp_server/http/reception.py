"""The checks that all requests must pass, and the responses to rejected requests."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from identity.denial import Denial, Unavailable
from identity.door import OPEN_DOOR, Door
from identity.limits import TooManyRequests
from mcp_server.bounds import bounded
from mcp_server.calls.audit import Outcome
from mcp_server.calls.rationing import Rationing
from mcp_server.failures import report_failure
from mcp_server.http.gate import Gate, RejectedError
from mcp_server.http.messages import HttpAnswer, HttpRequest
from mcp_server.protocol.names import INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST
from mcp_server.visit import Trace
from refusal import Refusal

_TURNED_AWAY: Final = {Outcome.DENIED, Outcome.LIMITED}

Answering = Callable[[HttpRequest, Trace], Awaitable[HttpAnswer]]


class Form(Protocol):
    """Builds the response for an error, either as a protocol message or as plain text."""

    def __call__(
        self, status: int, code: int, message: str, headers: Mapping[str, str] | None = None, /
    ) -> HttpAnswer: ...


class Step(Protocol):
    """A step of a sign-in through the bridge, as recorded in the audit log."""

    @property
    def tried(self) -> str: ...

    @property
    def outcome(self) -> Outcome: ...

    @property
    def client(self) -> str: ...

    @property
    def towards(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Interface:
    """The rules for a kind of request: which methods and origins are allowed, and how errors are reported."""

    form: Form
    methods: Collection[str]
    is_for_any_origin: bool = False
    # This sentence is added to the error for an unsupported method, to explain why the method is not supported.
    why: str = ""

    def check_method(self, request: HttpRequest) -> None:
        """Check that the method of the request is supported.

        Raises:
            RejectedError: The method is not supported.
        """
        if request.method not in self.methods:
            allowed = ", ".join(method for method in self.methods if method != "OPTIONS")
            raise RejectedError(405, f"This URL supports only {allowed}{self.why}.", {"allow": allowed})


@dataclass(frozen=True, slots=True)
class Reception:
    """Checks all requests in the same order: host, origin, rate limit, method, sign-in, body.

    `answering` checks the sign-in and the body. Requests that are rejected because of their host or origin also count
    toward the rate limit.
    """

    gate: Gate
    door: Door = OPEN_DOOR
    rationing: Rationing = field(default_factory=Rationing)

    async def receive(
        self, request: HttpRequest, trace: Trace, answering: Answering, interface: Interface
    ) -> HttpAnswer:
        """Answer a request. If the request was rejected before a call started, record what the caller tried to do.

        Requests that exceed the rate limit of their network address are not recorded, so that a flood of requests does
        not fill the audit log.
        """
        try:
            self._let_in(request, interface)
        except TooManyRequests as limit:
            return _limited(limit, interface.form)
        except RejectedError as rejected:
            return _refused(rejected, interface.form)
        answer, outcome = await self._answered(request, trace, answering, interface.form)
        if trace.requested or trace.presents or outcome in _TURNED_AWAY:
            self.record(trace, outcome)
        return answer

    def _let_in(self, request: HttpRequest, interface: Interface) -> None:
        limit = self._count(request.address)
        self.gate.check_host(request)
        if not interface.is_for_any_origin:
            self.gate.check_origin(request)
        if limit:
            raise limit
        interface.check_method(request)

    def _count(self, address: str) -> TooManyRequests | None:
        try:
            self.door.count(address)
        except TooManyRequests as limit:
            return limit
        return None

    def record(self, trace: Trace, outcome: Outcome) -> None:
        """Record a request that called no tool or whose call did not start, unless the request is already recorded."""
        from mcp_server.calls.recording import record_unanswered

        if trace.is_recorded:
            return
        requested = trace.requested
        tried = "tools/call" if requested and requested.tools else trace.tried()
        if self.rationing.omits(trace, tried, outcome):
            trace.is_recorded = True
        else:
            record_unanswered(trace, outcome)

    def record_step(self, trace: Trace, step: Step) -> None:
        """Record a step of a sign-in through the bridge."""
        from mcp_server.calls.recording import record_attempt

        if not self.rationing.omits(trace, step.tried, step.outcome):
            record_attempt(trace, step.tried, step.outcome, step.client, step.towards)

    async def _answered(
        self, request: HttpRequest, trace: Trace, answering: Answering, form: Form
    ) -> tuple[HttpAnswer, Outcome]:
        try:
            return await answering(request, trace), Outcome.REFUSED
        except Denial as denial:
            # If the denial has no error code, the request had no token. Clients send requests without a token to find
            # out how to sign in.
            outcome = Outcome.DENIED if denial.error or trace.requested or trace.presents else Outcome.REFUSED
            return self._denied(request, denial, form), outcome
        except TooManyRequests as limit:
            return _limited(limit, form), Outcome.LIMITED
        except Unavailable as unknown:
            return _later(503, str(unknown), unknown.retry_after, form), Outcome.DENIED
        except Refusal as refusal:
            return _refused(refusal, form), Outcome.REFUSED
        except Exception as defect:  # noqa: BLE001 - every failure must produce an answer
            return form(500, INTERNAL_ERROR, report_failure("The request", defect)), Outcome.FAILED

    def _denied(self, request: HttpRequest, denial: Denial, form: Form) -> HttpAnswer:
        challenge = self.door.challenge(denial, request) if self.door.challenge else ""
        headers = {"www-authenticate": challenge} if challenge else {}
        return form(denial.status, INVALID_REQUEST, str(denial), headers)


def _refused(refusal: Refusal, form: Form) -> HttpAnswer:
    words = bounded(str(refusal))
    if isinstance(refusal, RejectedError):
        return form(refusal.http_status, INVALID_REQUEST, words, refusal.headers)
    return form(400, INVALID_PARAMS, words)


def _limited(limit: TooManyRequests, form: Form) -> HttpAnswer:
    from telemetry.metrics import count_throttled

    count_throttled(limit.who)
    return _later(429, str(limit), limit.seconds, form)


def _later(status: int, message: str, seconds: int, form: Form) -> HttpAnswer:
    return form(status, INVALID_REQUEST, message, {"retry-after": str(seconds)})
