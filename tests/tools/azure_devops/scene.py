"""An organization with one of each thing that tools change, and what each of these tools is called with there."""

from __future__ import annotations

from typing import Final

from tests.fakes.azure_devops.service import Elsewhere
from tests.mcp_server.caller import Json
from tests.tools.azure_devops.reaching import reaching
from tests.tools.azure_devops.world import World

MISSING: Final = 987_654
NO_UUID: Final = "00000000-0000-4000-8000-000000000987"
EDIT: Final = {"change": "edit", "path": "/a.txt", "content": " "}
PULL: Final = {"repository": "oven", "pullRequestId": 1, "project": "Web"}


class Scene(World):
    """One of each thing that can be destroyed."""

    def __init__(self) -> None:
        super().__init__()
        self.link_to_code(1)
        self.oven.refs["refs/heads/old"] = self.oven.refs["refs/heads/main"]
        self.pipeline = self.builds.define(
            "Web",
            "Web CI",
            variables={"AZURE_ENV_NAME": {"value": "oven-dev"}, "AZURE_LOCATION": {"value": "westeurope"}},
        )
        self.run = self.builds.add(self.pipeline)
        self.approval = self.approvals.ask(self.run, "Prod", "Ada Byron")
        self.release = self.releases.define("Web CD", "Prod")
        self.home = self.wikis.add("Web.wiki", "/Home", "# Home\n\nWords.\n\n## Rules\n\nOthers.\n")
        self.wikis.add("Web.wiki", "/Home/Below", "Words.")

    @property
    def address(self) -> str:
        relations = self.work_items.latest(1)["relations"]
        return str(next(one["url"] for one in relations if one["rel"] == "ArtifactLink"))

    def calls(self) -> dict[str, tuple[Json, Json]]:
        """What each is called with: of what is there, and of what is not."""
        return {
            **self._calls_of_work_items(),
            **self._calls_of_code(),
            **self._calls_of_pipelines(),
            **self._calls_of_releases(),
            **self._calls_of_wikis(),
        }

    def _calls_of_work_items(self) -> dict[str, tuple[Json, Json]]:
        return {
            "delete_work_item": ({"id": 1}, {"id": MISSING}),
            "update_work_item": ({"id": 1, "state": "Removed"}, {"id": MISSING, "state": "Removed"}),
            "remove_work_item_link": (
                {"sourceId": 4, "targetId": 1, "linkType": "related"},
                {"sourceId": 4, "targetId": 3, "linkType": "related"},
            ),
            "remove_work_item_artifact_link": ({"id": 1, "url": self.address}, {"id": 1, "url": f"{self.address}0"}),
            "remove_work_item_attachment": (
                {"id": 1, "attachmentId": self.open_file},
                {"id": 1, "attachmentId": NO_UUID},
            ),
        }

    def _calls_of_code(self) -> dict[str, tuple[Json, Json]]:
        push = {"repository": "oven", "branch": "main", "message": "x", "changes": [EDIT], "project": "Web"}
        new = {"repository": "oven", "sourceBranch": "old", "targetBranch": "main", "title": "x", "autoComplete": True}
        return {
            "delete_branch": (
                {"repository": "oven", "branch": "old", "project": "Web"},
                {"repository": "oven", "branch": "none", "project": "Web"},
            ),
            "push_changes": (push, {**push, "repository": "none"}),
            "create_pull_request": ({**new, "project": "Web"}, {**new, "repository": "none", "project": "Web"}),
            "update_pull_request": (
                {**PULL, "status": "abandoned"},
                {**PULL, "pullRequestId": MISSING, "status": "abandoned"},
            ),
            "complete_pull_request": (PULL, {**PULL, "pullRequestId": MISSING}),
            "remove_pull_request_reviewer": (
                {**PULL, "reviewer": "grace.brewster@example.com"},
                {**PULL, "pullRequestId": MISSING, "reviewer": "grace.brewster@example.com"},
            ),
            "vote_pull_request": ({**PULL, "vote": "approve"}, {**PULL, "pullRequestId": MISSING, "vote": "approve"}),
        }

    def _calls_of_pipelines(self) -> dict[str, tuple[Json, Json]]:
        run = {"pipelineId": self.pipeline, "runId": self.run, "project": "Web"}
        return {
            "run_azd_pipeline": (
                {"environment": "oven-dev", "project": "Web"},
                {"environment": "oven-none", "project": "Web"},
            ),
            "run_pipeline": (
                {"pipelineId": self.pipeline, "project": "Web"},
                {"pipelineId": MISSING, "project": "Web"},
            ),
            "cancel_pipeline_run": (run, {**run, "runId": MISSING}),
            "retry_pipeline_stage": ({**run, "stage": "Build"}, {**run, "runId": MISSING, "stage": "Build"}),
            "decide_pipeline_approval": (
                {"approvalId": self.approval, "status": "approved", "project": "Web"},
                {"approvalId": NO_UUID, "status": "approved", "project": "Web"},
            ),
            "queue_build": (
                {"definitionId": self.pipeline, "project": "Web"},
                {"definitionId": MISSING, "project": "Web"},
            ),
            "cancel_build": ({"buildId": self.run, "project": "Web"}, {"buildId": MISSING, "project": "Web"}),
        }

    def _calls_of_releases(self) -> dict[str, tuple[Json, Json]]:
        release = {"releaseId": 1, "project": "Web"}
        begun = self.releases.releases.get(1, {"environments": [{"id": 0}]})["environments"][0]["id"]
        return {
            "create_release": (
                {"definitionId": self.release, "project": "Web"},
                {"definitionId": MISSING, "project": "Web"},
            ),
            "deploy_release": ({**release, "environmentId": begun}, {**release, "environmentId": MISSING}),
            "approve_release": (
                {**release, "approvalId": min(self.releases.approvals, default=0), "status": "approved"},
                {**release, "approvalId": MISSING, "status": "approved"},
            ),
        }

    def _calls_of_wikis(self) -> dict[str, tuple[Json, Json]]:
        page = {"wikiId": "Web.wiki", "path": "/Home", "project": "Web"}
        tag = self.home.tag
        return {
            "update_wiki_page": (
                {**page, "version": tag, "content": ""},
                {**page, "version": tag, "path": "/None", "content": ""},
            ),
            "update_wiki_section": (
                {**page, "eTag": tag, "section": "Rules", "content": ""},
                {**page, "eTag": tag, "section": "None", "content": ""},
            ),
            "delete_wiki_page": (page, {**page, "path": "/None"}),
        }


async def prepare(made: Scene) -> None:
    """Do what only callers can do there: a push, a pull request with a reviewer, and a deployment."""
    async with made.serving() as url, reaching(Elsewhere(url)) as caller:
        opening = {"sourceBranch": "old", "targetBranch": "main", "title": "Paint the oven"}
        for tool, arguments in (
            ("push_changes", {"branch": "old", "message": "x", "changes": [{**EDIT, "content": "other words"}]}),
            ("create_pull_request", opening),
            ("add_pull_request_reviewer", {"pullRequestId": 1, "reviewer": "grace.brewster@example.com"}),
        ):
            result = await caller.call(tool, repository="oven", project="Web", **arguments)
            assert not result["isError"], result
        await caller.call("create_release", definitionId=made.release, project="Web")
        begun = made.calls()["deploy_release"][0]
        await caller.call("deploy_release", **begun)
    made.asked.clear()
