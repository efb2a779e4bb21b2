"""Attacks by what a caller chooses: in the address, and in headers."""

from __future__ import annotations

import pytest

from mcp_server.catalog.catalog import Catalog
from mcp_server.catalog.catalogs import Catalogs
from tests.attacks.office import HIDDEN, called, reaches_nothing_hidden, visitor
from tests.attacks.place import gains_nothing
from tests.mcp_server import office
from tests.mcp_server.caller import Caller
from tests.mcp_server.endpoints import endpoint_of

pytestmark = pytest.mark.anyio

NONE_AT_ALL = {
    "nothing": "",
    "blanks": "   ",
    "commas": ",,,,",
    "eight thousand commas": "," * 8192,
    "a name of another case": "OFFICE-DOORS",
    "a name with a dot": "office-doors.",
    "a name that is encoded": "office%2Ddoors",
    "a name that is encoded twice": "office%252Ddoors",
    "a name of wide letters": "\uff4fffice-doors",
    "a name with another hyphen": "office\u2011doors",
    "a name with a letter of no width": "office\u200b-doors",
    "a name that turns around": "\u202esrood-eciffo",
    "a name with a nul": "office-doors\0",
    "a name with a line": "office-doors\r\nx-who: eve Janitor",
    "a name by half": "offic",
    "a star": "*",
    "a pattern": "office-.*",
    "a path": "../all",
    "a path inside": "all/../office-doors",
    "a parameter": "all?x=1",
    "a semicolon": "office-doors;all",
    "a list of JSON": '["office-doors"]',
    "half a character": "\ud800",
    "an exclusion": "!clock",
    "the language's own": "__class__",
    "active": "<script>alert(1)</script>",
    "a group with its hyphen": "office-",
    "eight thousand letters": "a" * 8192,
    "eight thousand and one": "a" * 8193,
    "a megabyte": "a," * 500_000,
    "two thousand names": ",".join(f"n{number}" for number in range(1500)),
}


@pytest.mark.parametrize("choice", NONE_AT_ALL.values(), ids=NONE_AT_ALL)
@pytest.mark.parametrize("place", ["address", "x_mcp_toolsets", "x_mcp_tools"])
async def test_a_choice_of_what_there_is_not_is_a_mistake_and_not_everything(choice: str, place: str) -> None:
    caller = visitor(choice) if place == "address" else visitor(None, **{place: choice})
    answer = await caller.send("tools/list")
    reaches_nothing_hidden(answer, 400)
    assert choice.isascii() or choice.encode(errors="replace") not in repr(answer.headers).encode()


NOT_GRANTED = {
    "the toolset by the address": ("office-doors", {}),
    "the toolset by a header": (None, {"x_mcp_toolsets": "office-doors"}),
    "a tool by a header": ("all", {"x_mcp_tools": "brick_up_door"}),
    "a tool by its longer name": ("all", {"x_mcp_tools": "office_doors_brick_up_door"}),
    "a tool beside azure": ("all", {"x_mcp_tools": "azure,brick_up_door"}),
    "azure alone": (None, {"x_mcp_tools": "azure"}),
    "all by a header": (None, {"x_mcp_toolsets": "all"}),
    "all within the toolset": ("office-doors", {"x_mcp_toolsets": "all"}),
    "the toolset within all": ("all", {"x_mcp_toolsets": "office-doors"}),
    "the group": ("office", {}),
    "a choice that is not read only": ("all", {"x_mcp_readonly": "false"}),
}


@pytest.mark.parametrize(("path", "headers"), NOT_GRANTED.values(), ids=NOT_GRANTED)
@pytest.mark.parametrize("method", ["tools/list", "prompts/list", "resources/list", "server/discover"])
async def test_no_choice_lists_what_is_not_granted(path: str | None, headers: dict[str, str], method: str) -> None:
    answer = await visitor(path, **headers).send(method)
    assert answer.status in {200, 400, 403}
    named = repr(headers).encode()
    assert [name for name in HIDDEN if name in answer.body and name not in named] == []


