"""Previews a change to the resource at a path. The preview shows the effects that Azure can predict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from changes.plain_names import name_in_words
from changes.preview import Fact, Preview
from changes.undo import Undo, by_call, by_hand, unknown
from clients.azure.client import Azure
from clients.azure.failures import AzureRefusal
from clients.azure.messages import of_id
from clients.azure.resource_scopes import type_and_name
from refusal import Refusal
from tools.azure.access import AzureAccess
from tools.azure.resource.reading.versions import index_of
from tools.azure.resource_any.changeable import Changeable, Method, refuse_giving
from tools.azure.resource_any.differences import edit_value, merged, replaced, shown
from tools.azure.resource_changes.deleting import deletion
from tools.azure.shared.access_in_words import assignment_in_words
from tools.azure.shared.answers import Json
from tools.azure.shared.change_places import may_affect_any_place, unknown_places
from tools.azure.shared.contents_in_words import is_rule, rule_in_words
from tools.azure.shared.inspecting import Inspected
from tools.azure.shared.severity import grave_of
from tools.azure.shared.side_effects import side_effects
from tools.azure.shared.what_if import what_a_put_would_do

_LONGEST_BODY: Final = 4000
_NAMED: Final = 20
_NOT_SIMULATED: Final = "what this change does in the service: no what-if is available"

Trail = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PathChange:
    """A requested change to the resource at a path."""

    method: Method
    place: Changeable
    version: str
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CurrentDocument:
    """The current document of a resource, and an etag that changes whenever the resource changes."""

    document: Json | None
    etag: str = ""
    is_readable: bool = True


async def standing(azure: Azure, change: PathChange) -> CurrentDocument:
    """Read the current document of a resource. The document is None if a PUT will create the resource."""
    try:
        answer = await azure.send(of_id("GET", change.place.id, version=change.version))
    except AzureRefusal as refusal:
        return _unread(change, refusal)
    document = answer.document if isinstance(answer.document, dict) else {}
    return CurrentDocument(document, str(document.get("etag") or answer.headers.get("ETag", "")))


def _unread(change: PathChange, refusal: AzureRefusal) -> CurrentDocument:
    """Return a substitute for an unreadable document, or raise an error if the change needs the document."""
    if refusal.status == 404 and change.method == "PUT":
        return CurrentDocument(None)
    if refusal.status == 404:
        raise Refusal(
            f"{change.place.id.text} not found. Use PUT to create the resource, or find_azure_operation to find paths."
        ) from None
    if change.method == "POST" and refusal.status == 405:
        return CurrentDocument({}, is_readable=False)
    raise refusal


async def preview_of(
    azure: Azure, opened: AzureAccess, change: PathChange, now: CurrentDocument, known: Inspected, trail: Trail
) -> Preview:
    """Preview a change. If `trail` is set, continue an earlier what-if. Raise StillLookingError if the what-if is still
    running.
    """
    found = await _found_out(azure, opened, change, now, known, trail)
    # Deletions are excluded, because the preview's sentence about a deletion already says what happens.
    is_written = change.method in {"PUT", "PATCH"}
    granted = await assignment_in_words(azure, change.place.id, change.body) if is_written else ""
    sentence = f"{found.sentence} ({granted})" if granted else found.sentence
    effects = side_effects(found.edits, change.place.id) if change.method != "DELETE" else found.effects
    return replace(found, sentence=sentence, effects=effects, grave=grave_of(change.place.id) or found.grave)


async def _found_out(
    azure: Azure, opened: AzureAccess, change: PathChange, now: CurrentDocument, known: Inspected, trail: Trail
) -> Preview:
    if change.method == "DELETE":
        return await deletion(azure, change.place.id, known)
    if change.method == "POST":
        return await _of_post(opened, change, known)
    if change.method == "PATCH":
        return _of_patch(change, known, now.document or {})
    return await _of_put(azure, change, known, now.document, trail)


def _of_patch(change: PathChange, known: Inspected, found: Json) -> Preview:
    return replace(
        _plain(change, known, "Changes of"),
        edits=merged(found, change.body),
        notes=["Effects of these settings inside the service are not previewed."],
    )


async def _of_put(azure: Azure, change: PathChange, known: Inspected, found: Json | None, trail: Trail) -> Preview:
    """Preview a PUT with Azure's what-if. If no what-if is possible, compare the current document with the body."""
    shown = _plain(change, known, "New" if found is None else "Replacement of")
    resource = change.place.id
    if not resource.namespace or not resource.subscription:
        return _by_documents(change, shown, found)
    try:
        outlook = await what_a_put_would_do(azure, trail, resource, change.version, change.body)
    except AzureRefusal as refusal:
        if refusal.status != 403:
            raise
        return _by_documents(change, shown, found)
    return replace(
        shown,
        facts={**shown.facts, **outlook.facts},
        edits=outlook.edits,
        missing=[*shown.missing, *outlook.missing],
        notes=outlook.notes,
        cost=outlook.cost,
        is_unchanged=outlook.is_unchanged,
    )


