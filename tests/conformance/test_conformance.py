"""The official conformance suite, against fixtures on everything that serves our tools, and against the app itself."""

from __future__ import annotations

import json
import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.npm import Packages
from tests.sweeps import only_with

pytestmark = pytest.mark.timeout(300)

HERE = Path(__file__).parent
TASK_CHECKS = 44
SCENARIOS = {"2026-07-28": 40, "2025-11-25": 33}
TASK_SCENARIOS = [
    "tasks-lifecycle",
    "tasks-capability-negotiation",
    "tasks-wire-fields",
    "tasks-request-state-removal",
    "tasks-mrtr-input",
    "tasks-request-headers",
    "tasks-dispatch-and-envelope",
    "tasks-required-task-error",
    "tasks-mrtr-composition",
]


def passes(suite: Packages, url: str, results: Path, *options: str) -> set[str]:
    """Run scenarios of the suite, which must find only what it expects, and give the names of those that passed."""
    run = suite.run("conformance", "server", "--url", url, "--output-dir", str(results), *options)
    assert run.returncode == 0, f"{run.stdout}\n{run.stderr}"
    return set(re.findall(r"^✓ ([\w-]+): ", run.stdout, re.MULTILINE))


def scenarios_of(version: str) -> list[str]:
    return ["--suite", "all", "--spec-version", version]


def expected_failures(name: str) -> list[str]:
    return ["--expected-failures", str(HERE / f"expected-failures-{name}.yml")]


def test_all_that_2026_07_28_requires_is_there(suite: Packages, fixtures_url: str, tmp_path: Path) -> None:
    passed = passes(suite, fixtures_url, tmp_path, "--requirements", "2026-07-28")
    assert len([name for name in passed if not name.startswith("tasks-")]) == SCENARIOS["2026-07-28"]


@only_with("FUZZ_SCENARIOS")
def test_every_scenario_of_2026_07_28_passes(suite: Packages, fixtures_url: str, tmp_path: Path) -> None:
    assert len(passes(suite, fixtures_url, tmp_path, *scenarios_of("2026-07-28"))) == SCENARIOS["2026-07-28"]


def test_of_2025_11_25_only_what_needs_a_session_fails(suite: Packages, fixtures_url: str, tmp_path: Path) -> None:
    options = [*scenarios_of("2025-11-25"), *expected_failures("2025-11-25")]
    assert len(passes(suite, fixtures_url, tmp_path, *options)) == SCENARIOS["2025-11-25"] - 1


@pytest.mark.parametrize("version", SCENARIOS)
def test_the_app_passes_all_that_needs_no_fixtures(suite: Packages, app_url: str, tmp_path: Path, version: str) -> None:
    passed = passes(suite, app_url, tmp_path, *scenarios_of(version), *expected_failures("real-app"))
    assert {"tools-list", "prompts-list", "resources-list", "dns-rebinding-protection"} <= passed


def test_every_check_of_tasks_runs_and_passes(suite: Packages, fixtures_url: str, tmp_path: Path) -> None:
    """Of a version that is named, the suite skips them all, and is content."""
    told: Counter[str] = Counter()
    with ThreadPoolExecutor(3) as at_once:
        list(
            at_once.map(lambda scenario: passes(suite, fixtures_url, tmp_path, "--scenario", scenario), TASK_SCENARIOS)
        )
    for file in tmp_path.rglob("checks.json"):
        told.update(check["status"] for check in json.loads(file.read_text(encoding="utf-8")))
    assert told == {"SUCCESS": TASK_CHECKS}
