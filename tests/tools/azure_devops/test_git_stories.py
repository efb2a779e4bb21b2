"""What people do with code, from a branch to its merge, on a service that remembers."""

from __future__ import annotations

from base64 import b64decode
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from dataclasses import replace
from typing import Any

import pytest

from tests.fakes.azure_devops import troubles
from tests.fakes.azure_devops.git_store import NO_COMMIT, Repository
from tests.fakes.azure_devops.routes import TroubleError
from tests.fakes.azure_devops.service import FakeAzureDevOps
from tests.mcp_server.caller import Caller
from tests.tools.azure_devops.given import given
from tests.tools.azure_devops.shop import FILES, FIRST, SHOP, branched, opened, pushed


@pytest.fixture
def shop(azure_devops: FakeAzureDevOps) -> Repository:
    return azure_devops.git.add("Web", "shop", FILES)


async def test_a_change_is_branched_pushed_reviewed_and_merged(
    caller: Caller, azure_devops: FakeAzureDevOps, shop: Repository
) -> None:
    azure_devops.pull_requests.approvals = 1
    number = azure_devops.work_items.add("Web", "Bug", "The oven burns")
    made = await opened(caller, reviewers=["grace.brewster@example.com"], description="See *below*")
    assert made["link"] == "https://dev.azure.com/acme/Web/_git/shop/pullrequest/1"
    await given(caller, "link_pull_request_work_item", **FIRST, workItemId=number)
    assert [item["id"] for item in (await given(caller, "get_pull_request_work_items", **FIRST))["items"]] == [number]

    changed = await given(caller, "list_pull_request_changes", **FIRST)
    assert changed["items"] == [{"path": "/src/oven.py", "change": "edit"}]
    [diff] = (await given(caller, "get_pull_request_diff", **FIRST))["items"]
    assert "-    return 200\n+    return 180\n" in diff["diff"]

    about = {"filePath": "src/oven.py", "lineNumber": 2}
    thread = await given(caller, "add_pull_request_comment", **FIRST, content="Why 180?", **about)
    await given(caller, "add_pull_request_comment", **FIRST, content="It burnt.", threadId=thread["id"])
    await given(caller, "update_pull_request_thread", **FIRST, threadId=thread["id"], status="fixed")
    await given(
        caller, "update_pull_request_comment", **FIRST, threadId=thread["id"], commentId=2, content="It burned."
    )
    [talk] = (await given(caller, "get_pull_request_comments", **FIRST))["items"]
    assert (talk["status"], talk["file"], talk["line"]) == ("fixed", "/src/oven.py", 2)
    assert [comment["text"] for comment in talk["comments"]] == ["Why 180?", "It burned."]

    confirmed = FIRST
    assert "list_pull_request_policies" in await caller.told("complete_pull_request", **confirmed)
    assert (await given(caller, "list_pull_request_policies", **FIRST))["items"][0]["status"] == "queued"
    await given(caller, "vote_pull_request", **FIRST, vote="approve")
    merged = await given(caller, "complete_pull_request", **confirmed, mergeStrategy="squash", deleteSourceBranch=True)
    assert (merged["status"], merged["mergeCommit"]) == ("completed", shop.refs["refs/heads/main"])
    assert list(shop.refs) == ["refs/heads/main"]
    read = await given(caller, "get_file_content", **SHOP, path="/src/oven.py")
    assert read["content"] == "def heat():\n    return 180\n"


async def test_a_merge_takes_its_time_and_says_so(
    caller: Caller, azure_devops: FakeAzureDevOps, shop: Repository
) -> None:
    azure_devops.pull_requests.slowness = 3
    await opened(caller)
    begun = await given(caller, "complete_pull_request", **FIRST)
    assert (begun["status"], begun["merge"]) == ("active", "queued")
    assert "get_pull_request" in begun["next"]
    assert (await given(caller, "get_pull_request", **FIRST))["status"] == "active"
    assert (await given(caller, "get_pull_request", **FIRST))["status"] == "completed"
    assert "already completed" in await caller.told("complete_pull_request", **FIRST)
    assert len(shop.history(shop.refs["refs/heads/main"])) == 3


