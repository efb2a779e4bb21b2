"""Waits until the app responds, starts a sync of Azure updates, and shows how to connect."""

from __future__ import annotations

import json

from cannot_go_on import CannotGoOnError
from hook import Deployment, run
from vault_references import unresolved, wait_for_references, warning
from verification.all_probes import AFTER_DEPLOYING, PROBES
from verification.probe import Report, outcome_of
from verification.showing import table
from verification.target import Target
from waiting import Wait, ask_until
from web import WebAnswer

KEYS_VERSION = "2024-04-01"
SYNC = "/admin/functions/sync_updates_delta"
SECONDS_TO_START = 300
PROVISION = "Run 'azd provision', which sets this value."
MOST_SHOWN = 40
BY_ITSELF = "the first request or the timer starts the sync of Azure updates"


def wait_for_the_app(deployment: Deployment) -> None:
    answer = _health(deployment)
    if not answer.is_good and _lacks_secrets(deployment):
        missing = wait_for_references(deployment)
        if missing:
            # Missing secrets cause only a warning, because the app starts as soon as its role takes effect.
            print(warning(deployment, missing), flush=True)
            return
        answer = _health(deployment)
    if not answer.is_good:
        raise CannotGoOnError(
            f"{_app(deployment)}/health does not answer ({answer.code}). See 'What an error means' in"
            " docs/operating.md, then run 'azd hooks run postdeploy'."
        )
    version, status = (str(answer.content.get(name) or "unknown")[:MOST_SHOWN] for name in ("version", "status"))
    print(f"The app runs: version {version}, status {status}. Details: {_app(deployment)}/health", flush=True)


def start_a_sync(deployment: Deployment) -> None:
    """Start a sync of Azure updates. If this fails, only print a message: a timer starts a sync later."""
    if deployment.is_on("APP_SERVICE_AUTH_ENABLED"):
        print(f"App Service authentication does not accept keys, so no sync was started now: {BY_ITSELF}.", flush=True)
        return
    try:
        problem = _start(deployment)
    except CannotGoOnError as reason:
        problem = str(reason)
    if problem:
        print(f"No sync was started, so {BY_ITSELF}. ({problem})", flush=True)
    else:
        print("Started a sync of Azure updates. The first sync takes a few minutes.", flush=True)


def verify(deployment: Deployment) -> None:
    """Verify the deployment. A failed probe does not fail the hook, because the app is already deployed. Only the
    problem and its fix are printed.
    """
    target = Target(_app(deployment), deployment.web, deployment.clock, deployment)
    print("\nVerifying the deployment:", flush=True)
    report = Report(target.url, [outcome_of(probe, target) for probe in AFTER_DEPLOYING])
    print("\n".join(table(report)), flush=True)
    print(f"Run 'scripts/verify {target.url}' for all {len(PROBES)} probes.", flush=True)


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
        *_next_step(deployment),
    ]
    print("\n".join(lines), flush=True)


def _next_step(deployment: Deployment) -> list[str]:
    """The lines of a hint about sign-in, or no lines if another issuer manages sign-in."""
    if deployment.is_on("ENTRA_APP_ENABLED"):
        return ["", "To use tools, people need a role and admin consent: see 'Sign-in' in docs/deploying.md."]
    if not deployment.value("AUTH_MODE"):
        return ["", "Only public tools work until you set up sign-in: see 'Sign-in' in docs/deploying.md."]
    return []


def _health(deployment: Deployment) -> WebAnswer:
    health = f"{_app(deployment)}/health"
    wait = Wait(health, SECONDS_TO_START, 10)
    return ask_until(lambda answer: answer.is_good, lambda: deployment.web.ask("GET", health), wait, deployment.clock)


def _lacks_secrets(deployment: Deployment) -> bool:
    """Whether Azure reports that the app cannot read its secrets."""
    try:
        return bool(unresolved(deployment))
    except CannotGoOnError:
        return False


def _app(deployment: Deployment) -> str:
    return deployment.needed("SERVICE_API_URI", PROVISION)


def _start(deployment: Deployment) -> str:
    """Start a sync. Return an error message, or an empty string if the call succeeded."""
    app = deployment.needed("AZURE_FUNCTION_ID", PROVISION)
    keys = deployment.azure.post(f"{app}/host/default/listkeys", KEYS_VERSION)
    key = keys.content.get("masterKey")
    if not keys.is_good or not key:
        return f"Azure did not return a key of the app: {keys.code}"
    answer = deployment.web.ask("POST", f"{_app(deployment)}{SYNC}", {"x-functions-key": str(key)}, {"input": ""})
    return "" if answer.is_good else f"the app rejected its key: {answer.code}"


STEPS = (wait_for_the_app, start_a_sync, verify, tell_how_to_connect)

if __name__ == "__main__":
    run(STEPS)
