"""Exports templates from resource groups."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic_core import to_json

from clients.azure.ids import ResourceId
from clients.azure.messages import of_id
from clients.azure.named import group_called
from clients.azure.resource_scopes import VERSION
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.resource.reasons import reasons_in
from tools.azure.shared.answers import Json, answer, present
from tools.azure.shared.parameters import ResourceGroup, Subscription

part = Part()

_SECONDS: Final = 45.0
_LARGEST: Final = 40_000
_MOST_RESOURCES: Final = 50
_MOST_LISTED: Final = 200

ResourceIds = Annotated[
    list[Annotated[str, Field(max_length=2048)]] | None,
    Field(max_length=_MOST_RESOURCES, description="Only these ids"),
]


@part.tool(Access.READ)
async def export_resource_group_template(
    azure: Arm, resource_group: ResourceGroup, resources: ResourceIds = None, subscription: Subscription = None
) -> Json:
    """Export a resource group as an ARM template, and list what Azure could not export. Takes up to a minute."""
    place = await group_called(azure, resource_group, subscription)
    wanted = [_within(text, place) for text in resources or ()] or ["*"]
    body = {"resources": wanted, "options": "SkipAllParameterization"}
    request = of_id("POST", place, "/exportTemplate", body=body, is_read=True, version=VERSION)
    found = (await azure.outcome(request, _SECONDS)).document
    template = found.get("template") if isinstance(found, Mapping) else None
    if not isinstance(template, Mapping):
        raise Refusal("Azure returned no template. Try again, or export only some resources.")
    left_out = [
        present({"what": one.target, "code": one.code, "says": one.message}) for one in reasons_in(found.get("error"))
    ]
    return answer(isComplete=not left_out, notExported=left_out, **_bounded(template))


def _within(text: str, group: ResourceId) -> str:
    """Return the id of a resource. Refuse resources outside the group, because they cannot be exported with it."""
    found = ResourceId.of(text)
    if not found.key.startswith(f"{group.key}/"):
        raise Refusal(f"This resource is not in {group.name!r}: {found.text}")
    return found.text


def _bounded(template: Mapping[str, Any]) -> Json:
    """Return the template, or a summary if the template is too long to show."""
    kept = {**template, "parameters": _without_values(template.get("parameters"))}
    size = len(to_json(kept))
    if size <= _LARGEST:
        return {"template": kept}
    listed = template.get("resources")
    entries = [one for one in listed if isinstance(one, Mapping)] if isinstance(listed, list) else []
    note = f"The template is too large to show ({size} bytes). Export some of its resources by their ids."
    names = [f"{one.get('type')} {one.get('name')}" for one in entries[:_MOST_LISTED]]
    return {"more": note, "resources": names, "count": len(entries)}


def _without_values(parameters: Any) -> Any:
    """Return parameters without their default values, which may be secrets."""
    if not isinstance(parameters, Mapping):
        return {}
    return {
        name: {key: value for key, value in one.items() if key != "defaultValue"}
        for name, one in parameters.items()
        if isinstance(one, Mapping)
    }
