"""What docs/scaling.md and docs/deploying.md compute is what the script computes, from the app's own numbers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

from app.jobs import HOUSEKEEPING
from bicep_checker.template import read
from scripts import estimates
from tests.fakes.updates.api import UpdatesApi
from tests.infra.deployed import INFRA, plain
from tests.infra.made import made
from tests.updates.syncing import records
from tools import PROVIDERS
from updates.reading.feed import UpdatesFeed
from updates.report import watch_nothing

ROOT: Final = Path(__file__).parents[2]


def test_the_documents_quote_the_script() -> None:
    printed = subprocess.run([sys.executable, ROOT / "scripts" / "scaling"], capture_output=True, text=True, check=True)
    costs, worst, groups, instances, load = printed.stdout.strip().split("\n\n")
    assert instances in (ROOT / "docs" / "scaling.md").read_text(encoding="utf-8")
    assert load in (ROOT / "docs" / "scaling.md").read_text(encoding="utf-8")
    assert costs in (ROOT / "docs" / "deploying.md").read_text(encoding="utf-8")
    assert worst in (ROOT / "docs" / "deploying.md").read_text(encoding="utf-8")
    assert groups in (ROOT / "docs" / "deploying.md").read_text(encoding="utf-8")


async def test_the_feed_is_asked_as_often_as_the_script_says() -> None:
    api = UpdatesApi(records(250))
    async with api.serving() as url:
        await UpdatesFeed(url).read(watch_nothing)
    assert len(api.requests) == estimates.reading(250)


def test_the_index_is_as_large_as_the_benchmarks_say() -> None:
    page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    rows = page.partition("## Searching updates")[2].partition("\n## ")[0].splitlines()
    (row,) = (line for line in rows if line.startswith(f"| {estimates.UPDATES:,} | ") and "MB" in line)
    assert f"| {estimates.INDEX_MB} MB |" in row


def test_the_memory_that_is_billed_is_what_the_template_asks_for() -> None:
    memory = plain(read(INFRA / "main.bicep").of_kind("parameter")["instanceMemoryMB"].value)
    assert memory == estimates.Use(1).memory_gb * 1024


def test_the_worst_day_is_that_of_the_defaults_of_the_template() -> None:
    given = {name: plain(declared.value) for name, declared in read(INFRA / "main.bicep").of_kind("parameter").items()}
    assert given["maximumInstanceCount"] == estimates.MOST_INSTANCES
    assert given["logDailyQuotaGb"] == estimates.CAP_OF_LOGS_GB
    day = estimates.worst_day()
    assert sum(estimates.worst_day(2 * estimates.MOST_INSTANCES).values()) <= 2 * sum(day.values())
    assert sum(day.values()) > max(sum(estimates.bill(estimates.Use(users)).values()) for users in (10, 100, 1000))


def test_the_alerts_that_are_paid_for_are_those_of_the_template() -> None:
    every = [
        entry["every"] for entry in plain(read(INFRA / "modules" / "alerts.bicep").of_kind("variable")["alerts"].value)
    ]
    assert every.count("PT5M") == estimates.ALERTS_OF_5_MINUTES
    assert len(every) - every.count("PT5M") == estimates.ALERTS_OF_LONGER


def test_in_several_zones_each_group_of_functions_is_billed() -> None:
    timers = {HOUSEKEEPING, *(job.name for provider in PROVIDERS for job in provider.jobs)}
    assert len(timers) + len(["requests", "queue"]) == estimates.GROUPS


def test_the_private_endpoints_that_are_paid_for_are_those_of_the_template() -> None:
    endpoints = [
        thing for thing in made({"VNET_ENABLED": "true"}) if thing.kind == "Microsoft.Network/privateEndpoints"
    ]
    assert len(endpoints) == estimates.PRIVATE_ENDPOINTS


def test_at_a_thousand_instances_every_limit_is_kept() -> None:
    rows = [line.split("|")[1:-1] for line in estimates.load()][2:]
    limited = [row for row in rows if row[-1].strip()]
    assert len(limited) == 4
    for row in limited:
        assert _number(row[len(estimates.INSTANCES)]) < _number(row[-1]), row[0]


def test_twice_the_users_cost_at_most_twice_as_much_and_the_free_grant() -> None:
    one, two = (sum(estimates.bill(estimates.Use(users)).values()) for users in (1000, 2000))
    grant = estimates.FREE_GB_SECONDS * estimates.GB_SECOND + estimates.FREE_GB_OF_LOGS * estimates.GB_OF_LOGS
    assert one < two <= 2 * one + grant + estimates.FREE_EXECUTIONS / 1e6 * estimates.MILLION_EXECUTIONS


def test_under_load_each_kind_of_request_was_made_and_none_failed() -> None:
    text = (ROOT / "docs" / "scaling.md").read_text(encoding="utf-8").partition("`scripts/load`")[2]
    rows = [line.strip("| ").split(" | ") for line in text.partition("\n\n|")[2].partition("\n\n")[0].splitlines()[2:]]
    source = (ROOT / "tests" / "load" / "locustfile.py").read_text(encoding="utf-8")
    # The first writes are those of clients that come all at once, and no task.
    assert len(rows) == source.count("@task(") + 1
    for name, count, failed, *_ in rows:
        assert f'"{name}"' in source
        assert _number(count) > 0
        assert failed == "0"


def _number(text: str) -> float:
    return float(text.strip().replace(",", ""))
