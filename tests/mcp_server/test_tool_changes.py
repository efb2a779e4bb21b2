"""A tool that changes something returns its change: one object is previewed, approved and applied."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import Field

from changes.ledger import Ledger
from changes.preview import Edit, Preview
from changes.undo import by_call
from clients.folder_storage import FolderStorage
from identity.access import Access
from mcp_server.declarations.change import Change, answer_type
from mcp_server.declarations.function_tool import further_name
from mcp_server.declarations.secret import Secret
from mcp_server.declarations.toolset import Toolset
from tests.mcp_server.caller import Caller, code_in
from tests.mcp_server.endpoints import approving, new_endpoint

WORD = "correct horse battery staple"


@dataclass(frozen=True)
class Renaming(Change[dict[str, Any]]):
    shelves: Shelves
    shelf: str
    name: str
    key: Secret[str] | None = None

    @property
    def is_no_op(self) -> bool:
        return self.name == "same"

    async def preview(self) -> Preview:
        self.shelves.steps.append(f"preview {id(self)}")
        title = "Changed" if self.shelves.is_changed else "Rename"
        key = self.key.reveal() if self.key and self.shelves.peeks else ""
        edits = [Edit("name", self.shelf, self.name)]
        undo = by_call("rename_shelf", shelf=self.name, name=self.shelf)
        return Preview(what=f"{title} the shelf {self.shelf}{key}", edits=edits, undo=undo)

    async def apply(self) -> dict[str, Any]:
        self.shelves.steps.append(f"apply {id(self)}")
        return {"renamed": self.name, "with": self.key.reveal() if self.key else None}


class Emptying(Change[dict[str, Any]]): ...


class Clearing(Emptying): ...


@dataclass
class Shelves:
    """What was planned, previewed and applied, in this order."""

    folder: Path
    steps: list[str] = field(default_factory=list)
    peeks: bool = False
    # At which further preview somebody else has changed something.
    changes_at: int = 0

    @property
    def is_changed(self) -> bool:
        self.changes_at -= 1
        return self.changes_at == 0

    def __post_init__(self) -> None:
        toolset = Toolset("shelves", "Rename shelves.")
        shelves = self

        def retitle_shelf(title: str) -> dict[str, Any]:
            """Give the shelf another title."""
            return {"shelf": "a", "name": title}

        async def rename_shelf(
            shelf: str, name: str, key: Annotated[Secret[str] | None, Field(max_length=50, description="A key")] = None
        ) -> Renaming:
            """Rename a shelf."""
            shelves.steps.append("plan")
            return Renaming(shelves, shelf, name.strip(), key)

        further = [further_name(retitle_shelf, secret=("title",))]
        toolset.change(Access.DESTROY, secret=("key",), further_names=further)(rename_shelf)

        @toolset.change(Access.WRITE)
        async def dust_shelf(shelf: str) -> Renaming:
            """Dust a shelf."""
            return Renaming(shelves, shelf, shelf)

        self.toolset = toolset
        self.ledger = Ledger(lambda: FolderStorage(self.folder))
        approvals = approving(ledger=self.ledger)
        self.caller = Caller(new_endpoint(toolsets=[toolset], approvals=approvals), "shelves")


@pytest.fixture
def shelves(tmp_path: Path) -> Shelves:
    return Shelves(tmp_path)


async def test_what_is_applied_is_the_very_object_that_was_previewed(shelves: Shelves) -> None:
    shown = await shelves.caller.told("rename_shelf", shelf="a", name=" b ")
    assert "name: a → b" in shown
    assert [step.split()[0] for step in shelves.steps] == ["plan", "preview"]
    shelves.steps.clear()
    done = await shelves.caller.call("rename_shelf", shelf="a", name=" b ", confirm=code_in(shown))
    assert done["structuredContent"] == {"renamed": "b", "with": None}
    *before, previewed, applied = shelves.steps
    assert [step.split()[0] for step in before] == ["plan", "preview", "plan"]
    assert previewed.split()[1] == applied.split()[1]


async def test_what_changes_while_an_approval_is_claimed_is_not_applied(shelves: Shelves) -> None:
    shown = await shelves.caller.told("rename_shelf", shelf="a", name="b", key=WORD)
    shelves.changes_at = 2
    told = await shelves.caller.told("rename_shelf", shelf="a", name="b", key=WORD, confirm=code_in(shown))
    assert "would no longer have the effect that was approved" in told
    assert "apply" not in " ".join(shelves.steps)


async def test_a_change_that_nobody_has_to_approve_is_not_previewed(shelves: Shelves) -> None:
    await shelves.caller.call("dust_shelf", shelf="a")
    assert [step.split()[0] for step in shelves.steps] == ["apply"]


async def test_a_change_without_effect_asks_nobody(shelves: Shelves) -> None:
    done = await shelves.caller.call("rename_shelf", shelf="a", name="same")
    assert (done["isError"], [step.split()[0] for step in shelves.steps]) == (False, ["plan", "apply"])


async def test_a_secret_is_open_to_what_applies_the_change(shelves: Shelves) -> None:
    shown = await shelves.caller.told("rename_shelf", shelf="a", name="b", key=WORD)
    done = await shelves.caller.call("rename_shelf", shelf="a", name="b", key=WORD, confirm=code_in(shown))
    assert (WORD in shown, done["structuredContent"]["with"]) == (False, WORD)


async def test_a_preview_cannot_read_a_secret(shelves: Shelves, caplog: pytest.LogCaptureFixture) -> None:
    shelves.peeks = True
    failed = await shelves.caller.call("rename_shelf", shelf="a", name="b", key=WORD)
    assert failed["isError"]
    assert WORD not in str(failed) + caplog.text
    assert [step.split()[0] for step in shelves.steps] == ["plan", "preview"]


async def test_a_secret_is_checked_and_published_as_the_type_within(shelves: Shelves) -> None:
    tool, _ = shelves.toolset.tools
    assert tool.input_schema["properties"]["key"] == {"maxLength": 50, "description": "A key", "type": "string"}
    refused = await shelves.caller.told("rename_shelf", shelf="a", name="b", key="x" * 51)
    assert "key" in refused
    assert shelves.steps == []


async def test_by_a_further_name_the_same_change_is_made(shelves: Shelves) -> None:
    shown = await shelves.caller.told("retitle_shelf", title="c")
    done = await shelves.caller.call("retitle_shelf", title="c", confirm=code_in(shown))
    assert done["structuredContent"]["renamed"] == "c"


def test_a_function_answers_with_what_applying_its_change_gives() -> None:
    assert (answer_type(Change[str]), answer_type(Emptying), answer_type(str)) == (str, dict[str, Any], str)
    assert answer_type(Clearing) == dict[str, Any]
