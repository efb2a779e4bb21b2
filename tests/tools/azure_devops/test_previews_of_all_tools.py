"""Every tool that may destroy shows what the service knows of that, only reads for it, and finds what is missing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest

from changes.approval_request import Asks
from changes.preview import Preview
from changes.rule import Rule
from changes.rules import Rules
from tests.fakes.azure_devops.routes import Asked
from tests.fakes.azure_devops.service import Elsewhere
from tests.mcp_server.caller import Json
from tests.mcp_server.endpoints import approving
from tests.tools.azure_devops.reaching import reaching
from tests.tools.azure_devops.team import change_in
from tests.tools.azure_devops.world import World
from tools.azure_devops import TOOLSETS

# What is sent by another method than GET, and only reads.
READS: Final = ("/_apis/wit/workitemsbatch", "/_apis/wit/wiql", "/_apis/identities", "/pagesbatch")
ASKING: Final = Rules([Rule(Asks.ANOTHER)])
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
        run = {"pipelineId": self.pipeline, "runId": self.run, "project": "Web"}
        page = {"wikiId": "Web.wiki", "path": "/Home", "project": "Web"}
        push = {"repository": "oven", "branch": "main", "message": "x", "changes": [EDIT], "project": "Web"}
        new = {"repository": "oven", "sourceBranch": "old", "targetBranch": "main", "title": "x", "autoComplete": True}
        release = {"releaseId": 1, "project": "Web"}
        begun = self.releases.releases.get(1, {"environments": [{"id": 0}]})["environments"][0]["id"]
        tag = self.home.tag
        return {
            "run_azd_pipeline": (
                {"environment": "oven-dev", "project": "Web"},
                {"environment": "oven-none", "project": "Web"},
            ),
            "delete_work_item": ({"id": 1}, {"id": MISSING}),
            "update_work_item": ({"id": 1, "state": "Removed"}, {"id": MISSING, "state": "Removed"}),
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
            "create_release": (
                {"definitionId": self.release, "project": "Web"},
                {"definitionId": MISSING, "project": "Web"},
            ),
            "deploy_release": ({**release, "environmentId": begun}, {**release, "environmentId": MISSING}),
            "approve_release": (
                {**release, "approvalId": min(self.releases.approvals, default=0), "status": "approved"},
                {**release, "approvalId": MISSING, "status": "approved"},
            ),
            "remove_work_item_link": (
                {"sourceId": 4, "targetId": 1, "linkType": "related"},
                {"sourceId": 4, "targetId": 3, "linkType": "related"},
            ),
            "remove_work_item_artifact_link": ({"id": 1, "url": self.address}, {"id": 1, "url": f"{self.address}0"}),
            "remove_work_item_attachment": (
                {"id": 1, "attachmentId": self.open_file},
                {"id": 1, "attachmentId": NO_UUID},
            ),
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


DESTROYING: Final = [tool.name for toolset in TOOLSETS for tool in toolset.tools if tool.may_destroy]


def changing(asked: list[Asked]) -> list[str]:
    """What was asked for that does more than to read."""
    return [f"{one.method} {one.path}" for one in asked if one.method != "GET" and not one.path.endswith(READS)]


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from texts(inner)
    elif value is not None:
        yield str(value)


def beyond(preview: Preview, arguments: Json) -> list[str]:
    """What is told that nobody could tell by the arguments."""
    given = " ".join(texts(arguments)).lower()
    document = preview.document
    told = texts([document["what"], document["facts"], document["edits"], document["affected"]])
    return [text for text in told if text.strip() and text.lower() not in given]


@pytest.fixture
async def scene() -> Scene:
    made = Scene()
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
    return made


async def previewed(scene: Scene, tool: str, arguments: Json) -> tuple[Preview | None, str]:
    """What is shown of a call that another person has to agree to, or why nothing is."""
    approvals = approving(rules=ASKING, by_argument=False)
    async with scene.serving() as url, reaching(Elsewhere(url), approvals=approvals) as caller:
        result = await caller.call(tool, **arguments)
        words = str(result["content"][0]["text"])
        assert result["isError"], words
        if "/changes/" not in words:
            return None, words
        ledger = approvals.kept()
        found = await ledger.find(change_in(words))
        assert found is not None
        return (await ledger.shown(found)).preview, words


def test_every_tool_that_may_destroy_is_looked_at() -> None:
    assert sorted(Scene().calls()) == sorted(DESTROYING)


@pytest.mark.parametrize("tool", DESTROYING)
async def test_a_preview_shows_what_the_service_knows_beyond_the_arguments_and_is_complete(
    scene: Scene, tool: str
) -> None:
    arguments, _ = scene.calls()[tool]
    preview, words = await previewed(scene, tool, arguments)
    assert preview is not None, words
    assert preview.missing == []
    assert len(beyond(preview, arguments)) >= 2
    assert preview.places["project"] in ("Web", ["Web"])
    assert preview.places["organization"] == "acme"
    assert changing(scene.asked) == []


@pytest.mark.parametrize("tool", DESTROYING)
async def test_what_is_not_there_is_refused_in_words_before_anybody_is_asked(scene: Scene, tool: str) -> None:
    _, arguments = scene.calls()[tool]
    preview, words = await previewed(scene, tool, arguments)
    assert preview is None, preview
    assert "went wrong here" not in words
    assert "incident" not in words
    assert changing(scene.asked) == []


@pytest.mark.parametrize("tool", DESTROYING)
async def test_the_same_is_shown_as_long_as_nothing_changes(scene: Scene, tool: str) -> None:
    """Else nothing that was agreed to could ever be done."""
    arguments, _ = scene.calls()[tool]
    one, _ = await previewed(scene, tool, arguments)
    another, _ = await previewed(scene, tool, arguments)
    assert one is not None
    assert another is not None
    assert one.bound == another.bound
