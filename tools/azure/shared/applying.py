"""Doing one change in Azure: it is sent once, and what became of it is found out and told, whatever happens meanwhile.

    look = Look(of_id("GET", account), gone, f"show_resource(resource_id={account.text!r})")
    done = await change(azure, of_id("DELETE", account), look)
    return done.answer(deleted=account.text)

A tool that uses it declares `seconds=SECONDS`.
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

# What a tool may take: to send, to follow, and to look what became of it. The host ends every request at 230.
SECONDS: Final = 180.0
_SECONDS_FOLLOWED: Final = 45.0
_SECONDS_OF_BEGINNING: Final = 40.0
_AT_ONCE: Final = 10
# What was changed is named up to so many.
_FEW: Final = 3
_NOT_BEGUN: Final = "It was not begun, because others took too long. Send the very same call again."
_SECONDS_OF_LOOKING: Final = 45.0
# How long after a lost answer it is looked: Azure may still be about it.
_PAUSES: Final = (0.0, 2.0, 4.0, 8.0)
_PAUSE_BETWEEN_STATES: Final = 3.0
_FAILED: Final = frozenset({"failed", "canceled", "cancelled"})
_ENDED: Final = frozenset({"", "succeeded", "ready", *_FAILED})
CHANGED: Final = (
    "It was changed meanwhile, so nothing was done. Send the very same call again: what it would do now is found out"
    " anew."
)
_GO_ON: Final = "The very same call again goes on with what failed."
_AFTER_ALL: Final = "What Azure answered was lost. It was asked again: it is done."
_BY_ITSELF: Final = "Azure goes on with it by itself. Do not repeat it: look again in a minute."

_NOT_DONE: Final = (
    "Azure was asked several times afterwards, and nothing of it is to be seen: it was most likely not done. It was not"
    " sent again. Before you ask for it anew, look once more:"
)
_CANNOT_TELL: Final = (
    "Whether it was done cannot be told, and it was not sent again. Before anything else, look what there is:"
)


class SeenOutcome(Enum):
    """What a look tells of a change."""

    DONE = auto()
    NOT_DONE = auto()
    UNDER_WAY = auto()
    UNCLEAR = auto()


# Judges what was read, or nothing where there is nothing.
Judge = Callable[[Json | None], SeenOutcome]


@dataclass(frozen=True, slots=True)
class OutcomeCheck:
    """How one sees what became of a change: what is read, what tells it, and the tool call by which others look."""

    request: AzureRequest
    judge: Judge
    call: str


@dataclass(frozen=True, slots=True)
class AppliedChange:
    """What became of a change. `document` is what Azure has told of it in the end, `note` what else is to be said."""

    look: OutcomeCheck
    document: Json
    is_under_way: bool = False
    note: str = ""

    def answer(self, **parts: Any) -> Json:
        """The answer of a tool that made the change."""
        if not self.is_under_way:
            return answer(**parts, status="done", note=self.note)
        return answer(**parts, status="under way", look_again=self.look.call, note=f"{self.note} {_BY_ITSELF}".strip())


async def change(
    azure: Azure, request: AzureRequest, look: OutcomeCheck, *, within: float = _SECONDS_FOLLOWED
) -> AppliedChange:
    """Send a change, once, and follow it for so many seconds.

    Raises:
        Refusal: It was not done, or nobody can tell; the text says which, and how to look.
    """
    try:
        begun = await azure.send(request)
    except AzureRefusal as refusal:
        if refusal.status == 412:
            raise refusal.with_more(CHANGED) from None
        if refusal.status < 500 and refusal.status != 408:
            raise
        return await _found_out(azure, look, refusal)
    except UnansweredRefusal as refusal:
        if not refusal.was_sent:
            raise Refusal(f"{refusal} Nothing was sent, so nothing was done.") from None
        return await _found_out(azure, look, refusal)
    return await _followed(azure, request, begun, look, within)


async def each(changes: Mapping[str, Callable[[], Awaitable[AppliedChange]]]) -> dict[str, AppliedChange | Refusal]:
    """Make many changes side by side, a few at a time, and tell of each what became of it, in their order.

    None is begun late, so that each that was begun can be followed to its end.
    """
    told: dict[str, AppliedChange | Refusal] = dict.fromkeys(changes, Refusal(_NOT_BEGUN))
    waiting, until = deque(changes.items()), monotonic() + _SECONDS_OF_BEGINNING

    async def work() -> None:
        while waiting and monotonic() < until:
            name, make = waiting.popleft()
            try:
                told[name] = await make()
            except Refusal as refusal:
                told[name] = refusal

    await asyncio.gather(*(work() for _ in range(min(_AT_ONCE, len(changes)))))
    return told


def told_of_each(outcomes: Mapping[str, AppliedChange | Refusal], **parts: Any) -> Json:
    """The answer of a tool that made many changes: which were made, of many how many, and by name what is not done.

    Raises:
        Refusal: None of them was made.
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
    """The names of a few; of more, which the caller has just sent, how many they are."""
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
        raise refusal.with_more(f"Look what there is now: {look.call}.") from None
    except Refusal as refusal:
        return await _found_out(azure, look, refusal, is_begun=True)


