"""Two versions compared: which files differ, in what, and no more of that than an answer can take."""

from __future__ import annotations

from typing import Any

from tests.fakes.azure_devops.git_store import NO_COMMIT
from tests.fakes.azure_devops.service import FakeAzureDevOps
from tests.mcp_server.caller import Caller
from tests.tools.azure_devops.given import given

FILES = {"/README.md": b"# Shop\n", "/src/logo.png": b"\x89PNG\0\x01"}
SHOP: dict[str, Any] = {"repository": "shop"}


async def test_two_branches_are_compared_with_diffs_in_one_call(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    before = {**FILES, "/docs/a.md": b"one\ntwo\nthree\n", "/docs/b.md": b"same\n", "/gone.md": b"gone\n"}
    shop = azure_devops.git.add("Web", "shop", before)
    main = shop.refs["refs/heads/main"]
    after = {**FILES, "/docs/new.md": b"one\ntwo\n3\n", "/docs/c.md": b"same\n", "/src/logo.png": b"\0", "/born": b"!"}
    shop.move("refs/heads/mend", NO_COMMIT, shop.commit(after, [main], "All", "Ada Byron"), "Ada Byron")
    both = {**SHOP, "base": "main", "target": "mend"}
    compared = await given(caller, "compare_commits", **both, includeDiffs=True)
    items = {entry["path"]: entry for entry in compared["items"]}
    assert "-three\n+3\n" in items["/docs/new.md"]["diff"]
    assert (items["/docs/new.md"]["was"], items["/docs/new.md"]["change"]) == ("/docs/a.md", "edit, rename")
    assert items["/docs/a.md"]["omitted"] == "renamed: shown under its new name"
    assert (items["/docs/c.md"]["omitted"], items["/docs/c.md"]["was"]) == ("renamed only", "/docs/b.md")
    assert items["/src/logo.png"]["omitted"] == "binary"
    assert items["/gone.md"]["diff"].endswith("-gone\n")
    assert items["/born"]["diff"].endswith("+!\n\\ No newline at end of file\n")
    assert "/docs" not in items
    some = await given(caller, "compare_commits", **both, includeDiffs=True, paths=["born"])
    assert [entry["path"] for entry in some["items"]] == ["/born"]
    assert "/strange" in await caller.told("compare_commits", **both, paths=["/strange"])


async def test_large_differences_are_cut_and_it_is_said_what_to_call_next(
    caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    long = "".join(f"line {number} of a file that changes\n" for number in range(900)).encode()
    shop = azure_devops.git.add("Web", "shop", {f"/{number}.txt": b"" for number in range(120)})
    main = shop.refs["refs/heads/main"]
    after = {f"/{number}.txt": long for number in range(120)}
    shop.move("refs/heads/mend", NO_COMMIT, shop.commit(after, [main], "All", "Ada Byron"), "Ada Byron")
    both = {**SHOP, "base": "main", "target": "mend"}
    compared = await given(caller, "compare_commits", **both, includeDiffs=True, maxResults=1000)
    assert sum(len(entry["diff"]) for entry in compared["items"]) <= 60_000
    assert all(entry["cut"] for entry in compared["items"])
    assert compared["count"] + len(compared["notShown"]) + compared["moreNotShown"] == 120
    assert "paths" in compared["next"]
    assert "pass commonCommit or targetCommit as commitId" in compared["next"]
    again = await given(caller, "compare_commits", **both, includeDiffs=True, paths=compared["notShown"][:1])
    assert again["items"][0]["path"] == compared["notShown"][0]
