"""Polls long-running operations of Azure until they have ended."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

from clients.azure.cloud import Service
from clients.azure.failures import AzureRefusal, Failure, in_its_words
from clients.azure.messages import AzureAnswer, AzureRequest
from clients.azure.paging import at_address
from clients.retries import seconds_in
from refusal import Refusal

Send = Callable[[AzureRequest], Awaitable[AzureAnswer]]
Sleep = Callable[[float], Awaitable[None]]

_SUCCEEDED: Final = "succeeded"
_ENDED_BADLY: Final = frozenset({"failed", "canceled", "cancelled"})
# A poll whose response has one of these status codes shows that the operation has failed.
_HOW_FAILURES_ARE_TOLD: Final = frozenset({400, 409, 412, 422})
_PAUSE: Final = 2.0
_SHORTEST_PAUSE: Final = 1.0
_LONGEST_PAUSE: Final = 15.0
_BEGUN: Final = (
    "The operation had already started. Check the outcome of the operation instead of repeating the operation."
)


class StillAtItRefusal(Refusal):
    """The operation is still running, and will continue without this server."""


class FailedOperationRefusal(AzureRefusal):
    """The operation failed."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """Polls an operation until it has ended, up to a time limit."""

    send: Send
    sleep: Sleep
    service: Service
    seconds: float

    async def outcome(self, first: AzureRequest, answer: AzureAnswer) -> AzureAnswer:
        """Wait for the final result of an operation.

        `answer` is the response to the request that started the operation.

        Raises:
            FailedOperationRefusal: The operation failed.
            StillAtItRefusal: The operation is still running.
            Refusal: The progress of the operation could not be read.
        """
        line = f"GET {first.line.partition(' ')[2]}"
        looking = AzureRequest(line, first.values, first.query, service=first.service, version=first.version)
        place, left, result = _place(answer), self.seconds, _result(first, answer)
        while place:
            left = await self._pause(answer, left)
            answer = await self._look(first, at_address(self.service, place, looking))
            if self._is_over(answer):
                return await self._look(first, at_address(self.service, result, looking)) if result else answer
            place = _place(answer) or place
        if answer.status == 202:
            raise StillAtItRefusal(
                f"{self.service.name} started the operation, but did not say where to check its progress."
            )
        return answer

    async def _look(self, first: AzureRequest, looking: AzureRequest) -> AzureAnswer:
        try:
            return await self.send(looking)
        except AzureRefusal as refusal:
            if first.is_repeatable:
                raise
            if refusal.status in _HOW_FAILURES_ARE_TOLD:
                raise FailedOperationRefusal(str(refusal), refusal.status, refusal.code, refusal.message) from None
            raise refusal.with_more(_BEGUN) from None

    async def _pause(self, answer: AzureAnswer, left: float) -> float:
        # Zero if the response contains no time for the next poll, or if that time is in the past.
        asked = seconds_in(answer.headers)
        pause = min(max(asked, _SHORTEST_PAUSE), _LONGEST_PAUSE) if asked else _PAUSE
        if pause > left:
            raise StillAtItRefusal(f"{self.service.name} is still working on the operation. Check again in a minute.")
        await self.sleep(pause)
        return left - pause

    def _is_over(self, answer: AzureAnswer) -> bool:
        state = _state(answer)
        if state in _ENDED_BADLY:
            failure = Failure.in_document(answer.document)
            message = in_its_words(failure.message)
            text = f"{self.service.name} could not complete the operation ({failure.code or state}). {message}".strip()
            raise FailedOperationRefusal(text, answer.status, failure.code)
        return state == _SUCCEEDED or (not state and answer.status in {200, 204})


def _place(answer: AzureAnswer) -> str:
    headers = answer.headers
    return headers.get("Azure-AsyncOperation") or (headers.get("Location", "") if answer.status in {201, 202} else "")


def _result(first: AzureRequest, answer: AzureAnswer) -> str:
    """The URL of the result, if the status response does not contain the result."""
    is_told_apart = first.method == "POST" and "Azure-AsyncOperation" in answer.headers
    return answer.headers.get("Location", "") if is_told_apart else ""


def _state(answer: AzureAnswer) -> str:
    document: Any = answer.document if answer.status == 200 and "json" in answer.content_type else {}
    return str(document.get("status", "")).lower() if isinstance(document, dict) else ""
