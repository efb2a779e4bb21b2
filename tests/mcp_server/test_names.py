"""By which names tools are called: their own, further ones, and those that tell them apart."""

from __future__ import annotations

import json
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from changes.preview import Preview
from changes.rules import Rules
from changes.undo import by_call
from identity.access import Access
from mcp_server.catalog.catalog import Catalog
from mcp_server.catalog.narrowing import without
from mcp_server.declarations.function_tool import further_name
from mcp_server.declarations.tool import FurtherName
from mcp_server.declarations.toolset import Toolset
from mcp_server.http import rest
from refusal import Refusal
from scripts import reference
from tests.mcp_server.caller import Caller, Era, Json, code_in, post
from tests.mcp_server.endpoints import approving, new_endpoint
from tests.mcp_server.records import Records
from tests.mcp_server.sign_in_by_header import office_door


class Deployed(BaseModel):
    place: str
    size: int


def ship(
    target: Annotated[str, Field(description="Where to")],
    boxes: Annotated[int, Field(ge=1, le=9, description="How many boxes")] = 1,
) -> dict[str, Any]:
    """Ship boxes, as the carriers' specification has it."""
    return {"place": target, "size": boxes * 10}


def scrap(target: Annotated[str, Field(description="What to scrap")]) -> dict[str, Any]:
    """Scrap a thing, as the carriers' specification has it."""
    return {"place": target}


def shipped(deployed: dict[str, Any]) -> dict[str, Any]:
    return {"shipment": f"{deployed['place']}/{deployed['size'] // 10}"}


harbor = Toolset("harbor", "Deploy to the harbor.")
station = Toolset("rail-station", "Deploy to the station.")


@harbor.tool(
    Access.WRITE,
    harmless=["place"],
    further_names=[
        further_name(ship, gives=shipped, harmless=["boxes"]),
        FurtherName("unload"),
        FurtherName("unload_cargo", "Unload, and say no more than how much."),
    ],
)
async def deploy(
    place: Annotated[str, Field(description="Where")],
    size: Annotated[int, Field(le=50, description="How much")] = 10,
) -> Deployed:
    """Deploy to a place by water."""
    return Deployed(place=place, size=size)


async def _cargo(place: str) -> Preview:
    """What it carries."""
    return Preview(what=f"The ship at {place}", facts={"cargo": "coal"}, undo=by_call("raise_ship"))


@harbor.tool(Access.DESTROY, previewed=_cargo, further_names=[further_name(scrap)])
async def sink(place: Annotated[str, Field(description="What sinks")]) -> str:
    """Sink what is there."""
    return f"{place} is gone"


async def _by_rail(place: Annotated[str, Field(description="Where")]) -> str:
    """Deploy to a place by rail."""
    return f"{place} by rail"


_by_rail.__name__ = "deploy"
station.tool(Access.READ)(_by_rail)


@station.tool(Access.READ)
async def show() -> str:
    """Show the timetable."""
    return "9:00"


BOTH = (harbor, station)


def someone(role: str = "", toolsets: str | None = "all", era: Era = "2026-07-28", tools: str = "") -> Caller:
    headers = {"x-mcp-tools": tools} if tools else {}
    if not role:
        return Caller(new_endpoint(toolsets=BOTH), toolsets, headers, era)
    roles = "roles: {Sailor: {harbor: destroy}, Loader: {harbor: write}, Porter: {rail: read}, Both: {all: destroy}}"
    door = office_door(roles, [toolset.name for toolset in BOTH])
    return Caller(new_endpoint(toolsets=BOTH, door=door), toolsets, headers | {"x-who": f"eve {role}"}, era)


def text_of(result: Json) -> str:
    text: str = result["content"][0]["text"]
    return text


async def test_tools_that_are_called_the_same_are_listed_by_their_toolsets(era: Era) -> None:
    assert await someone(era=era).tool_names() == ["harbor_deploy", "sink", "rail_station_deploy", "show"]
    assert text_of(await someone(era=era).call("rail_station_deploy", place="Bern")) == "Bern by rail"
    assert (await someone(era=era).call("harbor_deploy", place="Kiel"))["structuredContent"]["place"] == "Kiel"


