"""Whatever a text among the arguments says, it stays what it is: it changes no address, no query and no header."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest

from mcp_server.declarations.toolset import Tool
from tests.mcp_server.caller import Caller
from tests.sweeps import Sweep
from tests.tools.azure_devops.calling import TOOLS
from tests.tools.azure_devops.golden import Case, Scripted, Sent, cases

HARMLESS = "Harmless"
HOSTILE = (
    "' OR [System.Id] > 0 OR '' = '",
    "x') OR (1 = 1",
    "..",
    "../../_apis/projects",
    "..\\%2e%2e%2fx?destroy=true&$top=9#y;z",
    "x\r\nX-Evil: 1\r\n\r\n",
    "x\x00{project}{0}",
    '//evil.example.com/"ü😀\u202e',
)
# WIQL of one's own is meant to be a query; what it may read is what its caller may read.
ITSELF_A_QUERY = {("list_work_items", "query")}
_LITERAL = re.compile(r"'(?:[^']|'')*'")

Put = Callable[[str], dict[str, Any]]


def texts(tool: Tool, case: Case) -> Iterator[tuple[str, Put]]:
    """Every place among the arguments where a caller can put any text."""
    for name, schema in tool.input_schema["properties"].items():
        if (tool.name, name) not in ITSELF_A_QUERY:
            yield from ((f"{name}{path}", _putting(case, name, wrap)) for path, wrap in _places(schema))


def _putting(case: Case, name: str, wrap: Callable[[str], Any]) -> Put:
    return lambda text: case.arguments | {name: wrap(text)}


def _places(schema: dict[str, Any]) -> Iterator[tuple[str, Callable[[str], Any]]]:
    if schema.get("type") == "string" and "enum" not in schema:
        yield "", lambda text: text
    if schema.get("type") == "array" and schema["items"].get("type") == "string" and "enum" not in schema["items"]:
        yield "[]", lambda text: ["first", text]
    if schema.get("type") == "object":
        yield "{}", lambda text: {"Some.Name": text}
        yield "{name}", lambda text: {text: "value"}


@cache
def first_cases() -> dict[str, Case]:
    return {case.tool: case for case in reversed(cases()) if case.answer is not None and case.is_ordered}


PLACES = [
    pytest.param(tool, case, put, id=f"{tool.name}-{where}")
    for tool in TOOLS
    if (case := first_cases().get(tool.name))
    for where, put in texts(tool, case)
]


@Sweep(("tool", "case", "put"), PLACES, every=6)
async def test_a_hostile_text_is_sent_as_a_text_or_not_at_all(
    tool: Tool, case: Case, put: Put, scripted: Scripted, player: Caller
) -> None:
    async def sent_with(text: str) -> tuple[list[Sent], str]:
        scripted.play(case, by_turns=True)
        result = await player.call(tool.name, **put(text))
        return scripted.sent, result["content"][0]["text"]

    usual, _ = await sent_with(HARMLESS)
    for text in HOSTILE:
        sent, told = await sent_with(text)
        for request, model in zip(sent, usual, strict=False):
            assert _form(request, model) == _form(model, model), text
        assert len(sent) <= len(usual), text
        assert "Incident" not in told, f"{text!r} is a defect, and not a refusal"


def _form(sent: Sent, model: Sent) -> Any:
    """What a request is apart from the texts in it, which are where the model has the harmless one."""
    path = sent.path.split("/")
    models = model.path.split("/") + [""] * len(path)
    segments = ["*" if HARMLESS in at else segment for segment, at in zip(path, models, strict=False)]
    query = {name: "*" if HARMLESS in model.query.get(name, "") else value for name, value in sent.query.items()}
    return sent.method, sent.host, segments, query, sorted(sent.headers), _shape(sent.body)


def _shape(value: Any) -> Any:
    if isinstance(value, dict) and "op" in value:
        return value["op"], value["path"].count("/"), value["path"].count("~"), _shape(value.get("value"))
    if isinstance(value, dict):
        return {name: _shape(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_shape(entry) for entry in value]
    if isinstance(value, str) and value.startswith("SELECT"):
        return _LITERAL.sub("'*'", value)
    return type(value).__name__
