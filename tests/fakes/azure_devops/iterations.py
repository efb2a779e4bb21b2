"""The tree of iterations of a project, and which of them its teams work by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from tests.fakes.azure_devops.projects import Projects
from tests.fakes.azure_devops.routes import Asked, Json, Reply, Route, TroubleError, listed, route

JSON: Final = "application/json"
# The first and the last day of each, in days from today.
_FIRST: Final = {"Sprint 1": (-23, -12), "Sprint 2": (-9, 2), "Sprint 3": (5, 16)}


@dataclass
class Node:
    """One iteration; the path is without the project."""

    number: int
    identifier: str
    path: tuple[str, ...]
    start: str | None = None
    finish: str | None = None

    def frame(self, today: str) -> str:
        if not (self.start and self.finish) or self.start > today:
            return "future"
        return "past" if self.finish < today else "current"

    @property
    def dates(self) -> Json:
        return {"startDate": _moment(self.start), "finishDate": _moment(self.finish)}


class Iterations:
    """Each project has three iterations, by which both of its teams work."""

    def __init__(self, projects: Projects) -> None:
        self._projects = projects
        self.nodes: dict[str, list[Node]] = {}
        # What befalls the service once an iteration is made.
        self.afterwards: list[Callable[[], None]] = []
        self._teams: dict[tuple[str, str], list[Node]] = {}
        tree, of_team = "/{project}/_apis/wit/classificationnodes/iterations", "/_apis/work/teamsettings/iterations"
        self.routes: tuple[Route, ...] = (
            route(f"GET {tree}", self._tree, "$depth"),
            route(f"POST {tree}", self._create, content_type=JSON),
            route(f"POST {tree}/{{path}}", self._create, content_type=JSON),
            route(f"GET /{{project}}/[team]{of_team}", self._list, "$timeframe"),
            route(f"POST /{{project}}/{{team}}{of_team}", self._join, content_type=JSON),
        )

    def of(self, project: str) -> list[Node]:
        if project not in self.nodes:
            self.nodes[project] = []
            for name, days in _FIRST.items():
                self.add(project, (name,), *(_day(self._projects.today, number) for number in days))
        return self.nodes[project]

    def add(self, project: str, path: tuple[str, ...], start: str | None = None, finish: str | None = None) -> Node:
        identifier = self._projects.id_of("\\".join([project, *path]))
        node = Node(len(self.nodes[project]) + 1, identifier, path, start, finish)
        self.nodes[project].append(node)
        return node

    def by_team(self, project: str, team: str | None = None) -> list[Node]:
        """Those of a team, by their dates; a test may put others there."""
        own = (project, team or self._projects.teams(project)[0])
        nodes = self._teams.setdefault(own, self.of(project)[: len(_FIRST)])
        nodes.sort(key=lambda node: node.start or "9")
        return nodes

    def _frame(self, node: Node) -> str:
        return node.frame(self._projects.today.isoformat())

    def asked_for(self, asked: Asked) -> Node:
        """The iteration of a team that a request names by its id."""
        project = self._projects.named(asked.places["project"])
        for node in self.by_team(project, asked.places.get("team")):
            if node.identifier == asked.places["iteration"]:
                return node
        raise TroubleError(404, "InvalidTeamSettingsException", "VS402385: The team has no such iteration.")

    def path(self, project: str, node: Node) -> str:
        return "\\".join([project, *node.path])

    def _tree(self, asked: Asked) -> Json:
        project = self._projects.named(asked.places["project"])
        return self._below(project, (), asked.number("$depth", 0))

    def _below(self, project: str, path: tuple[str, ...], depth: int) -> Json:
        node = next((node for node in self.of(project) if node.path == path), None)
        inside = [child.path for child in self.of(project) if child.path[:-1] == path]
        shown = _shown(project, node) if node else {"id": 0, "identifier": self._projects.id_of(f"{project} root")}
        children = [self._below(project, child, depth - 1) for child in inside] if depth else []
        return {
            **shown,
            "name": [project, *path][-1],
            "structureType": "iteration",
            "hasChildren": bool(inside),
            "path": "\\".join(["", project, "Iteration", *path]),
            **({"children": children} if children else {}),
        }

    def _create(self, asked: Asked) -> Reply:
        project, body = self._projects.named(asked.places["project"]), asked.body
        above = tuple(filter(None, asked.places.get("path", "").replace("/", "\\").split("\\")))
        known = {node.path for node in self.of(project)}
        if above and above not in known:
            message = f"VS402485: The Area/Iteration name is not recognized: {above[-1]}."
            raise TroubleError(404, "ClassificationNodeNotFoundException", message)
        if set(body["name"]) & set('\\/:*?"<>|#$&+'):
            message = f"TF50309: The following element name is not valid: '{body['name']}'."
            raise TroubleError(400, "ClassificationNodeInvalidNameException", message)
        if (*above, body["name"]) in known:
            message = f"VS402371: Classification node name {body['name']} is already in use by a different child."
            raise TroubleError(409, "ClassificationNodeDuplicateNameException", message)
        dates = body.get("attributes") or {}
        start, finish = (str(dates[name])[:10] if name in dates else None for name in ("startDate", "finishDate"))
        made = self.add(project, (*above, body["name"]), start, finish)
        for follow in self.afterwards:
            follow()
        return Reply(self._below(project, made.path, 0), 201)

    def _list(self, asked: Asked) -> Json:
        project, wanted = self._projects.named(asked.places["project"]), asked.query.get("$timeframe")
        if wanted not in {None, "current"}:
            raise TroubleError(400, "ArgumentOutOfRangeException", "Only the current iteration can be asked for.")
        nodes = self.by_team(project, asked.places.get("team"))
        return listed([self._of_team(project, node) for node in nodes if wanted in {None, self._frame(node)}])

    def _join(self, asked: Asked) -> Reply:
        project = self._projects.named(asked.places["project"])
        for node in self.of(project):
            if node.identifier == asked.body["id"]:
                nodes = self.by_team(project, asked.places["team"])
                nodes += [] if node in nodes else [node]
                return Reply(self._of_team(project, node), 201)
        message = "TF400497: The backlog iteration path that you specified is no longer valid."
        raise TroubleError(400, "InvalidTeamSettingsException", message)

    def _of_team(self, project: str, node: Node) -> Json:
        about = {"id": node.identifier, "name": node.path[-1], "path": self.path(project, node)}
        return {**about, "attributes": {**node.dates, "timeFrame": self._frame(node)}, "url": "x"}


def _moment(day: str | None) -> str | None:
    return f"{day}T00:00:00Z" if day else None


def _shown(project: str, node: Node) -> Json:
    dates = {"attributes": node.dates} if node.start else {}
    return {"id": node.number, "identifier": node.identifier, **dates}


def _day(today: date, days: int) -> str:
    return (today + timedelta(days=days)).isoformat()
