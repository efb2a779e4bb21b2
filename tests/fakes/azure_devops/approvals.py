"""Approvals of the environments to which runs of pipelines deploy, which people give or refuse."""

from __future__ import annotations

from typing import Any
from uuid import NAMESPACE_OID, uuid5

from tests.fakes.azure_devops.builds import JSON, Builds
from tests.fakes.azure_devops.people import People
from tests.fakes.azure_devops.projects import Projects
from tests.fakes.azure_devops.routes import Asked, Json, Reply, Route, TroubleError, listed, route

APPROVALS = "/{project}/_apis/pipelines/approvals"


class Approvals:
    """Each approval stands in the timeline of its run, below a checkpoint of the stage that waits for it."""

    def __init__(self, projects: Projects, people: People, builds: Builds) -> None:
        self._projects, self._people, self._builds = projects, people, builds
        self.known: dict[str, Json] = {}
        # Whether it looks for them in all projects, whichever is asked.
        self.is_lax = False
        self.routes: tuple[Route, ...] = (
            route(f"GET {APPROVALS}", self._query, "approvalIds state userIds top $expand"),
            route(f"GET {APPROVALS}/{{approval}}", self._get, "$expand"),
            route(f"PATCH {APPROVALS}", self._update, content_type=JSON),
        )

    def ask(self, build: int, stage: str, *approvers: str, required: int = 1) -> str:
        """Let a run wait for the approval of these people, and answer its id."""
        approval = str(uuid5(NAMESPACE_OID, f"{build} {stage}"))
        record = self._builds.builds[build]
        owner = {"id": build, "name": record["buildNumber"], "_links": record["_links"]}
        self.known[approval] = {
            "id": approval,
            "status": "pending",
            "createdOn": self._projects.now,
            "lastModifiedOn": self._projects.now,
            "executionOrder": "anyOrder",
            "minRequiredApprovers": required,
            "blockedApprovers": [],
            "instructions": "<p>Look <b>first</b></p>",
            "steps": [
                {
                    "assignedApprover": self._person(who),
                    "status": "pending",
                    "order": order,
                    "initiatedOn": self._projects.now,
                }
                | {"lastModifiedOn": self._projects.now, "lastModifiedBy": self._person(who), "history": []}
                for order, who in enumerate(approvers, 1)
            ],
            "pipeline": {"id": str(record["definition"]["id"]), "name": record["definition"]["name"], "owner": owner},
        }
        self._builds.stop_at(build, stage, approval)
        return approval

    def decide(self, approval: str, who: str, status: str, comment: str = "") -> Json:
        """Let somebody decide, for themselves or for the group that was asked."""
        known = self.known[approval]
        waiting = [step for step in known["steps"] if step["status"] == "pending"]
        own = [step for step in waiting if step["assignedApprover"]["displayName"] in {who, "[Web]\\Releasers"}]
        if known["status"] != "pending":
            raise TroubleError(400, "ApprovalAlreadyCompletedException", "The approval is completed already.")
        if not own:
            raise TroubleError(403, "AccessDeniedException", f"{who} cannot give this approval.")
        at = self._projects.later
        own[0] |= {"status": status, "comment": comment, "actualApprover": self._person(who), "lastModifiedOn": at}
        given = sum(step["status"] == "approved" for step in known["steps"])
        if status == "rejected" or given >= known["minRequiredApprovers"]:
            known["status"] = status
        return known

    def _person(self, who: str) -> Json:
        if who.startswith("["):
            return {"displayName": who, "id": self._projects.id_of(who), "isContainer": True}
        return self._people.reference(who)

    def _in_project(self, asked: Asked) -> list[Json]:
        name = self._projects.named(asked.places["project"])
        builds = self._builds.builds
        return [
            entry
            for entry in self.known.values()
            if self.is_lax or builds[entry["pipeline"]["owner"]["id"]]["project"]["name"] == name
        ]

    def _query(self, asked: Asked) -> Json:
        ids, users = _several(asked, "approvalIds"), _several(asked, "userIds")
        found = [
            approval
            for approval in self._in_project(asked)
            if asked.query.get("state") in {None, approval["status"]}
            and (not ids or approval["id"] in ids)
            and (not users or users & {step["assignedApprover"]["id"] for step in approval["steps"]})
        ]
        return listed([_expanded(approval, asked) for approval in found[: asked.number("top", 50)]])

    def _get(self, asked: Asked) -> Json:
        for approval in self._in_project(asked):
            if approval["id"] == asked.places["approval"]:
                return _expanded(approval, asked)
        raise TroubleError(404, "ApprovalNotFoundException", "The approval does not exist.")

    def _update(self, asked: Asked) -> Reply | Json:
        me = self._people.me["providerDisplayName"]
        decided: list[Any] = [
            self.decide(change["approvalId"], me, change["status"], change.get("comment", "")) for change in asked.body
        ]
        return listed(decided)


def _several(asked: Asked, name: str) -> set[str]:
    return set(filter(None, asked.query.get(name, "").split(",")))


def _expanded(approval: Json, asked: Asked) -> Json:
    return approval if asked.query.get("$expand") == "steps" else {**approval, "steps": []}
