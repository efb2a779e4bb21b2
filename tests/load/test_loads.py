"""What loads the app can be started, and the document says of each hostile request what is sent and what bounds it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from scripts import environment, exhaustion
from tests.sweeps import ALL, Sweep
from tools import TOOLSETS
from updates.showing.exports import FORMS

ROOT = Path(__file__).parents[2]
LOADS = Path(__file__).parent


@pytest.fixture(scope="session")
def packages() -> str:
    return str(environment.packages("load", "tests/load/requirements.txt"))


CLIENTS = {"locustfile.py": "Agent", "team.py": "Member", "holders.py": "Holder", "hostile.py": "Stranger"}


@pytest.mark.skipif(not ALL, reason="FUZZ_SWEEPS is not set: a client that begins was found, too.")
@pytest.mark.parametrize(("file", "client"), CLIENTS.items())
def test_clients_are_found_in(file: str, client: str, packages: str) -> None:
    command = [sys.executable, "-m", "locust", "-f", str(LOADS / file), "--list"]
    listed = subprocess.run(command, env={"PYTHONPATH": packages}, capture_output=True, text=True, check=False)
    assert (listed.returncode, listed.stdout.split()) == (0, ["Available", "Users:", client]), listed.stderr


@Sweep("file", CLIENTS, every=4, start=1)
def test_clients_say_when_they_begin_and_in_the_end_what_they_saw(file: str, packages: str) -> None:
    # Nothing listens on the port for discarding.
    options = ["--host", "http://127.0.0.1:9", "--users", "1", "--run-time", "1s", "--headless", "--json"]
    command = [sys.executable, "-m", "locust", "-f", str(LOADS / file), *options]
    run = subprocess.run(command, env={"PYTHONPATH": packages}, capture_output=True, text=True, check=False)
    begun, _, rows = run.stdout.partition("\n")
    assert begun == "Clients begin."
    assert isinstance(json.loads(rows), list)


def test_the_tools_that_a_team_uses_exist() -> None:
    sources = [(LOADS / file).read_text(encoding="utf-8") for file in CLIENTS]
    used = {tuple(pair) for source in sources for pair in re.findall(r'"azure(?:_change)?", "([\w-]+)/(\w+)"', source)}
    existing = {(toolset.name, tool.name) for toolset in TOOLSETS for tool in toolset.tools}
    # An extension of the demo.
    assert used - existing == {("ovens", "ovens_list_ovens")}


@contextmanager
def counting(paths: list[str], status: int) -> Iterator[str]:
    """A server that answers with this status, and notes what it was asked for."""

    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            paths.append(self.path)
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Answering) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_before_anything_is_counted_the_first_file_of_each_form_is_made() -> None:
    paths: list[str] = []
    with counting(paths, 200) as url, exhaustion.Observer(url, lambda: 1) as warming:
        exhaustion.warm_up(url)
    assert [path for path in paths if path != "/health"] == [f"/updates.{form}" for form in FORMS]
    with exhaustion.Observer("http://127.0.0.1:9", lambda: 1) as observer:
        pass
    rows = "\n".join(exhaustion.figures(warming, observer, 1, 0, 1))
    assert "| longest wait of `/health` during startup |" in rows


def test_files_that_cannot_be_made_end_the_script() -> None:
    with counting([], 503) as url, pytest.raises(SystemExit, match=r"/updates\.\w+ answered 503"):
        exhaustion.warm_up(url)


def test_the_script_says_how_strangers_are_let_loose() -> None:
    helped = subprocess.run([sys.executable, ROOT / "scripts" / "load", "--help"], capture_output=True, check=True)
    assert b"--hostile" in helped.stdout


def test_the_document_tells_of_each_hostile_request() -> None:
    source = (LOADS / "hostile.py").read_text(encoding="utf-8")
    sent = re.findall(r'(?:self\._ask\(|name=)"([^"]+)"', source)
    text = (ROOT / "docs" / "scaling.md").read_text(encoding="utf-8").partition("`scripts/load --hostile`")[2]
    rows = text.partition("\n\n|")[2].partition("\n\n")[0].splitlines()[2:]
    assert len(sent) == source.count("@task")
    assert [row.strip("| ").split(" | ")[0] for row in rows] == sent
