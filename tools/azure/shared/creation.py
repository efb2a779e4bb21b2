"""Creates a resource whose name must be unique across Azure."""

from __future__ import annotations

from collections.abc import Sequence

from changes.preview import Edit, Fact, Preview
from changes.undo import Undo
from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import AzureRequest
from tools.azure.shared.applying import made
from tools.azure.shared.inspecting import NOT_YET, Inspected
from tools.azure.shared.resource_change import ResourceChange


def creation(
    azure: Azure,
    request: AzureRequest,
    place: ResourceId,
    kind: str,
    *,
    edits: Sequence[Edit],
    undo: Undo,
    call: str,
    **facts: Fact,
) -> ResourceChange:
    """Build the change that creates the resource with the id `place`.

    `call` is the tool call that shows the resource; `facts` contains additional facts for the preview.
    """

    def shown(known: Inspected) -> Preview:
        return Preview(
            what=f"New {kind} {place.name}",
            sentence=f"Create the {kind} {place.name} in the group {place.group}",
            facts={
                "resource group": place.group,
                "group location": known.group_of(place).get("location"),
                **NOT_YET,
                "name available": "unknown: the name must be unique across Azure",
                **facts,
            },
            edits=list(edits),
            undo=undo,
            destroys=False,
        )

    answers = {"created": place.name, "id": place.text}
    return ResourceChange(azure, request, on=place, before=None, judge=made, call=call, shows=shown, answers=answers)
