"""The boards of teams. Each has fields of its own, which alone say where on it a work item is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import NAMESPACE_URL, uuid5

from tests.fakes.azure_devops.projects import Projects
from tests.fakes.azure_devops.routes import Asked, Json, Route, TroubleError, listed, route
from tests.fakes.azure_devops.work_items import WorkItems

RANK = "Microsoft.VSTS.Common.StackRank"
STATES = {"New": "New", "Baking": "Active", "Eaten": "Closed"}
TYPES = ("User Story", "Bug")
LANES = {"": None, "Fast": "Fast"}
BOARD = "/{project}/[team]/_apis/work/boards"


@dataclass(frozen=True)
class Board:
    project: str
    team: str
    area: str

    @property
    def id(self) -> str:
        return str(uuid5(NAMESPACE_URL, f"{self.project}/{self.team}"))

    @property
    def prefix(self) -> str:
        return f"WEF_{self.id.replace('-', '').upper()}_Kanban"

    @property
    def column_field(self) -> str:
        return f"{self.prefix}.Column"

    @property
    def lane_field(self) -> str:
        return f"{self.prefix}.Lane"

    def has(self, item: Json) -> bool:
        fields = item["fields"]
        is_near = f"{fields['System.AreaPath']}\\".startswith(f"{self.area}\\")
        return is_near and fields["System.WorkItemType"] in TYPES and fields["System.State"] in STATES.values()

    @property
    def columns(self) -> list[Json]:
        kinds = {"New": "incoming", "Eaten": "outgoing"}
        return [
            {
                "id": f"{self.id}-{name}",
                "name": name,
                "itemLimit": 0,
                "stateMappings": dict.fromkeys(TYPES, state),
                "isSplit": name == "Baking",
                "columnType": kinds.get(name, "inProgress"),
            }
            for name, state in STATES.items()
        ]

    @property
    def rows(self) -> list[Json]:
        return [{"id": f"{self.id}-{name or 0}", "name": shown} for name, shown in LANES.items()]

    @property
    def whole(self) -> Json:
        names = {
            "columnField": self.column_field,
            "rowField": self.lane_field,
            "doneField": f"{self.column_field}.Done",
        }
        return {
            "id": self.id,
            "name": "Stories",
            "columns": self.columns,
            "rows": self.rows,
            "fields": {name: {"referenceName": field} for name, field in names.items()},
            "allowedMappings": {column["columnType"]: _listed(column["stateMappings"]) for column in self.columns},
        }


class Boards:
    """The default team of a project has all of it, the other one only its kitchen."""

    def __init__(self, projects: Projects, work_items: WorkItems) -> None:
        self._projects, self._work_items = projects, work_items
        work_items.rules.append(self._follow)
        where = "/{project}/[team]/_apis/work"
        self.routes: tuple[Route, ...] = (
            route(f"GET {BOARD}", self._list),
            route(f"GET {BOARD}/{{board}}", lambda asked: self._named(asked).whole),
            route(f"GET {BOARD}/{{board}}/columns", lambda asked: listed(self._named(asked).columns)),
            route(f"GET {BOARD}/{{board}}/rows", lambda asked: listed(self._named(asked).rows)),
            route(f"GET {where}/teamsettings/teamfieldvalues", self._areas),
            route(f"GET {where}/backlogconfiguration", self._configuration),
            route("PATCH /{project}/{team}/_apis/work/workitemsorder", self._reorder, content_type="application/json"),
        )

    def of(self, project: str, team: str | None = None) -> Board:
        own, other = self._projects.teams(project)
        return Board(project, other, f"{project}\\Kitchen") if team == other else Board(project, own, project)

    def cards(self, board: Board) -> list[Json]:
        """What is on a board, from the top; what has no rank is last, and the newest of that first."""
        items = [revisions[-1] for revisions in self._work_items.revisions.values() if board.has(revisions[-1])]
        return sorted(items, key=lambda item: (item["fields"].get(RANK, float("inf")), -item["id"]))

    def asked_for(self, asked: Asked) -> Board:
        return self.of(self._projects.named(asked.places["project"]), asked.places.get("team"))

    def _named(self, asked: Asked) -> Board:
        board = self.asked_for(asked)
        if asked.places["board"].lower() not in {"stories", board.id}:
            raise TroubleError(404, "BoardDoesNotExistException", "VS402485: The board does not exist.")
        return board

    def _list(self, asked: Asked) -> Json:
        return listed([{"id": self.asked_for(asked).id, "name": "Stories", "url": "x"}])

    def _areas(self, asked: Asked) -> Json:
        area = self.asked_for(asked).area
        field = {"referenceName": "System.AreaPath"}
        return {"field": field, "defaultValue": area, "values": [{"value": area, "includeChildren": True}]}

    def _configuration(self, _: Asked) -> Json:
        scheduling = "Microsoft.VSTS.Scheduling"
        effort = {"Effort": f"{scheduling}.StoryPoints", "RemainingWork": f"{scheduling}.RemainingWork"}
        return {"backlogFields": {"typeFields": {"Order": RANK, **effort}}}

    def _every(self) -> Iterator[Board]:
        for project in self._projects.names:
            yield from (self.of(project, team) for team in self._projects.teams(project))

    def _follow(self, before: Json, after: Json) -> None:
        """A card that gets to a column gets its state; one that gets a state gets to its column."""
        for board in self._every():
            column, lane = board.column_field, board.lane_field
            fields, old = after["fields"], before["fields"]
            if fields.get(column) not in {None, *STATES} or fields.get(lane) not in {None, *LANES}:
                message = "TF401320: Rule Error for field Board Column: it is not in the list of supported values."
                raise TroubleError(400, "RuleValidationException", message)
            if not board.has(after):
                continue
            if fields.get(column) != old.get(column):
                fields["System.State"] = STATES[fields[column]]
            elif column not in fields or fields["System.State"] != old.get("System.State"):
                [fields[column]] = [name for name, state in STATES.items() if state == fields["System.State"]]

    def _reorder(self, asked: Asked) -> Json:
        body = asked.body
        cards = self.cards(self.asked_for(asked))
        changed = {item["id"]: _rank(item, index * 1000) for index, item in enumerate(cards) if RANK not in _of(item)}
        ranks = {item["id"]: _of(item)[RANK] for item in cards}
        neighbours = {body["previousId"], body["nextId"]} - {0}
        if body["parentId"] or not {*neighbours, *body["ids"]} <= ranks.keys():
            raise TroubleError(400, "BacklogChangedException", "TF400486: The backlog has changed: refresh it.")
        before = ranks.get(body["previousId"], min(ranks.values()) - 1000)
        after = ranks.get(body["nextId"], max(ranks.values()) + 1000)
        for item in cards:
            if item["id"] in body["ids"]:
                changed[item["id"]] = _rank(item, (before + after) / 2)
        return listed([{"id": number, "order": order} for number, order in changed.items()])


def _of(item: Json) -> Json:
    fields: Json = item["fields"]
    return fields


def _rank(item: Json, order: float) -> float:
    item["fields"][RANK] = order
    return order


def _listed(mappings: dict[str, str]) -> dict[str, list[str]]:
    return {kind: [state] for kind, state in mappings.items()}
