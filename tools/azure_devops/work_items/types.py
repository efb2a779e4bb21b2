"""Lists work item types and their valid states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from tools.azure_devops.access import DevOps
from tools.azure_devops.shared.answers import Json, every
from tools.azure_devops.shared.parameters import Project
from tools.azure_devops.shared.work_item_types import transitions, work_item_type, work_item_types

part = Part()


@part.tool(Access.READ, harmless=("project", "type"))
async def list_work_item_types(
    devops: DevOps,
    project: Project = None,
    type: Annotated[str | None, Field(description="Such as Bug; adds its transitions")] = None,
) -> Json:
    """List the valid states of work items by type, and allowed transitions."""
    where = devops.project(project)
    if type:
        kind = await work_item_type(devops, where, type)
        return every([kind], lambda kind: _with_states(kind) | {"transitions": transitions(kind)})
    return every(await work_item_types(devops, where), _with_states)


def _with_states(kind: Mapping[str, Any]) -> Json:
    return {"name": kind["name"], "states": {state["name"]: state["category"] for state in kind["states"]}}
