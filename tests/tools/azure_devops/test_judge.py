"""Every golden request is one that the official specification knows, in the opinion of others and of its own text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from mcp_server.declarations.toolset import Tool
from tests.mcp_server.caller import Caller
from tests.sweeps import Sweep, only_with
from tests.tools.azure_devops.calling import TOOLS
from tests.tools.azure_devops.data import SPECIFICATION, specification, with_data
from tests.tools.azure_devops.golden import Case, Scripted, Sent, cases
from tests.tools.prism import Judge, judging

pytestmark = with_data

# Published as addresses of their own, `...comments?format={format}`, which no judge can read.
PART_OF_AN_ADDRESS = {"format", "name", "path"}
BY_NAME: dict[str, Tool] = {tool.name: tool for tool in TOOLS}
CASES = [case for case in cases() if case.exchanges and case.tool in BY_NAME]


@pytest.fixture(scope="session")
def judge() -> Iterator[Judge]:
    with judging(SPECIFICATION) as someone:
        yield someone


@only_with("FUZZ_OPENAPI")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_prism_accepts_every_request(case: Case, judge: Judge, scripted: Scripted, player: Caller) -> None:
    for sent, published in zip(await _sent(case, scripted, player), _published(case), strict=True):
        verdict = judge.verdict(sent)
        assert verdict.is_published is published, sent.line
        assert not (published and verdict.objection), verdict.objection


@Sweep("case", CASES, ids=lambda case: case.name, every=3)
async def test_names_in_queries_and_bodies_are_in_the_specification(
    case: Case, scripted: Scripted, player: Caller
) -> None:
    for sent, published in zip(await _sent(case, scripted, player), _published(case), strict=True):
        if published:
            operation = _operation(sent)
            named = {parameter["name"] for parameter in operation["parameters"] if parameter["in"] == "query"}
            assert sent.query.keys() <= named | PART_OF_AN_ADDRESS
            if isinstance(sent.body, dict) and (known := _properties(operation)):
                assert sent.body.keys() <= known


async def _sent(case: Case, scripted: Scripted, player: Caller) -> list[Sent]:
    scripted.play(case)
    await player.call(case.tool, **case.arguments)
    assert len(scripted.sent) == len(case.exchanges)
    return scripted.sent


def _published(case: Case) -> list[bool]:
    return [exchange.get("published", True) for exchange in case.exchanges]


def _operation(sent: Sent) -> Any:
    for path, operations in specification()["paths"].items():
        pattern = re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(path))
        if sent.method.lower() in operations and re.fullmatch(pattern, sent.path):
            return operations[sent.method.lower()]
    raise AssertionError(f"{sent.line} is not in the specification")


def _properties(operation: Any) -> set[str]:
    """The names that the body may have; none where it is no plain object."""
    for parameter in operation["parameters"]:
        if parameter["in"] == "body":
            return set(_resolved(parameter["schema"]))
    return set()


def _resolved(schema: Any) -> Iterator[str]:
    if reference := schema.get("$ref"):
        schema = specification()["definitions"][reference.rpartition("/")[2]]
    yield from schema.get("properties", ())
    for part in schema.get("allOf", ()):
        yield from _resolved(part)
