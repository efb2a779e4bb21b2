"""Runs a what-if: starts it, and polls for its result. Later calls continue polling if necessary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from clients.azure.client import Azure
from clients.azure.failures import AzureRefusal, Failure, in_its_words
from clients.azure.ids import ResourceId
from clients.azure.messages import AzureAnswer, AzureRequest, of_id
from clients.azure.paging import at_address
from clients.azure.what_if.outlook import WhatIfOutlook, outlook_of
from clients.retries import PASSING, seconds_in
from refusal import Refusal

# From this API version on, a what-if does not require write permission.
VERSION: Final = "2024-11-01"
SECONDS: Final = 40.0
_PAUSE, _SHORTEST, _LONGEST = 3.0, 1.0, 15.0
_AGAIN_IN: Final = 20.0
_NOT_PERMITTED: Final = frozenset({"AuthorizationFailed", "LinkedAuthorizationFailed"})
_FULL, _WITHOUT_RIGHTS = "Provider", "ProviderNoRbac"
_RIGHTS_UNKNOWN: Final = (
    "whether you are allowed to deploy: this what-if ran without permission checks, because you have no write"
    " permission"
)


@dataclass(frozen=True, slots=True)
class TemplateDeployment:
    """A template to deploy.

    `place` is a resource group or a subscription; for a subscription, a location is required.
    """

    place: ResourceId
    name: str
    template: Mapping[str, Any]
    parameters: Mapping[str, Any]
    mode: str = "Incremental"
    location: str = ""

    @property
    def properties(self) -> dict[str, Any]:
        return {"mode": self.mode, "template": self.template, "parameters": self.parameters}

    def body(self, **more: Any) -> dict[str, Any]:
        where = {"location": self.location} if self.location else {}
        return {**where, "properties": {**self.properties, **more}}

    def request(self, line: str, action: str = "", **options: Any) -> AzureRequest:
        suffix = f"/providers/Microsoft.Resources/deployments/{{deployment}}{action}"
        return of_id(line, self.place, suffix, values={"deployment": self.name}, version=VERSION, **options)


@dataclass(frozen=True, slots=True)
class RunningWhatIf:
    """A running what-if: how the what-if was requested, the URL of the result, and when to poll again."""

    address: str
    level: str
    seconds: float

    @property
    def trail(self) -> dict[str, str]:
        return {"address": self.address, "level": self.level}


async def what_if(
    azure: Azure, deployment: TemplateDeployment, trail: Mapping[str, Any]
) -> WhatIfOutlook | RunningWhatIf:
    """The result of a what-if or, after a time limit, the running what-if. `trail` continues an earlier what-if."""
    if trail:
        azure.expect(trail["address"])
        begun = RunningWhatIf(trail["address"], trail["level"], 0.0)
        return await _permitted(azure, deployment, begun.level, await _poll(azure, begun))
    return await _permitted(azure, deployment, _FULL, await _start(azure, deployment, _FULL))


async def _permitted(
    azure: Azure, deployment: TemplateDeployment, level: str, outcome: AzureAnswer | RunningWhatIf | AzureRefusal
) -> WhatIfOutlook | RunningWhatIf:
    """The result of a what-if. If the caller has no write permission, run the what-if without permission checks."""
    if isinstance(outcome, AzureRefusal):
        if level != _FULL or outcome.code not in _NOT_PERMITTED:
            raise outcome
        again = await _start(azure, deployment, _WITHOUT_RIGHTS)
        return await _permitted(azure, deployment, _WITHOUT_RIGHTS, again)
    if isinstance(outcome, RunningWhatIf):
        return outcome
    found = outlook_of(outcome.document, deployment.place.text)
    return found if level == _FULL else replace(found, missing=[*found.missing, _RIGHTS_UNKNOWN])


async def _start(
    azure: Azure, deployment: TemplateDeployment, level: str
) -> AzureAnswer | RunningWhatIf | AzureRefusal:
    body = deployment.body(whatIfSettings={"resultFormat": "FullResourcePayloads"}, validationLevel=level)
    try:
        answer = await azure.send(deployment.request("POST", "/whatIf", body=body, is_read=True))
    except AzureRefusal as refusal:
        return refusal
    if answer.status != 202:
        return _ended(answer)
    address = answer.headers.get("Location", "")
    if not address:
        raise Refusal("Azure started the what-if, but did not say where its result is. Try again.")
    return await _poll(azure, RunningWhatIf(address, level, _pause(answer)))


async def _poll(azure: Azure, asked: RunningWhatIf) -> AzureAnswer | RunningWhatIf | AzureRefusal:
    """Poll for the result. If polling fails, return the running what-if: it still runs in Azure."""
    left = SECONDS
    while asked.seconds <= left:
        await azure.sleep(asked.seconds)
        left -= asked.seconds
        looking = at_address(azure.cloud.manager, asked.address, AzureRequest("GET /", version=VERSION))
        try:
            answer = await azure.send(looking)
        except AzureRefusal as refusal:
            return replace(asked, seconds=_AGAIN_IN) if refusal.status in PASSING else refusal
        except Refusal:
            return replace(asked, seconds=_AGAIN_IN)
        if answer.status != 202:
            return _ended(answer)
        asked = RunningWhatIf(answer.headers.get("Location") or asked.address, asked.level, _pause(answer))
    return replace(asked, seconds=max(asked.seconds, _AGAIN_IN))


def _pause(answer: AzureAnswer) -> float:
    wished = seconds_in(answer.headers)
    return min(max(wished, _SHORTEST), _LONGEST) if wished else _PAUSE


def _ended(answer: AzureAnswer) -> AzureAnswer | AzureRefusal:
    document = answer.document
    state = str(document.get("status") or "").lower() if isinstance(document, Mapping) else "failed"
    if state == "succeeded":
        return answer
    failure = Failure.in_document(document)
    message = in_its_words(failure.words)
    text = f"Azure says that the deployment would fail ({failure.code or state}). {message} Nothing was done.".replace(
        "  ", " "
    )
    return AzureRefusal(text, answer.status, failure.code, failure.message)
