"""What the dashboards and the alerts ask for is what the app tells."""

from __future__ import annotations

import json
import logging
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NoReturn

import pytest

from app.build import TASKS
from identity.access import Access
from identity.caller import Acting
from mcp_server.calls.audit import Attempt, Outcome, Record, write_call
from mcp_server.visit import Way
from scripts import panels
from tasks.work import HopelessError, Work, WorkStep
from tests.infra import kql
from tests.infra.deployed import INFRA
from tests.infra.queries import Query
from tests.mcp_server.caller import message
from tests.mcp_server.records import Records
from tests.promises.place import Person, place
from tests.tasks.yard import Yard
from updates.changes import ChangeKind
from updates.report import SyncKind, SyncOutcome, SyncReport

QUERIES: Final = sorted(INFRA.rglob("*.kql"))
# A workspace tells what it takes in of all that write to it, and in which app.
OF_THE_WORKSPACE: Final = {"daily-cap", "15-log-volume"}
OF_THE_APP: Final = [
    path for path in QUERIES if path.parent.name in {"alerts", "queries"} and path.stem not in OF_THE_WORKSPACE
]
COLUMNS: Final = {"AppName", "AppRoleName", "AppRoleInstance", "AppVersion"}
RECORD: Final = {*Record.__annotations__}
# what is replaced by what in a query, and what is told
MISTAKES: Final = {
    ("AppTraces", "traces"): "'traces' does not refer to",
    ("ItemCount", "itemCount"): "'itemCount' does not refer to",
    ("record.outcome", "rekord.outcome"): "'rekord' does not refer to",
    ("sum(", "summe("): "'summe' does not refer to",
    ("by bin", "by calls2, bin"): "'calls2' does not refer to",
    ("| summarize", "| sumarize"): "Query operator expected",
    ("order by", "order on"): "Expected: by",
}
ATTEMPT: Final = {*Attempt.__annotations__}
# How the line of a sync is read, which a test below takes apart in the same way.
OF_A_SYNC: Final = {"Sync: ", " ", *(f"([0-9]+) {change}" for change in ("added", "edited", "withdrawn", "restored"))}
# What the Functions host and the workspace write, as Microsoft documents it, or as the source of the host has it.
ASIDE: Final = f"Moving message to queue '{TASKS}-poison'"
OF_AZURE: Final = {"Error", "Critical", "Function.", "Ingestion", "OverQuota", ASIDE}
# How the line of a task that failed for good is taken apart.
OF_A_TASK: Final = {"Task ", " (", ") failed for good: "}
AUDIT: Final = 'Message startswith "audit {"'
ATTEMPTS: Final = 'Message startswith "attempt {"'

# Tells everything that can be told, and prints what came out: each metric with its attributes.
_TELL: Final = """
import json
from opentelemetry.metrics import set_meter_provider
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from telemetry import metrics
from telemetry.tool_call import ToolCall
reader = InMemoryMetricReader()
set_meter_provider(MeterProvider([reader]))
metrics.keep()
metrics.count_call(ToolCall("toolset", "tool", "access", "way"), "done", "cursor", 0.1)
metrics.count_throttled("caller")
metrics.count_omitted("tools/list")
metrics.record_sync("delta", "changed", added=1)
metrics.watch_index_age(lambda: 60.0)
metrics.take()
(resource,) = reader.get_metrics_data().resource_metrics
told = [metric for scope in resource.scope_metrics for metric in scope.metrics]
print(json.dumps({metric.name: sorted(metric.data.data_points[0].attributes) for metric in told}))
"""


@pytest.fixture(scope="module")
def emitted() -> dict[str, set[str]]:
    """The metrics of the app, and the attributes that each has."""
    told = subprocess.run([sys.executable, "-c", _TELL], cwd=INFRA.parent, capture_output=True, text=True, check=True)
    return {name: set(attributes) for name, attributes in json.loads(told.stdout).items()}


@pytest.mark.parametrize("path", OF_THE_APP, ids=lambda path: path.stem)
def test_panels_and_alerts_are_about_this_app_alone(path: Path) -> None:
    query = _read(path)
    tables = re.findall(r"\b(?:App[A-Z]\w+|FunctionAppLogs)\b(?=\s*\n?\|)", query.text)
    assert query.text.count(f'=~ "{panels.APP}"') == len([table for table in tables if table not in COLUMNS]), path


each_query = pytest.mark.parametrize("path", QUERIES, ids=lambda path: path.stem)


def test_microsoft_s_parser_has_nothing_to_say_of_any_query() -> None:
    assert _told(_everywhere(INFRA)) == {}


