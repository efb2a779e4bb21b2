"""Reads work items, for several toolsets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest
from clients.azure_devops.paging import ByToken, ListPage
from clients.azure_devops.records import records
from tools.azure_devops.shared.answers import Extent, Json
from tools.azure_devops.shared.parameters import MOST_IDS
from tools.azure_devops.shared.work_item_answers import LISTED, listed_item

LARGEST_ID: Final = 2**31 - 1
COMMENTS: Final = "/{project}/_apis/wit/workItems/{workItemId}/comments"
COMMENTS_VERSION: Final = "7.1-preview.4"


async def item_with_relations(devops: AzureDevOps, id: int) -> Json:
    """Read a work item with all its fields, links and attachments."""
    request = DevOpsRequest("GET /_apis/wit/workitems/{id}", {"id": id}, {"$expand": "relations"})
    return await devops.json(request)


async def field_of(devops: AzureDevOps, id: int, field: str) -> str:
    request = DevOpsRequest("GET /_apis/wit/workitems/{id}", {"id": id}, {"fields": field})
    return str((await devops.json(request))["fields"][field])


async def comments_of(devops: AzureDevOps, id: int, project: str, limit: int) -> ListPage:
    """Return the newest comments on a work item."""
    place = {"project": project, "workItemId": id}
    request = DevOpsRequest(f"GET {COMMENTS}", place, {"order": "desc"}, version=COMMENTS_VERSION)
    return await devops.page(request, ByToken(entries="comments", in_header=False), limit)


async def listed_items(
    devops: AzureDevOps, ids: Sequence[int], detail: Extent = "summary", columns: Iterable[str] = ()
) -> list[Json]:
    """Return the work items with these ids, in the same order. Deleted and hidden work items are left out."""
    columns = [name for name in columns if name not in {"System.Id", "System.Rev"}]
    fields = None if detail == "full" else list(LISTED | dict.fromkeys(columns))
    return [listed_item(item, detail, columns) for item in await items_of(devops, ids, fields)]


async def items_of(devops: AzureDevOps, ids: Sequence[int], fields: Sequence[str] | None = None) -> list[Json]:
    """Return work items as the service returns them, in the order of the ids. If `fields` is None, all fields are
    included.
    """
    named = {} if fields is None else {"fields": list(fields)}
    batches = [ids[start : start + MOST_IDS] for start in range(0, len(ids), MOST_IDS)]
    bodies = [{"ids": list(batch), "errorPolicy": "omit", **named} for batch in batches]
    requests = [DevOpsRequest("POST /_apis/wit/workitemsbatch", body=body, is_read=True) for body in bodies]
    answered = [item for answer in await devops.all_of(*requests) for item in records(answer["value"])]
    found: dict[str, Json] = {str(item["id"]): item for item in answered}
    return [found[str(number)] for number in ids if str(number) in found]
