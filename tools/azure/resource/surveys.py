"""Ready questions about all resources of some subscriptions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

from pydantic import Field

from clients.azure.graph import ready_made, rows_of, text_of
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.resource.graph_answers import rows_told
from tools.azure.resource.questions import About, question
from tools.azure.shared.answers import Json
from tools.azure.shared.next_calls import next_call
from tools.azure.shared.parameters import AnyResourceGroup, MaxResults, Subscriptions

part = Part()

_NOTES: Final = {
    "retiring": "What Advisor knows: that something is not here is no proof that it stays.",
    "open_ports": (
        "Single rules, not what holds in the end: a rule of higher priority or another group may forbid it."
        " `next` shows who changed the first group; `resource` takes the id of any."
    ),
    "unused": "Nothing is attached to these: whether they are needed all the same, their owners know.",
    "virtual_machines": (
        "A stopped machine is still billed, a deallocated one is not (its disks are)."
        " `next` shows what Advisor would save."
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