def test_the_panels_that_never_showed_anything_are_found_and_mended(tmp_path: Path) -> None:
    """A keyword takes brackets and quotes where it is a name."""
    copy = Path(shutil.copytree(INFRA, tmp_path / "infra"))
    for path in (path for path in copy.rglob("observability/**/*.*") if path.suffix in {".kql", ".json"}):
        text = re.sub(r'\[\\?"kind\\?"\] =', "kind =", path.read_text(encoding="utf-8"))
        path.write_text(re.sub(r'Properties\[\\?"by\\?"\]', "Properties.by", text), encoding="utf-8")
    told = _told(_everywhere(copy))
    broken = {"04-clients": "'kind' needs to be bracketed", "10-throttling": "'by' needs to be bracketed"}
    assert told.keys() == {f"{place} {name}" for place in ("file", "workbook", "grafana") for name in broken}
    assert all(broken[place.split()[1]] in " ".join(problems) for place, problems in told.items())


def _everywhere(folder: Path) -> dict[str, str]:
    """All queries: of files, as the dashboards show them, and as the alerts ask."""
    files = {f"file {path.stem}": path.read_text(encoding="utf-8") for path in folder.rglob("*.kql")}
    workbook = json.loads((folder / "observability" / "workbook.json").read_text(encoding="utf-8"))
    items = [item for item in workbook["items"] if item["type"] == 3]
    grafana = json.loads((folder / "observability" / "grafana.json").read_text(encoding="utf-8"))
    names = [path.stem for path in sorted(folder.glob("observability/queries/*.kql"))]
    asked = [panel["targets"][0]["azureLogAnalytics"]["query"] for panel in grafana["panels"]]
    return {
        **files,
        **{f"workbook {item['name']}": item["content"]["query"] for item in items},
        **{f"grafana {name}": query for name, query in zip(names, asked, strict=True)},
    }


def _told(queries: Mapping[str, str]) -> dict[str, list[str]]:
    return {name: told for name, told in kql.problems(queries).items() if told}


@each_query
def test_what_is_taken_from_an_audit_record_is_in_it(path: Path) -> None:
    query = _read(path)
    assert {name for of, name in query.members if of == "record"} <= RECORD
    assert ("record" in query.text) == (AUDIT in query.text)
    assert {name for of, name in query.members if of == "attempt"} <= ATTEMPT
    assert ("attempt." in query.text) == (ATTEMPTS in query.text)


@each_query
def test_metrics_and_their_attributes_are_those_of_the_app(path: Path, emitted: Mapping[str, set[str]]) -> None:
    query = _read(path)
    assert query.metrics <= emitted.keys()
    attributes = {name for of, name in query.members if of == "Properties"}
    assert attributes <= set().union(*(emitted[metric] for metric in query.metrics))


@each_query
def test_what_values_are_compared_with_can_be(path: Path) -> None:
    told = {
        *Outcome,
        *SyncOutcome,
        *ChangeKind,
        *(access.label for access in Access),
        "audit {",
        "attempt {",
        "{",
        "InProc",
        panels.APP,
    }
    told |= {"", "sign-in: allow", *Acting, *OF_A_SYNC, *OF_A_TASK, *OF_AZURE}
    assert _read(path).texts <= told


async def test_forged_tokens_are_looked_for_in_all_records_that_they_leave(tmp_path: Path) -> None:
    async with place(tmp_path) as there:
        forger = Person(there.app, {"authorization": "Bearer forged"})
        (tool,) = (tool for tool in there.tools if tool.name == "whoami")
        with Records.kept() as records:
            await forger.direct(tool, {})
            await there.app.endpoint.handle(message("tools/list", headers=forger.headers))
    left = [*records.all, *records.attempts]
    assert [(one["subject"], one["outcome"]) for one in left] == [("", "denied")] * 2
    assert [record["tool"] for record in records.all] == ["whoami"]
    assert [attempt["tried"] for attempt in records.attempts] == ["tools/list"]
    query = (INFRA / "observability" / "sentinel" / "forged-sign-ins.kql").read_text(encoding="utf-8")
    assert AUDIT in query
    assert ATTEMPTS in query


def test_an_audit_record_is_told_as_the_queries_expect_it(caplog: pytest.LogCaptureFixture) -> None:
    told: dict[str, Any] = {name: name for name in RECORD}
    told |= {"way": Way.DIRECT, "outcome": Outcome.DONE, "arguments": {"limit": 5}, "milliseconds": 12, "omitted": 0}
    record: Record = {**told}  # type: ignore[typeddict-item]
    with caplog.at_level(logging.INFO, "audit"):
        write_call(record, at_once=False)
    (message,) = caplog.messages
    assert message.startswith("audit {")
    assert json.loads(message[6:])["milliseconds"] == 12