async def test_what_moved_after_it_was_looked_at_is_not_merged(caller: Caller, shop: Repository) -> None:
    seen = (await opened(caller))["sourceCommit"]
    await pushed(caller, "mend/oven", "import os\n")
    told = await caller.told("complete_pull_request", **FIRST, sourceCommit=seen)
    assert "TF401192" in told
    assert "get_pull_request shows the latest commit" in told
    assert (await given(caller, "get_pull_request", **FIRST))["sourceCommit"] != seen
    since = await given(caller, "get_pull_request_diff", **FIRST, compareTo=1)
    assert (since["iteration"], "-    return 180" in since["items"][0]["diff"]) == (2, True)
    assert shop.tree(shop.refs["refs/heads/main"]) == FILES


async def test_what_conflicts_is_not_merged(caller: Caller, shop: Repository) -> None:
    await opened(caller)
    await pushed(caller, "main", "def heat():\n    return 220\n")
    before = dict(shop.refs)
    assert "(conflicts)" in await caller.told("complete_pull_request", **FIRST)
    compared = await given(caller, "compare_commits", **SHOP, base="main", target="mend/oven")
    assert (compared["ahead"], compared["behind"], compared["count"]) == (1, 1, 1)
    assert shop.refs == before
    await pushed(caller, "main", FILES["/src/oven.py"].decode())
    assert (await given(caller, "complete_pull_request", **FIRST))["status"] == "completed"


async def test_policies_are_bypassed_only_with_a_reason(
    caller: Caller, azure_devops: FakeAzureDevOps, shop: Repository
) -> None:
    azure_devops.pull_requests.approvals = 2
    await opened(caller)
    assert (await given(caller, "list_branch_policies", **SHOP, branch="main"))["count"] == 1
    assert (await given(caller, "get_branch_policy", policyId=1))["settings"] == {"minimumApproverCount": 2}
    assert "bypassReason" in await caller.told("complete_pull_request", **FIRST, bypassPolicy=True)
    why = {"bypassPolicy": True, "bypassReason": "It burns"}
    assert (await given(caller, "complete_pull_request", **FIRST, **why))["status"] == "completed"
    assert shop.tree(shop.refs["refs/heads/main"]) != FILES


async def test_updating_is_no_way_round_the_consent_to_merge(caller: Caller, shop: Repository) -> None:
    await opened(caller)
    before = shop.refs["refs/heads/main"]
    assert "use complete_pull_request" in await caller.told("update_pull_request", **FIRST, status="completed")
    assert shop.refs["refs/heads/main"] == before


async def test_a_pull_request_completes_by_itself_once_it_is_approved(
    caller: Caller, azure_devops: FakeAzureDevOps, shop: Repository
) -> None:
    azure_devops.pull_requests.approvals = 1
    made = await opened(caller, autoComplete=True, deleteSourceBranch=True)
    assert made["autoCompleteBy"] == "Ada Byron <ada.byron@example.com>"
    stopped = await given(caller, "update_pull_request", **FIRST, autoComplete=False)
    assert stopped["status"] == "active"
    await given(caller, "update_pull_request", **FIRST, autoComplete=True)
    await given(caller, "vote_pull_request", **FIRST, vote="approve")
    assert (await given(caller, "get_pull_request", **FIRST))["status"] == "completed"
    assert list(shop.refs) == ["refs/heads/main"]


async def test_reviewers_come_and_go(caller: Caller, shop: Repository) -> None:
    await opened(caller)
    grace = "grace.brewster@example.com"
    await given(caller, "add_pull_request_reviewer", **FIRST, reviewer=grace, isRequired=True)
    shown = (await given(caller, "get_pull_request", **FIRST))["reviewers"]
    assert shown == [{"name": f"Grace Brewster <{grace}>", "required": True}]
    assert (await given(caller, "list_pull_requests", **SHOP, reviewerId=grace))["count"] == 1
    assert (await given(caller, "list_pull_requests", **SHOP, creatorId=grace))["count"] == 0
    await given(caller, "remove_pull_request_reviewer", **FIRST, reviewer=grace)
    assert "reviewers" not in await given(caller, "get_pull_request", **FIRST)
    assert "not found" in await caller.told("add_pull_request_reviewer", **FIRST, reviewer="eve@example.com")
    assert len(shop.refs) == 2


