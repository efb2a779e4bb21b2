"""Wait until the app answers, start a sync of Azure updates, and say how to connect."""

from __future__ import annotations

import json

from cannot_go_on import CannotGoOnError
from hook import Deployment, run
from waiting import Wait, ask_until

KEYS_VERSION = "2024-04-01"
SYNC = "/admin/functions/sync_updates_delta"
SECONDS_TO_START = 300
PROVISION = "Run 'azd provision', which sets it."
MOST_SHOWN = 2000
BY_ITSELF = "the first request, or the timer, starts the sync of Azure updates"


def wait_for_the_app(deployment: Deployment) -> None:
    health = f"{_app(deployment)}/health"
    wait = Wait(health, SECONDS_TO_START, 10)
    answer = ask_until(lambda answer: answer.is_good, lambda: deployment.web.ask("GET", health), wait, deployment.clock)
    if not answer.is_good:
        raise CannotGoOnError(
            f"{health} does not answer ({answer.code}). docs/operating.md says what to look at;"
            " then run 'azd hooks run postdeploy'."
        )
    print(f"The app answers: {answer.body.decode(errors='replace')[:MOST_SHOWN]}", flush=True)


def start_a_sync(deployment: Deployment) -> None:
    """The app comes to it by itself, so a hook that may not start one has not failed."""
    if deployment.is_on("APP_SERVICE_AUTH_ENABLED"):
        print(f"App Service authentication lets no key in, so {BY_ITSELF}.", flush=True)
        return
    try:
        problem = _start(deployment)
    except CannotGoOnError as reason:
        problem = str(reason)
    if problem:
        print(f"No sync was started, so {BY_ITSELF}. ({problem})", flush=True)
    else:
        print("A sync of Azure updates has begun; the first takes a few minutes.", flush=True)


def tell_how_to_connect(deployment: Deployment) -> None:
    url = deployment.needed("MCP_URL", PROVISION)
    vs_code = json.dumps({"name": "azure-team", "type": "http", "url": url})
    cursor = json.dumps({"mcpServers": {"azure-team": {"url": url}}})
    lines = [
        "",
        f"MCP server: {url}",
        "",
        f"Claude Code   claude mcp add --transport http azure-team {url}",
        f"VS Code       code --add-mcp '{vs_code}'",
        f"Cursor        .cursor/mcp.json: {cursor}",
        f"Codex         codex mcp add azure-team --url {url}",
    ]
    print("\n".join(lines), flush=True)


def _app(deployment: Deployment) -> str:
    return deployment.needed("SERVICE_API_URI", PROVISION)


def _start(deployment: Deployment) -> str:
    """Answer with what went wrong, if something did."""
    app = deployment.needed("AZURE_FUNCTION_ID", PROVISION)
    keys = deployment.azure.post(f"{app}/host/default/listkeys", KEYS_VERSION)
    key = keys.content.get("masterKey")
    if not keys.is_good or not key:
        return f"Azure gave no key of the app: {keys.code}"
    answer = deployment.web.ask("POST", f"{_app(deployment)}{SYNC}", {"x-functions-key": str(key)}, {"input": ""})
    return "" if answer.is_good else f"the app did not take its key: {answer.code}"


STEPS = (wait_for_the_app, start_a_sync, tell_how_to_connect)

if __name__ == "__main__":
    run(STEPS)
