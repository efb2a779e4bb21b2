"""What the host says when it starts, and when it cannot."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from aiohttp import ClientSession

from local_host.process import AppDidNotStartError
from tests.local_host.sample import WriteApp
from tests.warm.app import WARM, running, serving

ROOT = Path(__file__).parent.parent.parent


def failure(app: Path, *options: str) -> str:
    """What the host says about an app that it refuses."""
    ended = start(app, *options)
    assert (ended.returncode, ended.stdout) == (1, "")
    return ended.stderr


def start(app: Path, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "local_host", str(app), "--port", "0", *options]
    return WARM.run(command, cwd=ROOT, env={**os.environ, **environment})


def test_every_function_is_shown_with_its_address(write_app: WriteApp, tmp_path: Path) -> None:
    app = write_app(
        '@app.timer_trigger("timer", schedule="00:05:00")\ndef tidy(timer: func.TimerRequest) -> None: ...\n'
    )
    with serving(app, log=tmp_path / "log") as url:
        pass
    assert (tmp_path / "log").read_text().splitlines() == [
        f"  hello: {url}/api/hello [GET]",
        f"  tidy: at 00:05:00 (UTC), or run it now with POST {url}/admin/functions/tidy",
        f"Listening on {url}",
    ]


def test_only_this_machine_is_listened_to(sample: str) -> None:
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+", sample)


async def test_the_environment_goes_before_local_settings(write_app: WriteApp) -> None:
    app = write_app(
        "import os\n"
        '@app.route("settings")\n'
        "async def settings(req: func.HttpRequest) -> func.HttpResponse:\n"
        "    values = [os.environ.get(name) for name in ('ONE', 'TWO', 'THREE', 'FOUR')]\n"
        "    return func.HttpResponse(f'{values} {os.getcwd()}')\n"
    )
    values = {"Values": {"ONE": "file", "TWO": "file", "THREE": True, "FOUR": None}}
    (app / "local.settings.json").write_text("\ufeff" + json.dumps(values), encoding="utf-8")
    async with (
        running(app, settings={"TWO": "environment"}) as url,
        ClientSession(url) as client,
        client.get("/api/settings") as response,
    ):
        assert await response.text() == f"['file', 'environment', 'True', None] {app}"


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("import nowhere_to_be_found\n", "ModuleNotFoundError: No module named 'nowhere_to_be_found'\n"),
        ("raise ValueError('not today')\n", "ValueError: not today\n"),
        ("def broken(:\n", "SyntaxError: invalid syntax\n"),
    ],
)
def test_an_app_that_cannot_be_imported_shows_its_own_failure(write_app: WriteApp, source: str, problem: str) -> None:
    app = write_app(source)
    said = failure(app)
    assert said.startswith(f"{app}/function_app.py cannot be imported.\n")
    assert said.endswith(problem)
    assert str(app / "function_app.py") in said
    assert "local_host" not in said
    assert "site-packages" not in said


def test_what_an_app_refuses_in_words_is_told_in_a_line(write_app: WriteApp) -> None:
    app = write_app("from refusal import Refusal\nraise Refusal('The setting X is not valid: it must be true.')\n")
    assert failure(app) == "The setting X is not valid: it must be true.\n"


def test_a_wrong_setting_of_this_app_is_told_in_a_line() -> None:
    ended = start(ROOT, MCP_READ_ONLY="yes")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert re.fullmatch(r"The setting MCP_\w+ is not valid: .*\n", ended.stderr)


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        (
            '@app.route("x")\nasync def x(other: func.HttpRequest) -> func.HttpResponse: ...\n',
            "FunctionLoadError: cannot load the x function: the following parameters are declared in Python",
        ),
        (
            '@app.function_name("hello")\n@app.route("y")\ndef y(req: func.HttpRequest) -> str: ...\n',
            "Function hello does not have a unique function name",
        ),
        ("second = func.FunctionApp()\n", "More than one FunctionApp"),
        ("app = None\n", "Could not find top level function app instances in function_app.py"),
    ],
)
def test_functions_that_cannot_be_indexed_show_the_librarys_failure(
    write_app: WriteApp, source: str, problem: str
) -> None:
    said = failure(write_app(source))
    assert said.startswith("The functions cannot be indexed.\nTraceback")
    assert problem in said


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("app = func.FunctionApp()\n", "function_app.py has no functions"),
        (
            '@app.route("{id:number}")\ndef x(req: func.HttpRequest) -> str: ...\n',
            "x: the route '{id:number}' is invalid",
        ),
        ('@app.route("hello")\ndef x(req: func.HttpRequest) -> str: ...\n', "x have the same route and method"),
        ('@app.timer_trigger("t", schedule="daily")\ndef x(t: func.TimerRequest) -> None: ...\n', "'daily' must be"),
        ('@app.timer_trigger("t", schedule="%NO%")\ndef x(t: func.TimerRequest) -> None: ...\n', "the setting NO"),
    ],
)
def test_an_app_that_cannot_be_served_is_refused_in_a_sentence(write_app: WriteApp, source: str, problem: str) -> None:
    said = failure(write_app(source))
    assert problem in said.splitlines()[-1]
    assert "Traceback" not in said


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("function_app.py", None, "function_app.py not found in"),
        ("host.json", None, "No host.json in"),
        ("host.json", "{", "host.json is not JSON"),
        ("host.json", "[]", "host.json is not a JSON object"),
        ("local.settings.json", "{'Values': 1}", "local.settings.json is not JSON"),
        ("local.settings.json", '{"IsEncrypted": true}', "local.settings.json is encrypted"),
        ("local.settings.json", '{"Values": ["A"]}', 'The "Values" of local.settings.json must be an object'),
    ],
)
def test_a_folder_that_is_not_an_app_is_refused_in_a_sentence(
    write_app: WriteApp, name: str, content: str | None, problem: str
) -> None:
    app = write_app("")
    if content is None:
        (app / name).unlink()
    else:
        (app / name).write_text(content)
    said = failure(app)
    assert problem in said
    assert said.count("\n") == 1


def test_a_folder_that_does_not_exist_is_refused_in_a_sentence(tmp_path: Path) -> None:
    assert failure(tmp_path / "nowhere") == f"function_app.py not found in {tmp_path}/nowhere.\n"


def test_a_port_in_use_is_told_in_a_sentence(write_app: WriteApp) -> None:
    app = write_app("raise ValueError('never imported')\n")
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert failure(app, "--port", str(port)) == (
            f"Cannot listen on port {port} of 127.0.0.1 (address already in use). Choose another port with --port.\n"
        )


def test_whoever_waits_for_an_app_that_does_not_start_is_given_the_end_of_its_log(write_app: WriteApp) -> None:
    with (
        pytest.raises(AppDidNotStartError, match="ValueError: not today"),
        serving(write_app("raise ValueError('not today')")),
    ):
        pass


async def test_settings_outside_of_values_are_told(write_app: WriteApp, tmp_path: Path) -> None:
    app = write_app("")
    (app / "local.settings.json").write_text('{"IsEncrypted": false, "MCP_READ_ONLY": "true"}')
    async with running(app, log=tmp_path / "log"):
        said = (tmp_path / "log").read_text()
    assert said.count('WARNING local_host -] local.settings.json has no "Values", so this file has no effect') == 1


@pytest.mark.parametrize(
    ("module", "command"),
    [
        ("azure_functions_runtime", "--no-deps --ignore-requires-python azure-functions-runtime==1.3.0`."),
        ("aiohttp", f"-r {ROOT}/requirements.txt`."),
    ],
)
def test_a_package_that_is_missing_is_named_with_what_brings_it(
    write_app: WriteApp, tmp_path: Path, module: str, command: str
) -> None:
    (tmp_path / "sitecustomize.py").write_text(f"import sys\nsys.modules[{module!r}] = None\n")
    ended = start(write_app(""), PYTHONPATH=str(tmp_path))
    assert (ended.returncode, ended.stdout) == (1, "")
    package = module.replace("_", "-")
    assert ended.stderr.startswith(f"The package {package} is missing: `scripts/serve` installs all packages")
    assert ended.stderr.endswith(f"{sys.executable} -m pip install {command}\n")
    assert ended.stderr.count("\n") == 1


async def test_bindings_that_the_host_lacks_are_told(write_app: WriteApp, tmp_path: Path) -> None:
    source = (
        '@app.service_bus_queue_trigger("message", queue_name="q", connection="c")\n'
        "def read(message: func.ServiceBusMessage) -> None: ...\n"
    )
    async with running(write_app(source), log=tmp_path / "log"):
        assert (
            "WARNING local_host -] read: this host does not support the serviceBusTrigger 'message'"
            in (tmp_path / "log").read_text()
        )


async def test_requests_are_logged_when_asked_for(write_app: WriteApp, tmp_path: Path) -> None:
    async with (
        running(write_app(""), options=["--log-requests"], log=tmp_path / "log") as url,
        ClientSession(url) as client,
        client.get("/api/hello"),
    ):
        pass
    assert '"GET /api/hello HTTP/1.1" 200' in (tmp_path / "log").read_text()
