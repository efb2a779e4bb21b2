"""The backlogs of teams, and what they plan for an iteration."""

from __future__ import annotations

from tests.fakes.azure_devops.boards import Boards
from tests.fakes.azure_devops.iterations import JSON, Iterations
from tests.fakes.azure_devops.people import People
from tests.fakes.azure_devops.projects import Projects
from tests.fakes.azure_devops.routes import Asked, Json, Route, TroubleError, listed, route
from tests.fakes.azure_devops.work_items import WorkItems

BACKLOG = "Microsoft.RequirementCategory"
FORWARD = "System.LinkTypes.Hierarchy-Forward"
ITERATION = "/{project}/[team]/_apis/work/teamsettings/iterations/{iteration}"


class Sprints:
    def __init__(
        self, projects: Projects, people: People, work_items: WorkItems, boards: Boards, iterations: Iterations
    ) -> None:
        self._projects, self._people, self._work_items, self._boards = projects, people, work_items, boards
        self._iterations = iterations
        # What members have, by the iteration and the member; who has nothing is not there.
        self.capacities: dict[tuple[str, str], Json] = {}
        backlogs = "/{project}/{team}/_apis/work/backlogs"
        self.routes: tuple[Route, ...] = (
            route(f"GET {backlogs}", self._backlogs),
            route(f"GET {backlogs}/{{backlog}}/workItems", self._backlog),
            route(f"GET {ITERATION}/workitems", self._items),
            route(f"GET {ITERATION}/capacities", self._capacities),
            route(f"PATCH {ITERATION}/capacities/{{member}}", self._plan, content_type=JSON),
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

    def _items(self, asked: Asked) -> Json:
        project = self._projects.named(asked.places["project"])
        path = self._iterations.path(project, self._iterations.asked_for(asked))
        items = [revisions[-1] for revisions in self._work_items.revisions.values()]
        inside = {item["id"]: item for item in items if item["fields"]["System.IterationPath"] == path}
        links = [link for item in inside.values() for link in _children(item) if link["target"]["id"] in inside]
        below = {link["target"]["id"] for link in links}
        tops = [{"rel": None, "source": None, "target": {"id": number}} for number in inside if number not in below]
        return {"workItemRelations": tops + links}

    def _capacities(self, asked: Asked) -> Json:
        iteration = self._iterations.asked_for(asked).identifier
        self.capacities.setdefault(
            (iteration, self._people.me["id"]),
            {
                "teamMember": self._people.reference("Ada Byron"),
                "activities": [{"capacityPerDay": 6, "name": "Baking"}],
                "daysOff": [],
            },
        )
        members = [capacity for (of, _), capacity in self.capacities.items() if of == iteration]
        hours = sum(activity["capacityPerDay"] for member in members for activity in member["activities"])
        return {"teamMembers": members, "totalCapacityPerDay": hours, "totalDaysOff": 0}

    def _plan(self, asked: Asked) -> Json:
        iteration, member = self._iterations.asked_for(asked).identifier, asked.places["member"]
        try:
            who = self._people.reference(member)
        except KeyError:
            message = f"VS403390: The team member {member} does not exist."
            raise TroubleError(404, "TeamMemberNotFoundException", message) from None
        planned = {"teamMember": who, "activities": asked.body["activities"], "daysOff": asked.body["daysOff"]}
        self.capacities[iteration, member] = planned
        return {**planned, "url": "x", "_links": {}}

    def _days_off(self, asked: Asked) -> Json:
        self._iterations.asked_for(asked)
        return {"daysOff": [{"start": "2026-05-01T00:00:00Z", "end": "2026-05-01T00:00:00Z"}]}


def _children(item: Json) -> list[Json]:
    targets = [int(link["url"].rpartition("/")[2]) for link in item["relations"] if link["rel"] == FORWARD]
    return [{"rel": FORWARD, "source": {"id": item["id"]}, "target": {"id": target}} for target in targets]
