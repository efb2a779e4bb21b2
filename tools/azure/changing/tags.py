"""Tags of many resources, groups and subscriptions, changed at once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Final

from pydantic import Field

from changes.preview import Preview
from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import Request, of_id
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.changing.many import ResourceIds, ids_of, short_names, told_place
from tools.azure.changing.tagging import Mode, Tags, check_tags, edits_of, tagged, told_tags
from tools.azure.provider import Arm
from tools.azure.resource.places import VERSION
from tools.azure.shared.answers import Json, at
from tools.azure.shared.doing import SECONDS, Done, Look, Seen, change, each, told_of_each
from tools.azure.shared.previews import look_at
from tools.side_by_side import side_by_side

part = Part()

_TAGS: Final = "/providers/Microsoft.Resources/tags/default"
_OPERATIONS: Final = {"merge": "Merge", "replace": "Replace", "delete": "Delete"}


@dataclass(frozen=True, slots=True)
class _Tagging:
    """What has tags, which they are, and which they are to be."""

    resource: ResourceId
    before: Mapping[str, str]
    after: Mapping[str, str]
    mode: Mode

    @property
    def is_done(self) -> bool:
        return dict(self.before) == dict(self.after)

    @property
    def request(self) -> Request:
        """What asks for no more than is to be: others may tag it, too."""
        by_mode: dict[Mode, Mapping[str, str]] = {
            "replace": self.after,
            "merge": {name: value for name, value in self.after.items() if self.before.get(name) != value},
            "delete": {name: value for name, value in self.before.items() if name not in self.after},
        }
        body = {"operation": _OPERATIONS[self.mode], "properties": {"tags": by_mode[self.mode]}}
        return of_id("PATCH", self.resource, _TAGS, body=body, version=VERSION)

    def judged(self, found: Json | None) -> Seen:
        now = _tags_in(found)
        return Seen.DONE if now == dict(self.after) else Seen.NOT_DONE if now == dict(self.before) else Seen.UNCLEAR


async def _tags_changed(azure: Arm, resource_ids: ResourceIds, tags: Tags, mode: Mode = "merge") -> Preview:
    planned, refused = await _planned(azure, resource_ids, tags, mode)
    if refused:
        raise next(iter(refused.values()))
    ids = [one.resource for one in planned]
    seen = [{"id": one.resource.text, "tags": dict(one.before)} for one in planned]
    known = await look_at(azure, *ids, seen=seen, within=[{"tags": one.after} for one in planned])
    changing = [one for one in planned if not one.is_done]
    if not changing:
        raise Refusal("They have these tags already: nothing is to be done.")
    known.refuse_locked("change")
    names = short_names(ids)
    edits = [edit for one in changing for edit in edits_of(names[one.resource.key], one.before, one.after)]
    return Preview(
        what=f"Tags of {names[ids[0].key] if len(ids) == 1 else f'{len(ids)} resources'}",
        facts={
            "of": sorted({told_place(one) for one in ids}),
            "tags now": told_tags(planned[0].before) if len(ids) == 1 else None,
            "to be changed": len(changing),
            "as they are to be already": len(ids) - len(changing),
            "ids": [one.resource.text for one in changing],
        },
        edits=edits,
        places=known.places,
        destroys=mode != "merge" and any(edit.after is None for edit in edits),
        missing=known.missing,
    )


@part.tool(
    Access.WRITE,
    previewed=_tags_changed,
    destroys=lambda meant: meant.get("mode", "merge") != "merge",
    harmless=("mode",),
    seconds=SECONDS,
)
async def tag_resources(
    azure: Arm,
    resource_ids: ResourceIds,
    tags: Tags,
    mode: Annotated[Mode, Field(description="replace: no other tags stay; delete: these go")] = "merge",
) -> Json:
    """Tag resources, groups or subscriptions: up to 100 at once, as one change.

    Each outcome is told. What has the tags already is left alone, so the same call again goes on with the rest.
    """
    planned, refused = await _planned(azure, resource_ids, tags, mode)
    changing = [one for one in planned if not one.is_done]
    made: Mapping[str, Callable[[], Awaitable[Done]]] = {
        one.resource.text: partial(_tag, azure, one) for one in changing
    }
    outcomes: dict[str, Done | Refusal] = {**refused, **await each(made)}
    return told_of_each(outcomes, unchanged=len(planned) - len(changing))


async def _tag(azure: Azure, one: _Tagging) -> Done:
    call = f"show_resource(resource_id={one.resource.text!r})"
    return await change(azure, one.request, Look(of_id("GET", one.resource, _TAGS, version=VERSION), one.judged, call))


async def _planned(
    azure: Azure, texts: Sequence[str], tags: Tags, mode: Mode
) -> tuple[list[_Tagging], dict[str, Refusal]]:
    """What is to be done with each, by the tags that it has now, and why others could not be read."""
    check_tags(tags)
    if not tags and mode != "replace":
        raise Refusal("There are no tags to set or to delete: pass some.")
    ids = {one.text: one for one in ids_of(texts)}
    found: dict[str, _Tagging] = {}

    async def read(resource: ResourceId) -> None:
        before = _tags_in(await azure.json(of_id("GET", resource, _TAGS, version=VERSION)))
        found[resource.text] = _Tagging(resource, before, tagged(before, tags, mode), mode)

    reading = await side_by_side(ids, read)
    refused = {name: reading.failed.get(name) or Refusal(reading.reason(name)) for name in ids if name not in found}
    return [found[name] for name in ids if name in found], refused


def _tags_in(document: Json | None) -> dict[str, str]:
    told: Any = at(document, "properties.tags")
    return {str(name): str(value) for name, value in told.items()} if isinstance(told, Mapping) else {}
