"""The script that serves the app, on an app that says what it was given."""

from __future__ import annotations

import json
import os
import re
import select
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from tests.fakes.azurite import azurite_package
from tests.local_host.borrowed import add_venv
from tests.local_host.served import Served, serve
from tests.sweeps import ALL, Sweep, pairs

ROOT = Path(__file__).parent.parent.parent
APP = """
import json, os
import azure.functions as func

app = func.FunctionApp(http_auth_level=func.AuthLevel.ANONYMOUS)

@app.route("mcp", methods=["POST"])
async def mcp(req: func.HttpRequest) -> func.HttpResponse:
    expected = ("2025-11-25", "application/json, text/event-stream", "application/json")
    assert (req.headers["mcp-protocol-version"], req.headers["accept"], req.headers["content-type"]) == expected
    assert req.get_json()["method"] == "tools/list"
    tools = [{"name": "hammer"}, {"name": "saw"}]
    return func.HttpResponse(json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"tools": tools}}))

@app.route("health", methods=["GET"])
async def health(req: func.HttpRequest) -> func.HttpResponse:
    return func.HttpResponse(json.dumps({"toolsets": ["wood", "metal"]}))

@app.route("environment", methods=["GET"])
async def environment(req: func.HttpRequest) -> func.HttpResponse:
    return func.HttpResponse(json.dumps(dict(os.environ)))
"""
# What it logs when it is imported.
LOGGING = """
import logging
log = logging.getLogger("own")
log.setLevel(logging.INFO)
log.info("by the way")
log.warning("careful")
"""
FILE = "local.settings.json"


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the script, all that it needs, and another app, which was served before."""
    folder = tmp_path_factory.mktemp("prepared")
    for part in ("scripts", "local_host"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    for module in ("answer_stream.py", "refusal.py"):
        shutil.copy(ROOT / module, folder)
    (folder / "requirements.txt").touch()
    (folder / "function_app.py").write_text(APP)
    (folder / "host.json").write_text('{"version": "2.0", "extensions": {"http": {"routePrefix": ""}}}')
    add_venv(folder)
    with serve(folder):
        return folder


@pytest.fixture
def project(prepared: Path, tmp_path: Path) -> Path:
    return shutil.copytree(prepared, tmp_path / "project", symlinks=True)


@dataclass(frozen=True)
class Seen:
    """What the script printed, logged and gave to an app that logs two lines, until it ended."""

    project: Path
    served: Served
    logged: list[str]
    given: Mapping[str, str]


def seen(project: Path, *options: str, has_samples: bool) -> Seen:
    telling = APP.replace('["wood", "metal"]', f'["wood", "metal"], "updates": {{"isSample": {has_samples}}}')
    (project / "function_app.py").write_text(LOGGING + telling)
    with serve(project, *options) as served:
        given = served.environment()
    assert served.process.returncode == 0
    logged = re.findall(r"\] (.*)$", (project / "stderr").read_text(), re.MULTILINE)
    return Seen(project, served, logged, given)


@pytest.fixture(scope="module")
def quiet(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Seen:
    project = shutil.copytree(prepared, tmp_path_factory.mktemp("quiet") / "project", symlinks=True)
    return seen(project, has_samples=True)


@pytest.fixture(scope="module")
def verbose(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Seen:
    project = shutil.copytree(prepared, tmp_path_factory.mktemp("verbose") / "project", symlinks=True)
    return seen(project, "--verbose", has_samples=False)


def test_it_starts_with_a_few_lines_and_the_url(quiet: Seen) -> None:
    url = quiet.served.url
    assert [line for line in quiet.served.said.splitlines() if not line.startswith("Updates: ")] == [
        "Tools: hammer, saw",
        f"Connect: claude mcp add --transport http azure-team {url}/mcp (VS Code and Cursor: see README.md)",
        f"Listening on {url}",
    ]


def test_it_says_that_updates_are_invented(quiet: Seen) -> None:
    assert [line[:29] for line in quiet.served.said.splitlines() if line.startswith("Updates")] == [
        "Updates: samples until the fi"
    ]


def test_log_lines_below_warnings_are_shown_with_verbose(quiet: Seen, verbose: Seen) -> None:
    assert quiet.logged == ["careful"]
    assert (quiet.project / "stderr").read_text().count("\n") == 1
    assert verbose.logged == ["by the way", "careful"]


def test_the_app_stores_in_a_folder_of_the_project(quiet: Seen) -> None:
    assert quiet.given["STORAGE_FOLDER"] == str(quiet.project / ".local" / "storage")
    assert "AzureWebJobsStorage" not in quiet.given


def test_verbose_shows_the_rest(verbose: Seen) -> None:
    url = verbose.served.url
    assert verbose.served.said.splitlines() == [
        f"  environment: {url}/environment [GET]",
        f"  health: {url}/health [GET]",
        f"  mcp: {url}/mcp [POST]",
        "Tools: hammer, saw",
        "Toolsets: wood, metal",
        f"Connect: claude mcp add --transport http azure-team {url}/mcp (VS Code and Cursor: see README.md)",
        f'VS Code: code --add-mcp \'{{"name": "azure-team", "type": "http", "url": "{url}/mcp"}}\'',
        f'Cursor: .cursor/mcp.json: {{"mcpServers": {{"azure-team": {{"url": "{url}/mcp"}}}}}}',
        f"Listening on {url}",
    ]


@Sweep("body", ['{"jsonrpc": "2.0", "id": null, "error": {"code": -32001, "message": "no"}}', ""], every=2)
def test_where_callers_sign_in_it_says_so_and_how_to_connect(project: Path, body: str) -> None:
    refusing = APP.replace("    expected =", f"    return func.HttpResponse({body!r}, status_code=401)\n    expected =")
    (project / "function_app.py").write_text(refusing)
    with serve(project) as served:
        url = served.url
    assert served.said.splitlines()[0] == "Tools: sign-in required, see docs/signing-in.md"
    assert f"claude mcp add --transport http azure-team {url}/mcp" in served.said


def test_a_folder_that_cannot_be_written_is_told_in_a_line(project: Path) -> None:
    shutil.rmtree(project / ".local")
    (project / ".local").symlink_to("/sys")  # where not even root may make a folder
    with serve(project) as served:
        pass
    assert (served.process.returncode, served.said) == (1, "")
    assert (project / "stderr").read_text().startswith(f"{project}/.local/storage is not writable (")


@Sweep(("name", "place"), pairs(["STORAGE_FOLDER", "AzureWebJobsStorage"], ["environment", FILE]), every=2)
def test_a_storage_that_is_set_stays(project: Path, name: str, place: str) -> None:
    if place == FILE:
        (project / place).write_text(json.dumps({"Values": {name: "mine"}}))
    with serve(project, **({name: "mine"} if place == "environment" else {})) as served:
        given = served.environment()
    assert {key: given.get(key) for key in ("STORAGE_FOLDER", "AzureWebJobsStorage")} == {
        "STORAGE_FOLDER": None,
        "AzureWebJobsStorage": None,
        name: "mine",
    }


def test_an_app_that_does_not_start_ends_the_script_with_its_failure(project: Path) -> None:
    (project / "function_app.py").write_text("raise ValueError('not today')")
    with serve(project) as served:
        pass
    assert (served.process.returncode, served.said) == (1, "")
    assert (project / "stderr").read_text().endswith("ValueError: not today\n")


def test_settings_that_cannot_be_read_are_told_in_a_sentence(project: Path) -> None:
    (project / FILE).write_text("{")
    with serve(project) as served:
        pass
    assert (served.process.returncode, served.said) == (1, "")
    said = (project / "stderr").read_text()
    assert f"{project}/{FILE} is not JSON" in said
    assert said.count("\n") == 1


def test_an_app_without_tools_is_served_all_the_same(project: Path) -> None:
    (project / "function_app.py").write_text(APP.replace('"mcp"', '"elsewhere"'))
    with serve(project) as served:
        assert "The app did not list its tools" in served.said
        assert served.environment()


def test_a_change_is_served_with_watch(project: Path) -> None:
    with serve(project, "--watch") as served:
        (project / "function_app.py").write_text(APP.replace("dict(os.environ)", "{'new': 'yes'}"))
        assert served.process.stdout
        assert served.process.stdout.readline() == "A file changed: restarting.\n"
        assert f"Listening on {served.url}\n" in iter(served.process.stdout.readline, "")
        assert served.environment() == {"new": "yes"}
    assert served.process.returncode == 0
    assert served.said.count("Connect: ") == 1


def end_of_children(process: subprocess.Popen[str]) -> list[int]:
    """What can be waited for to know that each process which this one started has ended."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return [os.pidfd_open(int(child)) for child in children]


