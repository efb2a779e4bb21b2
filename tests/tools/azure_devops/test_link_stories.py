"""What people link work items with, and that each link says what was meant."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.azure_devops.service import FakeAzureDevOps
from tests.mcp_server.caller import Caller
from tests.tools.azure_devops.given import given
from tools.azure_devops.shared.work_item_answers import LINKS

SENTENCES = {
    "parent": "1 has parent 2",
    "child": "1 has child 2",
    "related": "1 is related to 2",
    "predecessor": "1 has predecessor 2",
    "successor": "1 has successor 2",
    "duplicate": "1 has duplicate 2",
    "duplicate-of": "1 is a duplicate of 2",
    "tests": "1 tests 2",
    "tested-by": "1 is tested by 2",
}
OPPOSITE = {
    "parent": "child",
    "predecessor": "successor",
    "duplicate": "duplicate-of",
    "tests": "tested-by",
    "related": "related",
}
BOTH_WAYS = OPPOSITE | {other: kind for kind, other in OPPOSITE.items()}


@pytest.mark.parametrize("kind", LINKS)
async def test_a_link_is_said_as_a_sentence_from_both_ends(
    kind: str, caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    one, two = (azure_devops.work_items.add("Web", "Task", title) for title in ("one", "two"))
    linked = await given(caller, "link_work_items", sourceId=one, targetId=two, linkType=kind)
    assert linked["linked"]["says"] == SENTENCES[kind]
    [seen] = (await given(caller, "get_linked_work_items", id=one))["items"]
    assert (seen["link"], seen["says"], seen["id"]) == (kind, SENTENCES[kind], two)
    [back] = (await given(caller, "get_linked_work_items", id=two))["items"]
    other_way = SENTENCES[BOTH_WAYS[kind]].replace("1", "x").replace("2", "1").replace("x", "2")
    assert (back["link"], back["says"]) == (BOTH_WAYS[kind], other_way)
    wrong = {"sourceId": one, "targetId": two, "linkType": BOTH_WAYS[kind]}
    if BOTH_WAYS[kind] != kind:
        assert f"not found: {SENTENCES[BOTH_WAYS[kind]]}." in await caller.told("remove_work_item_link", **wrong)
    removed = await given(caller, "remove_work_item_link", **wrong | {"linkType": kind})
    assert removed["removed"]["says"] == SENTENCES[kind]


@pytest.fixture
def code(azure_devops: FakeAzureDevOps) -> dict[str, str]:
    """What there is to link with, by its kind."""
    shop = azure_devops.git.add("Web", "shop", {"/a": b"a"})
    main = shop.refs["refs/heads/main"]
    shop.refs |= {"refs/heads/feature/a b+ü": main, "refs/tags/v1": main}
    number = str(azure_devops.builds.add(azure_devops.builds.define("Web", "shop-ci")))
    return {
        "commit": main,
        "branch": "feature/a b+ü",
        "build": number,
        "found-in-build": number,
        "integrated-in-build": number,
        "address": "https://example.com/?a=1",
    }


async def test_a_work_item_is_linked_to_builds_code_and_addresses_and_back_again(
    caller: Caller, azure_devops: FakeAzureDevOps, code: dict[str, str]
) -> None:
    number = azure_devops.work_items.add("Web", "Bug", "Smoke")
    for kind, target in code.items():
        await given(caller, "add_work_item_artifact_link", id=number, kind=kind, target=target, repository="shop")
    links = (await given(caller, "get_work_item", id=number))["links"]
    names = ["Fixed in Commit", "Branch", "Build", "Found in build", "Integrated in build", "Hyperlink"]
    assert [link["type"] for link in links] == names
    again = {"id": number, "kind": "build", "target": code["build"]}
    assert "No action is required" in await caller.told("add_work_item_artifact_link", **again)
    remove = {"id": number, "url": links[2]["url"]}
    assert "Build, Found in build, Integrated in build" in await caller.told("remove_work_item_artifact_link", **remove)
    await given(caller, "remove_work_item_artifact_link", **remove, type="found in build")
    address = {"id": number, "url": code["address"]}
    await given(caller, "remove_work_item_artifact_link", **address)
    left = (await given(caller, "get_work_item", id=number))["links"]
    assert [link["type"] for link in left] == ["Fixed in Commit", "Branch", "Build", "Integrated in build"]
    assert "get_work_item" in await caller.told("remove_work_item_artifact_link", **address)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"kind": "build", "target": "999"}, "list_builds"),
        ({"kind": "build", "target": "1e3"}, "is not an id"),
        ({"kind": "build", "target": "١٢"}, "is not an id"),
        ({"kind": "pull-request", "target": "99", "repository": "shop"}, "list_pull_requests"),
        ({"kind": "branch", "target": "nowhere", "repository": "shop"}, "list_branches"),
        ({"kind": "branch", "target": "refs/tags/v1", "repository": "shop"}, "not found"),
        ({"kind": "branch", "target": "main", "repository": "nowhere"}, "list_repositories"),
        ({"kind": "branch", "target": "main"}, "`repository` is required"),
        ({"kind": "commit", "target": "f" * 40, "repository": "shop"}, "404"),
        ({"kind": "address", "target": "javascript:alert(1)"}, "must be a web address"),
        ({"kind": "address", "target": "file:///etc/passwd"}, "must be a web address"),
        ({"kind": "address", "target": "https://a b"}, "must be a web address"),
        ({"kind": "address", "target": "https://a\u202eb"}, "must be a web address"),
        ({"kind": "address", "target": "https://"}, "must be a web address"),
        ({"kind": "address", "target": "https://" + "a" * 2000}, "target"),
    ],
)
@pytest.mark.usefixtures("code")
async def test_what_is_not_there_is_not_linked(
    arguments: dict[str, Any], told: str, caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    number = azure_devops.work_items.add("Web", "Bug", "Smoke")
    assert told in await caller.told("add_work_item_artifact_link", id=number, **arguments)
    assert azure_devops.work_items.latest(number)["relations"] == []
