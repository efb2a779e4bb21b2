"""Generates the workbook and the Grafana dashboard from the same queries."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
OBSERVABILITY: Final = ROOT / "infra" / "observability"
APP: Final = "__APP__"  # placeholder for the name of the app
WORKSPACE: Final = "__WORKSPACE__"  # placeholder for the workspace ID, which Bicep replaces
_HEAD: Final = re.compile(r"// title: (?P<title>.+)\n// shows: (?P<shows>.+)\n// as: (?P<form>time|table)\n")
_SOURCE: Final = {"type": "grafana-azure-monitor-datasource", "uid": "${source}"}
_WIDTH, _HEIGHT = 12, 8  # the width of a Grafana panel; rows are 24 units wide


@dataclass(frozen=True, slots=True)
class Panel:
    name: str
    title: str
    shows: str
    form: str
    query: str


def read() -> list[Panel]:
    """Read the queries, in the order of the files."""
    return [_panel(path) for path in sorted(OBSERVABILITY.glob("queries/*.kql"))]


def files() -> dict[Path, str]:
    """Return the content of each generated file, by path."""
    panels = read()
    made = {"workbook.json": _workbook(panels), "grafana.json": _grafana(panels)}
    return {OBSERVABILITY / name: json.dumps(content, indent=2) + "\n" for name, content in made.items()}


def _panel(path: Path) -> Panel:
    text = path.read_text(encoding="utf-8")
    head = _HEAD.match(text)
    if head is None:
        raise ValueError(f"{path.name} must begin with the comments `title:`, `shows:` and `as:` (time or table).")
    return Panel(path.stem, head["title"], head["shows"], head["form"], text[head.end() :].strip())


def _workbook(panels: list[Panel]) -> dict[str, Any]:
    about = {"json": "# Azure Team MCP\n\nSee `docs/operating.md` for what to do about these panels."}
    return {
        "version": "Notebook/1.0",
        "items": [
            {"type": 1, "content": about, "name": "about"},
            {"type": 9, "content": _time_range(), "name": "parameters"},
            *map(_workbook_item, panels),
        ],
        "fallbackResourceIds": [],
        "$schema": "https://github.com/Microsoft/Application-Insights-Workbooks/blob/master/schema/workbook.json",
    }


def _time_range() -> dict[str, Any]:
    choices = [{"durationMs": hours * 3_600_000} for hours in (4, 24, 72, 168, 720)]
    return {
        "version": "KqlParameterItem/1.0",
        "parameters": [
            {
                "id": "9f2f0d1e-5f5e-4e0c-9d0a-6a4c1b7d3e21",
                "version": "KqlParameterItem/1.0",
                "name": "time",
                "label": "Time",
                "type": 4,
                "isRequired": True,
                "value": {"durationMs": 86_400_000},
                "typeSettings": {"selectableValues": choices, "allowCustom": True},
            }
        ],
        "style": "pills",
        "queryType": 0,
        "resourceType": "microsoft.operationalinsights/workspaces",
    }


def _workbook_item(panel: Panel) -> dict[str, Any]:
    return {
        "type": 3,
        "content": {
            "version": "KqlItem/1.0",
            "query": panel.query,
            "size": 0,
            "title": panel.title,
            "noDataMessage": panel.shows,
            "timeContextFromParameter": "time",
            "queryType": 0,
            "resourceType": "microsoft.operationalinsights/workspaces",
            "visualization": {"time": "timechart", "table": "table"}[panel.form],
        },
        "customWidth": "50",
        "name": panel.name,
    }


def _grafana(panels: list[Panel]) -> dict[str, Any]:
    return {
        "uid": "azure-team-mcp",
        "title": "Azure Team MCP",
        "tags": ["azure-team-mcp"],
        "schemaVersion": 39,
        "editable": True,
        "time": {"from": "now-24h", "to": "now"},
        "refresh": "5m",
        "templating": {
            "list": [{"name": "source", "label": "Data source", "type": "datasource", "query": _SOURCE["type"]}]
        },
        "panels": [_grafana_panel(panel, place) for place, panel in enumerate(panels)],
    }


def _grafana_panel(panel: Panel, place: int) -> dict[str, Any]:
    return {
        "id": place + 1,
        "type": {"time": "timeseries", "table": "table"}[panel.form],
        "title": panel.title,
        "description": panel.shows,
        "datasource": _SOURCE,
        "gridPos": {"x": place % 2 * _WIDTH, "y": place // 2 * _HEIGHT, "w": _WIDTH, "h": _HEIGHT},
        "targets": [
            {
                "refId": "A",
                "datasource": _SOURCE,
                "queryType": "Azure Log Analytics",
                "azureLogAnalytics": {
                    "query": panel.query,
                    "resources": [WORKSPACE],
                    "resultFormat": {"time": "time_series", "table": "table"}[panel.form],
                    "dashboardTime": True,
                    "timeColumn": "TimeGenerated",
                },
            }
        ],
    }
