"""Changes the tags of several resources, groups and subscriptions at once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any, Final

from changes.preview import Preview
from changes.undo import Undo, by_call, by_hand
from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import AzureRequest, of_id
from clients.azure.resource_scopes import VERSION
from clients.side_by_side import side_by_side
from mcp_server.declarations.change import Change
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.resource_changes.many import ResourceIds, ids_of, short_names, told_place
from tools.azure.resource_changes.tagging import Mode, Tags, check_tags, edits_of, tagged, told_tags
from tools.azure.shared.answers import Json, answer, at
from tools.azure.shared.applying import (
    CHANGED,
    SECONDS,
    AppliedChange,
    OutcomeCheck,
    SeenOutcome,
    answer_of_many,
    change,
    each,
    read,
)
from tools.azure.shared.inspecting import inspect, locks_of
from tools.azure.shared.locks import refuse_locked
from tools.azure.shared.permitted import action_of, doubt_of
from tools.azure.shared.resource_change import UNCHANGED

part = Part()

_TAGS: Final = "/providers/Microsoft.Resources/tags/default"
# Permissions are checked in advance for up to this many resources. For the other resources, Azure itself rejects
# changes that are not permitted.
_MOST_CHECKED: Final = 5
_OPERATIONS: Final = {"merge": "Merge", "replace": "Replace", "delete": "Delete"}


@dataclass(frozen=True, slots=True)
class _Tagging:
    """A resource, its current tags, and its tags after the change."""

    resource: ResourceId
    before: Mapping[str, str]
    after: Mapping[str, str]
    mode: Mode

    @property
    def is_done(self) -> bool:
        return dict(self.before) == dict(self.after)

    @property
    def request(self) -> AzureRequest:
        """The request that changes the tags.

        If not all tags are replaced, the request contains only the changed tags, so that it does not overwrite changes
        by other callers.
        """
        by_mode: dict[Mode, Mapping[str, str]] = {
            "replace": self.after,
            "merge": {name: value for name, value in self.after.items() if self.before.get(name) != value},
            "delete": {name: value for name, value in self.before.items() if name not in self.after},
        }
        body = {"operation": _OPERATIONS[self.mode], "properties": {"tags": by_mode[self.mode]}}
        return of_id("PATCH", self.resource, _TAGS, body=body, version=VERSION)

    @property
    def reading(self) -> AzureRequest:
        return _reading(self.resource)

    def judged(self, found: Json | None) -> SeenOutcome:
        now = _tags_in(found)
        return (
            SeenOutcome.DONE
            if now == dict(self.after)
            else SeenOutcome.NOT_DONE
            if now == dict(self.before)
            else SeenOutcome.UNCLEAR
        )


@dataclass(eq=False)
class _TagChange(Change[Json]):
    azure: Azure
    planned: Sequence[_Tagging]
    # The reasons why tags could not be read, by resource.
    refused: Mapping[str, Refusal]
    _is_checked: bool = field(default=False, init=False)

    @property
    def changing(self) -> Sequence[_Tagging]:
        return [one for one in self.planned if not one.is_done]

    @property
    def is_no_op(self) -> bool:
        return not self.changing and not self.refused

    async def preview(self) -> Preview:
        if self.refused:
            raise next(iter(self.refused.values()))
        ids = [one.resource for one in self.planned]
        seen = [{"id": one.resource.text, "tags": dict(one.before)} for one in self.planned]
        known = await inspect(self.azure, *ids, seen=seen, within=[{"tags": one.after} for one in self.planned])
        known.refuse_locked("change")
        doubt = await self._doubt()
        self._is_checked = True
        names = short_names(ids)
        edits = [edit for one in self.changing for edit in edits_of(names[one.resource.key], one.before, one.after)]
        what = names[ids[0].key] if len(ids) == 1 else f"{len(ids)} resources"
        return Preview(
            what=f"Tags of {what}",
            sentence=f"Change tags of {what}",
            facts={
                "of": sorted({told_place(one) for one in ids}),
                "tags now": told_tags(self.planned[0].before) if len(ids) == 1 else None,
                "to change": len(self.changing),
                "already as requested": len(ids) - len(self.changing),
                "ids": [one.resource.text for one in self.changing],
            },
            edits=edits,
            places=known.places,
            destroys=any(one.mode != "merge" for one in self.planned) and any(edit.after is None for edit in edits),
            touches=len(self.changing),
            undo=_tagged_back(self.changing),
            missing=known.missing,
            doubt=doubt,
        )

    async def apply(self) -> Json:
        if not self._is_checked and self.changing:
            await self._check()
        made: Mapping[str, Callable[[], Awaitable[AppliedChange]]] = {
            one.resource.text: partial(_tag, self.azure, one) for one in self.changing
        }
        outcomes: dict[str, AppliedChange | Refusal] = {**self.refused, **await each(made)}
        unchanged = len(self.planned) - len(self.changing)
        if not outcomes:
            return answer(status="unchanged", unchanged=unchanged, note=UNCHANGED)
        return answer_of_many(outcomes, unchanged=unchanged)

    async def _check(self) -> None:
        """Refuse the change if a lock or missing permissions prevent it."""
        ids = [one.resource for one in self.changing]
        refuse_locked(await locks_of(self.azure, ids), ids, "change")
        await self._doubt()

    async def _doubt(self) -> str:
        few = self.changing[:_MOST_CHECKED]
        doubts = [await doubt_of(self.azure, one.resource, action_of(one.request)) for one in few]
        return next(filter(None, doubts), "")


@part.change(
    Access.WRITE,
    destroys=lambda meant: meant.get("mode", "merge") != "merge",
    is_many=True,
    harmless=("mode",),
    seconds=SECONDS,
)
async def tag_resources(
    azure: Arm,
    resource_ids: ResourceIds,
    tags: Tags,
    mode: Annotated[
        Mode, Field(description="replace: removes all other tags; delete: removes the given tags")
    ] = "merge",
) -> _TagChange:
    """Tag up to 100 resources, groups or subscriptions at once, as one change.

    Reports each outcome. Skips resources that already have the tags, so you can repeat the call to continue.
    """
    return _TagChange(azure, *await _planned(azure, resource_ids, tags, mode))


def _tagged_back(changing: Sequence[_Tagging]) -> Undo:
    """Return how to restore the current tags: with a call if one call can restore all of them, otherwise by hand."""
    ids = [one.resource.text for one in changing]
    new = [{name: one.after[name] for name in one.after if name not in one.before} for one in changing]
    if new and all(one == new[0] and _keeps_all(each) for one, each in zip(new, changing, strict=True)):
        return by_call("tag_resources", resource_ids=ids, tags=new[0], mode="delete")
    if any(one.before != changing[0].before for one in changing):
        return by_hand("tag_resources for each resource, with its previous tags and mode replace")
    return by_call("tag_resources", resource_ids=ids, tags=dict(changing[0].before), mode="replace")


def _keeps_all(one: _Tagging) -> bool:
    """Check whether all existing tags keep their values."""
    return all(one.after.get(name) == value for name, value in one.before.items())


async def _tag(azure: Azure, one: _Tagging) -> AppliedChange:
    look = OutcomeCheck(one.reading, one.judged, f"show_resource(resource_id={one.resource.text!r})")
    if _tags_in(await read(azure, one.reading)) != dict(one.before):
        raise Refusal(CHANGED)
    return await change(azure, one.request, look)


async def _planned(
    azure: Azure, texts: Sequence[str], tags: Tags, mode: Mode
) -> tuple[list[_Tagging], dict[str, Refusal]]:
    """Plan the change to each resource, based on its current tags. Also return why resources could not be read."""
    check_tags(tags)
    if not tags and mode != "replace":
        raise Refusal("Pass at least one tag to set or delete.")
    ids = {one.text: one for one in await ids_of(azure, texts)}
    found: dict[str, _Tagging] = {}

    async def ask(resource: ResourceId) -> None:
        before = _tags_in(await azure.json(_reading(resource)))
        found[resource.text] = _Tagging(resource, before, tagged(before, tags, mode), mode)

    reading = await side_by_side(ids, ask)
    refused = {name: reading.failed.get(name) or Refusal(reading.reason(name)) for name in ids if name not in found}
    return [found[name] for name in ids if name in found], refused


def _reading(resource: ResourceId) -> AzureRequest:
    return of_id("GET", resource, _TAGS, version=VERSION)


def _tags_in(document: Json | None) -> dict[str, str]:
    tags: Any = at(document, "properties.tags")
    return {str(name): str(value) for name, value in tags.items()} if isinstance(tags, Mapping) else {}
