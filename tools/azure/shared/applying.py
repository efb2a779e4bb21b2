"""Applies one change in Azure: sends it once, then determines and reports the outcome, even if the response is lost.

    look = OutcomeCheck(of_id("GET", account), gone, f"show_resource(resource_id={account.text!r})")
    done = await change(azure, of_id("DELETE", account), look)
    return done.answer(deleted=account.text)

A tool that uses this module declares `seconds=SECONDS`.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from time import monotonic
from typing import Any, Final

from clients.azure.client import Azure
from clients.azure.failures import AzureRefusal, UnansweredRefusal
from clients.azure.long_operations import FailedOperationRefusal, StillAtItRefusal
from clients.azure.messages import AzureAnswer, AzureRequest
from clients.azure.secret_texts import WITHHELD
from refusal import Refusal
from tools.azure.shared.answers import Json, answer, at

# The time limit, in seconds, to send, follow and check a change. The host ends every request after 230 seconds.
SECONDS: Final = 180.0
_SECONDS_FOLLOWED: Final = 45.0
_SECONDS_OF_BEGINNING: Final = 40.0
_AT_ONCE: Final = 10
# If more items than this were changed, the answer contains their number instead of their names.
_FEW: Final = 3
_NOT_BEGUN: Final = "This change was not started, because other changes took too long. Send the same call again."
_SECONDS_OF_LOOKING: Final = 45.0
# The seconds to wait before each check after a lost response, because Azure may still be applying the change.
_PAUSES: Final = (0.0, 2.0, 4.0, 8.0)
_PAUSE_BETWEEN_STATES: Final = 3.0
_FAILED: Final = frozenset({"failed", "canceled", "cancelled"})
_ENDED: Final = frozenset({"", "succeeded", "ready", *_FAILED})
CHANGED: Final = (
    "The resource changed in the meantime, so nothing was done. Send the same call again for a new preview."
)
_GO_ON: Final = "Send the same call again to retry what failed."
_AFTER_ALL: Final = "Azure's response was lost, but a check shows that the change was applied."
_BY_ITSELF: Final = "Azure is still working on the change. Do not repeat the call: check again in a minute."

_NOT_DONE: Final = (
    "Several checks show no change, so the change was most likely not applied. The request was not sent again. Before"
    " you repeat the call, check:"
)
_CANNOT_TELL: Final = "The outcome is unknown, and the request was not sent again. Check the current state first:"


class SeenOutcome(Enum):
    """The result of checking a change."""

    DONE = auto()
    NOT_DONE = auto()
    UNDER_WAY = auto()
    UNCLEAR = auto()


# Decides from the current state of the resource whether a change was made. The state of a missing resource is None.
Judge = Callable[[Json | None], SeenOutcome]


@dataclass(frozen=True, slots=True)
class OutcomeCheck:
    """How to check the result of a change: the request to send, the function that judges the response, and the tool
    call to suggest to the caller.
    """

    request: AzureRequest
    judge: Judge
    call: str


@dataclass(frozen=True, slots=True)
class AppliedChange:
    """An applied change. `document` is Azure's final response; `note` is an additional remark."""

    look: OutcomeCheck
    document: Json
    is_under_way: bool = False
    note: str = ""

    def answer(self, **parts: Any) -> Json:
        """Return the answer from the tool that applied the change."""
        if not self.is_under_way:
            return answer(**parts, status="done", note=self.note)
        return answer(**parts, status="under way", look_again=self.look.call, note=f"{self.note} {_BY_ITSELF}".strip())


async def change(
    azure: Azure, request: AzureRequest, look: OutcomeCheck, *, within: float = _SECONDS_FOLLOWED
) -> AppliedChange:
    """Send a change once, and follow it for a number of seconds.

    Raises:
        Refusal: The change failed, or its result is unknown. The message says which of these happened, and how to check
            the result.
    """
    try:
        begun = await azure.send(request)
    except AzureRefusal as refusal:
        if refusal.status == 412:
            raise refusal.with_more(CHANGED) from None
        if refusal.status < 500 and refusal.status != 408:
            raise
        return await _checked_outcome(azure, look, refusal)
    except UnansweredRefusal as refusal:
        if not refusal.was_sent:
            raise Refusal(f"{refusal} Nothing was sent, so nothing was done.") from None
        return await _checked_outcome(azure, look, refusal)
    return await _followed(azure, request, begun, look, within)