async def test_a_name_that_means_one_tool_only_stays_as_it_is() -> None:
    assert await someone(toolsets="harbor").tool_names() == ["deploy", "sink"]
    assert await someone("Porter").tool_names() == ["deploy", "show"]
    assert text_of(await someone("Porter").call("deploy", place="Bern")) == "Bern by rail"
    assert text_of(await someone("Porter").call("rail_station_deploy", place="Bern")) == "Bern by rail"


async def test_a_name_that_means_several_is_answered_with_those_that_tell_them_apart() -> None:
    told = "Several toolsets have a tool 'deploy'. Call harbor_deploy or rail_station_deploy."
    assert (await someone().error("tools/call", {"name": "deploy", "arguments": {}}))["message"] == told


async def test_what_is_not_granted_is_not_named_among_those_of_the_name() -> None:
    answer = await someone("Porter").send("tools/call", {"name": "deploy", "arguments": {}})
    assert b"harbor" not in answer.body
    denied = await someone("Porter").error("tools/call", {"name": "harbor_deploy", "arguments": {}})
    assert denied["message"].startswith("Unknown tool: 'harbor_deploy'.")


async def test_a_call_that_may_mean_several_is_recorded_as_the_one_that_is_seen(records: Records) -> None:
    await someone("Both", "rail-station").send("tools/call", {"name": "deploy", "arguments": {"place": 7}})
    assert records.only["toolset"] == "rail-station"
    wrong: Json = {"name": "deploy", "arguments": {}, "inputResponses": "no"}
    await someone("Both", "rail-station").send("tools/call", wrong)
    assert (records.all[-1]["toolset"], records.only["outcome"]) == ("rail-station", "refused")


@pytest.mark.parametrize(
    ("chosen", "listed"),
    [
        ("deploy", ["harbor_deploy", "rail_station_deploy"]),
        ("harbor_deploy", ["deploy"]),
        ("rail_station_show,show", ["show"]),
        ("ship", ["ship"]),
        ("ship,deploy", ["harbor_deploy", "ship", "rail_station_deploy"]),
        ("unload,azure", ["unload", "azure"]),
    ],
)
async def test_a_choice_by_a_name_means_all_of_that_name(chosen: str, listed: list[str]) -> None:
    assert await someone(tools=chosen, toolsets=None).tool_names() == listed


@pytest.mark.parametrize(
    ("denied", "left"),
    [
        ("deploy", {"sink", "show"}),
        ("harbor_deploy", {"sink", "deploy", "show"}),
        ("ship", {"sink", "deploy", "show"}),
        ("rail-station", {"deploy", "sink"}),
    ],
)
async def test_what_an_operator_leaves_out_by_a_name_is_all_of_that_name(denied: str, left: set[str]) -> None:
    caller = Caller(new_endpoint(toolsets=without(BOTH, [denied])), "all")
    assert set(await caller.tool_names()) == left
    if denied == "ship":
        assert (await caller.error("tools/call", {"name": "unload", "arguments": {}}))["code"] == -32602


@pytest.mark.parametrize("command", ["deploy", "Deploy", "rail_station_deploy", "rail-station-deploy"])
@pytest.mark.parametrize("tool", ["rail-station", "rail_station", "Rail-Station"])
async def test_azure_does_not_mind_hyphens_underscores_and_case(tool: str, command: str) -> None:
    result = await someone(toolsets=None).call("azure", tool=tool, command=command, parameters={"place": "Bern"})
    assert text_of(result) == "Bern by rail"


async def test_the_same_spellings_are_denied_where_the_tool_is(records: Records) -> None:
    arguments = {"tool": "HARBOR", "command": "harbor-deploy", "parameters": {}}
    told = await someone("Porter", None).told("azure", **arguments)
    assert told.startswith("Tool 'HARBOR' not found.")
    record = records.only
    assert (record["tool"], record["outcome"]) == ("deploy", "denied")


async def test_azure_names_every_tool_that_has_a_command() -> None:
    told = await someone(toolsets=None).told("azure", command="deploy")
    assert "'deploy' is a command of 'harbor' and of 'rail-station'. Next:" in told


