"""What `azd init` copies for somebody who only wants the server: the commands of the README work in it."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.request import Request, urlopen

import pytest
from pathspec import GitIgnoreSpec

from scripts.packaging import sent_files
from tests.fakes.azd import FakeAzd, Project
from tests.fakes.azure_for_hooks import AzureForHooks
from tests.infra.hooks.bench import URL, VALUES
from tests.local_host.borrowed import add_venv
from tests.local_host.served import Served, serve

ROOT: Final = Path(__file__).parents[2]
NO_FEED: Final = "http://127.0.0.1:1"


def _copied() -> list[Path]:
    """azd clones the repository, and leaves out what its own file of patterns names, and that file."""
    answer = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        pytest.skip("this is no clone, so nothing says which files belong to the template")
    ignored = GitIgnoreSpec.from_lines((ROOT / ".azdignore").read_text(encoding="utf-8").splitlines())
    files = [name for name in answer.stdout.split("\0") if name and (ROOT / name).exists()]
    return [Path(name) for name in files if name != ".azdignore" and not ignored.match_file(name)]


@pytest.fixture(scope="module")
def newcomer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("newcomer")
    for file in _copied():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / file, folder / file)
    add_venv(folder)
    return folder


@pytest.fixture(scope="module")
def served(newcomer: Path) -> Iterator[Served]:
    with serve(newcomer, UPDATES_API_URL=NO_FEED) as served:
        yield served


def _commands() -> list[str]:
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    return sorted({line.partition("  #")[0].strip() for block in blocks for line in block.splitlines()})


def test_the_commands_of_the_readme_are_those_that_are_run_here() -> None:
    run_here = {"azd auth login", "azd up", "curl", "scripts/serve", "scripts/serve --demo"}
    assert {"curl" if command.startswith("curl ") else command for command in _commands()} == run_here


def test_the_server_starts_and_lists_its_tools(served: Served) -> None:
    assert "Tools: " in served.said
    assert "azure" in served.said.partition("Tools: ")[2].splitlines()[0]


def test_a_tool_is_called_without_mcp_as_the_readme_does(served: Served) -> None:
    words = shlex.split(next(command for command in _commands() if command.startswith("curl")))
    address, body = words[2].replace("http://127.0.0.1:7071", served.url), words[4]
    with urlopen(Request(address, body.encode(), method="POST")) as response:  # noqa: S310 - what was just started
        assert response.status == 200
        assert json.load(response)


def test_the_checks_say_where_they_are(newcomer: Path) -> None:
    done = subprocess.run([newcomer / "scripts" / "test"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "Clone the repository instead: https://github.com/" in done.stderr


def test_up_runs_its_hooks(newcomer: Path, tmp_path: Path) -> None:
    azd, azure = FakeAzd.installed(tmp_path), AzureForHooks()
    project = Project(newcomer, sys.executable).made_ready()
    with azure.serving(tmp_path) as internet:
        variables = {**VALUES, **azd.variables, **internet}
        told = [project.run(hook, variables) for hook in ("preprovision", "postprovision", "postdeploy")]
    assert [(done.returncode, done.stderr) for done in told] == [(0, "")] * 3
    assert f"MCP server: {URL}/mcp" in told[-1].stdout


def test_what_is_deployed_from_it_is_what_is_deployed_from_a_clone() -> None:
    copied = set(_copied())
    tracked = {Path(line) for line in _tracked()}
    assert {file for file in sent_files(ROOT) if file in tracked} <= copied
    assert {file for file in tracked if file.parts[0] in {"infra", "local_host"}} <= copied
    assert Path(".github/workflows/azure-dev.yml") in copied


def _tracked() -> list[str]:
    command = ["git", "ls-files"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()


def test_what_only_contributors_need_is_left_out() -> None:
    copied = _copied()
    assert {file.parts[0] for file in copied} & {"tests", ".ci", ".azdignore", "requirements-dev.txt"} == set()
    assert sum((ROOT / file).stat().st_size for file in copied) < 14_000_000


def test_every_pattern_leaves_something_out() -> None:
    lines = (ROOT / ".azdignore").read_text(encoding="utf-8").splitlines()
    patterns = [line for line in lines if line and not line.startswith("#")]
    assert [one for one in patterns if not any(GitIgnoreSpec.from_lines([one]).match_files(_tracked()))] == []


def test_the_links_of_its_documents_lead_to_files(newcomer: Path) -> None:
    documents = [*newcomer.glob("*.md"), *newcomer.glob("docs/*.md")]
    assert documents
    for document in documents:
        links = re.findall(r"\]\((?!https?:)([^)#]+)", document.read_text(encoding="utf-8"))
        assert [link for link in links if not (document.parent / link).exists()] == []
