"""What people do with the texts of work items and pull requests: they read, change and write them, and lose nothing."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.azure_devops.service import Elsewhere, FakeAzureDevOps
from tests.mcp_server.caller import Caller
from tests.tools.azure_devops.calling import calling
from tests.tools.azure_devops.given import given

DESCRIPTION = "System.Description"
HTML = (
    '<div style="x"><p>Heat the <b>oven</b></p><pre>if cold:\n    heat()</pre>'
    '<p><a href="#" data-vss-mention="version:2.0,1">@Ada</a> knows</p><ul><li>one</li></ul></div>'
)
SHOWN = "Heat the **oven**\n\n```\nif cold:\n    heat()\n```\n\n@Ada knows\n\n- one"


def stored(azure_devops: FakeAzureDevOps, number: int) -> Any:
    return azure_devops.work_items.latest(number)["fields"][DESCRIPTION]


async def described(caller: Caller, number: int) -> Any:
    return (await given(caller, "get_work_item", id=number))["description"]


async def test_a_description_is_edited_and_keeps_what_was_not_changed(
    caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    number = azure_devops.work_items.add("Web", "Task", "Bake", Description=HTML)
    assert (await given(caller, "get_work_item", id=number))["description"] == SHOWN
    await given(caller, "update_work_item", id=number, description=SHOWN.replace("- one", "- one\n- **two**"))
    assert stored(azure_devops, number) == HTML.replace("</ul>", "<li><strong>two</strong></li></ul>")


async def test_a_description_that_comes_back_as_it_was_shown_is_not_written(
    caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    number = azure_devops.work_items.add("Web", "Task", "Bake", Description=HTML)
    assert "Nothing to change" in await caller.told("update_work_item", id=number, description=SHOWN)
    await given(caller, "update_work_item", id=number, description=SHOWN, title="Bake more")
    assert stored(azure_devops, number) == HTML


async def test_the_source_of_a_description_is_given_on_request(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    number = azure_devops.work_items.add("Web", "Task", "Bake", Description=HTML)
    full = await given(caller, "get_work_item", id=number, detail="full")
    assert full["fields"][DESCRIPTION] == HTML


@pytest.mark.parametrize("text", ["# Oven\n\n<b>hot</b> & `List<string>`", "plain"])
async def test_a_description_kept_as_markdown_stays_markdown(
    caller: Caller, azure_devops: FakeAzureDevOps, text: str
) -> None:
    made = await given(caller, "create_work_item", type="Task", title="Bake", description="*hot*", isMarkdown=True)
    assert stored(azure_devops, made["id"]) == await described(caller, made["id"]) == "*hot*"
    await given(caller, "update_work_item", id=made["id"], description=text)
    assert stored(azure_devops, made["id"]) == await described(caller, made["id"]) == text
    assert azure_devops.work_items.latest(made["id"])["multilineFieldsFormat"] == {DESCRIPTION: "markdown"}


async def test_markdown_becomes_html_where_the_service_keeps_no_other(
    caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    made = await given(caller, "create_work_item", type="Task", title="Bake", description="# Oven\n\n- **hot**")
    assert stored(azure_devops, made["id"]) == "<h1>Oven</h1><ul><li><strong>hot</strong></li></ul>"
    assert await described(caller, made["id"]) == "# Oven\n\n- **hot**"


async def test_tags_in_code_do_not_make_html_of_markdown(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    made = await given(caller, "create_work_item", type="Task", title="Bake", description="Use `<b>`\n\n- one")
    assert stored(azure_devops, made["id"]) == "<p>Use <code>&lt;b&gt;</code></p><ul><li>one</li></ul>"


async def test_an_older_server_gets_html_even_of_what_is_to_stay_markdown(
    transport: Elsewhere, azure_devops: FakeAzureDevOps
) -> None:
    azure_devops.work_items.has_formats, azure_devops.newest = False, "6.1"
    async with azure_devops.serving() as url, calling(transport, url, project="Web") as caller:
        made = await given(caller, "create_work_item", type="Task", title="Bake", description="# Oven", isMarkdown=True)
        assert await described(caller, made["id"]) == "# Oven"
    assert stored(azure_devops, made["id"]) == "<h1>Oven</h1>"


async def test_the_steps_of_a_bug_and_its_criteria_are_texts_as_well(
    caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    steps, criteria = "Microsoft.VSTS.TCM.ReproSteps", "Microsoft.VSTS.Common.AcceptanceCriteria"
    made = await given(
        caller,
        "create_work_item",
        type="Bug",
        title="Cold",
        description="1. wait",
        additionalFields={criteria: "- hot", "Custom.Note": "- as it is"},
    )
    fields = azure_devops.work_items.latest(made["id"])["fields"]
    assert (fields[steps], fields[criteria]) == ("<ol><li>wait</li></ol>", "<ul><li>hot</li></ul>")
    assert fields["Custom.Note"] == "- as it is"
    assert (await given(caller, "get_work_item", id=made["id"]))["acceptanceCriteria"] == "- hot"


async def test_a_text_that_somebody_changed_meanwhile_is_not_overwritten(
    caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    number = azure_devops.work_items.add("Web", "Task", "Bake", Description=HTML)

    def meanwhile(_: Any, after: Any) -> None:
        azure_devops.work_items.rules.clear()
        assert any(operation["path"] == "/rev" for operation in azure_devops.asked[-1].body), after

    azure_devops.work_items.rules.append(meanwhile)
    await given(caller, "update_work_item", id=number, description="New")


MARKDOWN = "<b>Note</b>\n\n- one\n- two\n\n<img src=x> and `code`"


async def test_markdown_that_begins_with_a_tag_is_shown_as_it_was_written(
    caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    azure_devops.git.add("Web", "shop", {"/a": b"a"})
    await given(caller, "create_branch", repository="shop", name="mend")
    opened = await given(
        caller,
        "create_pull_request",
        repository="shop",
        sourceBranch="mend",
        targetBranch="main",
        title="Mend",
        description=MARKDOWN,
    )
    assert opened["description"] == MARKDOWN
    said = await given(caller, "add_pull_request_comment", repository="shop", pullRequestId=1, content=MARKDOWN)
    assert said["comments"][0]["text"] == MARKDOWN
    number = azure_devops.work_items.add("Web", "Task", "Bake")
    await given(caller, "add_work_item_comment", id=number, text=MARKDOWN)
    [comment] = (await given(caller, "list_work_item_comments", id=number))["items"]
    assert comment["text"] == MARKDOWN