async def test_a_pull_request_is_opened_once_and_from_what_is_there(caller: Caller, shop: Repository) -> None:
    await branched(caller)
    wanted = {"sourceBranch": "mend/oven", "targetBranch": "main", "title": "Cool"}
    told = await caller.told("create_pull_request", **SHOP, **wanted | {"sourceBranch": "gone"})
    assert "list_branches lists the branches" in told
    await given(caller, "create_pull_request", **SHOP, **wanted)
    assert "list_pull_requests" in await caller.told("create_pull_request", **SHOP, **wanted)
    assert shop.refs["refs/heads/mend/oven"]


async def test_who_pushes_second_is_told_and_pushes_nothing(caller: Caller, shop: Repository) -> None:
    seen = (await given(caller, "get_branch", **SHOP, branch="main"))["commitId"]
    await pushed(caller, "main", "one\n")
    change = {"change": "edit", "path": "/src/oven.py", "content": "two\n"}
    late = {"branch": "main", "message": "Late", "changes": [change], "expectedCommitId": seen}
    told = await caller.told("push_changes", **SHOP, **late)
    assert "get_branch shows the current commit" in told
    assert shop.tree(shop.refs["refs/heads/main"])["/src/oven.py"] == b"one\n"


async def test_a_protected_branch_takes_no_push_and_stays(
    caller: Caller, azure_devops: FakeAzureDevOps, shop: Repository
) -> None:
    azure_devops.git.protected.add("refs/heads/main")
    change = {"change": "delete", "path": "/README.md"}
    told = await caller.told("push_changes", **SHOP, branch="main", message="x", changes=[change])
    assert "open a pull request" in told
    assert "rejectedByPolicy" in await caller.told("delete_branch", **SHOP, branch="main")
    assert shop.tree(shop.refs["refs/heads/main"]) == FILES


async def test_branches_are_made_compared_and_deleted(caller: Caller, shop: Repository) -> None:
    await branched(caller)
    await branched(caller, "mend")
    listed = await given(caller, "list_branches", **SHOP)
    assert [(entry["name"], entry["ahead"]) for entry in listed["items"]] == [
        ("main", 0),
        ("mend", 1),
        ("mend/oven", 1),
    ]
    assert (await given(caller, "get_branch", **SHOP, branch="mend"))["name"] == "mend"
    assert "staleOldObjectId" in await caller.told("create_branch", **SHOP, name="mend")
    nowhere = {"name": "new", "sourceCommitId": "f" * 40}
    assert "Commit not found" in await caller.told("create_branch", **SHOP, **nowhere)
    await given(caller, "delete_branch", **SHOP, branch="mend")
    assert "list_branches" in await caller.told("get_branch", **SHOP, branch="mend")
    assert set(shop.refs) == {"refs/heads/main", "refs/heads/mend/oven"}


