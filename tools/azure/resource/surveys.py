"""Answers prepared questions about all resources in some subscriptions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

from clients.azure.graph import ready_made, rows_of, text_of
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.resource.questions import About, question
from tools.azure.shared.answers import Json
from tools.azure.shared.graph_answers import rows_told
from tools.azure.shared.next_calls import next_call
from tools.azure.shared.parameters import AnyResourceGroup, MaxResults, Subscriptions

part = Part()

_NOTES: Final = {
    "retiring": "The data comes from Advisor, which may not list all affected resources.",
    "open_ports": (
        "Shows individual rules, not effective rules: a rule with higher priority, or a rule in another security group,"
        " may deny the traffic. The call in `next` shows who changed the first security group. For another security"
        " group, pass its id as `resource`."
    ),
    "unused": "Nothing is attached to these resources. Ask the owners whether the resources are still needed.",
    "virtual_machines": (
        "Stopped machines are still billed. For deallocated machines, only the disks are billed. The call in `next`"
        " shows the savings that Advisor suggests."
    ),
    "public_addresses": "Static addresses are billed even if unused; about=unused shows unused addresses.",
}


@part.tool(Access.READ)
async def survey_resources(
    azure: Arm,
    about: Annotated[About, Field(description="unused: billed but idle; open_ports: open to anyone")],
    tag: Annotated[str | None, Field(min_length=1, max_length=512, description="For untagged: the missing tag")] = None,
    resource_group: AnyResourceGroup = None,
    subscription: Subscriptions = None,
    max_results: MaxResults = 50,
) -> Json:
    """Answer a common question about all subscriptions, such as missing tags or resource counts by type."""
    if tag and about != "untagged":
        raise Refusal("`tag` works only with about=untagged. Use list_resources to find resources with a tag.")
    asked = await azure.asked_subscriptions(subscription)
    table, steps = question(about, tag)
    narrowing = [f"where resourceGroup =~ {text_of(resource_group)}"] if resource_group else []
    request = ready_made([one.id for one in asked], table, *narrowing, *steps)
    rows = await rows_of(azure.send, request, max_results)
    following = _following(about, rows.items, resource_group)
    return rows_told(rows, asked, "id", "usedBy", note=_NOTES.get(about), next=following)


def _following(about: About, rows: Sequence[Mapping[str, Any]], group: str | None) -> Json | None:
    if not rows:
        return None
    if about == "open_ports":
        return next_call("resource", "list_resource_changes", resource=rows[0]["id"], since="14d")
    if about == "virtual_machines":
        return next_call("advisor", "list_advisor_recommendations", category="cost", resource_group=group)
    return None