def _by_documents(change: PathChange, shown: Preview, found: Json | None) -> Preview:
    edits, left_out = replaced(found or {}, change.body)
    missing = [f"settings that the body omits: {_listed(left_out)}"] if left_out else []
    return replace(shown, edits=edits, missing=[*shown.missing, *missing, _NOT_SIMULATED])


async def _of_post(opened: AzureAccess, change: PathChange, known: Inspected) -> Preview:
    says = await _description_of(opened, change)
    body: dict[str, Fact] = {"body": _cut(edit_value(shown(change.body)))} if change.body else {}
    return replace(
        _plain(change, known, f"Action {change.place.action} on"),
        facts={**known.facts(change.place.id), "Azure's description": says, **body},
        missing=[*known.missing, "effect of the action: Azure cannot preview a POST"],
    )


async def _description_of(opened: AzureAccess, change: PathChange) -> str:
    """Return Azure's description of an action, if known. Reject actions that return secrets."""
    index = await index_of(opened)
    if index is None:
        return ""
    found = index.named(change.place.operation)
    if found is None:
        raise Refusal(
            f"Action {change.place.operation!r} not found in Azure. Use find_azure_operation to find actions."
        )
    words = f"{found.title}. {found.description}".strip(". ")
    refuse_giving(words)
    return words


def _plain(change: PathChange, known: Inspected, what: str) -> Preview:
    kind, name = type_and_name(change.place.id.text)
    resource = change.place.id
    where = f" in the group {resource.group}" if resource.group and resource.namespace else ""
    called = f"{kind} {name}" if resource.namespace else f"resource group {resource.name}"
    plainly = name_in_words(resource.text) if resource.namespace else called
    is_new = known.document(resource) is None
    is_anywhere = change.method != "DELETE" and may_affect_any_place(resource)
    return Preview(
        what=f"{what} {called}{where}",
        sentence=_sentence(change, plainly, is_new=is_new),
        facts={**known.facts(resource), "method": change.method},
        undo=_undo(change, is_new=is_new),
        destroys=not (is_new and change.method == "PUT"),
        places=unknown_places(known.places) if is_anywhere else known.places,
        missing=known.missing,
    )


_VERBS: Final[Mapping[Method, str]] = {"PUT": "Replace", "PATCH": "Change", "DELETE": "Delete", "POST": "Run"}


def _sentence(change: PathChange, called: str, *, is_new: bool) -> str:
    rule = {"properties": change.body.get("properties")}
    means = f" ({rule_in_words(rule)})" if is_rule(change.place.id) and change.method == "PUT" else ""
    if change.method == "POST":
        return f"Run the action {change.place.action} on the {called}"
    return f"{'Create' if is_new else _VERBS[change.method]} the {called}{means}"


def _undo(change: PathChange, *, is_new: bool) -> Undo:
    if change.method == "POST":
        return unknown("Azure cannot predict how to undo an action")
    if not is_new:
        return by_hand("change_azure with the previous settings, as far as they are shown")
    resource = change.place.id
    if resource.namespace:
        return by_call("delete_azure_resource", resource_id=resource.text)
    return by_call("delete_resource_group", resource_group=resource.name, subscription=resource.subscription)


def _listed(paths: Sequence[str]) -> str:
    more = len(paths) - _NAMED
    return ", ".join(sorted(paths)[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _cut(value: Fact) -> Fact:
    return f"{value[:_LONGEST_BODY]}…" if isinstance(value, str) and len(value) > _LONGEST_BODY else value
