"""A repository with an oven that is too hot, and how somebody cools it."""

from __future__ import annotations

from typing import Any

from tests.mcp_server.caller import Caller
from tests.tools.azure_devops.given import given

FILES = {"/README.md": b"# Shop\n", "/src/oven.py": b"def heat():\n    return 200\n", "/src/logo.png": b"\x89PNG\0\x01"}
SHOP: dict[str, Any] = {"repository": "shop"}
FIRST: dict[str, Any] = {**SHOP, "pullRequestId": 1}


async def branched(caller: Caller, name: str = "mend/oven", content: str = "def heat():\n    return 180\n") -> Any:
    """A branch with one change of one file."""
    await given(caller, "create_branch", **SHOP, name=name)
    return await pushed(caller, name, content)


async def pushed(caller: Caller, branch: str, content: str) -> Any:
    change = {"change": "edit", "path": "/src/oven.py", "content": content}
    return await given(caller, "push_changes", **SHOP, branch=branch, message="Cool down", changes=[change])


async def opened(caller: Caller, **more: Any) -> Any:
    await branched(caller)
    wanted = {"sourceBranch": "mend/oven", "targetBranch": "main", "title": "Cool the oven"}
    return await given(caller, "create_pull_request", **SHOP, **wanted, **more)