def test_the_line_of_a_sync_is_one_that_the_queries_take_apart() -> None:
    """It is in the log, which the host sends at once and keeps whole, and not only in a metric."""
    report = SyncReport(SyncKind.DELTA, datetime.now(UTC), SyncOutcome.CHANGED, None, 1.5, 9, 1, 2, 3, 4)
    line = f"Sync: {report}"
    assert line.split(" ")[2] == "changed"
    patterns = [f"([0-9]+) {change}" for change in ("added", "edited", "withdrawn", "restored")]
    assert set(patterns) <= OF_A_SYNC
    assert [re.findall(pattern, line) for pattern in patterns] == [["1"], ["2"], ["3"], ["4"]]
    host = json.loads((INFRA.parent / "host.json").read_text(encoding="utf-8"))
    kept = host["logging"]["applicationInsights"]["samplingSettings"]["excludedTypes"].split(";")
    assert kept == ["Request", "Trace"]


async def test_a_task_that_failed_for_good_is_told_in_a_line_that_the_queries_take_apart(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def step(_: WorkStep) -> NoReturn:
        raise HopelessError("The scope is gone.")

    yard = Yard({"remove": Work("remove", step)})
    task = await yard.tasks.begin("remove", "owner", {}, "Removing")
    await yard.until_quiet()
    (line,) = [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR]
    assert re.split("|".join(map(re.escape, OF_A_TASK)), line) == ["", task.id, "remove", "The scope is gone."]


@pytest.mark.parametrize("path", sorted(INFRA.glob("observability/alerts/*.kql")), ids=lambda path: path.stem)
def test_an_alert_of_what_is_missing_reads_no_metric(path: Path) -> None:
    """A worker may stop before it sends one, and that would be an alert of nothing."""
    query = _read(path)
    assert not (query.metrics and "== 0" in query.text)


def test_mistakes_in_a_query_are_found() -> None:
    text = (panels.OBSERVABILITY / "queries" / "01-calls.kql").read_text(encoding="utf-8")
    assert [old for old, _ in MISTAKES if old not in text] == []
    told = kql.problems({new: text.replace(old, new) for old, new in MISTAKES})
    assert [new for (_, new), expected in MISTAKES.items() if expected not in " ".join(told[new])] == []


def test_the_dashboards_are_made_from_the_queries() -> None:
    for path, text in panels.files().items():
        assert path.read_text(encoding="utf-8") == text, "run scripts/dashboards"


def test_the_workbook_has_the_form_that_azure_reads() -> None:
    workbook = json.loads((panels.OBSERVABILITY / "workbook.json").read_text(encoding="utf-8"))
    assert workbook["version"] == "Notebook/1.0"
    items = [item["content"] for item in workbook["items"] if item["type"] == 3]
    assert [item["query"] for item in items] == [panel.query for panel in panels.read()]
    assert {item["visualization"] for item in items} <= {"timechart", "table"}
    (parameters,) = (item["content"]["parameters"] for item in workbook["items"] if item["type"] == 9)
    assert {item["timeContextFromParameter"] for item in items} == {parameter["name"] for parameter in parameters}


def test_the_grafana_dashboard_has_the_form_that_grafana_reads() -> None:
    dashboard = json.loads((panels.OBSERVABILITY / "grafana.json").read_text(encoding="utf-8"))
    assert len({panel["id"] for panel in dashboard["panels"]}) == len(panels.read())
    places = {(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in dashboard["panels"]}
    assert len(places) == len(panels.read())
    assert all(panel["gridPos"]["x"] + panel["gridPos"]["w"] <= 24 for panel in dashboard["panels"])
    asked: list[dict[str, Any]] = [panel["targets"][0]["azureLogAnalytics"] for panel in dashboard["panels"]]
    assert {tuple(one["resources"]) for one in asked} == {(panels.WORKSPACE,)}
    (source,) = (variable["name"] for variable in dashboard["templating"]["list"])
    assert {panel["datasource"]["uid"] for panel in dashboard["panels"]} == {f"${{{source}}}"}


def test_a_panel_over_time_has_time_and_a_table_does_not_need_it() -> None:
    for panel in panels.read():
        assert ("bin(TimeGenerated" in panel.query) == (panel.form == "time"), panel.name


def test_every_query_is_explained_in_the_documents() -> None:
    text = (INFRA.parent / "docs" / "operating.md").read_text(encoding="utf-8")
    assert [panel.title for panel in panels.read() if f"| {panel.title} |" not in text] == []
    alerts = {path.stem for path in QUERIES if path.parent.name in {"alerts", "sentinel"}}
    assert [name for name in alerts if f"`{name}`" not in text] == []


def _read(path: Path) -> Query:
    return Query(path.read_text(encoding="utf-8"))
