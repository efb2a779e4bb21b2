"""Every snippet in the documentation works as it is printed: it runs, or the reader of its kind accepts it."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from textwrap import dedent
from typing import Any, Final

import pytest
import yaml

from changes.rules_file import rules_in
from documents.sources_file import sources_in
from extensions.entries_file import entries_in
from identity.roles import Roles
from identity.tenants_file import tenants_in
from settings import Settings
from tests.infra.declared import PARAMETERS
from tools import PROVIDERS, TOOLSETS
from tools.azure_devops.settings import AzureDevOpsSettings
from translating.glossary_files import read_glossaries

ROOT: Final = Path(__file__).parent.parent
PAGES: Final = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
_BLOCK: Final = re.compile(r"^( *)```(\w+)\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)
_PLACEHOLDER: Final = re.compile(r"<[a-z][a-z ]*>")
# What the template takes from the environment of azd.
OPTIONS: Final = frozenset(re.findall(r"\$\{(\w+)", json.dumps(PARAMETERS)))

# What other tests run as it is printed, by the page and the language.
RUN_ELSEWHERE: Final[Mapping[tuple[str, str], str]] = {
    ("README.md", "sh"): "tests/infra/test_newcomers.py",
    ("README.md", "json"): "tests/test_documents.py",
    ("docs/adding-a-provider.md", "python"): "tests/tools/test_providers.py",
    ("docs/adding-a-tool.md", "python"): "tests/test_documents.py",
    ("docs/deploying.md", "sh"): "tests/infra/hooks/test_snippets.py",
    ("docs/rest.md", "sh"): "tests/test_rest_page.py",
    ("docs/watches.md", "json"): "tests/watching/test_page.py",
    ("docs/watches.md", "python"): "tests/watching/test_page.py",
    ("docs/writing-an-extension.md", "javascript"): "tests/extensions/test_writing_one.py",
    ("docs/writing-an-extension.md", "python"): "tests/extensions/test_writing_one.py",
    ("docs/writing-an-extension.md", "yaml"): "tests/extensions/test_writing_one.py",
}
# Pages whose commands run here with programs that only note what they were given, and why.
NOTED: Final[Mapping[str, str]] = {
    "docs/azure-devops.md": "needs an organization in Azure DevOps and a token",
    "docs/azure-openai.md": "needs an account of Azure OpenAI",
    "docs/operating.md": "needs a deployed server",
    "docs/retirements.md": "needs a deployed server",
    "docs/signing-in.md": "needs a tenant of Entra ID",
    "docs/updates.md": "needs an address that somebody was given",
}
_PROGRAMS: Final = ("az", "azd", "curl", "git", "scripts/serve")
_PROGRAM: Final = """#!{python} -IS
import json, os, sys
with open({calls!r}, "a") as calls:
    calls.write(json.dumps([os.path.basename(sys.argv[0]), *sys.argv[1:]]) + "\\n")
