"""The official suite, asked of a server alone and through an extension of ours: what differs is named, with its reason.

Only with FUZZ_SCENARIOS: the suite is run four times.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from tests.conformance.relay import relaying
from tests.extensions.place import app_at, entry_of, running
from tests.fakes.extensions.peer import Peer
from tests.npm import Packages
from tests.offline import offline
from tests.sweeps import only_with
from tests.warm.app import serving

pytestmark = [
    pytest.mark.timeout(300),
    only_with("FUZZ_SCENARIOS"),
]

HERE: Final = Path(__file__).parent
PROJECT: Final = HERE.parents[1]
ERAS: Final = {"2026-07-28": "current", "2025-11-25": "handshake"}
KNOWN: Final = yaml.safe_load((HERE / "through-an-extension.yml").read_text(encoding="utf-8"))

Checks = Mapping[tuple[str, str], str]


@contextmanager
def through(folder: Path, url: str, era: str) -> Iterator[str]:
    """The address at which the server at this one is had through an extension of the whole app."""
    offers = f"era: {era}\ntools: {{'*': read}}\noffers: [resources, prompts]"
    asyncio.run(_let_in(folder, entry_of(Peer(url=url), offers, "suite")))
    settings = {**offline(folder / "kept"), "EXTENSIONS_FILE": str(folder / "extensions.yaml")}
    with serving(PROJECT, settings=settings) as app, relaying(f"{app}/mcp/x/suite", "suite") as relay:
        yield relay


async def _let_in(folder: Path, entries: str) -> None:
    """Have its tools pinned before anybody asks, as they are from the first minute on."""
    async with running(app_at(folder, entries)):
        pass


def checks(suite: Packages, url: str, results: Path, options: Sequence[str]) -> Checks:
    suite.run("conformance", "server", "--url", url, "--output-dir", str(results), *options)
    told: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for file in results.glob("*/checks.json"):
        scenario = re.sub(r"^server-|-\d{4}-\d\d-\d\dT.*$", "", file.parent.name)
        for check in json.loads(file.read_text(encoding="utf-8")):
            told[scenario, check["id"]].append(check["status"])
    assert told
    return {check: " ".join(sorted(statuses)) for check, statuses in told.items()}


def differences(alone: Checks, beside: Checks) -> dict[tuple[str, str], list[str]]:
    told = {check: [alone.get(check, "none"), beside.get(check, "none")] for check in {*alone, *beside}}
    return {check: [one, other] for check, (one, other) in told.items() if one != other}


def known(version: str) -> dict[tuple[str, str], list[str]]:
    entries: list[dict[str, Any]] = KNOWN[version]
    assert all(entry["because"] for entry in entries)
    return {(entry["scenario"], check): both for entry in entries for check, both in entry["checks"].items()}


@pytest.mark.parametrize("version", ERAS)
def test_only_what_is_named_differs_through_an_extension(
    suite: Packages, fixtures_url: str, tmp_path: Path, version: str
) -> None:
    options = ["--suite", "all", "--spec-version", version]
    alone = checks(suite, fixtures_url, tmp_path / "alone", options)
    with through(tmp_path, fixtures_url, ERAS[version]) as url:
        beside = checks(suite, url, tmp_path / "through", options)
    assert differences(alone, beside) == known(version)
