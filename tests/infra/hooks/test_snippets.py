"""Every block of commands in docs/deploying.md runs in a shell, and what it has azd do is done to a fake Azure."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any, Final

from tests.fakes.azure_for_hooks import SUBSCRIPTION
from tests.infra.deployed import INFRA
from tests.infra.hooks.bench import Bench
from tests.infra.hooks.cloud import Cloud
from tests.sweeps import Sweep

DOCUMENT: Final = (INFRA.parent / "docs" / "deploying.md").read_text(encoding="utf-8")
# Each block with the heading that it stands below.
SNIPPETS: Final = [
    (heading.strip(), block)
    for heading, text in re.findall(r"^#{2,3} (.+)\n((?:(?!^#{2,3} ).*\n)*)", DOCUMENT, re.MULTILINE)
    for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
]
PROGRAMS: Final = ("azd", "git", "gh", "scripts/verify")
# Each word and each call ends with a character that no word contains.
_PROGRAM: Final = r"""#!/bin/sh
{{ printf '%s\037' "${{0##*/}}" "$@"; printf '\036'; }} >> '{calls}'
echo 192.0.2.9
"""
LOGS: Final = (
    f"/subscriptions/{SUBSCRIPTION}/resourceGroups/platform/providers/Microsoft.OperationalInsights/workspaces/logs"
)


def _calls(block: str, folder: Path) -> list[list[str]]:
    """What a block runs, by programs that only note it."""
    calls = folder / "calls"
    for name in PROGRAMS:
        program = folder / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(_PROGRAM.format(calls=calls), encoding="utf-8")
        program.chmod(0o755)
    path = os.pathsep.join([str(folder), "/usr/bin", "/bin"])
    command = ["bash", "-euo", "pipefail", "-c", block]
    given: dict[str, Any] = {"input": "a secret\n", "text": True, "capture_output": True, "cwd": folder}
    done = subprocess.run(command, env={"PATH": path}, check=False, **given)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return [call.split("\x1f")[:-1] for call in calls.read_text(encoding="utf-8").split("\x1e")[:-1]]


def _done(cloud: Cloud, words: list[str]) -> None:
    match words:
        case ["azd", "env", "set", name, value]:
            cloud.set(**{name: value})
        case ["azd", "up"]:
            cloud.up()
        case ["azd", "provision"]:
            cloud.provision()
        case ["azd", "down"]:
            cloud.down()
        case ["azd", "hooks", "run", "postprovision"]:
            cloud.bench.run("postprovision")


def test_there_are_snippets() -> None:
    assert len(SNIPPETS) == DOCUMENT.count("```sh\n")


@Sweep(("heading", "block"), SNIPPETS, every=2, ids=lambda value: value.partition("\n")[0][:40])
def test_a_snippet_runs(heading: str, block: str, bench: Bench, tmp_path: Path) -> None:
    bench.azure.resources = {
        f"/subscriptions/{SUBSCRIPTION}/resourceGroups/rg-team": {},
        LOGS: {"properties": {}},
    }
    cloud = Cloud(bench)
    if heading in NEED_THE_NETWORK:
        cloud.set(VNET_ENABLED="true", APP_PRIVATE_ENDPOINT="true")
    (tmp_path / "shell").mkdir()
    calls = _calls(block.replace("<id>", SUBSCRIPTION), tmp_path / "shell")
    assert calls
    for words in calls:
        _done(cloud, words)


NEED_THE_NETWORK: Final = {"Use your own network", "Private access only"}
