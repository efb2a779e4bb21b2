"""Cancels running deployments, and repeats failed deployments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Final

from changes.preview import Preview
from changes.undo import by_call
from clients.azure.client import Azure
from clients.azure.what_if.asking import TemplateDeployment
from clients.azure.what_if.template import ArmTemplate
from clients.folding import folded
from mcp_server.current_change import ThisChange
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from mcp_server.long_work.offering import Followed
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.resource.deployment_parameters import Parameters
from tools.azure.resource.deployment_plans import RUNNING, PlannedDeployment, named, planned, refuse_running, state_of
from tools.azure.resource.template_sources import Templates, TemplateSources
from tools.azure.resource_changes.deploying import DeploymentChange, call_of
from tools.azure.shared.answers import Json, at
from tools.azure.shared.applying import SECONDS, AppliedChange, OutcomeCheck, SeenOutcome, change
from tools.azure.shared.change_places import unknown_places
from tools.azure.shared.everywhere import scope_called
from tools.azure.shared.inspecting import Inspected
from tools.azure.shared.parameters import AnyResourceGroup, Subscription
from tools.azure.shared.resource_change import ResourceChange

part = Part()

_HARMLESS: Final = ("name", "resource_group", "subscription", "template_hash")
_CANCELED: Final = "canceled"

Name = Annotated[str, Field(min_length=1, max_length=64, description="Deployment name")]
TemplateHash = Annotated[str | None, Field(max_length=64, description="Expected sha256")]


@part.change(Access.WRITE, interrupts=True, seconds=SECONDS, harmless=_HARMLESS[:3])
async def cancel_azure_deployment(
    azure: Arm, name: Name, resource_group: AnyResourceGroup = None, subscription: Subscription = None
) -> ResourceChange:
    """Cancel a running deployment. Created resources stay."""
    deployment, found = await _existing(azure, name, resource_group, subscription)
    _refuse_ended(found)

    async def sent(look: OutcomeCheck) -> AppliedChange:
        done = await change(azure, deployment.request("POST", "/cancel"), look)
        return replace(done, document=await named(azure, deployment) or {})

    def answers(done: AppliedChange) -> Mapping[str, Any]:
        return {"deployment_id": found.get("id"), "state": at(done.document, "properties.provisioningState")}

    return ResourceChange(
        azure,
        deployment.request("POST", "/cancel"),
        on=deployment.place,
        before=found,
        looking=deployment.request("GET"),
        judge=_judge_cancelled,
        call=call_of(deployment),
        shows=lambda known: _shown_cancelled(deployment, found, known),
        answers=answers,
        sends=sent,
        # The deployment may end before it can be cancelled. Azure then rejects the request.
        looks_again=False,
    )


def _shown_cancelled(deployment: TemplateDeployment, found: Json, known: Inspected) -> Preview:
    place, name = deployment.place, deployment.name
    where = f"the group {place.group}" if place.group else "the subscription"
    again = by_call(
        "retry_azure_deployment", name=name, resource_group=place.group or None, subscription=place.subscription
    )
    return Preview(
        what=f"Cancel the deployment {name!r} to {place.text}",
        sentence=f"Cancel the deployment {name} to {where}",
        facts={**_facts(found), "what it has created": "stays as it is"},
        places=unknown_places(known.places) if _has_nested(found) else known.places,
        undo=again.but("the deployment starts over, and secret parameters must be passed again"),
    )


def _has_nested(found: Json) -> bool:
    """Whether the deployment has, or may have, nested deployments, which may be in any group."""
    providers = at(found, "properties.providers")
    if not isinstance(providers, list):
        return True
    types = [f"{one.get('namespace')}/{at(kind, 'resourceType')}" for one in providers for kind in _types_of(one)]
    return any(folded(one) == "microsoft.resources/deployments" for one in types)


def _types_of(provider: Json) -> Sequence[Json]:
    return provider.get("resourceTypes") or ()


@part.change(
    Access.DESTROY,
    looks_long=True,
    seconds=SECONDS,
    harmless=_HARMLESS,
    secret=("parameters",),
)
async def retry_azure_deployment(
    azure: Arm,
    templates: Templates,
    current: ThisChange,
    following: Followed,
    name: Name,
    resource_group: AnyResourceGroup = None,
    parameters: Parameters = None,
    subscription: Subscription = None,
    template_hash: TemplateHash = None,
) -> DeploymentChange:
    """Redeploy a failed or cancelled deployment with its template and parameters; shows a what-if first.

    Azure does not keep secure parameters: pass them in `parameters`.
    """
    plan = await _again(azure, templates, name, resource_group, subscription, parameters)
    plan.refuse_another(template_hash)
    return DeploymentChange(azure, plan, current, following)


async def _again(
    azure: Azure,
    templates: TemplateSources,
    name: str,
    group: str | None,
    subscription: str | None,
    given: Mapping[str, Any] | None,
) -> PlannedDeployment:
    """Plan to repeat an earlier deployment with the newly passed parameters."""
    old, found = await _existing(azure, name, group, subscription, with_values=True)
    refuse_running(found)
    if state_of(found) == "succeeded":
        raise Refusal(f"The deployment {name!r} succeeded, so there is nothing to redeploy.")
    # The exported template is complete. The template is sent only to Azure and never shown.
    exported = await azure.json(old.request("POST", "/exportTemplate", is_read=True, gives_secrets=True))
    template = await templates.whole(ArmTemplate.of(exported.get("template") or {}, "Azure's export of the template"))
    plan = planned(
        old.place,
        template,
        f"of the deployment {name}",
        name=name,
        parameters={**_stored_parameters(found, template), **(given or {})},
        mode=str(at(found, "properties.mode") or "Incremental"),
        location="" if old.place.group else str(found.get("location") or ""),
    )
    _refuse_unknown_secrets(plan, template)
    return plan


def _stored_parameters(found: Mapping[str, Any], template: ArmTemplate) -> dict[str, Any]:
    """Return the parameters of the earlier deployment. Azure stores all parameters except secure parameters."""
    entries = at(found, "properties.parameters")
    kept = entries if isinstance(entries, Mapping) else {}
    own = {folded(name): name for name in template.parameters}
    return {
        own[folded(name)]: {"value": one["value"]}
        for name, one in kept.items()
        if folded(name) in own and own[folded(name)] not in template.secure and "value" in one
    }


def _refuse_unknown_secrets(plan: PlannedDeployment, template: ArmTemplate) -> None:
    needed = {name for name in template.secure if "defaultValue" not in template.parameters[name]}
    if lacking := sorted(needed - plan.deployment.parameters.keys()):
        raise Refusal(
            f"Azure does not keep secure parameters. Ask the user for {', '.join(lacking)} and pass them in"
            " `parameters`."
        )


async def _existing(
    azure: Azure, name: str, group: str | None, subscription: str | None, *, with_values: bool = False
) -> tuple[TemplateDeployment, Json]:
    place = await scope_called(azure, group, subscription)
    deployment = TemplateDeployment(place, name, {}, {})
    # The parameters of the deployment are sent only to Azure.
    return deployment, await azure.json(deployment.request("GET", gives_secrets=with_values))


def _facts(found: Mapping[str, Any]) -> dict[str, Any]:
    names = {"state": "provisioningState", "mode": "mode", "template": "templateHash", "correlation": "correlationId"}
    return {name: at(found, f"properties.{path}") for name, path in names.items()}


def _refuse_ended(found: Mapping[str, Any]) -> None:
    if state_of(found) not in RUNNING:
        state = at(found, "properties.provisioningState")
        raise Refusal(f"The deployment is already finished ({state}), so there is nothing to cancel.")


def _judge_cancelled(found: Json | None) -> SeenOutcome:
    if found is None:
        return SeenOutcome.UNCLEAR
    return SeenOutcome.DONE if state_of(found) == _CANCELED else SeenOutcome.UNCLEAR