print("noted")
"""


@dataclass(frozen=True, slots=True)
class Snippet:
    page: str
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def _snippets_of(path: Path) -> list[Snippet]:
    page = path.read_text(encoding="utf-8")
    name = path.relative_to(ROOT).as_posix()
    return [
        Snippet(name, page.count("\n", 0, found.start()) + 1, found[2], dedent(found[3]))
        for found in _BLOCK.finditer(page)
    ]


SNIPPETS: Final = [snippet for path in PAGES for snippet in _snippets_of(path)]
COMMANDS: Final = {
    page: "".join(one.text for one in SNIPPETS if (one.page, one.language) == (page, "sh")) for page in NOTED
}


@cache
def _tools() -> Mapping[str, list[str]]:
    return {toolset.name: [tool.name for tool in toolset.tools] for toolset in TOOLSETS}


def _roles(text: str) -> None:
    """Read a part of roles.yaml, in the place of that part of ours."""
    given = yaml.safe_load(text)
    shipped = yaml.safe_load((ROOT / "roles.yaml").read_text(encoding="utf-8"))
    rest = {name: section for name, section in shipped.items() if name not in given}
    whole = f"{text}\n{yaml.safe_dump(rest)}"
    roles = Roles.read(whole, "roles.yaml", _tools())
    rules = rules_in(whole, "roles.yaml", _tools(), roles.roles)
    tenants_in(whole, "roles.yaml", _tools(), roles.roles)
    assert set(given.get("roles", ())) <= set(roles.roles)
    assert not isinstance(given.get("changes"), list) or len(rules) == len(given["changes"])


def _extensions(text: str) -> None:
    if "roles:" in text:
        _roles(text)
        return
    # A folder that is there, so that the entry can be read on any machine.
    there = text.replace("/opt/servers/everything #", f"{ROOT.as_posix()} #")
    entries = entries_in(there, "extensions.yaml", [*_tools()], {"EVERYTHING_TOKEN": "x"})
    assert entries


def _sources(text: str) -> None:
    assert sources_in(text, "sources.yaml").keys() == yaml.safe_load(text)["sources"].keys()


def _glossary(text: str, folder: Path) -> None:
    (folder / "terms.yaml").write_text(text, encoding="utf-8")
    assert read_glossaries(folder).stay


def _client(text: str) -> None:
    """The settings of a client: one server, at the address that the documentation gives everywhere."""
    servers: dict[str, dict[str, Any]] = tomllib.loads(text)["mcp_servers"]
    assert [server["url"] for server in servers.values()] == ["https://<app>/mcp"]


READERS: Final[Mapping[tuple[str, str], Callable[[str], None]]] = {
    ("docs/changes.md", "yaml"): _roles,
    ("docs/cosmos-data.md", "yaml"): _roles,
    ("docs/documents.md", "yaml"): _sources,
    ("docs/extension-sources.md", "yaml"): _roles,
    ("docs/extensions.md", "yaml"): _extensions,
    ("docs/shelves.md", "yaml"): _roles,
    ("docs/signing-in.md", "toml"): _client,
    ("docs/signing-in.md", "yaml"): _roles,
    ("docs/workspaces.md", "yaml"): _roles,
}
GLOSSARY: Final = ("docs/translation.md", "yaml")
READ: Final = [snippet for snippet in SNIPPETS if (snippet.page, snippet.language) in READERS]


def test_every_snippet_is_run_or_read() -> None:
    known = {*RUN_ELSEWHERE, *READERS, GLOSSARY, *((page, "sh") for page in NOTED)}
    assert known == {(snippet.page, snippet.language) for snippet in SNIPPETS}


@pytest.mark.parametrize(("snippet", "test"), RUN_ELSEWHERE.items(), ids=str)
def test_what_runs_elsewhere_does(snippet: tuple[str, str], test: str) -> None:
    text = (ROOT / test).read_text(encoding="utf-8")
    assert Path(snippet[0]).name in text


@pytest.mark.parametrize("snippet", READ, ids=str)
def test_the_reader_of_its_kind_accepts_it(snippet: Snippet) -> None:
    READERS[snippet.page, snippet.language](snippet.text)


@pytest.mark.parametrize("snippet", [one for one in SNIPPETS if (one.page, one.language) == GLOSSARY], ids=str)
def test_the_glossary_is_read(snippet: Snippet, tmp_path: Path) -> None:
    _glossary(snippet.text, tmp_path)


@pytest.mark.parametrize("page", NOTED)
def test_its_commands_run(page: str, tmp_path: Path) -> None:
    calls = _calls(_PLACEHOLDER.sub("filled-in", COMMANDS[page]), tmp_path)
    words = [word for call in calls for word in call]
    assert calls
    assert "" not in words
    for name in [call[3] for call in calls if call[:3] == ["azd", "env", "set"]]:
        assert name in OPTIONS


def _calls(commands: str, folder: Path) -> list[list[str]]:
    calls = folder / "calls.jsonl"
    for name in _PROGRAMS:
        program = folder / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(_PROGRAM.format(python=sys.executable, calls=str(calls)), encoding="utf-8")
        program.chmod(0o755)
    ran = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands],
        env={"PATH": os.pathsep.join([str(folder), "/usr/bin", "/bin"])},
        input="a secret\n",
        capture_output=True,
        encoding="utf-8",
        cwd=folder,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    return [json.loads(line) for line in calls.read_text(encoding="utf-8").splitlines()]


def test_the_variables_of_azure_devops_are_its_settings() -> None:
    words = shlex.split(_PLACEHOLDER.sub("filled-in", COMMANDS["docs/azure-devops.md"]))
    given = dict(word.split("=", 1) for word in words if "=" in word)
    read = Settings.from_environment(given, [provider.settings for provider in PROVIDERS]).of(AzureDevOpsSettings)
    assert read.project == "filled-in"
    assert {given[name] for name in ("ADO_PROJECT", "ADO_PAT")} == {"filled-in"}
