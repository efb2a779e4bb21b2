"""Code shared by the tools that change apps: reading the app, previews, and checks of the result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from changes.preview import Fact, Preview
from clients.azure.apps.finding import AzureApp, app_called
from clients.azure.client import Azure
from clients.azure.messages import AzureRequest
from refusal import Refusal
from tools.azure.apps.app_parameters import hosts, runtime, state
from tools.azure.shared.applying import AppliedChange, Judge, OutcomeCheck, SeenOutcome, change
from tools.azure.shared.inspecting import Inspected
from tools.azure.shared.resource_change import ResourceChange, Shows

Json = dict[str, Any]


async def app_now(azure: Azure, named: str, subscription: str | None) -> AzureApp:
    """Read the current state of an app."""
    return await app_called(azure, named, subscription)


def refuse_cluster(app: AzureApp, verb: str) -> None:
    if not app.is_site and not app.is_container_app:
        raise Refusal(f"This tool cannot {verb} an AKS cluster. Use kubectl or `az aks`.")


def refuse_all_but_sites(app: AzureApp, what: str) -> None:
    if not app.is_site:
        raise Refusal(f"Only web and function apps have {what}; {app.id.name} is of kind {app.kind!r}.")


def app_preview(
    known: Inspected, app: AzureApp, what: str, facts: Mapping[str, Fact] | None = None, **more: Any
) -> Preview:
    """Build the preview that approvers see for a change to an app."""
    own: dict[str, Fact] = {
        **known.facts(app.id),
        "state": state(app.record),
        "runtime": runtime(app.record) if app.is_site else None,
        "hosts": sorted(hosts(app.record)),
        "last modified": app.properties.get("lastModifiedTimeUtc"),
    }
    known_facts = {name: value for name, value in {**own, **(facts or {})}.items() if value not in (None, "", [])}
    return Preview(what=what, facts=known_facts, destroys=False, **more)


def app_change(
    azure: Azure,
    app: AzureApp,
    request: AzureRequest,
    judge: Judge,
    shows: Shows,
    answers: Mapping[str, Any],
    **more: Any,
) -> ResourceChange:
    """Build a change to an app. The app's current record is the state before the change."""
    usual = {"on": app.id, "before": dict(app.record), "judge": judge, "call": show_call(app)}
    return ResourceChange(azure, request, shows=shows, answers=answers, **{**usual, **more})


async def changed(
    azure: Azure, app: AzureApp, request: AzureRequest, judge: Judge, *, looking: AzureRequest
) -> AppliedChange:
    """Send one of the requests that change an app, and check its result."""
    return await change(azure, request, OutcomeCheck(looking, judge, show_call(app)))


def show_call(app: AzureApp) -> str:
    return f"show_app(app={app.id.text!r})"


def cannot_tell(_found: Json | None) -> SeenOutcome:
    """Report the outcome as unclear, because the app does not show whether the change was applied."""
    return SeenOutcome.UNCLEAR


def has(is_so: Callable[[Json], bool]) -> Judge:
    """Return a check that reports a change as done if `is_so` returns True for the app's record."""

    def judge(found: Json | None) -> SeenOutcome:
        return SeenOutcome.DONE if found is not None and is_so(found) else SeenOutcome.NOT_DONE

    return judge
