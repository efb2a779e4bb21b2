"""Which resource is meant, where its name is all that is known of it."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from clients.azure.client import Azure
from clients.azure.graph import ready_made, rows_of, text_of
from clients.azure.ids import ResourceId
from refusal import Refusal
from tools.azure.resource.places import meant, told

_MOST_NAMED: Final = 10

IdOrName = Annotated[str, Field(min_length=1, max_length=2048, description="/subscriptions/..., or the whole name")]


async def meant_resource(azure: Azure, text: str) -> ResourceId:
    """The resource of an id, or the only one that has a name, in all subscriptions that the caller may see.

    Raises:
        Refusal: None has it, or several have; the text says which.
    """
    if text.strip().startswith("/"):
        return ResourceId.of(text)
    asked = await meant(azure, None)
    steps = (f"where name =~ {text_of(text)}", "project id", "order by id asc")
    rows = await rows_of(azure.send, ready_made([one.id for one in asked], "resources", *steps), _MOST_NAMED)
    ids = [str(row["id"]) for row in rows.items]
    if not ids:
        raise Refusal(
            f"No resource in {told(asked)} has this name, which is not found until some minutes after it is made."
            " list_resources finds parts of names. An id begins with /subscriptions/."
        )
    if len(ids) > 1:
        raise Refusal(f"Several resources have this name. Pass the id of one: {', '.join(ids)}.")
    return ResourceId.of(ids[0])