async def each(changes: Mapping[str, Callable[[], Awaitable[AppliedChange]]]) -> dict[str, AppliedChange | Refusal]:
    """Apply several changes, a few at a time, and return their results in the same order.

    A change is not started if too little time remains to wait for the result.
    """
    outcomes: dict[str, AppliedChange | Refusal] = dict.fromkeys(changes, Refusal(_NOT_BEGUN))
    waiting, until = deque(changes.items()), monotonic() + _SECONDS_OF_BEGINNING

    async def work() -> None:
        while waiting and monotonic() < until:
            name, make = waiting.popleft()
            try:
                outcomes[name] = await make()
            except Refusal as refusal:
                outcomes[name] = refusal

    await asyncio.gather(*(work() for _ in range(min(_AT_ONCE, len(changes)))))
    return outcomes


def answer_of_many(outcomes: Mapping[str, AppliedChange | Refusal], **parts: Any) -> Json:
    """Return the answer from a tool that applied several changes: the applied changes, and the error of each failed
    change.

    Raises:
        Refusal: No change was applied.
    """
    failed = {name: one for name, one in outcomes.items() if isinstance(one, Refusal)}
    if failed and len(failed) == len(outcomes):
        raise next(iter(failed.values()))
    made = {name: one for name, one in outcomes.items() if isinstance(one, AppliedChange)}
    under_way = {name: one.look.call for name, one in made.items() if one.is_under_way}
    changed = [name for name in made if name not in under_way]
    return answer(
        status="partly done" if failed else "under way" if under_way else "done",
        changed=few_or_number(changed),
        under_way=[{"id": name, "look_again": call} for name, call in under_way.items()],
        failed=[{"id": name, "why": str(why)} for name, why in failed.items()],
        note=" ".join([*([_BY_ITSELF] if under_way else []), *([_GO_ON] if failed else [])]),
        **parts,
    )


def few_or_number(names: Sequence[str]) -> list[str] | int:
    """Return the names if there are few, otherwise only their number, because the caller already knows the names."""
    return list(names) if len(names) <= _FEW else len(names)


async def _followed(
    azure: Azure, request: AzureRequest, begun: AzureAnswer, look: OutcomeCheck, within: float
) -> AppliedChange:
    try:
        ended = await azure.followed(request, begun, within)
        if ended is begun:
            return await _settled(azure, _object(begun), look, within)
        return AppliedChange(look, await _after(azure, request, ended, look))
    except StillAtItRefusal:
        return AppliedChange(look, {}, is_under_way=True)
    except FailedOperationRefusal as refusal:
        raise refusal.with_more(f"Check the current state with {look.call}.") from None
    except Refusal as refusal:
        return await _checked_outcome(azure, look, refusal, is_begun=True)


async def _settled(azure: Azure, document: Json, look: OutcomeCheck, within: float) -> AppliedChange:
    """Poll a resource until its state shows that the change has ended. This function is used if Azure returned no
    operation URL.
    """
    left, has_waited = within, False
    while _is_in_between(document) and left > 0:
        await azure.sleep(_PAUSE_BETWEEN_STATES)
        left, has_waited = left - _PAUSE_BETWEEN_STATES, True
        document = await read(azure, look.request) or {}
    if has_waited and (state := _state(document)) in _FAILED:
        raise FailedOperationRefusal(
            f"Azure could not apply the change: the resource's state is now {state!r}.", 200, ""
        )
    return AppliedChange(look, document, is_under_way=_is_in_between(document))


