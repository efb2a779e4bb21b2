"""Every fixed requirement has a test that is named after its id, so that nothing trades one away unseen."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Final

import pytest

HERE: Final = Path(__file__).parent
# By its id, what the product has to do.
REQUIREMENTS: Final = {
    "fw-1": "new_azure_firewall_rules takes team, source, destination, port (443) and existing_yaml",
    "fw-2": "it writes nothing, and returns yaml_content, filename, action and message",
    "fw-3": "the schema has a pattern for source and for destination",
    "fw-4": "both are addresses or CIDR blocks, and anything else is rejected with the reason",
    "fw-5": "invalid YAML is reported with its location, and existing content is kept",
    "fw-6": "the file is flat, and a standard linter accepts it",
    "fw-7": "a duplicate leaves the file unchanged",
    "fw-8": "the description says how to find, read and write the file",
    "fw-9": "the description forbids guessing, and has agents ask the user",
    "fw-10": "mcp://azure-firewall/schema is the validation as JSON Schema",
    "fw-11": "a response takes less than 100 ms with 1,000 rules",
    "up-1": "search_azure_updates takes query, id, filters, limit and offset",
    "up-2": "BM25 over titles and descriptions, with the documented results",
    "up-3": "azure-updates://guide has filter values, totals and freshness",
    "up-4": "updates are read in the background",
    "up-5": "sorting, facets, resources, health, refresh, notifications and exports",
    "one-1": "azure takes intent, tool, command, parameters and learn, and learning drills down",
    "one-2": "extensions are found, installed when needed, and started only then",
    "one-3": "storage, keyvault, resource and azd are available",
    "ado": "106 tools of Azure DevOps under their given names",
    "eva-1": "lists are fast, and 100 clients at once are answered",
    "eva-2": "the REST interface",
    "eva-3": "records by tenant, resources, git, documents, translation and metrics",
    "eva-4": "sign-in, roles for each tool, records of each call, secrets in a vault",
    "eva-5": "clients continue after their server is lost, and tools come in packs",
    "deployment": "a Functions app in Python with the agreed files and packages",
}
_NAMES: Final = sorted(REQUIREMENTS, key=len, reverse=True)


@pytest.mark.parametrize("requirement", REQUIREMENTS)
def test_a_requirement_has_a_test_named_after_its_id(requirement: str) -> None:
    assert requirement in {_requirement_of(name) for name in _tests()}, REQUIREMENTS[requirement]


def test_each_test_here_is_of_a_requirement() -> None:
    assert [name for name in _tests() if not _requirement_of(name)] == []


def _tests() -> list[str]:
    paths = [path for path in HERE.glob("test_*.py") if path.name != Path(__file__).name]
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in paths]
    functions = [
        node for tree in trees for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    return [node.name for node in functions if node.name.startswith("test_")]


def _requirement_of(name: str) -> str:
    words = re.sub(r"^test_", "", name).replace("_", "-")
    return next((one for one in _NAMES if words.startswith(f"{one}-")), "")
