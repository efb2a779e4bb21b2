"""What loads the app can be started, and the document says of each hostile request what is sent and what bounds it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import environment

ROOT = Path(__file__).parents[2]
LOADS = Path(__file__).parent


@pytest.fixture(scope="session")
def packages() -> str:
    return str(environment.packages("load", "tests/load/requirements.txt"))


@pytest.mark.parametrize(("file", "client"), [("locustfile.py", "Agent"), ("hostile.py", "Stranger")])
def test_clients_are_found_in(file: str, client: str, packages: str) -> None:
    command = [sys.executable, "-m", "locust", "-f", str(LOADS / file), "--list"]
    listed = subprocess.run(command, env={"PYTHONPATH": packages}, capture_output=True, text=True, check=False)
    assert (listed.returncode, listed.stdout.split()) == (0, ["Available", "Users:", client]), listed.stderr


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
