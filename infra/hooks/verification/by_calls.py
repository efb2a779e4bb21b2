"""Probes that call tools as the user who is signed in to azd."""

from __future__ import annotations

import json
import secrets
from base64 import urlsafe_b64decode
from collections.abc import Mapping
from typing import Any

from verification.over_http import WITHOUT_A_SIGN_IN
from verification.probe import FailedError, SkippedError
from verification.target import Target
from web import WebAnswer

SECONDS_FOR_A_TASK = 60
CLAIMS = ("roles", "idtyp", "auth_time")


def read(target: Target) -> str:
    target.trace = secrets.token_hex(16)
    result = _result(target, "azure-updates", "search_azure_updates", {"limit": 1})
    return f"{result.get('total')} updates"


def claims(target: Target) -> str:
    token = token_of(target)
    payload = token.split(".")[1]
    found = json.loads(urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    if not found.get("roles"):
        raise FailedError(
            "Your token has no role: assign one in the portal under 'Enterprise applications' > 'Users and groups'.",
            "azd env get-value ENTRA_CLIENT_ID",
        )
    return ", ".join(f"{name}: {'present' if name in found else 'absent'}" for name in CLAIMS)


def change(target: Target) -> str:
    """Write a file. Then delete the file with a previewed and approved change, so that nothing remains."""
    uri = f"file:///verify-{secrets.token_hex(8)}.txt"
    _result(target, "shelves", "write_resource", {"uri": uri, "text": "scripts/verify"})
    is_gone = False
    try:
        is_gone = _approved_deletion(target, uri)
    finally:
        if not is_gone:
            print(f"Not cleaned up: delete {uri} with delete_resource.", flush=True)
    return "previewed, approved and applied"


def task(target: Target) -> str:
    begun = _result(target, "azure-updates", "refresh_azure_updates", {"full": True})
    if "task" not in begun:
        raise FailedError("A long call did not start a task.", "azd env set TASKS_STEP_SECONDS 120")
    seconds, state = 0.0, "working"
    while seconds < SECONDS_FOR_A_TASK:
        status = _result(target, "tasks", "get_task", {"id": begun["task"]})
        state = str(status.get("state"))
        if state == "completed":
            return f"within {seconds + 2:.0f} s"
        if state in ("failed", "cancelled"):
            raise FailedError(f"The task is {state}: {str(status)[:200]}", "azd deploy")
        target.clock.sleep(2)
        seconds += 2
    _result(target, "tasks", "cancel_task", {"id": begun["task"]})
    raise FailedError(f"A task is {state} after {SECONDS_FOR_A_TASK} s, and was cancelled.", "azd provision")


def dead_letters(target: Target) -> str:
    tasks = target.ask("GET", "/health").content.get("tasks")
    if not isinstance(tasks, dict):
        raise SkippedError("/health does not report the state of tasks")
    if tasks.get("setAside"):
        raise FailedError(
            f"{tasks['setAside']} messages are in the queue tasks-poison.", "azd env get-value AZURE_STORAGE_ACCOUNT"
        )
    return "none"


def last_sync(target: Target) -> str:
    updates = target.ask("GET", "/health").content.get("updates")
    if not isinstance(updates, dict):
        raise SkippedError("/health does not report the state of Azure updates")
    if not updates.get("lastSyncTimestamp"):
        raise FailedError("Azure updates were never synced.", "azd hooks run postdeploy")
    if updates.get("status") != "ok":
        raise FailedError(
            f"Azure updates are {updates.get('status')}: {updates.get('advice')}", "azd hooks run postdeploy"
        )
    return str(updates["lastSyncTimestamp"])


def _approved_deletion(target: Target, uri: str) -> bool:
    call = {"name": "delete_resource", "arguments": {"uri": uri}}
    preview = _call(target, call)
    if preview.get("resultType") != "input_required":
        raise FailedError(
            f"The deletion of a file was not previewed: {text_of(preview)[:200]}", 'azd env set MCP_CONSENT_WAIVED ""'
        )
    (name,) = preview["inputRequests"]
    agreed = {"inputResponses": {name: {"action": "accept", "content": {"agree": True}}}}
    outcome = _call(target, {**call, **agreed, "requestState": preview["requestState"]})
    if outcome.get("isError") or outcome.get("resultType") == "input_required":
        raise FailedError(f"An approved change was not applied: {text_of(outcome)[:200]}", "azd deploy")
    return True


def _call(target: Target, params: Mapping[str, Any]) -> dict[str, Any]:
    result = target.mcp("tools/call", params, "/mcp/x/shelves").content.get("result")
    return result if isinstance(result, dict) else {}


def _result(target: Target, toolset: str, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Call a tool and return its structured result. Raises SkippedError if the caller cannot use the tool."""
    answer = target.mcp("tools/call", {"name": tool, "arguments": arguments}, f"/mcp/x/{toolset}")
    if answer.status in (401, 403):
        raise SkippedError(WITHOUT_A_SIGN_IN if answer.status == 401 else f"your role does not give access to {tool}")
    result = answer.content.get("result")
    if not isinstance(result, dict):
        raise _unanswered(tool, answer)
    if result.get("isError"):
        raise FailedError(f"{tool} failed: {text_of(result)[:200]}", "azd deploy")
    structured = result.get("structuredContent")
    return structured if isinstance(structured, dict) else {}


def _unanswered(tool: str, answer: WebAnswer) -> FailedError | SkippedError:
    error = answer.content.get("error")
    words = str(error.get("message")) if isinstance(error, dict) else answer.code
    if isinstance(error, dict) and answer.status < 500:
        return SkippedError(words[:200])
    return FailedError(f"{tool} answered {words[:200]}.", "azd deploy")


def text_of(result: Mapping[str, Any]) -> str:
    content = result.get("content") or [{}]
    return str(content[0].get("text"))


def token_of(target: Target) -> str:
    token = target.token()
    if not token:
        raise SkippedError(WITHOUT_A_SIGN_IN if target.metadata() else "no sign-in")
    return token
