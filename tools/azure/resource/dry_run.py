"""Runs the what-if of a template. Callers need only read access."""

from __future__ import annotations

from typing import Final

from changes.looking import StillLookingError
from changes.preview import Preview
from changes.summary import Summary
from clients.azure.client import Azure
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.resource.deployment_parameters import Location, Mode, Parameters, location_of
from tools.azure.resource.deployment_plans import PlannedDeployment, planned
from tools.azure.resource.template_sources import TemplateFile, TemplateObject, Templates, TemplateUrl
from tools.azure.shared.answers import Json, answer
from tools.azure.shared.applying import SECONDS
from tools.azure.shared.everywhere import scope_called
from tools.azure.shared.parameters import AnyResourceGroup, Subscription
from tools.azure.shared.side_effects import side_effects
from tools.azure.shared.what_if import ChangeOutlook

part = Part()

# The maximum number of requests for the what-if result. Each request waits for up to a minute.
_MOST_LOOKS: Final = 4
_HARMLESS: Final = ("resource_group", "subscription", "location", "mode")


@part.tool(Access.READ, seconds=SECONDS, harmless=_HARMLESS, secret=("parameters",))
async def preview_deployment(
    azure: Arm,
    templates: Templates,
    resource_group: AnyResourceGroup = None,
    template: TemplateObject = None,
    template_url: TemplateUrl = None,
    template_file: TemplateFile = None,
    parameters: Parameters = None,
    mode: Mode = "incremental",
    subscription: Subscription = None,
    location: Location = None,
) -> Json:
    """Dry run (what-if) of an ARM template: what would deploying it create, change or delete? Changes nothing."""
    found, source = await templates.template(template, template_url, template_file)
    place = await scope_called(azure, resource_group, subscription)
    where = location_of(resource_group, location)
    plan = planned(place, found, source, name=None, parameters=parameters, mode=mode.capitalize(), location=where)
    outlook = await _outlook(azure, plan)
    shown = Preview(
        what=f"Deploy a template to {place.text}",
        edits=outlook.edits,
        effects=side_effects(outlook.edits),
        cost=outlook.cost,
    )
    return answer(
        place=place.text,
        mode=mode,
        resources=dict(outlook.facts),
        deletes=[one.text for one in outlook.deleted],
        summary=Summary(shown).text or "Nothing would change.",
        unknown=list(outlook.missing),
        notes=list(outlook.notes),
    )


async def _outlook(azure: Azure, plan: PlannedDeployment) -> ChangeOutlook:
    trail: dict[str, str] = {}
    for _ in range(_MOST_LOOKS):
        try:
            return await plan.outlook(azure, trail)
        except StillLookingError as still:
            trail = dict(still.trail)
            await azure.sleep(still.seconds)
    raise Refusal("Azure is still computing the what-if. Try again, or preview a part of the template.")
