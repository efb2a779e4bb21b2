"""A deployed server, and what Azure knows about it, as far as probes ask; each fault is one thing that went wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.fakes.https import Asked, Told
from updates.showing.exports import LABELS

ROOT: Final = Path(__file__).parents[2]
VERSION: Final = re.findall(r"template: azure-team-mcp@(\S+)", (ROOT / "azure.yaml").read_text(encoding="utf-8"))[0]
STORAGE_HOST, VAULT_HOST = "st.blob.core.windows.net", "kv.vault.azure.net"
LOGS_HOST: Final = "api.loganalytics.azure.com"
OWNER: Final = "b7e6dc6d-f1e8-4753-8033-0f276bb0955b"
SCOPE: Final = "https://scope.example/access"
FUNCTIONS: Final = re.findall(
    r"^@app\.[^\n]+\nasync def (\w+)\(", (ROOT / "function_app.py").read_text("utf-8"), re.MULTILINE
)
_LISTED: Final[dict[str, dict[str, Any]]] = {
    "tools/list": {"tools": [{}]},
    "resources/list": {"resources": []},
    "prompts/list": {"prompts": []},
}
_MAY_WRITE: Final = "(@Resource[container:name] StringNotEquals 'app-package')"


def _json(content: Any, status: int = 200, **headers: str) -> Told:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Told(status, json.dumps(content).encode(), {"Content-Type": "application/json", **named})


@dataclass
class DeployedApp:
    origin: str
    master_key: str
    faults: set[str] = field(default_factory=set)
    signs_in: bool = True
    files: set[str] = field(default_factory=set)
    # Why a tool that is among the faults does not work.
    because: str = "AADSTS65001"
    # How often a task is looked at before it ends.
    looks: int = 1
    traces: list[str] = field(default_factory=list)
    mails: list[str] = field(default_factory=list)
    restarts: int = 0

    def __call__(self, asked: Asked) -> Told:
        path = asked.path.partition("?")[0]
        if asked.headers["host"] not in self.origin and "foreign host" not in self.faults:
            return Told(421)
        if "origin" in asked.headers and "foreign origin" not in self.faults:
            return Told(403)
        plain: dict[str, Callable[[], Told]] = {
            "/health": self._health,
            "/tools": lambda: _json({"tools": []}),
            "/.well-known/oauth-protected-resource/mcp": self._metadata,
            "/admin/host/status": lambda: self._host(asked),
            **{f"/updates.{form}": self._export for form in LABELS},
        }
        if path in plain:
            return plain[path]()
        return self._mcp(asked) if path.startswith("/mcp") else Told(404)

    def _health(self) -> Told:
        if "excluded path" in self.faults:
            return Told(401)
        if "health" in self.faults:
            return Told(503)
        synced = {"status": "ok", "lastSyncTimestamp": "2026-11-23T08:00:00Z"}
        stale = {"status": "stale", "lastSyncTimestamp": "2026-11-01T08:00:00Z", "advice": "Look at the log."}
        updates = {"never synced": {"status": "empty", "lastSyncTimestamp": None}, "stale": stale}
        return _json(
            {
                "status": "ok",
                "version": "0.0.1" if "version" in self.faults else VERSION,
                "updates": next((one for fault, one in updates.items() if fault in self.faults), synced),
                "tasks": {"status": "ok", "waiting": 0, "setAside": 2 if "dead letters" in self.faults else 0},
            }
        )

    def _metadata(self) -> Told:
        resource = "https://other.example/mcp" if "metadata" in self.faults else f"{self.origin}/mcp"
        return _json({"resource": resource, "scopes_supported": [SCOPE]}) if self.signs_in else Told(404)

    def _host(self, asked: Asked) -> Told:
        if asked.headers.get("x-functions-key") != self.master_key:
            return Told(401)
        return _json({"state": "Error" if "host" in self.faults else "Running", "version": "4.1046"})

    def _export(self) -> Told:
        return Told(401) if "excluded path" in self.faults else Told(401, b"A personal address is needed.")

    def _mcp(self, asked: Asked) -> Told:
        token = asked.headers.get("authorization", "").removeprefix("Bearer ")
        if self.signs_in and not self._admits(token, asked):
            challenge = (
                'Bearer error="invalid_token"' if "no metadata" in self.faults else 'Bearer resource_metadata="x"'
            )
            return Told(401, b"{}", {"WWW-Authenticate": challenge})
        if "transfer-encoding" in asked.headers and self.faults & {"chunked", "no chunks"}:
            return Told(411) if "no chunks" in self.faults else Told(400)
        message = json.loads(asked.body)
        if message["method"] == "initialize":
            return Told(500) if "initialize" in self.faults else _result({"protocolVersion": "2025-11-25"})
        if message["method"] in _LISTED:
            return self._list(message["method"])
        self.traces.append(asked.headers.get("traceparent", ""))
        return self._call(message["params"])

    def _admits(self, token: str, asked: Asked) -> bool:
        if not token:
            return "open" in self.faults
        is_forged = token.endswith(".bm8gc2lnbmF0dXJl")
        return not is_forged or "forged" in self.faults

    def _list(self, method: str) -> Told:
        if "lists" in self.faults:
            return Told(500)
        return _result({"tools": []} if "no tools" in self.faults and method == "tools/list" else _LISTED[method])

    def _call(self, params: dict[str, Any]) -> Told:
        name, arguments = params["name"], params["arguments"]
        if name in self.faults:
            return _result({"isError": True, "content": [{"text": f"{name} does not work: {self.because}."}]})
        answers: dict[str, Callable[[], Told]] = {
            "write_resource": lambda: self._write(arguments["uri"]),
            "delete_resource": lambda: self._delete(arguments["uri"], params),
            "refresh_azure_updates": lambda: _done(
                {} if "no task" in self.faults else {"task": "1", "state": "working"}
            ),
            "get_task": self._look,
        }
        return answers[name]() if name in answers else _done({"total": 9})

    def _write(self, uri: str) -> Told:
        self.files.add(uri)
        return _done({"etag": "1"})

    def _look(self) -> Told:
        self.looks -= 1
        ended = "failed" if "task fails" in self.faults else "completed"
        return _done({"state": ended if self.looks <= 0 else "working"})

    def _delete(self, uri: str, params: dict[str, Any]) -> Told:
        if "no preview" in self.faults:
            self.files.discard(uri)
            return _done({})
        if "requestState" not in params or "never applied" in self.faults:
            return _result({"resultType": "input_required", "inputRequests": {"consent": {}}, "requestState": "s"})
        assert params["inputResponses"] == {"consent": {"action": "accept", "content": {"agree": True}}}
        self.files.discard(uri)
        return _done({})

    # What Azure knows

    def of_azure(self, app: str, group: str) -> dict[str, Callable[[], Told]]:
        """By method and path."""
        insights = f"{group}/providers/Microsoft.Insights"
        container = (
            f"{group}/providers/Microsoft.Storage/storageAccounts/st/blobServices/default/containers/app-package"
        )
        return {
            f"GET {app}/functions": self._functions,
            f"POST {app}/restart": self._restart,
            f"GET {insights}/scheduledQueryRules": self._rules,
            f"GET {insights}/actionGroups": lambda: _json({"value": [self._action(insights)]}),
            f"POST {insights}/actionGroups/ag/createNotifications": self._notify,
            f"GET {container}/providers/Microsoft.Authorization/roleAssignments": self._roles,
            f"GET {group}/providers/Microsoft.Network/publicIPAddresses": lambda: _json(
                {"value": [{"properties": {"ipAddress": "192.0.2.9"}}]}
            ),
        }

    def elsewhere(self, asked: Asked) -> Told:
        """Logs, storage and the vault, at their own hosts."""
        if asked.host == LOGS_HOST:
            query = json.loads(asked.body)["query"]
            found = [trace for trace in self.traces if trace.split("-")[1] in query] if self.traces else []
            return _json({"tables": [{"rows": [] if "audit" in self.faults else [[one] for one in found]}]})
        what = "storage" if asked.host == STORAGE_HOST else "vault"
        return Told(200 if f"open {what}" in self.faults else 401 if f"reachable {what}" in self.faults else 403)

    def _functions(self) -> Told:
        names = FUNCTIONS[1:] if "functions" in self.faults else FUNCTIONS
        return _json({"value": [{"name": f"func/{name}"} for name in names]})

    def _restart(self) -> Told:
        self.restarts += 1
        return Told(200)

    def _rules(self) -> Told:
        names = [f"rule-{number}-team" for number in range(7 if "a rule" in self.faults else 8)]
        return _json(
            {"value": [{"name": name, "properties": {"enabled": "disabled" not in self.faults}} for name in names]}
        )

    def _action(self, insights: str) -> dict[str, Any]:
        address = "nobody@example.com" if "receiver" in self.faults else "team@example.com"
        receivers = [{"emailAddress": address}]
        return {"id": f"{insights}/actionGroups/ag", "properties": {"emailReceivers": receivers}}

    def _notify(self) -> Told:
        if "mail" in self.faults:
            return Told(403)
        self.mails.append("team@example.com")
        return Told(202)

    def _roles(self) -> Told:
        condition = {} if "package" in self.faults else {"condition": _MAY_WRITE}
        return _json({"value": [{"properties": {"roleDefinitionId": f"/roleDefinitions/{OWNER}", **condition}}]})


def _result(result: dict[str, Any]) -> Told:
    return _json({"jsonrpc": "2.0", "id": 1, "result": result})


def _done(structured: dict[str, Any]) -> Told:
    return _result({"resultType": "complete", "isError": False, "structuredContent": structured})
