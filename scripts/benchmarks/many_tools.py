"""150 fake tools of realistic size, for this server and for the plain SDK."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from mcp_server.declarations.toolset import Access, Toolset

COUNT = 150


class ManyItem(BaseModel):
    id: int
    title: str
    state: Literal["new", "active", "done"] = "new"
    owner: str | None = None
    labels: list[str] = []


class Options(BaseModel):
    expand: Annotated[Literal["none", "links", "all"], Field(description="What to add to each item")] = "none"
    since: Annotated[str | None, Field(description="Only what changed since, as YYYY-MM-DD")] = None


def _function(number: int) -> Callable[..., Any]:
    async def tool(
        project: Annotated[str, Field(description="Name or id of the project")],
        item_id: Annotated[int, Field(ge=1, description="Id of the item")],
        state: Annotated[Literal["new", "active", "done"] | None, Field(description="Only items in this state")] = None,
        text: Annotated[str | None, Field(max_length=4000, description="Text that the item holds")] = None,
        limit: Annotated[int, Field(ge=1, le=200, description="The most items to give back")] = 50,
        options: Annotated[Options | None, Field(description="What else to give back")] = None,
    ) -> ManyItem:
        return ManyItem(id=item_id, title=project)

    tool.__name__ = f"handle_item_{number}"
    tool.__doc__ = (
        f"Handle the items of area {number} in a project.\n\nGives back what is left after the change, with the newest"
        " first. Find the id of an item by listing the items of its project before, and pass the state only to narrow."
    )
    return tool


FUNCTIONS = [_function(number) for number in range(COUNT)]


async def ping() -> str:
    """Return immediately."""
    return "pong"


def toolset() -> Toolset:
    many = Toolset("many", "Handle items of many areas.")
    for function in FUNCTIONS:
        many.tool(Access.WRITE)(function)
    many.tool(Access.READ)(ping)
    return many
