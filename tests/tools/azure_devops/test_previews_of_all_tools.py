"""Every tool that may destroy shows what the service knows of that, only reads for it, and finds what is missing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest

from changes.approval_request import RequiredApprover
from changes.preview import Preview
from changes.rule import Rule
from changes.rules import Rules
from tests.fakes.azure_devops.routes import changing
from tests.fakes.azure_devops.service import Elsewhere
from tests.mcp_server.caller import Json
from tests.mcp_server.endpoints import approving
from tests.sweeps import Sweep
from tests.tools.azure_devops.reaching import reaching
from tests.tools.azure_devops.scene import Scene, prepare
from tests.tools.azure_devops.team import change_in
from tools.azure_devops import TOOLSETS

ASKING: Final = Rules([Rule(RequiredApprover.ANOTHER)])


DESTROYING: Final = [tool.name for toolset in TOOLSETS for tool in toolset.tools if tool.may_destroy]
every_tool = Sweep("tool", DESTROYING, every=3)


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
    await prepare(made)
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


@every_tool
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


@every_tool
async def test_what_is_not_there_is_refused_in_words_before_anybody_is_asked(scene: Scene, tool: str) -> None:
    _, arguments = scene.calls()[tool]
    preview, words = await previewed(scene, tool, arguments)
    assert preview is None, preview
    assert "went wrong here" not in words
    assert "incident" not in words
    assert changing(scene.asked) == []


@every_tool
async def test_the_same_is_shown_as_long_as_nothing_changes(scene: Scene, tool: str) -> None:
    """Else nothing that was agreed to could ever be done."""
    arguments, _ = scene.calls()[tool]
    one, _ = await previewed(scene, tool, arguments)
    another, _ = await previewed(scene, tool, arguments)
    assert one is not None
    assert another is not None
    assert one.bound == another.bound