async def test_azure_says_by_which_name_a_listed_command_is_called() -> None:
    caller = someone(toolsets=None, tools="deploy,azure")
    learned = await caller.call("azure", learn=True, tool="rail-station", command="deploy")
    assert learned["structuredContent"]["next"] == {"call": "rail_station_deploy", "arguments": {"place": "<place>"}}


async def test_a_further_name_has_its_own_input_and_output(era: Era) -> None:
    caller = someone(era=era, toolsets=None, tools="ship")
    (tool,) = (await caller.result("tools/list"))["tools"]
    assert (tool["name"], tool["description"]) == ("ship", "Ship boxes, as the carriers' specification has it.")
    assert list(tool["inputSchema"]["properties"]) == ["target", "boxes"]
    result = await caller.call("ship", target="Kiel", boxes=2)
    assert result["structuredContent"] == {"shipment": "Kiel/2"}
    assert json.loads(text_of(result)) == {"shipment": "Kiel/2"}


async def test_a_further_name_without_more_takes_and_gives_what_the_tool_does() -> None:
    listed = {tool["name"]: tool for tool in (await someone().result("tools/list"))["tools"]}
    (tool,) = (await someone(toolsets=None, tools="unload_cargo").result("tools/list"))["tools"]
    assert tool["inputSchema"] == listed["harbor_deploy"]["inputSchema"]
    assert tool["description"] == "Unload, and say no more than how much."
    assert (await someone().call("unload", place="Kiel"))["structuredContent"] == {"place": "Kiel", "size": 10}


async def test_a_further_name_is_called_wherever_the_tool_is_and_recorded_as_it(records: Records) -> None:
    caller = someone("Loader")
    arguments = {"target": "Kiel", "boxes": 2}
    direct = (await caller.call("ship", **arguments))["structuredContent"]
    assert (records.all[-1]["way"], records.all[-1]["called_as"]) == ("direct", "ship")
    assert (records.all[-1]["tool"], records.only["arguments"]) == ("deploy", {"target": None, "boxes": 2})
    learning = Caller(caller.endpoint, None, caller.headers)
    learned = await learning.call("azure_change", tool="harbor", command="SHIP", parameters=arguments)
    assert (records.all[-1]["way"], records.only["called_as"]) == ("learned", "ship")
    body = json.dumps({"tool": "ship", "arguments": arguments}).encode()
    executed = await rest.execute(caller.endpoint, post(body, caller.headers))
    assert (records.all[-1]["way"], records.only["called_as"]) == ("rest", "ship")
    assert direct == learned["structuredContent"] == json.loads(executed.body)["result"] == {"shipment": "Kiel/2"}


async def test_a_further_name_is_learned_from_the_tool(records: Records) -> None:
    caller = someone(toolsets=None)
    learned = await caller.call("azure", learn=True, tool="harbor")
    commands = {command["name"]: command for command in learned["structuredContent"]["commands"]}
    assert commands["deploy"]["furtherNames"] == ["ship", "unload", "unload_cargo"]
    (ship,) = (await caller.call("azure", learn=True, tool="harbor", command="ship"))["structuredContent"]["commands"]
    assert list(ship["inputSchema"]["properties"]) == ["target", "boxes"]
    told = await caller.told("azure", tool="rail-station", command="ship")
    assert 'is a command of \'harbor\'. Next: {"learn":true,"tool":"harbor","command":"ship"}' in told


async def test_a_further_name_opens_nothing(records: Records) -> None:
    denied = await someone("Porter").error("tools/call", {"name": "ship", "arguments": {"target": "Kiel"}})
    assert denied["message"].startswith("Unknown tool: 'ship'.")
    assert records.only["outcome"] == "denied"
    refused = await someone("Porter", None, tools="zzz").error("tools/list")
    assert "ship" not in refused["message"]


async def test_wrong_arguments_are_told_by_the_names_that_the_caller_knows() -> None:
    told = await someone().told("ship", target="Kiel", boxes=70, place="Kiel")
    assert told.splitlines()[1:] == [
        "- place: unknown parameter. Valid: target, boxes.",
        "- boxes: must be less than or equal to 9.",
    ]
    assert "- size: must be less than or equal to 50." in await someone().told("ship", target="Kiel", boxes=6)


