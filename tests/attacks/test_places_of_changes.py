"""Changes whose place is spelt so that a rule for it might not see them, and rules whose demands might get lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from changes.approval_request import RequiredApprover
from changes.plan import Plan
from changes.preview import Preview
from changes.rule import Rule
from changes.rules import Rules, unknown_places
from identity.access import Access
from tests.extensions.place import app_at, entry_of, running
from tests.fakes.azure_devops.service import Elsewhere
from tests.fakes.extensions.peer import Peer, served
from tests.mcp_server.caller import Caller
from tests.mcp_server.endpoints import approving, endpoint_of
from tests.tools.azure_devops.reaching import reaching
from tests.tools.azure_devops.world import World

ASKED: Final = "Another person must approve"
FRESH: Final = 10


class Street(World):
    """The project Web was called Shop before. Beside its own wiki, it has one that is made from a repository."""

    def __init__(self) -> None:
        super().__init__()
        self.projects.former = {"Shop": "Web"}
        self.oven.refs["refs/heads/warmer"] = self.oven.refs["refs/heads/main"]
        self.tags = {name: self.wikis.add(name, "/x", "before").tag for name in ("Docs", "Web.wiki")}


PULL_REQUEST: Final = {"sourceBranch": "warmer", "targetBranch": "main", "title": "Warmer"}


async def commented(world: Street, rule: Rule, **place: Any) -> str:
    """What is answered to somebody who rewrites a comment, which they have written while no rule asked."""
    async with world.serving() as url:
        async with reaching(Elsewhere(url)) as caller:
            own: dict[str, Any] = {"project": "Web", "repository": "oven"}
            made = await caller.call("create_pull_request", **own, **PULL_REQUEST)
            own |= {"pullRequestId": made["structuredContent"]["id"]}
            thread = await caller.call("add_pull_request_comment", **own, content="Why?")
        own |= {"threadId": thread["structuredContent"]["id"], "commentId": 1, **place}
        async with reaching(Elsewhere(url), approvals=approving(rules=Rules([rule]), by_argument=False)) as caller:
            return str((await caller.call("update_pull_request_comment", **own, content="Because."))["content"])


@pytest.mark.parametrize("place", [{"repository": ["oven"]}, {"project": ["Web"]}, {"branch": ["main"]}])
@pytest.mark.parametrize("spelt", ["oven", "by its id"])
@pytest.mark.parametrize("project", ["Web", "Shop", "by its id"])
async def test_a_rule_holds_for_a_comment_however_its_repository_is_spelt(
    place: dict[str, list[str]], spelt: str, project: str
) -> None:
    world = Street()
    named = {"repository": world.oven.id if spelt == "by its id" else spelt}
    named["project"] = world.id_of("Web") if project == "by its id" else project
    assert ASKED in await commented(world, Rule(RequiredApprover.ANOTHER, places=place), **named)


@pytest.mark.parametrize("place", [{"repository": ["door"]}, {"project": ["Vault"]}, {"branch": ["release/*"]}])
async def test_a_rule_for_another_place_does_not_ask(place: dict[str, list[str]]) -> None:
    world = Street()
    assert ASKED not in await commented(world, Rule(RequiredApprover.ANOTHER, places=place), repository=world.oven.id)


@pytest.mark.parametrize("tool", ["update_wiki_page", "delete_wiki_page"])
@pytest.mark.parametrize("project", ["Web", "Shop"])
async def test_a_rule_for_a_repository_holds_for_the_wiki_that_is_made_from_it(tool: str, project: str) -> None:
    """Its name need not be that of the wiki."""
    world = Street()
    rule = Rule(RequiredApprover.ANOTHER, places={"repository": ["handbook"]})
    is_update = tool == "update_wiki_page"
    texts = {name: {"content": "after", "version": tag} if is_update else {} for name, tag in world.tags.items()}
    approvals = approving(rules=Rules([rule]), by_argument=False)
    async with world.serving() as url, reaching(Elsewhere(url), approvals=approvals) as caller:
        page = {"path": "/x", "project": project}
        of_repository = await caller.call(tool, wikiId="Docs", branch="main", **page, **texts["Docs"])
        own = await caller.call(tool, wikiId="Web.wiki", **page, **texts["Web.wiki"])
    assert ASKED in str(of_repository["content"])
    assert ASKED not in str(own["content"])


SHARED: Final = [["text"], ["repository", "branch"], ["environmentId"], ["resource_group", "subscription"]]


@pytest.mark.parametrize("parameters", SHARED, ids=str)
@pytest.mark.parametrize("place", ["project", "organization", "tag:environment", "subscription", "repository"])
def test_who_has_to_agree_and_how_freshly_is_asked_where_the_place_is_unknown(
    parameters: list[str], place: str
) -> None:
    rule = Rule(RequiredApprover.ANOTHER, places={place: ["production"]}, of=("Keeper",), fresh=FRESH)
    preview = Preview(what="it", places=unknown_places(parameters))
    need = Rules([rule]).need(Plan.of("stage", "stage_echo", "write", {}, preview), Access.WRITE)
    is_of_service = place in preview.places or (place.startswith("tag:") and "tag:" in preview.places)
    if is_of_service or place in {"project", "organization", "repository"}:
        assert (need.asks, need.of, need.fresh) == (RequiredApprover.ANOTHER, ("Keeper",), FRESH)
    else:
        assert need.asks is not RequiredApprover.ANOTHER


async def test_who_has_to_agree_and_how_freshly_is_kept_for_a_call_of_an_extension(tmp_path: Path) -> None:
    """What it would do, and so where, only its server knows."""
    rule = Rule(RequiredApprover.ANOTHER, places={"project": ["production"]}, of=("Keeper",), fresh=FRESH)
    approvals = approving(rules=Rules([rule]), by_argument=False)
    peer = Peer()
    async with served(peer), running(app_at(tmp_path, entry_of(peer, "tools: {'*': write}"))) as app:
        server = endpoint_of(app.catalogs, approvals=approvals)
        told = await Caller(server, "stage").told("stage_echo", text="x")
    [kept] = await approvals.kept().newest(10)
    assert "Nothing was done yet" in told
    assert (kept.of, kept.fresh, peer.calls()) == (("Keeper",), FRESH, [])
