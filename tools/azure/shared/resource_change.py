"""The change of one resource: planned from its state, previewed, checked again, sent once, and followed to its end.

    found = await account_called(azure, account, subscription, anew=True)
    return ResourceChange(
        azure,
        of_id("PATCH", found.id, body=body, version=VERSION),
        on=found.id,
        before=dict(found.record),
        judge=holding(body, dict(found.record)),
        call=f"show_account(account={found.id.text!r})",
        shows=lambda known: Preview(what=f"Account {found.id.name}", edits=edits, facts=known.facts(found.id)),
        answers={"updated": found.id.name},
    )

Locks and the caller's permissions are checked before anyone is asked to approve. Right before the change is sent, the
resource's state is read again. If the state has changed since planning, nothing is sent.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from hashlib import sha256
from inspect import isawaitable
from typing import Any, Final

from pydantic_core import to_json

from changes.preview import Preview
from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import AzureRequest, of_id
from clients.azure.what_if.outlook import AffectedResource
from mcp_server.declarations.change import Change
from refusal import Refusal
from tools.azure.shared.answers import Json, answer
from tools.azure.shared.applying import CHANGED, AppliedChange, Judge, OutcomeCheck, change, read
from tools.azure.shared.inspecting import Inspected, base_of, inspect
from tools.azure.shared.locks import Effect, ResourceLock, locks_at, refuse_locked
from tools.azure.shared.permitted import action_of, doubt_of

UNCHANGED: Final = "The resource is already as requested, so nothing was sent."
# The headers that change only if the content or tier of a blob changes.
_STEADY_HEADERS: Final = frozenset({"etag", "x-ms-access-tier", "x-ms-archive-status"})
# Fields that change by themselves, so comparisons ignore them.
_VOLATILE: Final = frozenset(
    {"accessedat", "countdetails", "etag", "lastaccesstime", "messagecount", "sizeinbytes", "usage", "usagethreshold"}
)

Shows = Callable[[Inspected], Preview | Awaitable[Preview]]
Answers = Mapping[str, Any] | Callable[[AppliedChange], Mapping[str, Any]]


@dataclass(eq=False)
class ResourceChange(Change[Json]):
    azure: Azure
    request: AzureRequest
    _: KW_ONLY
    # The resource to change. The locks, permissions and approval rules of this resource apply to the change.
    on: ResourceId
    # The state of the resource when the change was planned, or None if it did not exist.
    before: Json | None
    judge: Judge
    # The call that shows the result.
    call: str
    shows: Shows
    answers: Answers
    is_no_op: bool = False
    # The request that reads the state before and after the change. By default, this request reads the resource itself.
    looking: AzureRequest | None = None
    # Creates the request body with its secrets. Only the request that is sent to Azure contains the secrets.
    secret_body: Callable[[], Json] | None = None
    # The action that the caller needs permission for, unless the request itself determines this action.
    action: str | None = None
    permitted_at: ResourceId | None = None
    effect: Effect | None = None
    # Whether the change affects data in the resource. Locks do not protect data, and access to data requires data
    # actions.
    is_of_data: bool = False
    # Whether to read the state again before sending. This is not necessary if the state does not matter, or if the
    # service itself rejects a request that is based on an old state.
    looks_again: bool = True
    # Other resources, whose state must be unchanged when the request is sent.
    also: Sequence[ResourceId] = ()
    # Applies the change, if sending `request` is not sufficient.
    sends: Callable[[OutcomeCheck], Awaitable[AppliedChange]] | None = None
    within: Sequence[Mapping[str, Any]] = ()
    # Documents of other resources that the change affects. Approval rules for their places apply to the change.
    reached: Sequence[Mapping[str, Any]] = ()
    # Resources to whose child resources the change also applies.
    inherited_from: Sequence[ResourceId] = ()
    # Whether the change may also affect resources that are not in `reached`.
    reaches_more: bool = False
    # Whether the names and tags of all resources that the change affects are known.
    lists_all: bool = True
    # Parent resources that were already read, so that the preview does not read them again.
    part_of: Sequence[Json] = ()
    # The facts and locks that were already read while planning the change.
    inspected: Inspected | None = None
    _is_checked: bool = field(default=False, init=False)

    async def preview(self) -> Preview:
        known = self.inspected or await self._inspect()
        if not self.is_of_data:
            known.refuse_locked(self._effect)
        doubt = await self._doubt()
        self._is_checked = True
        preview = self.shows(known)
        shown = await preview if isawaitable(preview) else preview
        places, missing = shown.places or known.places, sorted({*known.missing, *shown.missing})
        return replace(shown, places=places, missing=missing, doubt=doubt, pins=self._pins)

    def held_to(self, pins: Mapping[str, Any]) -> Change[Json]:
        if pins.get("seen") not in {None, self._pins.get("seen")}:
            raise Refusal(CHANGED)
        return self

    @property
    def _pins(self) -> Mapping[str, Any]:
        """Return a digest of the state that was read. The digest is empty if the state may contain secrets."""
        if self._looking.gives_secrets:
            return {}
        return {"seen": sha256(to_json(self._steady(self.before), inf_nan_mode="constants")).hexdigest()}

    def _steady(self, document: Json | None) -> Any:
        return _of_headers(document) if self._looking.method == "HEAD" else _steady(document)

    async def apply(self) -> Json:
        if self.is_no_op:
            return answer(
                **self._answers(AppliedChange(self.look, self.before or {})), status="unchanged", note=UNCHANGED
            )
        if not self._is_checked:
            await self._check()
        await self._look_again()
        done = await self._send()
        return done.answer(**self._answers(done))

    @property
    def look(self) -> OutcomeCheck:
        return OutcomeCheck(self._looking, self.judge, self.call)

    @property
    def _looking(self) -> AzureRequest:
        return self.looking or of_id("GET", self.on, version=self.request.version)

    @property
    def _action(self) -> str:
        return action_of(self.request) if self.action is None else self.action

    @property
    def _effect(self) -> Effect:
        return self.effect or ("delete" if self.request.method == "DELETE" else "change")

    async def _inspect(self) -> Inspected:
        seen = [] if self.before is None or self.looking else [{**self.before, "id": self.on.text}]
        return await inspect(
            self.azure,
            self.on,
            *self.also,
            seen=[*seen, *self.part_of],
            within=self.within,
            reached=[AffectedResource(str(one.get("id") or ""), "modify", one, None) for one in self.reached],
            reaches_more=self.reaches_more,
            lists_all=self.lists_all,
            inherited_from=self.inherited_from,
        )

    async def _check(self) -> None:
        """Refuse the change if a lock or missing permissions prevent it."""
        # The checks run one after the other: if one of two parallel checks failed, the requests of the other would keep
        # running.
        await self._doubt()
        refuse_locked(await self._locks(), [self.on, *self.also], self._effect)

    async def _doubt(self) -> str:
        place = self.permitted_at or base_of(self.on)
        return await doubt_of(self.azure, place, self._action, of_data=self.is_of_data)

    async def _locks(self) -> Sequence[ResourceLock]:
        """Return the locks that affect the resource. Azure enforces all locks, so unreadable locks are ignored."""
        if self.is_of_data:
            return []
        if self.inspected:
            return self.inspected.locks
        try:
            return (await locks_at(self.azure, base_of(self.on)))[0]
        except Refusal:
            return []

    async def _look_again(self) -> None:
        """Read the state again right before sending.

        Raises:
            Refusal: The state has changed since the change was planned.
        """
        if not self.looks_again:
            return
        if self._steady(await read(self.azure, self._looking)) != self._steady(self.before):
            raise Refusal(CHANGED)

    async def _send(self) -> AppliedChange:
        if self.sends:
            return await self.sends(self.look)
        request = self.request
        if self.secret_body:
            request = replace(request, body=self.secret_body(), carries_secret=True)
        return await change(self.azure, request, self.look)

    def _answers(self, done: AppliedChange) -> Mapping[str, Any]:
        return self.answers(done) if callable(self.answers) else self.answers


def _steady(value: Any) -> Any:
    """Return a document without the fields that change by themselves."""
    if isinstance(value, Mapping):
        steady = {name: _steady(one) for name, one in value.items() if name.lower() not in _VOLATILE}
        # Some services return lists in varying order.
        return {
            name: sorted(one, key=repr) if name == "value" and isinstance(one, list) else one
            for name, one in steady.items()
        }
    return [_steady(one) for one in value] if isinstance(value, list) else value


def _of_headers(headers: Json | None) -> Json | None:
    if headers is None:
        return None
    return {name.lower(): value for name, value in headers.items() if name.lower() in _STEADY_HEADERS}
