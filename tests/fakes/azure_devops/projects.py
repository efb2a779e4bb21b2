"""Invented projects with teams and areas."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Final
from uuid import NAMESPACE_URL, uuid5

from tests.fakes.azure_devops.people import People
from tests.fakes.azure_devops.routes import Asked, Json, Reply, Route, TroubleError, continued, route, skipped

# A test knows it; a demo has another.
NOW: Final = datetime(2026, 5, 6, 7, 8, 9, tzinfo=UTC)


class Projects:
    """Each project has its default team and another, and two levels of areas."""

    def __init__(self, people: People, names: tuple[str, ...] = ("Web", "Shop floor")) -> None:
        self._people = people
        # The time at which everything here happens.
        self.clock = NOW
        self.names = list(names)
        # What projects were called before, to which the service goes on to answer.
        self.former: dict[str, str] = {}
        # To which project teams belong that are known by their ids in all of them.
        self.of_teams: dict[str, str] = {}
        self.largest_page = 100
        self.routes: tuple[Route, ...] = (
            route("GET /_apis/projects", self._list, "stateFilter $top $skip continuationToken"),
            route("GET /_apis/projects/{project}", self._one, "includeCapabilities"),
            route("GET /_apis/projects/{project}/teams", self._teams, "$top $skip"),
            route("GET /_apis/projects/{project}/teams/{team}", self._team),
            route("GET /_apis/projects/{project}/teams/{team}/members", self._members, "$top $skip"),
            route("GET /{project}/_apis/wit/classificationnodes/areas", self._areas, "$depth"),
        )

    @property
    def now(self) -> str:
        return f"{self.clock:%Y-%m-%dT%H:%M:%S}.1Z"

    @property
    def stamp(self) -> str:
        """How the lines of a build's log begin."""
        return f"{self.clock:%Y-%m-%dT%H:%M:%S}.1234567Z"

    @property
    def later(self) -> str:
        """When somebody decides what happened now."""
        return f"{self.clock:%Y-%m-%d}T08:00:00Z"

    @property
    def today(self) -> date:
        return self.clock.date()

    def id_of(self, name: str) -> str:
        return str(uuid5(NAMESPACE_URL, name))

    def named(self, name_or_id: str) -> str:
        name_or_id = self.former.get(name_or_id, name_or_id)
        for name in self.names:
            if name_or_id.lower() in {name.lower(), self.id_of(name)}:
                return name
        raise TroubleError(
            404,
            "ProjectDoesNotExistWithNameException",
            f"TF200016: The following project does not exist: {name_or_id}.",
        )

    def teams(self, project: str) -> list[str]:
        return [f"{project} Team", "Night shift"]

    def check(self, places: Mapping[str, str]) -> None:
        """Refuse a project or a team that is not there."""
        project = self.named(places["project"]) if "project" in places else ""
        if "team" in places and places["team"] not in [*self.teams(project), *self.of_teams]:
            raise TroubleError(404, "TeamNotFoundException", f"The team with id '{places['team']}' does not exist.")

    def _summary(self, name: str) -> Json:
        return {
            "id": self.id_of(name),
            "name": name,
            "description": f"All of {name}.",
            "url": f"https://dev.azure.com/acme/_apis/projects/{self.id_of(name)}",
            "state": "wellFormed",
            "revision": 3,
            "visibility": "private",
            "lastUpdateTime": "2026-03-04T05:06:07.89Z",
        }

    def _list(self, asked: Asked) -> Reply:
        return continued(asked, [self._summary(name) for name in self.names], self.largest_page)

    def _one(self, asked: Asked) -> Json:
        name = self.named(asked.places["project"])
        capabilities = {
            "processTemplate": {"templateName": "Agile", "templateTypeId": "adcc42ab"},
            "versioncontrol": {"sourceControlType": "Git"},
        }
        whole = {"defaultTeam": {"id": "1", "name": self.teams(name)[0]}, "_links": {}}
        shown = {"capabilities": capabilities} if asked.query.get("includeCapabilities") == "true" else {}
        return {**self._summary(name), **whole, **shown}

    def _teams(self, asked: Asked) -> Json:
        project = self.named(asked.places["project"])
        teams = [{"id": self.id_of(team), "name": team, "projectName": project} for team in self.teams(project)]
        return skipped(asked, teams)

    def _team(self, asked: Asked) -> Json:
        team = asked.places["team"]
        project = self.of_teams.get(team) or self.named(asked.places["project"])
        return {"id": self.id_of(team), "name": team, "projectName": project, "projectId": self.id_of(project)}

    def _members(self, asked: Asked) -> Json:
        members = [{"identity": self._people.reference(name), "isTeamAdmin": False} for name in self._people.known]
        members[0]["isTeamAdmin"] = True
        return skipped(asked, members)

    def area_token(self, project: str, names: tuple[str, ...]) -> list[str]:
        """The parts of the token of an area: of its project, and of all areas on the way to it."""
        paths = [[project, *names[:end]] for end in range(len(names) + 1)]
        return [f"vstfs:///Classification/Node/{_area_id(path)}" for path in paths]

    def _areas(self, asked: Asked) -> Json:
        project, depth = self.named(asked.places["project"]), asked.number("$depth", 0)
        return _node([project], {"Kitchen": {"Oven": {}}, "Hall": {}}, depth)


def _node(path: list[str], below: Mapping[str, Mapping[str, Json]], depth: int) -> Json:
    node: Json = {
        "id": len("".join(path)),
        "identifier": _area_id(path),
        "name": path[-1],
        "structureType": "area",
        "hasChildren": bool(below),
        "path": "\\".join(["", path[0], "Area", *path[1:]]),
    }
    if below and depth:
        node["children"] = [_node([*path, name], inner, depth - 1) for name, inner in below.items()]
    return node


def _area_id(path: list[str]) -> str:
    return str(uuid5(NAMESPACE_URL, "area " + "/".join(path)))