HIDDEN_AND_ABSENT = [
    ("address", "office-doors", "office-caves"),
    ("x_mcp_toolsets", "office-doors", "office-caves"),
    ("x_mcp_tools", "brick_up_door", "brick_up_cave"),
    ("x_mcp_tools", "office_doors_brick_up_door", "office_doors_brick_up_cave"),
]


@pytest.mark.parametrize(("place", "hidden", "absent"), HIDDEN_AND_ABSENT)
async def test_nobody_finds_out_by_choices_what_is_hidden(place: str, hidden: str, absent: str) -> None:
    """What is not granted and what is not there are refused alike."""
    answers = [
        await (visitor(name) if place == "address" else visitor(None, **{place: name})).send("tools/list")
        for name in (hidden, absent)
    ]
    assert answers[0].status == answers[1].status
    assert answers[0].body.replace(hidden.encode(), absent.encode()) == answers[1].body


@pytest.mark.parametrize("way", ["direct", "learned"])
async def test_nobody_finds_out_by_calls_what_is_hidden(way: str) -> None:
    bodies = []
    for name in ("brick_up_door", "brick_up_cave"):
        if way == "learned":
            answer = await called(visitor(None), "azure", {"tool": "office-doors", "command": name, "parameters": {}})
        else:
            answer = await called(visitor(), name, {})
        bodies.append((answer.status, answer.body.replace(name.encode(), b"")))
    assert bodies[0] == bodies[1]


@pytest.mark.parametrize(("path", "headers"), NOT_GRANTED.values(), ids=NOT_GRANTED)
async def test_no_choice_lets_call_what_is_not_granted(path: str | None, headers: dict[str, str]) -> None:
    answer = await called(visitor(path, **headers), "brick_up_door", {"room": "attic", "confirm": "attic"})
    assert answer.status in {200, 400, 403}
    assert b"is gone" not in answer.body


@pytest.mark.parametrize(
    "truth", ["", " ", "yes", "TRUE,FALSE", "2", "-1", "0.0", "null", "\u0661", "false\0", "t" * 9999]
)
async def test_whoever_means_to_only_read_is_not_let_write_by_a_slip(truth: str) -> None:
    answer = await called(visitor(role="Janitor", x_mcp_readonly=truth), "write_note", {"text": "allowed"})
    gains_nothing(answer, 400)


@pytest.mark.parametrize("name", ["brick_up_door", "azure", "office_doors_brick_up_door", "write_note"])
async def test_read_only_holds_for_whoever_may_do_everything(name: str) -> None:
    arguments = {"tool": "office-doors", "command": "brick_up_door", "parameters": {"room": "a", "confirm": "a"}}
    given = arguments if name == "azure" else {"room": "a", "confirm": "a"}
    answer = await called(visitor(None, role="Janitor", x_mcp_readonly="true"), name, given)
    assert b"is gone" not in answer.body
    assert b'"isError":false' not in answer.body


async def test_ever_new_choices_keep_nothing_that_grows() -> None:
    """Views are kept, and callers decide which there are."""
    catalog = Catalog(office.TOOLSETS, office.SURFACE)
    endpoint = endpoint_of(Catalogs(catalog))
    for number in range(200):
        chosen = Caller(endpoint, "all", {"x-mcp-tools": f"find_notes,{' ' * number}azure,{'azure,' * number}"})
        assert (await chosen.send("tools/list")).status == 200
    assert catalog.view.cache_info().currsize <= 32


async def test_a_choice_of_one_caller_is_no_answer_to_another() -> None:
    """Lists are answered with kept bytes: never with those of somebody with other rights."""
    endpoint = visitor().endpoint
    everything = Caller(endpoint, "all", {"x-who": "ada Janitor"})
    assert b"brick_up_door" in (await everything.send("tools/list")).body
    for who in ("eve Visitor", "eve", "ada", "ada Clerk", "ada janitor", "ada Janitor2"):
        answer = await Caller(endpoint, "all", {"x-who": who}).send("tools/list")
        assert b"brick_up_door" not in answer.body, who
    assert b"brick_up_door" in (await everything.send("tools/list")).body
