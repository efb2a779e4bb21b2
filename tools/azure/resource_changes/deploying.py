"""Deploys a template. A what-if previews the deployment. After approval, the template is sent once, under a name that
is derived from its content.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Final

from changes.preview import Preview
from clients.azure.client import Azure
from clients.azure.what_if.asking import TemplateDeployment
from mcp_server.current_change import CurrentChange, ThisChange
from mcp_server.declarations.change import Change
from mcp_server.declarations.field import Field
from mcp_server.declarations.function_tool import further_name
from mcp_server.declarations.toolset import Access, Part
from mcp_server.long_work.offering import Followed, Following
from refusal import Refusal
from tasks.task import Task
from tools.azure.access import Arm
from tools.azure.resource.deployment_parameters import Location, Mode, Parameters, location_of
from tools.azure.resource.deployment_plans import (
    RUNNING,
    TAG,
    PlannedDeployment,
    mark_of,
    named,
    planned,
    refuse_running,
    state_of,
)
from tools.azure.resource.outputs import outputs_of
from tools.azure.resource.template_sources import TemplateFile, TemplateObject, Templates, TemplateUrl
from tools.azure.shared.answers import Json, at
from tools.azure.shared.applying import SECONDS, AppliedChange, Judge, OutcomeCheck, SeenOutcome, change
from tools.azure.shared.everywhere import scope_called
from tools.azure.shared.inspecting import locks_of
from tools.azure.shared.locks import refuse_locked
from tools.azure.shared.parameters import AnyResourceGroup, Subscription
from tools.azure.shared.permitted import doubt_of

part = Part()

_HAS_ENDED: Final = "contains(['Succeeded', 'Failed', 'Canceled'], state)"

NewName = Annotated[str | None, Field(pattern=r"^[-\w.()]{1,64}$", description="Default: derived from the content")]
TemplateHash = Annotated[str | None, Field(max_length=64, description="Expected sha256")]
_HARMLESS: Final = ("resource_group", "subscription", "location", "mode", "name", "template_hash")


def azure_resource_deploy(
    resource_group: Annotated[str, Field(min_length=1, max_length=90, description="Its name")],
    template_url: Annotated[str, Field(max_length=2000, description="https address of an ARM template")],
    parameters: Parameters = None,
) -> dict[str, Any]:
    """Deploy an ARM template from a link to a resource group."""
    return {"resource_group": resource_group, "template_url": template_url, "parameters": parameters or {}}


def _as_published(answer: dict[str, Any]) -> dict[str, Any]:
    return {name: answer.get(name) for name in ("deployment_id", "status", "outputs")}


@part.change(
    Access.DESTROY,
    looks_long=True,
    seconds=SECONDS,
    harmless=_HARMLESS,
    secret=("parameters",),
    further_names=[
        further_name(azure_resource_deploy, gives=_as_published, harmless=("resource_group",), secret=("parameters",))
    ],
)
async def deploy_template(
    azure: Arm,
    templates: Templates,
    current: ThisChange,
    following: Followed,
    resource_group: AnyResourceGroup = None,
    template: TemplateObject = None,
    template_url: TemplateUrl = None,
    template_file: TemplateFile = None,
    parameters: Parameters = None,
    mode: Mode = "incremental",
    subscription: Subscription = None,
    location: Location = None,
    name: NewName = None,
    template_hash: TemplateHash = None,
) -> DeploymentChange:
    """Deploy an ARM template (build Bicep first) to a resource group, or to a subscription. Shows a what-if first.

    The answer says whether to repeat the call.
    """
    found, source = await templates.template(template, template_url, template_file)
    place = await scope_called(azure, resource_group, subscription)
    where = location_of(resource_group, location)
    plan = planned(place, found, source, name=name, parameters=parameters, mode=mode.capitalize(), location=where)
    plan.refuse_another(template_hash)
    return DeploymentChange(azure, plan, current, following)


@dataclass(eq=False)
class DeploymentChange(Change[Json | Task]):
    azure: Azure
    plan: PlannedDeployment
    current: CurrentChange
    following: Following
    _is_checked: bool = field(default=False, init=False)

    async def preview(self) -> Preview:
        doubt = await self._doubt()
        self._is_checked = True
        shown = await self.plan.preview(self.azure, self.current.trail)
        return replace(shown, doubt=doubt)

    def held_to(self, pins: Mapping[str, Any]) -> Change[Json | Task]:
        self.plan.refuse_another(pins.get("template_hash"))
        return self

    async def apply(self) -> Json | Task:
        if not self._is_checked:
            place = self.plan.deployment.place
            refuse_locked(await locks_of(self.azure, [place]), [place], "change")
            await self._doubt()
        deployment = self.plan.deployment
        return await _followed(deployment, await _deployed(self.azure, self.plan, self.current), self.following)

    async def _doubt(self) -> str:
        return await doubt_of(self.azure, self.plan.deployment.place, "Microsoft.Resources/deployments/write")


async def _followed(deployment: TemplateDeployment, answer: Json, following: Following) -> Json | Task:
    """Return the answer or, if the deployment is still running, a task that lets the caller follow the deployment."""
    if answer.get("status") != "under way":
        return answer
    place = deployment.place
    own = {"name": deployment.name, "subscription": place.subscription}
    arguments = {**own, "resource_group": place.group} if place.group else own
    look = {"toolset": "resource", "tool": "show_azure_deployment", "arguments": arguments, "until": _HAS_ENDED}
    return await following.offered(answer, look, f"Deployment {deployment.name}")


async def _deployed(azure: Azure, plan: PlannedDeployment, current: CurrentChange) -> Json:
    """Deploy the template once, and report the result.

    Raises:
        Refusal: The template was not deployed, or the deployment failed.
    """
    if azure.is_limited and not current.is_previewed:
        raise Refusal(
            "This server can reach only a part of Azure, so before it deploys a template, a what-if must show which"
            " resources the template changes. MCP_CONSENT_WAIVED, or a rule with `ask: nobody` for all changes, turns"
            " this what-if off. Ask an operator to require approval for `resource-changes`."
        )
    look = OutcomeCheck(plan.deployment.request("GET"), _judge(current.mark), call_of(plan.deployment))
    earlier = await named(azure, plan.deployment)
    if earlier and mark_of(earlier) == current.mark:
        return deployment_result(AppliedChange(look, earlier, is_under_way=state_of(earlier) in RUNNING))
    refuse_running(earlier)
    body = {**plan.deployment.body(), "tags": {TAG: current.mark}}
    return deployment_result(await change(azure, plan.deployment.request("PUT", body=body), look))


def deployment_result(done: AppliedChange) -> Json:
    """Return the result of a deployment with its outputs. Possible secrets are left out."""
    found = done.document
    state = None if done.is_under_way else at(found, "properties.provisioningState")
    return {"outputs": {}, **done.answer(deployment_id=found.get("id"), state=state, outputs=outputs_of(found))}


def _judge(mark: str) -> Judge:
    def judge(found: Json | None) -> SeenOutcome:
        if found is None or mark_of(found) != mark:
            return SeenOutcome.NOT_DONE
        return SeenOutcome.UNDER_WAY if state_of(found) in RUNNING else SeenOutcome.DONE

    return judge


def call_of(deployment: TemplateDeployment) -> str:
    """Return the call that shows a deployment."""
    place = deployment.place
    group = f", resource_group={place.group!r}" if place.group else ""
    return f"show_azure_deployment(name={deployment.name!r}{group}, subscription={place.subscription!r})"