async def test_an_empty_repository_takes_a_first_commit(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    empty = azure_devops.git.add("Web", "shop")
    assert (await given(caller, "list_branches", **SHOP))["items"] == []
    assert "push_changes" in await caller.told("create_branch", **SHOP, name="x")
    change = {"change": "add", "path": "logo.png", "content": "iVBORwAB", "base64": True}
    made = await given(caller, "push_changes", **SHOP, branch="main", message="Begin", changes=[change])
    assert empty.refs == {"refs/heads/main": made["commitId"]}
    assert empty.pushes[0]["refUpdates"][0]["oldObjectId"] == NO_COMMIT
    read = await given(caller, "get_file_content", **SHOP, path="/logo.png")
    assert (read["binary"], read["size"]) == (True, 6)


async def test_files_and_history_are_read(caller: Caller, shop: Repository) -> None:
    made = await branched(caller)
    root = await given(caller, "list_files", **SHOP)
    assert root["items"] == [{"path": "/src", "type": "tree"}, {"path": "/README.md", "type": "blob"}]
    below = await given(caller, "list_files", **SHOP, path="src", recursive=True, branch="mend/oven")
    assert [entry["path"] for entry in below["items"]] == ["/src/logo.png", "/src/oven.py"]
    whole = await given(caller, "list_files", **SHOP, recursive=True, maxResults=3)
    assert (whole["count"], "more" in whole) == (3, True)
    commits = await given(caller, "list_commits", **SHOP, branch="mend/oven", path="/src/oven.py")
    assert [entry["comment"] for entry in commits["items"]] == ["Cool down", "Begin"]
    commit = await given(caller, "get_commit", **SHOP, commitId=made["commitId"], includeChanges=True)
    assert [(entry["path"], entry["change"]) for entry in commit["changes"]] == [("/src/oven.py", "edit")]
    pushes = await given(caller, "list_pushes", **SHOP, branch="mend/oven")
    assert [entry["pushId"] for entry in pushes["items"]] == [3, 2]
    old = await given(caller, "get_file_content", **SHOP, path="/src/oven.py", commitId=shop.refs["refs/heads/main"])
    assert "200" in old["content"]
    assert "list_files" in await caller.told("get_file_content", **SHOP, path="/gone")
    assert "list_repositories" in await caller.told("get_repository", repository="gone")
    assert [entry["name"] for entry in (await given(caller, "list_repositories"))["items"]] == ["shop"]


async def test_a_diff_shows_each_kind_of_change_and_no_more_than_is_sensible(
    caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    many = {f"/many/{number:02}.txt": b"old\n" for number in range(60)}
    huge = b"x" * (1024 * 1024 + 1)
    shop = azure_devops.git.add("Web", "shop", {**FILES, **many, "/gone.md": b"gone\n"})
    main = shop.refs["refs/heads/main"]
    after = {**FILES, **dict.fromkeys(many, b"new\n"), "/src/logo.png": b"\0", "/huge": huge, "/born.md": b"born"}
    shop.move("refs/heads/mend/oven", NO_COMMIT, shop.commit(after, [main], "All", "Ada Byron"), "Ada Byron")
    wanted = {"sourceBranch": "mend/oven", "targetBranch": "main", "title": "All"}
    await given(caller, "create_pull_request", **SHOP, **wanted)
    all_of_them = await given(caller, "get_pull_request_diff", **FIRST)
    assert (all_of_them["count"], len(all_of_them["notShown"]), "more" in all_of_them) == (50, 14, True)
    some = await given(
        caller, "get_pull_request_diff", **FIRST, paths=["/born.md", "gone.md", "/huge", "/src/logo.png"]
    )
    by_path = {entry["path"]: entry for entry in some["items"]}
    assert by_path["/born.md"]["diff"].endswith("@@ -0,0 +1 @@\n+born\n\\ No newline at end of file\n")
    assert by_path["/gone.md"]["diff"].endswith("@@ -1 +0,0 @@\n-gone\n")
    assert by_path["/src/logo.png"]["omitted"] == "binary"
    assert "larger" in by_path["/huge"]["omitted"]


async def test_linked_work_items_are_confirmed_and_those_that_are_not_are_said(
    caller: Caller, azure_devops: FakeAzureDevOps, shop: Repository
) -> None:
    number = azure_devops.work_items.add("Web", "Bug", "The oven burns")
    made = await opened(caller, workItemIds=[number, 404])
    assert (made["linkedWorkItems"], made["notLinked"]) == ([number], [404])
    assert "link_pull_request_work_item" in made["toLink"]
    assert "404" in await caller.told("link_pull_request_work_item", **FIRST, workItemId=404)
    await branched(caller, "mend/again")
    wanted = {"sourceBranch": "mend/again", "targetBranch": "main", "title": "Again", "autoComplete": True}
    told = await caller.told("create_pull_request", **SHOP, **wanted, workItemIds=[404])
    assert "was opened, but its settings were rejected" in told
    assert "not linked: [404]" in told
    assert shop.refs["refs/heads/main"]


async def test_a_pull_request_is_closed_without_merging_and_opened_again(caller: Caller, shop: Repository) -> None:
    before = dict(shop.refs)
    await opened(caller)
    about = {tool["name"]: tool for tool in (await caller.result("tools/list"))["tools"]}
    assert "without merging (status abandoned)" in about["update_pull_request"]["description"]
    assert "update_pull_request with status abandoned" in about["complete_pull_request"]["description"]
    assert (await given(caller, "update_pull_request", **FIRST, status="abandoned"))["status"] == "abandoned"
    assert (await given(caller, "update_pull_request", **FIRST, status="active"))["status"] == "active"
    assert shop.refs["refs/heads/main"] == before["refs/heads/main"]


async def test_a_file_that_cannot_be_read_takes_no_other_difference_away(
    caller: Caller, azure_devops: FakeAzureDevOps, shop: Repository
) -> None:
    await opened(caller)
    azure_devops.places["/blobs/"] = troubles.forbidden
    [entry] = (await given(caller, "get_pull_request_diff", **FIRST))["items"]
    assert "does not permit this" in entry["omitted"]
    assert shop.refs


async def test_a_push_that_got_no_answer_is_not_repeated(
    caller: Caller, azure_devops: FakeAzureDevOps, shop: Repository
) -> None:
    seen = shop.refs["refs/heads/main"]
    change = {"change": "delete", "path": "/README.md"}
    azure_devops.troubles.append(troubles.stopped)
    late = {"branch": "main", "message": "x", "changes": [change], "expectedCommitId": seen}
    assert "First check whether the change was made" in await caller.told("push_changes", **SHOP, **late)
    assert len([asked for asked in azure_devops.asked if asked.method == "POST"]) == 1
    assert shop.refs["refs/heads/main"] == seen


async def test_a_tag_is_a_version_like_a_branch(caller: Caller, shop: Repository) -> None:
    shop.refs["refs/tags/v1"] = shop.refs["refs/heads/main"]
    await pushed(caller, "main", "changed\n")
    old = await given(caller, "get_file_content", **SHOP, path="/src/oven.py", branch="refs/tags/v1")
    assert old["content"] == FILES["/src/oven.py"].decode()
    assert (await given(caller, "list_commits", **SHOP, branch="refs/tags/v1"))["count"] == 1
    assert (await given(caller, "compare_commits", **SHOP, base="refs/tags/v1", target="main"))["ahead"] == 1
    assert (await given(caller, "get_file_content", **SHOP, path="/src/oven.py", branch=""))["content"] == "changed\n"


TEXT = "na\u00efve caf\u00e9\r\n"
ENCODINGS = {
    "utf-8-bom": TEXT.encode("utf-8-sig"),
    "utf-16le": BOM_UTF16_LE + TEXT.encode("utf-16-le"),
    "utf-16be": BOM_UTF16_BE + TEXT.encode("utf-16-be"),
    "cp1252": TEXT.encode("cp1252"),
}


@pytest.mark.parametrize("encoding", ENCODINGS)
async def test_a_file_keeps_its_encoding_when_it_is_edited(
    caller: Caller, azure_devops: FakeAzureDevOps, encoding: str
) -> None:
    shop = azure_devops.git.add("Web", "shop", {"/a.txt": ENCODINGS[encoding]})
    read = await given(caller, "get_file_content", **SHOP, path="/a.txt")
    assert (read["content"], read["encoding"]) == (TEXT, encoding)
    in_bytes = await given(caller, "get_file_content", **SHOP, path="/a.txt", base64=True)
    assert b64decode(in_bytes["base64"]) == ENCODINGS[encoding]

    async def edit(**change: Any) -> bytes:
        changes = [{"change": "edit", "path": "/a.txt", **change}]
        await given(caller, "push_changes", **SHOP, branch="main", message="Edit", changes=changes)
        return bytes(shop.tree(shop.refs["refs/heads/main"])["/a.txt"])

    assert await edit(content=TEXT) == ENCODINGS[encoding]
    assert await edit(content=TEXT, encoding="utf-8") == TEXT.encode()
    assert await edit(content=TEXT * 2) == (TEXT * 2).encode()


async def test_what_an_encoding_lacks_is_told_before_anything_is_written(
    caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    azure_devops.git.add("Web", "shop", {"/a.txt": ENCODINGS["cp1252"]})
    changes = [{"change": "edit", "path": "/a.txt", "content": "\u2603"}]
    told = await caller.told("push_changes", **SHOP, branch="main", message="Edit", changes=changes)
    assert "cp1252 does not support '\u2603'" in told
    assert len(azure_devops.git.repositories[0].pushes) == 1


async def test_branches_are_listed_even_where_nobody_knows_how_far_they_are(
    caller: Caller, azure_devops: FakeAzureDevOps, shop: Repository
) -> None:
    def away(_: Any) -> Any:
        raise TroubleError(400, "GitStatisticsException", "TF401175: It takes too long.")

    [statistics] = [known for known in azure_devops.git.routes if known.line.endswith("/stats/branches")]
    others = tuple(known for known in azure_devops.git.routes if known is not statistics)
    azure_devops.git.routes = (*others, replace(statistics, answer=away))
    listed = await given(caller, "list_branches", **SHOP)
    assert [branch["name"] for branch in listed["items"]] == ["main"]
    assert "TF401175" in listed["lacking"]
    assert shop.name == "shop"