async def _settled(azure: Azure, document: Json, look: OutcomeCheck, within: float) -> AppliedChange:
    """Wait for what tells by its own state how far it is, and says nowhere else to look."""
    left, has_waited = within, False
    while _is_in_between(document) and left > 0:
        await azure.sleep(_PAUSE_BETWEEN_STATES)
        left, has_waited = left - _PAUSE_BETWEEN_STATES, True
        document = await read(azure, look.request) or {}
    if has_waited and (state := _state(document)) in _FAILED:
        raise FailedOperationRefusal(f"Azure could not do it: its state is {state!r} now.", 200, "")
    return AppliedChange(look, document, is_under_way=_is_in_between(document))


async def _after(azure: Azure, request: AzureRequest, ended: AzureAnswer, look: OutcomeCheck) -> Json:
    """What there is in the end: of what was written itself, and not how far that was."""
    if request.method not in {"PUT", "PATCH"}:
        return _object(ended)
    try:
        return await read(azure, look.request) or {}
    except Refusal:
        return {}  # that it was done is known, and that is what was asked for


async def _found_out(azure: Azure, look: OutcomeCheck, lost: Refusal, *, is_begun: bool = False) -> AppliedChange:
    """Look what became of a change whose answer is not known. It is not sent again."""
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
        return AppliedChange(look, {}, is_under_way=True, note="How far it is could not be read." if is_begun else "")
    raise Refusal(f"{lost} {_NOT_DONE if seen is SeenOutcome.NOT_DONE else _CANNOT_TELL} {look.call}.")


async def read(azure: Azure, request: AzureRequest) -> Json | None:
    try:
        found = await azure.send(request)
        # Of data there may be more bytes than one wants to read: then headers tell of it.
        return dict(found.headers) if request.method == "HEAD" else _object(found)
    except AzureRefusal as refusal:
        if refusal.status != 404:
            raise
        return None


def _object(told: AzureAnswer) -> Json:
    """The JSON of an answer, if it is an object: what follows after nothing is nothing."""
    try:
        document = told.document
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}


def _is_in_between(document: Mapping[str, Any] | None) -> bool:
    return _state(document) not in _ENDED


def _state(document: Mapping[str, Any] | None) -> str:
    return str(at(document, "properties.provisioningState") or "").lower()


def gone(found: Json | None) -> SeenOutcome:
    """Judges that something was deleted."""
    if found is None:
        return SeenOutcome.DONE
    return SeenOutcome.UNDER_WAY if _is_in_between(found) else SeenOutcome.NOT_DONE


def made(found: Json | None) -> SeenOutcome:
    """Judges that something is there now that was not there before."""
    if found is None:
        return SeenOutcome.NOT_DONE
    return SeenOutcome.UNDER_WAY if _is_in_between(found) else SeenOutcome.DONE


def holding(wanted: Any, before: Json | None = None) -> Judge:
    """Judges that something has what was sent, by what it was before."""

    def judge(found: Json | None) -> SeenOutcome:
        if found is None or (found == before and not _holds(found, wanted)):
            return SeenOutcome.NOT_DONE
        if _is_in_between(found):
            return SeenOutcome.UNDER_WAY
        return SeenOutcome.DONE if _holds(found, wanted) else SeenOutcome.UNCLEAR

    return judge


def _holds(found: Any, wanted: Any) -> bool:
    """Whether a document has what was sent, in whichever case and spelling Azure keeps it; secrets are not shown."""
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
