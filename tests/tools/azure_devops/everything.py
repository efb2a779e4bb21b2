"""The scene with all that tools can change, where the things are that permissions are held on."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Final

from tests.fakes.azure_devops.service import Elsewhere
from tests.mcp_server.caller import Json
from tests.tools.azure_devops.reaching import reaching
from tests.tools.azure_devops.scene import PULL, Scene, prepare

STEPS: Final = [{"action": "Open it", "expected": "It is open"}]
AREA: Final = "Web\\Kitchen\\Oven"
GRACE: Final = "Grace Brewster"


class Everything(Scene):
    """Its pipelines are in folders, its work item is in an area below another, and its run is somebody else's."""

    def __init__(self) -> None:
        super().__init__()
        self.change(1, [{"op": "add", "path": "/fields/System.AreaPath", "value": AREA}])
        self.builds.definitions[self.pipeline]["path"] = "\\Shop\\Doors"
        self.releases.definitions[self.release]["path"] = "\\Shop"
        self.builds.builds[self.run]["requestedFor"] = self.people.reference(GRACE)
        self.sprint = self.iterations.of("Web")[0]
        self.made: dict[str, int] = {}

    def all_calls(self) -> dict[str, Json]:
        """What each tool that changes something is called with."""
        destroying = {name: there for name, (there, _) in self.calls().items()}
        return {**destroying, **self._of_code(), **self._of_work(), **self._of_tests()}

    def _of_code(self) -> dict[str, Json]:
        page = {"wikiId": "Web.wiki", "path": "/New", "content": "Words.", "project": "Web"}
        thread = {**PULL, "threadId": 1}
        return {
            "create_branch": {"repository": "oven", "name": "new/one", "sourceBranch": "main", "project": "Web"},
            "add_pull_request_reviewer": {**PULL, "reviewer": "ada.moss@example.com"},
            "add_pull_request_comment": {**PULL, "content": "Fine."},
            "update_pull_request_thread": {**thread, "status": "closed"},
            "update_pull_request_comment": {**thread, "commentId": 1, "content": "Better."},
            "link_pull_request_work_item": {**PULL, "workItemId": 1},
            "create_pipeline": {"name": "New", "repository": "oven", "yamlPath": "/a.yml", "project": "Web"},
            "rename_pipeline": {"pipelineId": self.pipeline, "name": "Newer", "project": "Web"},
            "create_wiki_page": page,
        }

    def _of_work(self) -> dict[str, Json]:
        team = {"team": "Web Team", "project": "Web"}
        where = {"board": "Stories", "column": "Baking", **team}
        return {
            "create_work_item": {"type": "Bug", "title": "New", "areaPath": "Web\\Hall", "project": "Web"},
            "add_work_item_comment": {"id": 1, "text": "Fine."},
            "update_work_item_comment": {"id": 1, "commentId": self.made.get("comment", 1), "text": "Better."},
            "link_work_items": {"sourceId": 1, "targetId": 3, "linkType": "related"},
            "add_work_item_artifact_link": {"id": 1, "kind": "address", "target": "https://example.com/"},
            "add_work_item_attachment": {"id": 1, "content": "QQ==", "fileName": "a.txt"},
            "add_work_item_attachment_from_url": {"id": 1, "url": "https://example.com/a.txt", "fileName": "a.txt"},
            "move_board_card": {"id": 1, **where},
            "set_team_capacity": {"member": GRACE, "hoursPerDay": 4, "iterationId": self.sprint.identifier, **team},
            "create_iteration": {"name": "Later", "parent": "Sprint 1", "project": "Web"},
            "add_iteration_to_team": {"iteration": self.sprint.identifier, **team},
        }

    def _of_tests(self) -> dict[str, Json]:
        plan = {"planId": self.made.get("plan", 1), "project": "Web"}
        case = self.made.get("case", 1)
        return {
            "create_test_case": {"title": "Bake", "steps": STEPS, "project": "Web"},
            "update_test_case_steps": {"id": case, "steps": [{"action": "Wait"}]},
            "create_test_plan": {"name": "Baking", "areaPath": "Web\\Kitchen", "project": "Web"},
            "create_test_suite": {**plan, "name": "Bread"},
            "add_test_cases": {**plan, "suiteId": self.made.get("suite", 1), "testCaseIds": [case]},
            "record_test_results": {**plan, "name": "By hand", "results": [{"point": 1, "outcome": "Passed"}]},
        }


_BUILT: Final[list[Everything]] = []


async def everything() -> Everything:
    """A copy of the scene. It is built once, because that takes thirty times as long as a copy."""
    if not _BUILT:
        _BUILT.append(await _built())
    return deepcopy(_BUILT[0])


async def _built() -> Everything:
    made = Everything()
    await prepare(made)
    async with made.serving() as url, reaching(Elsewhere(url)) as caller:

        async def done(tool: str, **arguments: Any) -> Json:
            result: Json = await caller.call(tool, **arguments)
            assert not result["isError"], result
            return dict(result["structuredContent"])

        calls = made.all_calls()
        await done("add_pull_request_comment", **calls["add_pull_request_comment"])
        made.made["comment"] = (await done("add_work_item_comment", **calls["add_work_item_comment"]))["id"]
        made.made["case"] = (await done("create_test_case", **calls["create_test_case"]))["id"]
        made.made["plan"] = (await done("create_test_plan", **calls["create_test_plan"]))["id"]
        made.made["suite"] = (await done("create_test_suite", **made.all_calls()["create_test_suite"]))["id"]
    made.asked.clear()
    made.permissions.evaluated.clear()
    return made
