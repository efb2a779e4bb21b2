"""What people do with work items, from beginning to end, on a service that remembers."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from html import escape
from typing import Any

import pytest

from tests.fakes.azure_devops.service import Elsewhere, FakeAzureDevOps
from tests.mcp_server.caller import Caller
from tests.tools.azure_devops.calling import calling
from tests.tools.azure_devops.given import given


async def test_an_epic_is_planned_discussed_and_closed(caller: Caller) -> None:
    epic = await given(caller, "create_work_item", type="Epic", title="Open a shop", description="In *town*\n& soon")
    stories = [
        await given(caller, "create_work_item", type="User Story", title=title, parentId=epic["id"])
        for title in ("Rent rooms", "Hire people")
    ]
    children = await given(caller, "get_linked_work_items", id=epic["id"], linkType="child")
    assert [(item["id"], item["link"]) for item in children["items"]] == [(story["id"], "child") for story in stories]

    first, second = (story["id"] for story in stories)
    await given(
        caller, "link_work_items", sourceId=first, targetId=second, linkType="predecessor", comment="no staff yet"
    )
    await given(caller, "add_work_item_comment", id=first, text="Found **rooms**")
    await given(
        caller, "update_work_item", id=first, state="Active", assignedTo="ada.byron@example.com", tags=["a", "b"]
    )

    whole = await given(caller, "get_work_item", id=first, includeComments=True)
    assert whole["assignedTo"] == "Ada Byron <ada.byron@example.com>"
    assert whole["tags"] == "a; b"
    assert {(link["type"], link["id"]) for link in whole["links"]} == {("parent", epic["id"]), ("predecessor", second)}
    assert [comment["text"] for comment in whole["comments"]] == ["Found **rooms**"]

    await given(caller, "remove_work_item_link", sourceId=first, targetId=second, linkType="predecessor")
    for number in (first, second, epic["id"]):
        await given(caller, "update_work_item", id=number, state="Closed")
    assert (await given(caller, "query_work_items", states=["New", "Active"]))["items"] == []
    history = await given(caller, "list_work_item_revisions", id=second)
    assert [entry["fields"].get("System.State", {}).get("newValue") for entry in history["items"]] == ["New", "Closed"]
    read = await given(caller, "get_work_item", id=epic["id"])
    assert read["description"] == "In *town*\n& soon"


async def test_a_file_goes_and_comes_back(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    number = azure_devops.work_items.add("Web", "Task", "Keep the plan")
    content = b64encode(bytes(range(256))).decode()
    attached = await given(caller, "add_work_item_attachment", id=number, content=content, fileName="ü plan.bin")
    [file] = (await given(caller, "list_work_item_attachments", id=number))["items"]
    assert (file["id"], file["name"]) == (attached["attached"]["id"], "ü plan.bin")
    got = await given(caller, "get_work_item_attachment", attachmentId=file["id"])
    assert (got["size"], got["link"]) == (256, f"https://dev.azure.com/acme/_apis/wit/attachments/{file['id']}")
    assert azure_devops.work_items.attachments[file["id"]] == bytes(range(256))
    await given(caller, "remove_work_item_attachment", id=number, attachmentId=file["id"])
    assert (await given(caller, "list_work_item_attachments", id=number))["items"] == []


PIXEL = b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")


async def test_an_image_is_given_as_one_and_a_text_as_text(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    files = azure_devops.work_items.attachments
    files.update({"image": PIXEL, "text": "caf\u00e9\n".encode("cp1252"), "large": bytes(2 * 1024 * 1024 + 1)})
    shown = await caller.call("get_work_item_attachment", attachmentId="image")
    about, image = shown["content"]
    assert (image["type"], image["mimeType"], b64decode(image["data"])) == ("image", "image/png", PIXEL)
    assert json.loads(about["text"]) == shown["structuredContent"]
    assert "content" not in shown["structuredContent"]
    assert (await given(caller, "get_work_item_attachment", attachmentId="text"))["content"] == "caf\u00e9\n"
    assert "larger" in await given(caller, "get_work_item_attachment", attachmentId="large")


async def test_who_writes_second_is_told_and_writes_nothing(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    number = azure_devops.work_items.add("Web", "Task", "Paint the door")
    read = await given(caller, "get_work_item", id=number)
    await given(caller, "update_work_item", id=number, title="Paint it red", rev=read["rev"])
    told = await caller.told("update_work_item", id=number, title="Paint it blue", rev=read["rev"])
    assert "VS403351" in told
    assert (await given(caller, "get_work_item", id=number))["title"] == "Paint it red"


async def test_a_link_is_removed_where_it_was_read_or_not_at_all(
    caller: Caller, azure_devops: FakeAzureDevOps, monkeypatch: pytest.MonkeyPatch
) -> None:
    items = azure_devops.work_items
    one, two, three = (items.add("Web", "Task", title) for title in ("one", "two", "three"))
    for target in (two, three):
        await given(caller, "link_work_items", sourceId=one, targetId=target, linkType="related")
    applied = items._applied  # noqa: SLF001 - somebody else writes first

    def late(item: Any, operations: Any) -> Any:
        return applied({**item, "rev": item["rev"] + 1}, operations)

    monkeypatch.setattr(items, "_applied", late)
    told = await caller.told("remove_work_item_link", sourceId=one, targetId=three, linkType="related")
    assert "412" in told
    assert len(items.latest(one)["relations"]) == 2


async def test_hundreds_of_work_items_are_read_in_batches(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    numbers = [azure_devops.work_items.add("Web", "Bug", f"Bug {index}") for index in range(450)]
    found = await given(caller, "list_bugs", maxResults=450)
    assert [item["id"] for item in found["items"]] == numbers[::-1]
    assert "more" not in found
    cut = await given(caller, "list_bugs", maxResults=449)
    assert (cut["count"], "more" in cut) == (449, True)
    sizes = [len(asked.body["ids"]) for asked in azure_devops.asked if asked.path.endswith("workitemsbatch")]
    assert sorted(sizes) == [49, 50, 200, 200, 200, 200]


async def test_filters_narrow_by_what_is_written_and_nothing_else(
    caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    add = azure_devops.work_items.add
    mine = add("Web", "Task", "Don't panic", AreaPath="Web\\Kitchen\\Oven", Tags="late; loud")
    add("Web", "Task", "Dont panic", AreaPath="Web\\Kitchens")
    add("Shop floor", "Task", "Don't panic", AreaPath="Web\\Kitchen")

    async def found(**filters: Any) -> list[int]:
        return [item["id"] for item in (await given(caller, "query_work_items", **filters))["items"]]

    assert await found(searchText="Don't") == [mine]
    assert await found(areaPath="Web\\Kitchen") == [mine]
    assert await found(tags=["late", "loud"]) == [mine]
    assert await found(workItemTypes=["Task') OR ([System.Id] = '1"]) == []
    assert len(await found(project="Shop floor")) == 1


async def test_a_deleted_work_item_is_gone(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    number = azure_devops.work_items.add("Web", "Task", "Forget")
    assert number in azure_devops.work_items.revisions
    await given(caller, "delete_work_item", id=number)
    assert "TF401232" in await caller.told("get_work_item", id=number)
    assert number in azure_devops.work_items.recycled


async def test_comments_and_saved_queries_are_read(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    number = azure_devops.work_items.add("Web", "Task", "Talk")
    for index in range(3):
        await given(caller, "add_work_item_comment", id=number, text=f"<p>{index}</p>", format="html")
    await given(caller, "update_work_item_comment", id=number, commentId=1, text="zero")
    said = await given(caller, "list_work_item_comments", id=number, maxResults=2)
    assert [comment["text"] for comment in said["items"]] == ["2", "1"]
    assert "more" in said
    query = "SELECT [System.Id] FROM WorkItems WHERE [System.AssignedTo] = @Me"
    azure_devops.work_items.saved.append({"id": "q1", "name": "Mine", "path": "Shared Queries/Mine", "wiql": query})
    saved = await given(caller, "list_saved_queries")
    assert [entry["id"] for entry in saved["items"]] == ["f1", "q1"]
    await given(caller, "update_work_item", id=number, assignedTo="Ada Byron")
    assert [item["id"] for item in (await given(caller, "run_saved_query", id="q1"))["items"]] == [number]


async def test_projects_teams_and_people_are_found(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    azure_devops.projects.names += [f"Project {index}" for index in range(5)]
    azure_devops.projects.largest_page = 2
    listed = await given(caller, "list_projects", maxResults=5)
    assert (listed["count"], "more" in listed) == (5, True)
    assert [team["name"] for team in (await given(caller, "list_teams"))["items"]] == ["Web Team", "Night shift"]
    members = await given(caller, "get_team_members", team="Night shift")
    assert [member["admin"] for member in members["items"]] == [True, False, False]
    assert (await given(caller, "get_current_iteration"))["name"] == "Sprint 2"
    future = await given(caller, "list_iterations", timeframe="future", team="Night shift")
    assert [entry["name"] for entry in future["items"]] == ["Sprint 3"]
    paths = await given(caller, "list_area_paths", depth=1)
    assert [area["path"] for area in paths["items"]] == ["Web", "Web\\Kitchen", "Web\\Hall"]
    assert (await given(caller, "get_current_user"))["name"] == "Ada Byron"
    assert (await given(caller, "search_users", query="Ada"))["count"] == 2
    for known in ("ada.moss@example.com", "ada_moss@acme.example", "ada.moss", "Ada Moss"):
        assert (await given(caller, "get_user", userId=known))["name"] == "Ada Moss"
    assert "search_users" in await caller.told("get_user", userId="nobody.here")
    assert (await given(caller, "get_project", project="Shop floor", includeCapabilities=True))["process"] == "Agile"
    assert "list_projects" in await caller.told("list_teams", project="Nowhere")


async def test_without_a_default_a_project_has_to_be_named(transport: Elsewhere) -> None:
    async with calling(transport) as caller:
        assert "list_projects lists the projects" in await caller.told("list_teams")
        assert not (await caller.call("list_teams", project="Web"))["isError"]
        assert not (await caller.call("query_work_items"))["isError"]


async def test_me_is_whoever_asks(caller: Caller) -> None:
    made = await given(caller, "create_work_item", type="Task", title="Mine", assignedTo="@Me")
    assert made["assignedTo"] == "Ada Byron <ada.byron@example.com>"
    await given(caller, "update_work_item", id=made["id"], assignedTo="grace.brewster@example.com")
    again = await given(caller, "update_work_item", id=made["id"], assignedTo="@me")
    assert again["changed"] == {
        "assignedTo": {
            "from": "Grace Brewster <grace.brewster@example.com>",
            "to": "Ada Byron <ada.byron@example.com>",
        }
    }


async def test_two_links_to_the_same_work_item_are_both_followed(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    first, second = (azure_devops.work_items.add("Web", "Task", title) for title in ("Dig", "Fill"))
    for kind in ("related", "successor"):
        await given(caller, "link_work_items", sourceId=first, targetId=second, linkType=kind)
    linked = (await given(caller, "get_linked_work_items", id=first))["items"]
    assert [(item["link"], item["id"]) for item in linked] == [("related", second), ("successor", second)]


@pytest.mark.parametrize("text", ["Return List<string>\nand not <name>", "<T> is free"])
async def test_what_only_looks_like_a_tag_is_not_lost(caller: Caller, text: str, azure_devops: FakeAzureDevOps) -> None:
    made = await given(caller, "create_work_item", type="Task", title="Mend it", description=text)
    stored = azure_devops.work_items.revisions[made["id"]][-1]["fields"]["System.Description"]
    assert stored == escape(text, quote=False).replace("\n", "<br>")


async def test_what_is_html_stays_html(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    text = "See <b>this</b><br/><a href='https://example.com'>page</a>"
    made = await given(caller, "create_work_item", type="Task", title="Mend it", description=text)
    assert azure_devops.work_items.revisions[made["id"]][-1]["fields"]["System.Description"] == text