def assert_nothing_is_left_of(served: Served) -> None:
    ends = end_of_children(served.process)
    served.process.kill()
    for end in ends:
        assert select.select([end], [], [], 20)[0] == [end]
        os.close(end)


@pytest.mark.skipif(not ALL, reason="FUZZ_SWEEPS is not set: the app ends with Azurite in the next test of this.")
def test_the_app_ends_with_a_script_that_is_killed(project: Path) -> None:
    with serve(project) as served:
        assert_nothing_is_left_of(served)


@pytest.fixture
def azurite(project: Path) -> Path:
    """A project in which Azurite is installed, as it is in ours."""
    azurite_package()
    (project / ".local" / "azurite").symlink_to(ROOT / ".local" / "azurite")
    return project


def status_of_blobs(connection_string: str) -> int:
    (url,) = re.findall(r"BlobEndpoint=([^;]+);", connection_string)
    with pytest.raises(HTTPError) as refusal, urlopen(f"{url}?comp=list"):  # noqa: S310 - Azurite, just started
        pass
    refusal.value.close()
    return refusal.value.code


def test_azurite_is_started_and_stopped_with_the_app_and_a_second_one_on_its_data_is_refused(azurite: Path) -> None:
    with serve(azurite, "--azurite") as served:
        given = served.environment()
        assert status_of_blobs(given["AzureWebJobsStorage"]) == 403
        assert "STORAGE_FOLDER" not in given
        with serve(azurite, "--azurite") as second:
            pass
        assert second.process.returncode == 1
        assert (azurite / "stderr").read_text().endswith("azurite-data: stop it first.\n")
    assert served.process.returncode == 0
    with pytest.raises(OSError, match="refused"):
        status_of_blobs(given["AzureWebJobsStorage"])


def test_azurite_and_the_app_end_with_a_script_that_is_killed(azurite: Path) -> None:
    with serve(azurite, "--azurite") as served:
        assert_nothing_is_left_of(served)
