"""A rule for a place holds however a caller spells it: by an id, by what it was called before, or not at all."""

from __future__ import annotations

from typing import Any, Final

import pytest

from changes.approval_request import RequiredApprover
from changes.rule import Rule
from changes.rules import Rules
from tests.fakes.azure_devops.routes import changing
from tests.fakes.azure_devops.service import CLOUD, Elsewhere
from tests.mcp_server.endpoints import approving
from tests.sweeps import Sweep
from tests.tools.azure_devops.reaching import reaching
from tests.tools.azure_devops.world import World

ASKED: Final = "Another person must approve"
BOTH: Final = f"https://{CLOUD}/acme,https://{CLOUD}/beta"


class Place(World):
    """Something of each kind in the project Web, which was called Shop before."""

    def __init__(self) -> None:
        super().__init__()
        self.projects.former = {"Shop": "Web"}
        self.pipeline = self.builds.define("Web", "Web CI")
        self.run = self.builds.add(self.pipeline)
        self.approval = self.approvals.ask(self.run, "Test", "Ada Byron")
        self.release = self.releases.define("Web CD", "Test")
        self.calls: dict[str, tuple[str, dict[str, Any]]] = {
            "a run of a pipeline": ("run_pipeline", {"pipelineId": self.pipeline}),
            "a build": ("queue_build", {"definitionId": self.pipeline}),
            "the end of a build": ("cancel_build", {"buildId": self.run}),
            "an approval": ("decide_pipeline_approval", {"approvalId": self.approval, "status": "approved"}),
            "a release": ("create_release", {"definitionId": self.release}),
            "a push that empties a file": (
                "push_changes",
                {"repository": "oven", "message": "x", "changes": [{"change": "delete", "path": "/a.txt"}]},
            ),
            "a stage once more": (
                "retry_pipeline_stage",
                {"pipelineId": self.pipeline, "runId": self.run, "stage": "Build"},
            ),
            "the end of a branch": ("delete_branch", {"repository": "oven", "branch": "old"}),
            "a new work item": ("create_work_item", {"type": "Bug", "title": "x"}),
            "a new branch": ("create_branch", {"repository": "oven", "name": "x"}),
            "a new plan of tests": ("create_test_plan", {"name": "x"}),
            "a new wiki page": ("create_wiki_page", {"wikiId": "Web.wiki", "path": "/x", "content": "x"}),
            "a new pipeline": ("create_pipeline", {"name": "x", "repository": "oven", "yamlPath": "/x.yml"}),
            "a reviewer": (
                "add_pull_request_reviewer",
                {"repository": "oven", "pullRequestId": 1, "reviewer": "ada@example.com"},
            ),
            "a thread": ("add_pull_request_comment", {"repository": "oven", "pullRequestId": 1, "content": "x"}),
            "the end of a thread": (
                "update_pull_request_thread",
                {"repository": "oven", "pullRequestId": 1, "threadId": 1, "status": "fixed"},
            ),
        }
        self.oven.refs["refs/heads/old"] = self.oven.refs["refs/heads/main"]


SPELT: Final = ["Web", "WEB", "by its id", "Shop", "by default"]
CALLS: Final = [call for call in Place().calls if call != "a push that empties a file"]


async def told(world: Place, rule: Rule, call: str, settings: dict[str, Any], **more: Any) -> str:
    tool, arguments = world.calls[call]
    approvals = approving(rules=Rules([rule]), by_argument=False)
    async with world.serving() as url, reaching(Elsewhere(url), approvals=approvals, **settings) as caller:
        result = await caller.call(tool, **arguments, **more)
    return str(result["content"][0]["text"])


@pytest.mark.parametrize("spelt", SPELT)
@Sweep("call", CALLS, every=3)
async def test_a_rule_for_a_project_holds_however_that_is_spelt(call: str, spelt: str) -> None:
    world = Place()
    project = {"by its id": world.id_of("Web"), "by default": None}.get(spelt, spelt)
    settings = {"ADO_PROJECT": world.id_of("Web")} if project is None else {}
    rule = Rule(RequiredApprover.ANOTHER, places={"project": ["Web"]})
    assert ASKED in await told(world, rule, call, settings, project=project)
    assert changing(world.asked) == []


@pytest.mark.parametrize("call", ["a run of a pipeline", "a build", "the end of a branch", "the end of a build"])
async def test_a_rule_for_a_project_holds_where_nobody_named_one_and_the_server_found_it(call: str) -> None:
    rule = Rule(RequiredApprover.ANOTHER, places={"project": ["Web"]})
    world = Place()
    world.projects.names = ["Web", "Vault"]
    world.git.repositories.remove(world.twin)
    assert ASKED in await told(world, rule, call, {})


@pytest.mark.parametrize("call", CALLS)
async def test_a_rule_for_another_project_is_not_about_it(call: str) -> None:
    told_of = await told(
        Place(), Rule(RequiredApprover.ANOTHER, places={"project": ["Vault"]}), call, {}, project="Web"
    )
    assert ASKED not in told_of


@Sweep("call", CALLS, every=3, start=1)
@pytest.mark.parametrize("pattern", ["acme", "AC*"])
async def test_a_rule_for_an_organization_holds_where_there_is_but_one(call: str, pattern: str) -> None:
    rule = Rule(RequiredApprover.ANOTHER, places={"organization": [pattern]})
    assert ASKED in await told(Place(), rule, call, {}, project="Web")


@pytest.mark.parametrize("named", [None, "acme", "ACME"])
async def test_a_rule_for_an_organization_holds_however_that_is_named(named: str | None) -> None:
    settings = {"ADO_ORG_URL": BOTH, "ADO_PAT": f"{'a' * 52},{'b' * 52}"}
    rule = Rule(RequiredApprover.ANOTHER, places={"organization": ["acme"]})
    assert ASKED in await told(Place(), rule, "a build", settings, project="Web", organization=named)


@pytest.mark.parametrize("call", ["the end of a build", "a stage once more"])
async def test_a_rule_for_a_branch_holds_for_what_runs_of_it(call: str) -> None:
    assert ASKED in await told(
        Place(), Rule(RequiredApprover.ANOTHER, places={"branch": ["main"]}), call, {}, project="Web"
    )


@pytest.mark.parametrize("branch", ["main", "refs/heads/main"])
async def test_a_rule_for_a_branch_holds_for_a_push_to_it(branch: str) -> None:
    rule = Rule(RequiredApprover.ANOTHER, places={"branch": ["main"]})
    assert ASKED in await told(Place(), rule, "a push that empties a file", {}, project="Web", branch=branch)


@pytest.mark.parametrize("branch", [None, "main", "refs/heads/main"])
@pytest.mark.parametrize("call", ["a run of a pipeline", "a build"])
async def test_a_rule_for_a_branch_holds_for_what_is_run_of_it(call: str, branch: str | None) -> None:
    rule = Rule(RequiredApprover.ANOTHER, places={"branch": ["main"]})
    assert ASKED in await told(Place(), rule, call, {}, project="Web", branch=branch)


@pytest.mark.parametrize("place", ["branch", "environment", "repository"])
@pytest.mark.parametrize("call", ["a new wiki page", "a new pipeline", "a reviewer", "a thread", "the end of a thread"])
async def test_a_rule_for_a_place_that_no_preview_names_asks(call: str, place: str) -> None:
    rule = Rule(RequiredApprover.ANOTHER, places={"project": ["Web"], place: ["oven", "main", "production"]})
    world = Place()
    assert ASKED in await told(world, rule, call, {}, project="Web")
    assert changing(world.asked) == []