async def _after(azure: Azure, request: AzureRequest, ended: AzureAnswer, look: OutcomeCheck) -> Json:
    """Return the changed resource's final state.

    The operation's response may contain only the state of the operation.
    """
    if request.method not in {"PUT", "PATCH"}:
        return _object(ended)
    try:
        return await read(azure, look.request) or {}
    except Refusal:
        return {}  # the change has already been applied, so a failed read does not matter


async def _checked_outcome(azure: Azure, look: OutcomeCheck, lost: Refusal, *, is_begun: bool = False) -> AppliedChange:
    """Check the result of a change whose response was lost. The change is not sent again."""
    seen = SeenOutcome.UNCLEAR
    try:
        async with asyncio.timeout(_SECONDS_OF_LOOKING):
            for pause in _PAUSES:
                await azure.sleep(pause)
                document = await read(azure, look.request)
                seen = look.judge(document)
                if seen is SeenOutcome.DONE:
                    return AppliedChange(look, document or {}, note=_AFTER_ALL)
                if seen is SeenOutcome.UNDER_WAY:
                    break
    except (Refusal, TimeoutError):
        seen = SeenOutcome.UNCLEAR
    if seen is SeenOutcome.UNDER_WAY or is_begun:
        return AppliedChange(
            look, {}, is_under_way=True, note="The progress of the change could not be read." if is_begun else ""
        )
    raise Refusal(f"{lost} {_NOT_DONE if seen is SeenOutcome.NOT_DONE else _CANNOT_TELL} {look.call}.")


async def read(azure: Azure, request: AzureRequest) -> Json | None:
    try:
        found = await azure.send(request)
        # HEAD is used where the data may be too large to read. The headers are sufficient.
        return dict(found.headers) if request.method == "HEAD" else _object(found)
    except AzureRefusal as refusal:
        if refusal.status != 404:
            raise
        return None


def _object(answer: AzureAnswer) -> Json:
    """Return the JSON object in a response, or an empty object if there is none."""
    try:
        document = answer.document
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}


def _is_in_between(document: Mapping[str, Any] | None) -> bool:
    return _state(document) not in _ENDED


def _state(document: Mapping[str, Any] | None) -> str:
    return str(at(document, "properties.provisioningState") or "").lower()


def gone(found: Json | None) -> SeenOutcome:
    """Check whether a resource was deleted."""
    if found is None:
        return SeenOutcome.DONE
    return SeenOutcome.UNDER_WAY if _is_in_between(found) else SeenOutcome.NOT_DONE


def made(found: Json | None) -> SeenOutcome:
    """Check whether a new resource was created."""
    if found is None:
        return SeenOutcome.NOT_DONE
    return SeenOutcome.UNDER_WAY if _is_in_between(found) else SeenOutcome.DONE


def holding(wanted: Any, before: Json | None = None) -> Judge:
    """Return a function that checks whether a resource has the sent values. `before` is the earlier state."""

    def judge(found: Json | None) -> SeenOutcome:
        if found is None or (found == before and not _holds(found, wanted)):
            return SeenOutcome.NOT_DONE
        if _is_in_between(found):
            return SeenOutcome.UNDER_WAY
        return SeenOutcome.DONE if _holds(found, wanted) else SeenOutcome.UNCLEAR

    return judge


def _holds(found: Any, wanted: Any) -> bool:
    """Whether `found` has the sent values, ignoring case as Azure does. Secrets are skipped: Azure omits them."""
    if isinstance(wanted, Mapping):
        own = {str(name).lower(): one for name, one in found.items()} if isinstance(found, Mapping) else {}
        return isinstance(found, Mapping) and all(
            _holds(own.get(str(name).lower()), one) for name, one in wanted.items()
        )
    if isinstance(wanted, list):
        is_like = isinstance(found, list) and len(found) == len(wanted)
        return is_like and all(_holds(one, other) for one, other in zip(found, wanted, strict=True))
    if isinstance(found, str) and found == WITHHELD:
        return True
    return bool(_plain(found) == _plain(wanted))


def _plain(value: Any) -> Any:
    return "".join(value.split()).casefold() if isinstance(value, str) else value
