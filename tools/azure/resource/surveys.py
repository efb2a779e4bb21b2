"""Ready questions about all resources of some subscriptions."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from clients.azure.graph import ready_made, rows_of, text_of
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.provider import Arm
from tools.azure.resource.graph_answers import rows_told
from tools.azure.resource.places import Subscriptions
from tools.azure.resource.questions import About, question
from tools.azure.shared.answers import Json
from tools.azure.shared.parameters import AnyResourceGroup, MaxResults

part = Part()

_NOTES: Final = {
    "retiring": "What Advisor knows: that something is not here is no proof that it stays.",
    "open_ports": (
        "Single rules, not what holds in the end: a rule of higher priority or another group may forbid it."
        " list_resource_changes with the id of a group shows who changed it."
    ),
    "unused": "Nothing is attached to these: whether they are needed all the same, their owners know.",
    "virtual_machines": (
        "A stopped machine is still billed, a deallocated one is not (its disks are)."
        " list_advisor_recommendations with category=cost shows what could be saved."
    ),
    "public_addresses": "Static addresses are billed even if nothing uses them: about=unused shows those.",
}


@part.tool(Access.READ)
async def survey_resources(
    azure: Arm,
    about: Annotated[About, Field(description="unused: cost, and serve nothing; open_ports: open to anybody")],
    tag: Annotated[str | None, Field(min_length=1, max_length=512, description="untagged: which is missing")] = None,
    resource_group: AnyResourceGroup = None,
    subscription: Subscriptions = None,
    max_results: MaxResults = 50,
) -> Json:
    """Answer a ready question over all subscriptions: how many resources of which type, which lack a tag, and more."""
    if tag and about != "untagged":
        raise Refusal("A tag goes with about=untagged only. list_resources finds what has a tag.")
    asked = await azure.asked_subscriptions(subscription)
    table, steps = question(about, tag)
    narrowing = [f"where resourceGroup =~ {text_of(resource_group)}"] if resource_group else []
    request = ready_made([one.id for one in asked], table, *narrowing, *steps)
    return rows_told(await rows_of(azure.send, request, max_results), asked, "id", "usedBy", note=_NOTES.get(about))
