"""What the tools that change an app share: the app as it is now, what somebody agrees to, and how one looks again."""

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
    """The app as it is at this moment."""
    return await app_called(azure, named, subscription)


def refuse_cluster(app: AzureApp, what: str) -> None:
    if not app.is_site and not app.is_container_app:
        raise Refusal(f"An AKS cluster cannot be {what} here: that is for kubectl, or `az aks`. Nothing was done.")


def refuse_all_but_sites(app: AzureApp, what: str) -> None:
    if not app.is_site:
        raise Refusal(f"A {app.kind} has no {what}: that is of App Service and Functions. Nothing was done.")


def app_preview(
    known: Inspected, app: AzureApp, what: str, facts: Mapping[str, Fact] | None = None, **more: Any
) -> Preview:
    """What is shown to whoever approves a change of an app."""
    own: dict[str, Fact] = {
        **known.facts(app.id),
        "state": state(app.record),
        "runs": runtime(app.record) if app.is_site else None,
        "answers at": sorted(hosts(app.record)),
        "app changed": app.properties.get("lastModifiedTimeUtc"),
    }
    told = {name: value for name, value in {**own, **(facts or {})}.items() if value not in (None, "", [])}
    return Preview(what=what, facts=told, destroys=False, **more)


def app_change(
    azure: Azure,
    app: AzureApp,
    request: AzureRequest,
    judge: Judge,
    shows: Shows,
    answers: Mapping[str, Any],
    **more: Any,
) -> ResourceChange:
    """The change of an app that was read a moment ago."""
    usual = {"on": app.id, "before": dict(app.record), "judge": judge, "call": show_call(app)}
    return ResourceChange(azure, request, shows=shows, answers=answers, **{**usual, **more})


async def changed(
    azure: Azure, app: AzureApp, request: AzureRequest, judge: Judge, *, looking: AzureRequest
) -> AppliedChange:
    """Send a part of a change of an app, and find out what became of it."""
    return await change(azure, request, OutcomeCheck(looking, judge, show_call(app)))


def show_call(app: AzureApp) -> str:
    return f"show_app(app={app.id.text!r})"


def cannot_tell(_found: Json | None) -> SeenOutcome:
    """Judges what leaves no trace."""
    return SeenOutcome.UNCLEAR


def has(told: Callable[[Json], bool]) -> Judge:
    """Judges that something is as it was to be."""

    def judge(found: Json | None) -> SeenOutcome:
        return SeenOutcome.DONE if found is not None and told(found) else SeenOutcome.NOT_DONE

    return judge
