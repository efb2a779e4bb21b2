"""Changes a record of the caller's tenant only if the record's etag still matches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any
from uuid import uuid4

from pydantic_core import to_json

from changes.preview import Edit, Fact, Preview
from changes.undo import by_call, by_hand
from clients.cosmos_data.documents import own
from clients.cosmos_data.outcomes import AFTER_ALL
from clients.cosmos_data.partition import key_of, with_tenant
from clients.cosmos_data.service import Container, Spent
from mcp_server.declarations.change import Change, PlannedChange
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.cosmos_data.documents import Document, PatchStep, checked, checked_id, names_in, steps_of
from tools.cosmos_data.parameters import OF_A_RECORD, USUAL, ContainerName, ETag, Key, RecordId, TenantId
from tools.cosmos_data.settings import HINTS
from tools.cosmos_data.tenancy import Belongs, Records

part = Part()

Json = dict[str, Any]
Patch = Annotated[list[PatchStep], Field(min_length=1, max_length=10, description="Steps, instead of a document")]


@part.change(Access.WRITE, harmless=("tenant_id", "container"))
async def cosmos_db_insert(
    data: Records,
    belonging: Belongs,
    document: Document,
    container: ContainerName = USUAL,
    tenant_id: TenantId = None,
) -> Change[Json]:
    """Insert a new record for your tenant in Cosmos DB. Never overwrites. Generates an id if none is given."""
    tenant = belonging.tenant(tenant_id)
    found = await data.container(container)
    new = _new(found, document, tenant)

    async def preview() -> Preview:
        key_of(new, found.paths)
        name = new.get("id") or "(with a generated id)"
        return Preview(
            what=f"New record {name} in {container}",
            sentence=f"Insert the record {name} into {container}",
            facts=_facts(found, tenant, new),
            edits=[Edit(f"/{field}", None, _fact(value)) for field, value in new.items()],
            destroys=False,
            undo=by_hand("cosmos_db_delete with the id and etag from the answer deletes the record"),
        )

    async def apply() -> Json:
        spent = Spent()
        made = await found.create({"id": str(uuid4()), **new}, tenant, spent)
        return {"id": made["id"], "created_at": _moment(made), **_after(made, spent)}

    return PlannedChange(preview, apply)


@part.change(Access.WRITE, harmless=OF_A_RECORD)
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
) -> Change[Json]:
    """Change a record of your tenant in Cosmos DB with a patch, or replace it with a document."""
    tenant = belonging.tenant(tenant_id)
    found = await data.container(container)
    is_whole = document is not None and patch is None
    whole = _whole(found, document or {}, tenant, id) if is_whole else {}
    steps = [] if is_whole else steps_of(_only(document, patch), found.paths)

    async def preview() -> Preview:
        before = await _current(found, tenant, key, id, etag)
        return Preview(
            what=f"Record {id} in {container}",
            sentence=f"{'Replace' if is_whole else 'Change'} the record {id} in {container}",
            facts=_facts(found, tenant, before),
            edits=_differences(before, whole) if is_whole else [_edit(step, before) for step in steps],
            destroys=False,
            undo=by_hand("cosmos_db_update with the etag from the answer restores the previous values"),
        )

    async def apply() -> Json:
        spent = Spent()
        if is_whole:
            made = await found.replace(whole, tenant, etag, spent)
        else:
            made = await found.patch(found.partition(tenant, key or ()), checked_id(id), steps, etag, spent)
        return {"id": made["id"], "updated_at": _moment(made), **_after(made, spent)}

    return PlannedChange(preview, apply)


@part.change(Access.DESTROY, harmless=OF_A_RECORD)
async def cosmos_db_delete(
    data: Records,
    belonging: Belongs,
    id: RecordId,
    etag: ETag,
    container: ContainerName = USUAL,
    key: Key = None,
    tenant_id: TenantId = None,
) -> Change[Json]:
    """Delete a record of your tenant in Cosmos DB permanently."""
    tenant = belonging.tenant(tenant_id)
    found = await data.container(container)

    async def preview() -> Preview:
        before = await _current(found, tenant, key, id, etag)
        return Preview(
            what=f"Record {id} in {container}",
            sentence=f"Delete the record {id} in {container}",
            facts=_facts(found, tenant, before),
            edits=[Edit(f"/{name}", _fact(value), None) for name, value in own(before).items()],
            undo=by_call("cosmos_db_insert", document=own(before), container=container, tenant_id=tenant_id),
        )

    async def apply() -> Json:
        spent = Spent()
        await found.delete(found.partition(tenant, key or ()), checked_id(id), etag, spent)
        now = datetime.now(UTC).isoformat(timespec="seconds")
        return {"id": id, "deleted_at": now, **_spent(spent)}

    return PlannedChange(preview, apply)


def _new(container: Container, document: Mapping[str, Any], tenant: str) -> Json:
    new = with_tenant(checked(document), container.tenant_path, tenant)
    if "id" in new:
        checked_id(new["id"])
    return new


def _whole(container: Container, document: Mapping[str, Any], tenant: str, name: str) -> Json:
    """Return the document that replaces a record. Its `id` is the ID of the record."""
    if document.get("id", name) != name:
        raise Refusal("The id in the document does not match the record. The id of a record cannot change.")
    return {**_new(container, document, tenant), "id": checked_id(name)}


def _only(document: object, patch: list[PatchStep] | None) -> list[PatchStep]:
    if document is not None or patch is None:
        raise Refusal("Pass either `document` (replaces the record) or `patch`, not both.")
    return patch


async def _current(container: Container, tenant: str, key: Key, name: str, etag: str) -> Json:
    current = await container.read(container.partition(tenant, key or ()), checked_id(name), Spent())
    if current.get("_etag") != etag:
        raise Refusal(f"The record has changed since you read its etag. {HINTS['read']}")
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
    # In a list, `add` inserts an item without replacing another.
    is_put_between = op == "add" and isinstance(_at(before, names[:-1]), list)
    told = f" ({op})" if is_put_between or op in {"incr", "move"} else ""
    value = None if is_put_between else _at(before, names)
    return Edit(f"{step['path']}{told}", _fact(value), _fact(step.get("from", step.get("value"))))


def _at(record: object, names: Sequence[str]) -> object:
    """Return the value at a path in a record, or None."""
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
    """Return the cost of a change, and a note if the response was lost."""
    return {"request_units": round(spent.units, 2), **({"note": AFTER_ALL} if spent.is_after_all else {})}


def _moment(record: Mapping[str, Any]) -> str | None:
    at = record.get("_ts")
    return datetime.fromtimestamp(at, UTC).isoformat() if isinstance(at, int) else None
