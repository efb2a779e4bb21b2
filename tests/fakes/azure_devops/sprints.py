"""The backlogs of teams, and what they plan for an iteration."""

from __future__ import annotations

from tests.fakes.azure_devops.boards import Boards
from tests.fakes.azure_devops.people import People
from tests.fakes.azure_devops.projects import ITERATIONS, Projects
from tests.fakes.azure_devops.routes import Asked, Json, Route, TroubleError, listed, route
from tests.fakes.azure_devops.work_items import WorkItems

BACKLOG = "Microsoft.RequirementCategory"
FORWARD = "System.LinkTypes.Hierarchy-Forward"
ITERATION = "/{project}/[team]/_apis/work/teamsettings/iterations/{iteration}"


class Sprints:
    def __init__(self, projects: Projects, people: People, work_items: WorkItems, boards: Boards) -> None:
        self._projects, self._people, self._work_items, self._boards = projects, people, work_items, boards
        backlogs = "/{project}/{team}/_apis/work/backlogs"
        self.routes: tuple[Route, ...] = (
            route(f"GET {backlogs}", self._backlogs),
            route(f"GET {backlogs}/{{backlog}}/workItems", self._backlog),
            route(f"GET {ITERATION}/workitems", self._items),
            route(f"GET {ITERATION}/capacities", self._capacities),
            route(f"GET {ITERATION}/teamdaysoff", self._days_off),
        )

    def _backlogs(self, _: Asked) -> Json:
        types = [{"name": "User Story"}, {"name": "Bug"}]
        return listed([{"id": BACKLOG, "name": "Stories", "type": "requirement", "rank": 3, "workItemTypes": types}])

    def _backlog(self, asked: Asked) -> Json:
        if asked.places["backlog"] != BACKLOG:
            raise TroubleError(404, "BacklogDoesNotExistException", "VS403586: There is no such backlog.")
        cards = self._boards.cards(self._boards.asked_for(asked))
        open_cards = [card for card in cards if card["fields"]["System.State"] != "Closed"]
        return {"workItems": [{"rel": None, "source": None, "target": {"id": card["id"]}} for card in open_cards]}

    def _iteration(self, asked: Asked) -> str:
        project = self._projects.named(asked.places["project"])
        for name in ITERATIONS:
            if self._projects.id_of(name) == asked.places["iteration"]:
                return f"{project}\\{name}"
        raise TroubleError(404, "InvalidTeamSettingsException", "VS402385: The team has no such iteration.")

    def _items(self, asked: Asked) -> Json:
        path = self._iteration(asked)
        items = [revisions[-1] for revisions in self._work_items.revisions.values()]
        inside = {item["id"]: item for item in items if item["fields"]["System.IterationPath"] == path}
        links = [link for item in inside.values() for link in _children(item) if link["target"]["id"] in inside]
        below = {link["target"]["id"] for link in links}
        tops = [{"rel": None, "source": None, "target": {"id": number}} for number in inside if number not in below]
        return {"workItemRelations": tops + links}

    def _capacities(self, asked: Asked) -> Json:
        self._iteration(asked)
        me = self._people.reference("Ada Byron")
        hours = [{"capacityPerDay": 6, "name": "Baking"}]
        return {"teamMembers": [{"teamMember": me, "activities": hours, "daysOff": []}], "totalCapacityPerDay": 6}

    def _days_off(self, asked: Asked) -> Json:
        self._iteration(asked)
        return {"daysOff": [{"start": "2026-05-01T00:00:00Z", "end": "2026-05-01T00:00:00Z"}]}


def _children(item: Json) -> list[Json]:
    targets = [int(link["url"].rpartition("/")[2]) for link in item["relations"] if link["rel"] == FORWARD]
    return [{"rel": FORWARD, "source": {"id": item["id"]}, "target": {"id": target}} for target in targets]
