"""Shows boards with their columns, swimlanes and cards, and moves cards."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Annotated, Any, Final

from changes.preview import Preview
from changes.undo import Undo, by_call, by_hand
from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest
from clients.azure_devops.paging import ListPage
from mcp_server.declarations.change import Change, PlannedChange
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from tools.azure_devops.access import DevOps
from tools.azure_devops.boards.kanban import DEFAULT_LANE, Kanban, ids_from_the_top
from tools.azure_devops.previews.work_items import fields_set
from tools.azure_devops.shared.answers import Json, answer, every, many, shape
from tools.azure_devops.shared.parameters import Detail, MaxResults, Project, States, Team, WorkItemId
from tools.azure_devops.shared.state_filters import by_what_is_done
from tools.azure_devops.shared.teams import team_place
from tools.azure_devops.shared.wiql import WorkItemFilters
from tools.azure_devops.shared.work_item_changes import change, set_fields
from tools.azure_devops.shared.work_item_reading import field_of, item_with_relations, listed_items

part = Part()

_BOARD: Final = shape("id", "name")
_COLUMN: Final = shape(
    "id", "name", type="columnType", limit="itemLimit", split="isSplit", states="stateMappings", done="description"
)
_LANE: Final = shape("id", "name", "color")

Board = Annotated[str, Field(min_length=1, description="Name or id")]
Lane = Annotated[str | None, Field(description='"": the default')]


@part.tool(Access.READ, harmless=("project", "team"))
async def get_boards(devops: DevOps, project: Project = None, team: Team = None) -> Json:
    """List the boards of a team."""
    request = DevOpsRequest(
        "GET /{project}/{team}/_apis/work/boards", {"project": devops.project(project), "team": team}
    )
    return every((await devops.json(request))["value"], _BOARD)


@part.tool(Access.READ, harmless=("project", "team", "board"))
async def get_board_columns(devops: DevOps, board: Board, project: Project = None, team: Team = None) -> Json:
    """List the columns of a board and their states."""
    place = _place(devops, project, team, board)
    request = DevOpsRequest("GET /{project}/{team}/_apis/work/boards/{board}/columns", place)
    return every((await devops.json(request))["value"], _COLUMN)


@part.tool(Access.READ, harmless=("project", "team", "board"))
async def get_board_swimlanes(devops: DevOps, board: Board, project: Project = None, team: Team = None) -> Json:
    """List the swimlanes of a board. The default swimlane has no name."""
    place = _place(devops, project, team, board)
    request = DevOpsRequest("GET /{project}/{team}/_apis/work/boards/{board}/rows", place)
    return every((await devops.json(request))["value"], _LANE)


@part.tool(Access.READ, harmless=("project", "team", "board"))
async def get_board_items(
    devops: DevOps,
    board: Board,
    project: Project = None,
    team: Team = None,
    column: Annotated[str | None, Field(description="Only this column")] = None,
    swimlane: Lane = None,
    states: States = None,
    maxResults: MaxResults = 100,
    detail: Detail = "summary",
) -> Json:
    """List the cards on a board, from the top."""
    place = _place(devops, project, team, board)
    kanban = await _kanban(devops, place)
    by_state = (await by_what_is_done(devops, WorkItemFilters(project=place["project"], states=states))).by_state()
    conditions = [*kanban.conditions(column, swimlane), *by_state]
    ids = await _cards(devops, place, conditions, maxResults + 1)
    meanings = {field: meaning for meaning, field in kanban.fields.items()}
    items = await listed_items(devops, ids[:maxResults], detail, meanings)
    cards = [{meanings.get(name, name): value for name, value in item.items()} for item in items]
    return many(ListPage(cards, len(ids) > maxResults), dict)


@part.change(Access.WRITE, harmless=("id", "project", "team", "board", "position"))
async def move_board_card(
    devops: DevOps,
    id: WorkItemId,
    board: Board,
    column: Annotated[str, Field(min_length=1, description="Target column")],
    project: Project = None,
    team: Team = None,
    position: Annotated[int | None, Field(ge=0, le=1000, description="0 is the top")] = None,
    swimlane: Lane = None,
    done: Annotated[bool | None, Field(description="true: Done half of a split column")] = None,
) -> Change[Json]:
    """Move a card to a column of a board."""
    place = _place(devops, project, team, board)
    kanban = await _kanban(devops, place)
    fields = kanban.placing(await field_of(devops, id, "System.WorkItemType"), column, swimlane, done)

    conditions = kanban.conditions(column, swimlane)
    ranking = None if position is None else await _ranking(devops, place, conditions, id, position)

    async def preview() -> Preview:
        item = await item_with_relations(devops, id)
        undo = _moved_back(kanban, place, item, fields)
        shown = fields_set(item, fields, undo if position is None else undo.but("the card's position will differ"))
        where = f"{column} of {board}" + (f", at position {position}" if position is not None else "")
        return replace(shown, sentence=f"Move {shown.what} to {where}")

    async def apply() -> Json:
        if ranking:
            # The rank is set first, because the service rejects ranks more often than other changes. If the rank is
            # rejected, nothing else has changed yet.
            await devops.json(ranking)
        item = await change(devops, id, set_fields({}, fields))
        shown = {meaning: item["fields"].get(field) for meaning, field in kanban.fields.items()}
        link = devops.organization.link("_workitems", "edit", id)
        return answer(id=id, rev=item["rev"], state=item["fields"]["System.State"], **shown, link=link)

    return PlannedChange(preview, apply)


def _moved_back(kanban: Kanban, place: Mapping[str, str | None], item: Json, fields: Mapping[str, Any]) -> Undo:
    """Return the call that moves the card back to where it is now, or advice if the card is not in a column."""
    own, before = kanban.fields, item["fields"]
    column = before.get(own["column"])
    if not column:
        return by_hand("to remove the card from the board, call update_work_item with the previous state")
    lane = before.get(own.get("swimlane", "")) or DEFAULT_LANE
    back = by_call(
        "move_board_card",
        id=item["id"],
        **place,
        column=column,
        swimlane=lane if own.get("swimlane") in fields else None,
        done=before.get(own.get("done", "")) or None,
    )
    state = kanban.column(str(column))["stateMappings"].get(before["System.WorkItemType"])
    return (
        back if state == before["System.State"] else back.but(f"the card's previous state was {before['System.State']}")
    )


def _place(devops: AzureDevOps, project: str | None, team: str | None, board: str) -> dict[str, str | None]:
    return {"project": devops.project(project), "team": team or None, "board": board}


async def _kanban(devops: AzureDevOps, place: dict[str, str | None]) -> Kanban:
    return Kanban(await devops.json(DevOpsRequest("GET /{project}/{team}/_apis/work/boards/{board}", place)))


async def _cards(devops: AzureDevOps, place: dict[str, str | None], conditions: Iterable[str], limit: int) -> list[int]:
    """Return the ids of the matching cards on a board, in order from the top."""
    where = {"project": place["project"], "team": place["team"]}
    areas = await devops.json(DevOpsRequest("GET /{project}/{team}/_apis/work/teamsettings/teamfieldvalues", where))
    configuration = await devops.json(DevOpsRequest("GET /{project}/{team}/_apis/work/backlogconfiguration", where))
    order = configuration["backlogFields"]["typeFields"]["Order"]
    body = {"query": ids_from_the_top(conditions, areas, order)}
    place = {"project": place["project"]}
    request = DevOpsRequest("POST /{project}/_apis/wit/wiql", place, {"$top": limit}, body, is_read=True)
    return [entry["id"] for entry in (await devops.json(request))["workItems"]]


async def _ranking(
    devops: AzureDevOps, place: dict[str, str | None], conditions: Iterable[str], id: int, position: int
) -> DevOpsRequest | None:
    """Build the request that places a card between its new neighbors. Return None if the card has no neighbors."""
    cards = await _cards(devops, place, conditions, position + 2)
    others = [0, *(card for card in cards if card != id), 0]
    before = min(position, len(others) - 2)
    neighbours = {"previousId": others[before], "nextId": others[before + 1]}
    if not any(neighbours.values()):
        return None
    where = await team_place(devops, place["project"], place["team"])
    # With the parent id 0, the card is ranked among all cards on the board, not only among those with the same parent.
    body = {"ids": [id], "parentId": 0, **neighbours}
    return DevOpsRequest("PATCH /{project}/{team}/_apis/work/workitemsorder", where, body=body)
