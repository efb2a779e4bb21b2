"""Classic releases: made, approved and deployed, environment by environment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.fakes.azure_devops.builds import text_of
from tests.fakes.azure_devops.people import People
from tests.fakes.azure_devops.projects import Projects
from tests.fakes.azure_devops.routes import Asked, Json, Reply, Route, TroubleError, continued, route

JSON = "application/json"
DEFINITIONS = "/{project}/_apis/release/definitions"
RELEASES = "/{project}/_apis/release/releases"
RELEASE = f"{RELEASES}/{{release}}"
ENVIRONMENT = f"{RELEASE}/environments/{{environment}}"
APPROVALS = "/{project}/_apis/release/approvals"
FLAGS = {"notStarted": 1, "inProgress": 2, "succeeded": 4, "canceled": 8, "rejected": 16, "queued": 32}
SECRET = "s3cret"  # noqa: S105 - which nobody may see


class Releases:
    """A release definition deploys to some environments; a person approves each deployment before it begins."""

    def __init__(self, projects: Projects, people: People) -> None:
        self._projects, self._people = projects, people
        self.definitions: dict[int, Json] = {}
        self.releases: dict[int, Json] = {}
        self.approvals: dict[int, Json] = {}
        self.logs: dict[tuple[int, int], list[str]] = {}
        self.largest_page = 100
        rules: dict[str, Any] = {"host": "vsrm."}
        self.routes: tuple[Route, ...] = (
            route(
                f"GET {DEFINITIONS}", self._list_definitions, "searchText path $expand $top continuationToken", **rules
            ),
            route(f"GET {DEFINITIONS}/{{definition}}", self._get_definition, **rules),
            route(
                f"GET {RELEASES}",
                self._list,
                "definitionId statusFilter environmentStatusFilter $expand $top continuationToken",
                **rules,
            ),
            route(f"POST {RELEASES}", self._create, content_type=JSON, **rules),
            route(f"GET {RELEASE}", self._get, **rules),
            route(f"GET {ENVIRONMENT}", self._get_environment, "$expand", **rules),
            route(f"PATCH {ENVIRONMENT}", self._deploy, content_type=JSON, **rules),
            route(
                f"GET {ENVIRONMENT}/deployPhases/{{phase}}/tasks/{{task}}/logs", self._log, "startLine endLine", **rules
            ),
            route(
                f"GET {APPROVALS}",
                self._list_approvals,
                "statusFilter releaseIdsFilter typeFilter assignedToFilter includeMyGroupApprovals top"
                " continuationToken",
                **rules,
            ),
            route(f"PATCH {APPROVALS}/{{approval}}", self._approve, content_type=JSON, **rules),
        )

    def define(self, name: str, *environments: str) -> int:
        number = len(self.definitions) + 1
        places = [{"id": number * 10 + rank, "name": place, "rank": rank} for rank, place in enumerate(environments, 1)]
        secret = {"KEY": {"isSecret": True, "value": SECRET}}
        self.definitions[number] = {
            "id": number,
            "name": name,
            "path": "\\",
            "environments": places,
            "variables": secret,
        }
        return number

    def environment(self, release: int, name: str) -> Json:
        for environment in self.releases[release]["environments"]:
            if environment["name"] == name:
                return dict(environment)
        raise KeyError(name)

    def finish(self, release: int, name: str, status: str, *lines: str, after: int = 0) -> None:
        """Let a deployment end: with a task that writes these lines, and so many that go well after it."""
        [environment] = [entry for entry in self.releases[release]["environments"] if entry["name"] == name]
        issues = [] if status == "succeeded" else [{"issueType": "Error", "message": "It does not fit."}]
        tasks = [{**self._task(environment["id"], 7, "Hang", lines), "status": status, "issues": issues}]
        tasks += [self._task(environment["id"], 8 + index, "Sweep", ["swept"]) for index in range(after)]
        jobs = [{"job": {"id": 6, "name": "Linux", "status": status}, "tasks": tasks}]
        attempt = {"attempt": len(environment["deploySteps"]) + 1, "status": status}
        environment["deploySteps"].append({**attempt, "releaseDeployPhases": [{"deploymentJobs": jobs}]})
        environment["status"] = "succeeded" if status == "succeeded" else "rejected"

    def _task(self, environment: int, number: int, name: str, lines: Sequence[str]) -> Json:
        self.logs[environment, number] = list(lines)
        address = f"https://evil.example.com/deployPhases/3/tasks/{number}/logs"
        return {"id": number, "name": name, "status": "succeeded", "lineCount": len(lines), "logUrl": address}

    def _one(self, known: dict[int, Json], number: str, key: str) -> Json:
        if int(number) not in known:
            raise TroubleError(404, key, f"VS402881: {number} does not exist, or you may not see it.")
        return known[int(number)]

    def _release(self, asked: Asked) -> Json:
        return self._one(self.releases, asked.places["release"], "ReleaseNotFoundException")

    def _environment(self, asked: Asked) -> Json:
        for environment in self._release(asked)["environments"]:
            if environment["id"] == int(asked.places["environment"]):
                found: Json = environment
                return found
        raise TroubleError(404, "ReleaseEnvironmentNotFoundException", "The release has no such environment.")

    def _list_definitions(self, asked: Asked) -> Reply:
        text = asked.query.get("searchText", "").lower()
        found = [entry for entry in self.definitions.values() if text in entry["name"].lower()]
        return continued(asked, found, self.largest_page)

    def _get_definition(self, asked: Asked) -> Json:
        return self._one(self.definitions, asked.places["definition"], "ReleaseDefinitionNotFoundException")

    def _list(self, asked: Asked) -> Reply:
        found = [release for release in self.releases.values() if _is_wanted(release, asked)]
        shown = found if "environments" in asked.query.get("$expand", "") else [_bare(release) for release in found]
        return continued(asked, shown[::-1], self.largest_page)

    def _create(self, asked: Asked) -> Json:
        body, number = asked.body, len(self.releases) + 1
        definition = self._one(self.definitions, body["definitionId"], "ReleaseDefinitionNotFoundException")
        about = {"id": number, "name": f"Release-{number}", "description": body.get("description")}
        environments = [
            {"id": number * 100 + place["rank"], "releaseId": number, "name": place["name"], "status": "notStarted"}
            | {"definitionEnvironmentId": place["id"], "deploySteps": [], "preDeployApprovals": []}
            | {"releaseDefinition": {"id": definition["id"], "name": definition["name"]}}
            | {"conditions": place.get("conditions", []), "preApprovalsSnapshot": place.get("preDeployApprovals", {})}
            for place in definition["environments"]
        ]
        self.releases[number] = {
            **about,
            "status": "draft" if body["isDraft"] else "active",
            "createdBy": self._people.reference(self._people.me["id"]),
            "createdOn": self._projects.now,
            "releaseDefinition": {"id": definition["id"], "name": definition["name"]},
            "variables": {**definition["variables"], **body.get("variables", {})},
            "artifacts": [
                {"alias": entry["alias"], "definitionReference": {"version": entry["instanceReference"]}}
                for entry in body.get("artifacts", [])
            ],
            "environments": environments,
        }
        return self.releases[number]

    def _get(self, asked: Asked) -> Json:
        return self._release(asked)

    def _get_environment(self, asked: Asked) -> Json:
        environment = self._environment(asked)
        return environment if asked.query.get("$expand") == "tasks" else {**environment, "deploySteps": []}

    def _deploy(self, asked: Asked) -> Json:
        release, environment = self._release(asked), self._environment(asked)
        if release["status"] != "active" or environment["status"] in {"queued", "inProgress"}:
            message = (
                f"VS402962: {environment['name']} cannot be deployed: {release['status']}, {environment['status']}."
            )
            raise TroubleError(400, "InvalidRequestException", message)
        if asked.body["status"] != "inProgress":
            raise TroubleError(400, "InvalidRequestException", "It can only be deployed.")
        number = len(self.approvals) + 41
        self.approvals[number] = {
            "id": number,
            "approvalType": "preDeploy",
            "status": "pending",
            "isAutomated": False,
            "approver": self._people.reference("Grace Brewster"),
            "release": {"id": release["id"], "name": release["name"]},
            "releaseEnvironment": {"id": environment["id"], "name": environment["name"]},
        }
        environment["preDeployApprovals"].append(self.approvals[number])
        environment["status"] = "queued"
        return environment

    def _list_approvals(self, asked: Asked) -> Reply:
        query = asked.query
        found = [
            approval
            for approval in self.approvals.values()
            if approval["status"] == query.get("statusFilter", "pending")
            and query.get("releaseIdsFilter") in {None, str(approval["release"]["id"])}
            and query.get("assignedToFilter") in {None, approval["approver"]["id"]}
        ]
        return continued(asked, found, self.largest_page)

    def _approve(self, asked: Asked) -> Json:
        approval = self._one(self.approvals, asked.places["approval"], "ApprovalNotFoundException")
        if approval["status"] != "pending":
            raise TroubleError(400, "ReleaseManagementException", "VS402887: It has been decided already.")
        decided = {"approvedBy": self._people.reference(self._people.me["id"]), "modifiedOn": self._projects.later}
        approval |= asked.body | decided
        [environment] = [
            entry
            for entry in self.releases[approval["release"]["id"]]["environments"]
            if entry["id"] == approval["releaseEnvironment"]["id"]
        ]
        environment["status"] = "inProgress" if approval["status"] == "approved" else "rejected"
        return approval

    def _log(self, asked: Asked) -> Reply:
        lines = self.logs.get((self._environment(asked)["id"], int(asked.places["task"])))
        if lines is None or asked.places["phase"] != "3":
            raise TroubleError(404, "ReleaseTaskLogNotFoundException", "There is no such log.")
        return text_of(asked, lines)


def _is_wanted(release: Json, asked: Asked) -> bool:
    query, flags = asked.query, asked.number("environmentStatusFilter", 0)
    return (
        query.get("definitionId") in {None, str(release["releaseDefinition"]["id"])}
        and query.get("statusFilter") in {None, release["status"]}
        and (not flags or any(FLAGS[entry["status"]] & flags for entry in release["environments"]))
    )


def _bare(release: Json) -> Json:
    return {**release, "environments": []}
