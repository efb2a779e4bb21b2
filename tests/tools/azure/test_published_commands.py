"""The page of the 87 public commands: all are there, and what it says of ours is so."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from mcp_server.declarations.names import Names, folded
from mcp_server.declarations.toolset import Access, Tool
from tests.tools.azure.data import FOLDER
from tools.azure import TOOLSETS
from tools.azure.azd.az_commands import AZ_COMMANDS
from tools.azure.azd.azd_commands import AS_PUBLISHED, AZD
from tools.azure.azd.command_lines import AzdCommand

PAGE: Final = (Path(__file__).parents[3] / "docs" / "azure-commands.md").read_text(encoding="utf-8")
PUBLISHED: Final = FOLDER / "learn-extensions.json"
MOST_WHY_NOT: Final = 16
NUMBER: Final = 87
_CALL: Final = re.compile(r"`([\w-]+)`: `(\w+)\((.*)\)`")


@dataclass(frozen=True)
class Row:
    extension: str
    command: str
    takes: tuple[str, ...]
    ours: str
    kind: str
    note: str


def rows() -> list[Row]:
    found = []
    for section in PAGE.split("\n## ")[1:]:
        for line in section.splitlines():
            if line.startswith("| `"):
                command, takes, ours, kind, note = (cell.strip() for cell in line.strip("|").split(" | "))
                names = tuple(re.findall(r"`(\w+)`", takes))
                found.append(Row(section.partition("\n")[0], command.strip("`"), names, ours, kind, note.strip(" |")))
    return found


ROWS: Final = rows()
of_kind = {kind: [row for row in ROWS if row.kind == kind] for kind in ("reads", "changes", "command line", "none")}


def tool_called(toolset: str, name: str) -> Tool:
    (tools,) = [one.tools for one in TOOLSETS if one.name == toolset]
    found = Names(tools, folded).named(name)
    assert found, f"{toolset} has no {name}"
    return found[0]


def test_every_command_has_one_row_and_few_have_none_of_ours() -> None:
    assert len(ROWS) == len({(row.extension, row.command) for row in ROWS}) == NUMBER
    assert sum(map(len, of_kind.values())) == NUMBER
    assert len(of_kind["none"]) <= MOST_WHY_NOT
    assert all(len(row.note) > 40 for row in of_kind["none"])


@pytest.mark.skipif(not PUBLISHED.exists(), reason=f"there is no list of the public commands in {FOLDER}")
def test_the_rows_are_the_commands_that_were_published_with_what_they_take() -> None:
    published = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    expected = {
        (extension, one["name"]): tuple(parameter["name"] for parameter in one["params"])
        for extension, commands in published.items()
        for one in commands
    }
    assert {(row.extension, row.command): row.takes for row in ROWS} == expected


def test_the_numbers_on_the_page_are_those_of_its_rows() -> None:
    told = {kind: int(number) for kind, number in re.findall(r"^\| ([a-z ]+) \| (\d+) \|", PAGE, re.MULTILINE)}
    assert told == {kind: len(found) for kind, found in of_kind.items()}


ours = pytest.mark.parametrize("row", [*of_kind["reads"], *of_kind["changes"]], ids=lambda row: row.command)


@ours
def test_what_reads_or_changes_is_a_tool_that_takes_what_is_said(row: Row) -> None:
    found = _CALL.fullmatch(row.ours)
    assert found is not None
    tool = tool_called(found[1], found[2])
    assert (tool.own_access is Access.READ) is (row.kind == "reads")
    properties = tool.input_schema["properties"]
    given = dict(part.split("=") for part in found[3].split(", ") if part)
    assert given.keys() <= properties.keys()
    values = (value.strip("[]") for value in given.values())
    passed = {value for value in values if value != "true" and not value.startswith('"')}
    assert passed <= set(row.takes)
    # What is not passed on is said to be of no use.
    assert all(f"`{name}`" in row.note for name in set(row.takes) - passed)


@ours
def test_what_reads_or_changes_has_all_that_it_needs(row: Row) -> None:
    found = _CALL.fullmatch(row.ours)
    assert found is not None
    required = tool_called(found[1], found[2]).input_schema.get("required", [])
    assert set(required) <= {part.split("=")[0] for part in found[3].split(", ") if part}


@pytest.mark.parametrize("row", of_kind["changes"], ids=lambda row: row.command)
def test_what_changes_is_no_tool_that_reads(row: Row) -> None:
    found = _CALL.fullmatch(row.ours)
    assert found is not None
    assert tool_called(found[1], found[2]).access is not Access.READ


@pytest.mark.parametrize("row", of_kind["command line"], ids=lambda row: row.command)
def test_what_becomes_a_command_line_is_known_with_its_parameters(row: Row) -> None:
    found = _CALL.fullmatch(row.ours)
    assert found is not None
    tool_called(found[1], found[2])
    assert found[3] == f'command="{row.command}"'
    known = _known(found[2], row.command)
    taken = known.named(dict.fromkeys(row.takes, "x")).keys() - {"cwd", *known.refused}
    assert taken <= known.options.keys()
    assert ("cwd" in row.takes) <= ("`cwd` is `folder`" in row.note or not row.takes)
    assert all(f"`{name}` is refused" in row.note for name in set(row.takes) & known.refused.keys())


def _known(tool: str, command: str) -> AzdCommand:
    if tool == "write_az_command":
        return AZ_COMMANDS[command]
    return AZD[AS_PUBLISHED.get(command) or command.replace("-", " ") if command not in AZD else command]


def test_a_command_of_az_that_is_known_has_a_row() -> None:
    assert {row.command for row in ROWS} >= AZ_COMMANDS.keys()


NAMED: Final = sorted(set(re.findall(r"`((?:list|show|write|create|update|delete|exists)_\w+)`", PAGE)))


@pytest.mark.parametrize("name", NAMED)
def test_every_tool_that_is_named_is_there(name: str) -> None:
    assert any(Names(toolset.tools, folded).named(name) for toolset in TOOLSETS), name
