"""Changing records of the caller's tenant, each held to the etag with which it was read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any
from uuid import uuid4

from pydantic import Field
from pydantic_core import to_json

from changes.preview import Edit, Fact, Preview
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.cosmos_data.documents import Document, Step, checked, checked_id, names_in, own, steps_of
from tools.cosmos_data.outcomes import AFTER_ALL
from tools.cosmos_data.parameters import OF_A_RECORD, USUAL, ContainerName, ETag, Key, RecordId, TenantId
from tools.cosmos_data.partition import key_of, with_tenant
from tools.cosmos_data.provider import HINTS
from tools.cosmos_data.service import Container, Spent
from tools.cosmos_data.tenancy import Belongs, Records

part = Part()

Json = dict[str, Any]
Patch = Annotated[list[Step], Field(min_length=1, max_length=10, description="Steps, in place of a document")]


async def _previewed_insert(
    data: Records,
    belonging: Belongs,
    document: Document,
    container: ContainerName = USUAL,
    tenant_id: TenantId = None,
) -> Preview:
    tenant = belonging.tenant(tenant_id)
    found = await data.container(container)
    new = _new(found, document, tenant)
    key_of(new, found.paths)
    edits = [Edit(f"/{name}", None, _fact(value)) for name, value in new.items()]
    return Preview(
        what=f"New record {new.get('id') or '(its id is made)'} in {container}",
        facts=_facts(found, tenant, new),
        edits=edits,
        destroys=False,
    )


@part.tool(Access.WRITE, harmless=("tenant_id", "container"), previewed=_previewed_insert)
async def cosmos_db_insert(
    data: Records,
    belonging: Belongs,
    document: Document,
    container: ContainerName = USUAL,
    tenant_id: TenantId = None,
) -> Json:
    """Insert a new record for your tenant in Cosmos DB. Never writes over one. Without an id, one is made."""
    tenant = belonging.tenant(tenant_id)
    found = await data.container(container)
    new = {"id": str(uuid4()), **_new(found, document, tenant)}
    spent = Spent()
    made = await found.create(new, tenant, spent)
    return {"id": made["id"], "created_at": _moment(made), **_after(made, spent)}


async def _previewed_update(
    data: Records,
    belonging: Belongs,
    id: RecordId,
    etag: ETag,
    container: ContainerName = USUAL,
    document: Document | None = None,
    patch: Patch | None = None,
    key: Key = None,
    tenant_id: TenantId = None,
) -> Preview:
    tenant = belonging.tenant(tenant_id)
    found = await data.container(container)
    before = await _current(found, tenant, key, id, etag)
    if document is not None and patch is None:
        edits = _differences(before, _whole(found, document, tenant, id))
    else:
        steps = steps_of(_only(document, patch), found.paths)
        edits = [_edit(step, before) for step in steps]
    return Preview(what=f"Record {id} in {container}", facts=_facts(found, tenant, before), edits=edits, destroys=False)


@part.tool(Access.WRITE, harmless=OF_A_RECORD, previewed=_previewed_update)
async def cosmos_db_update(
    data: Records,
    belonging: Belongs,
    id: RecordId,
    etag: ETag,
    container: ContainerName = USUAL,
    document: Document | None = None,
    patch: Patch | None = None,
    key: Key = None,
    tenant_id: TenantId = None,
) -> Json:
    """Change a record of your tenant in Cosmos DB: by a patch, or by a whole document in its place."""
    tenant, spent = belonging.tenant(tenant_id), Spent()
    found = await data.container(container)
    if document is not None and patch is None:
        made = await found.replace(_whole(found, document, tenant, id), tenant, etag, spent)
    else:
        steps = steps_of(_only(document, patch), found.paths)
        made = await found.patch(found.partition(tenant, key or ()), checked_id(id), steps, etag, spent)
    return {"id": made["id"], "updated_at": _moment(made), **_after(made, spent)}


async def _previewed_delete(
    data: Records,
    belonging: Belongs,
    id: RecordId,
    etag: ETag,
    container: ContainerName = USUAL,
    key: Key = None,
    tenant_id: TenantId = None,
) -> Preview:
    tenant = belonging.tenant(tenant_id)
    found = await data.container(container)
    before = await _current(found, tenant, key, id, etag)
    return Preview(
        what=f"Record {id} in {container}",
        facts=_facts(found, tenant, before),
        edits=[Edit(f"/{name}", _fact(value), None) for name, value in own(before).items()],
    )


@part.tool(Access.DESTROY, harmless=OF_A_RECORD, previewed=_previewed_delete)
async def cosmos_db_delete(
    data: Records,
    belonging: Belongs,
    id: RecordId,
    etag: ETag,
    container: ContainerName = USUAL,
    key: Key = None,
    tenant_id: TenantId = None,
) -> Json:
    """Delete a record of your tenant in Cosmos DB for good."""
    tenant, spent = belonging.tenant(tenant_id), Spent()
    found = await data.container(container)
    await found.delete(found.partition(tenant, key or ()), checked_id(id), etag, spent)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return {"id": id, "deleted_at": now, **_spent(spent)}


def _new(container: Container, document: Mapping[str, Any], tenant: str) -> Json:
    new = with_tenant(checked(document), container.tenant_path, tenant)
    if "id" in new:
        checked_id(new["id"])
    return new


def _whole(container: Container, document: Mapping[str, Any], tenant: str, name: str) -> Json:
    """A document that takes the place of a record: of the same id."""
    if document.get("id", name) != name:
        raise Refusal("The document has another id than the record, and a record keeps its id.")
    return {**_new(container, document, tenant), "id": checked_id(name)}


def _only(document: object, patch: list[Step] | None) -> list[Step]:
    if document is not None or patch is None:
        raise Refusal("An update has a document, which takes the record's place, or a patch: one of both.")
    return patch


async def _current(container: Container, tenant: str, key: Key, name: str, etag: str) -> Json:
    current = await container.read(container.partition(tenant, key or ()), checked_id(name), Spent())
    if current.get("_etag") != etag:
        raise Refusal(f"The record is not what it was at that etag any more. {HINTS['read']}")
    return current


def _differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Edit]:
    old = own(before)
    names = sorted({*old, *after})
    return [
        Edit(f"/{name}", _fact(old.get(name)), _fact(after.get(name)))
        for name in names
        if old.get(name) != after.get(name)
    ]


def _edit(step: Mapping[str, Any], before: Mapping[str, Any]) -> Edit:
    names, op = names_in(step["path"]), step["op"]
    # What is added to a list moves what stands there, and takes the place of nothing.
    is_put_between = op == "add" and isinstance(_at(before, names[:-1]), list)
    told = f" ({op})" if is_put_between or op in {"incr", "move"} else ""
    value = None if is_put_between else _at(before, names)
    return Edit(f"{step['path']}{told}", _fact(value), _fact(step.get("from", step.get("value"))))


def _at(record: object, names: Sequence[str]) -> object:
    """What stands in a record; nothing where nothing is."""
    for name in names:
        if isinstance(record, Mapping):
            record = record.get(name)
        elif isinstance(record, list) and name.isdecimal() and int(name) < len(record):
            record = record[int(name)]
        else:
            return None
    return record


def _facts(container: Container, tenant: str, record: Mapping[str, Any]) -> dict[str, Fact]:
    return {
        "tenant": tenant,
        "partition key": ", ".join(container.paths),
        "etag": record.get("_etag"),
        "last changed": _moment(record),
        "fields": len(own(record)),
    }


def _fact(value: object) -> Fact:
    if value is None or isinstance(value, bool | int | float):
        return value
    return value if isinstance(value, str) else to_json(value).decode()


def _after(made: Mapping[str, Any], spent: Spent) -> Json:
    return {"etag": made.get("_etag"), **_spent(spent)}


def _spent(spent: Spent) -> Json:
    """What a change took, and that its answer was lost where it was."""
    return {"request_units": round(spent.units, 2), **({"note": AFTER_ALL} if spent.is_after_all else {})}


def _moment(record: Mapping[str, Any]) -> str | None:
    at = record.get("_ts")
    return datetime.fromtimestamp(at, UTC).isoformat() if isinstance(at, int) else None