async def test_consent_under_a_further_name_is_to_what_the_tool_will_do() -> None:
    caller = someone()
    told = await caller.told("scrap", target="hull")
    assert "The ship at hull. This change deletes or overwrites data.\n- cargo: coal" in told
    assert "nothing was done" in await caller.told("scrap", target="hull", confirm="mast")
    assert text_of(await caller.call("scrap", target="hull", confirm=code_in(told))) == "hull is gone"


async def test_consent_that_an_operator_waived_is_waived_under_every_name() -> None:
    caller = Caller(new_endpoint(toolsets=BOTH, approvals=approving(rules=Rules(waived=("harbor",)))), "all")
    assert text_of(await caller.call("scrap", target="hull")) == "hull is gone"


def test_further_names_stand_on_the_page_of_the_tool() -> None:
    page = reference.toolset_page(harbor)
    assert "Also known as `unload`, and listed by this name if it is selected by this name.\n" in page
    assert (
        "Also known as `ship`, and listed by this name if it is selected by this name, with different parameters:"
        in page
    )
    assert "| `boxes` | integer from 1 to 9 | `1` | How many boxes |" in page


def toolset(name: str, *tools: str, further: tuple[str, ...] = ()) -> Toolset:
    made = Toolset(name, "Made for this.")
    for tool in tools:

        async def function() -> str:
            """Do nothing."""
            return "nothing"

        function.__name__ = tool
        made.tool(Access.READ, further_names=[FurtherName(name) for name in further])(function)
    return made


@pytest.mark.parametrize(
    ("toolsets", "told"),
    [
        ([toolset("a", "azure")], "More than one tool is named 'azure'"),
        ([toolset("a", "Azure-Change")], "More than one tool is named 'azure_change'"),
        ([toolset("a", "x", further=("azure",))], "More than one tool is named 'azure'"),
        ([toolset("a", "x", further=("y",)), toolset("b", "y")], "More than one tool is named 'y'"),
        ([toolset("a", "x", further=("z",)), toolset("b", "y", further=("z",))], "More than one tool is named 'z'"),
        ([toolset("a", "x", further=("x",))], "More than one tool of 'a' is named 'x'"),
        ([toolset("a", "x", "x")], "More than one tool of 'a' is named 'x'"),
        ([toolset("a", "Get_it", "get_it")], "More than one tool of 'a' is named 'get_it'"),
        ([toolset("a", "x"), toolset("b", "x"), toolset("c", "a_x")], "More than one tool is named 'a_x'"),
        ([toolset("a", "b_x", "x"), toolset("a-b", "x"), toolset("c", "b_x")], "More than one tool is named 'a_b_x'"),
        ([toolset("a", "x"), toolset("a", "y")], "More than one toolset is named 'a'"),
        ([toolset("a", "x.y")], "'x.y' is not a valid tool name"),
        ([toolset("a", "x" * 65)], "is not a valid tool name"),
    ],
)
def test_names_that_would_leave_open_what_is_meant_are_refused(toolsets: list[Toolset], told: str) -> None:
    with pytest.raises(Refusal) as refused:
        Catalog(toolsets, ())
    assert told in str(refused.value)


@pytest.mark.parametrize("marks", [{}, {"destroys": bool}])
def test_a_tool_that_may_destroy_something_has_a_preview(marks: Any) -> None:
    access = Access.WRITE if marks else Access.DESTROY
    with pytest.raises(TypeError, match="a tool that may destroy something needs a preview"):
        Toolset("a", "A.").tool(access, **marks)(sink)


def test_a_further_name_marks_only_what_it_takes() -> None:
    def tool(further: FurtherName) -> None:
        Toolset("a", "A.").tool(Access.DESTROY, previewed=_cargo, further_names=[further])(sink)

    with pytest.raises(
        TypeError, match=r"scrap has marks for parameters that do not exist: place. Its parameters are: target"
    ):
        tool(further_name(scrap, harmless=["place"]))
    with pytest.raises(
        TypeError, match=r"x has marks for parameters that do not exist: place. Its parameters are: none"
    ):
        tool(FurtherName("x", harmless=["place"]))
