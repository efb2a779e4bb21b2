"""Previews a deployment or a PUT with Azure's what-if."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from changes.looking import StillLookingError
from changes.preview import Edit
from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.what_if import asking, outlook
from clients.azure.what_if.asking import RunningWhatIf, TemplateDeployment
from clients.azure.what_if.outlook import AffectedResource
from clients.folding import folded
from refusal import Refusal
from tools.azure.shared.access_in_words import access_names
from tools.azure.shared.freshness import state_within
from tools.azure.shared.inspecting import root_of
from tools.azure.shared.monthly_cost import CostChange, cost_change, cost_in_words
from tools.azure.shared.planned_edits import edits_of, granting_in

SCHEMA: Final = "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#"
_SCHEMA_OF_SUBSCRIPTIONS: Final = (
    "https://schema.management.azure.com/schemas/2018-05-01/subscriptionDeploymentTemplate.json#"
)
# Names of properties that have a special meaning in a template, but not in a PUT. If the body of a PUT contained such a
# property, the what-if of the template would be wrong.
_OF_TEMPLATES: Final = frozenset(
    {"apiversion", "comments", "condition", "copy", "dependson", "existing", "import", "resources", "scope"}
)
_NAME: Final = "what-if"
_ANYWHERE: Final = "westeurope"
_WORDS: Final = {"create": "creates", "modify": "modifies", "delete": "deletes"}
_NOT_TOLD: Final = (
    "The what-if includes resources without an id, so this server cannot check that they are in the allowed scope."
)


@dataclass(frozen=True, slots=True)
class ChangeOutlook:
    """The predicted effect of a change.

    `missing` lists what cannot be predicted. `notes` are not part of the approval.
    """

    edits: Sequence[Edit]
    missing: Sequence[str]
    notes: Sequence[str]
    # The numbers of resources that the change creates, modifies and deletes.
    facts: Mapping[str, int]
    deletes: int
    affected: Sequence[AffectedResource]
    # Whether the change may also affect resources that are not in `affected`.
    is_partial: bool
    # The monthly cost, as a sentence.
    cost: str
    # Checks whether the resources in the deployment's scope are unchanged since this what-if began, and the resources
    # in other affected scopes since this what-if ended.
    is_unchanged: Callable[[], Awaitable[bool]]

    @property
    def changed(self) -> list[ResourceId]:
        return [known for one in self.affected if not one.is_deleted and (known := one.resource)]

    @property
    def deleted(self) -> list[ResourceId]:
        return [known for one in self.affected if one.is_deleted and (known := one.resource)]


async def what_it_would_do(azure: Azure, trail: Mapping[str, Any], deployment: TemplateDeployment) -> ChangeOutlook:
    """Predict the effect of a deployment.

    Raises:
        StillLookingError: The what-if is still running.
        Refusal: The deployment would fail, or affects resources outside the allowed scope.
    """
    state = trail.get("state") or await state_within(azure, deployment.place)
    found = await asking.what_if(azure, deployment, trail)
    if isinstance(found, RunningWhatIf):
        raise StillLookingError({**found.trail, "state": state}, found.seconds)
    await _refuse_elsewhere(azure, found)
    names = await access_names(azure, granting_in(found.differences), deployment.place)
    edits = edits_of(found.differences, names)
    cost = await cost_in_words(azure, _cost_changes(found))
    facts = {_WORDS.get(kind, kind): count for kind, count in found.counts.items()}

    others = _other_scopes(found, deployment.place)
    state_of_others = await _states(azure, others)

    async def is_unchanged() -> bool:
        is_same = await state_within(azure, deployment.place) == state
        return is_same and await _states(azure, others) == state_of_others

    return ChangeOutlook(
        edits,
        found.missing,
        found.notes,
        facts,
        found.deletes,
        found.affected,
        found.is_partial,
        cost,
        is_unchanged,
    )


def _other_scopes(found: outlook.WhatIfOutlook, place: ResourceId) -> list[ResourceId]:
    """Return the groups, or subscriptions, outside the scope of the deployment that nested templates affect."""
    known = [resource for one in found.affected if (resource := one.resource) and resource.subscription]
    roots = {root.key: root for root in map(root_of, known)}
    return [root for key, root in sorted(roots.items()) if not f"{key}/".startswith(f"{place.key}/")]


async def _states(azure: Azure, scopes: Sequence[ResourceId]) -> list[str]:
    return [await state_within(azure, scope) for scope in scopes]


def _cost_changes(found: outlook.WhatIfOutlook) -> list[CostChange]:
    sure = [one for one in found.affected if not one.is_possible]
    pairs = [[one if isinstance(one, Mapping) else None for one in (each.before, each.after)] for each in sure]
    return [change for before, after in pairs if (change := cost_change(before, after))]


async def what_a_put_would_do(
    azure: Azure, trail: Mapping[str, Any], resource: ResourceId, version: str, body: Mapping[str, Any]
) -> ChangeOutlook:
    """Predict the effect of a PUT, with the what-if of a template that contains only this resource.

    Raises:
        StillLookingError: The what-if is still running.
        Refusal: The PUT would fail, or no template can have the same effect as the PUT.
    """
    _refuse_words_of_templates(body)
    template, place = template_of(resource, version, body)
    location = "" if place.group else str(body.get("location") or _ANYWHERE)
    return await what_it_would_do(azure, trail, TemplateDeployment(place, _NAME, template, {}, location=location))


def template_of(resource: ResourceId, version: str, body: Mapping[str, Any]) -> tuple[dict[str, Any], ResourceId]:
    """Return a template that contains only this resource, as the PUT would write it, and the scope of the deployment.

    Raises:
        Refusal: No template can express the resource.
    """
    place, scope = _place_and_scope(resource)
    names = "/".join(resource.segments[_provider(resource) + 2 :][1::2])
    own = {name: one for name, one in body.items() if name.lower() not in {"id", "name", "type"}}
    entry = {**_literal(own), "type": resource.type, "apiVersion": version, "name": _literal(names), **scope}
    schema = SCHEMA if place.group else _SCHEMA_OF_SUBSCRIPTIONS
    return {"$schema": schema, "contentVersion": "1.0.0.0", "resources": [entry]}, place


async def _refuse_elsewhere(azure: Azure, found: outlook.WhatIfOutlook) -> None:
    if azure.is_limited and not all(found.touched):
        raise Refusal(_NOT_TOLD)
    await azure.refuse_elsewhere(found.touched, found.written)


def _refuse_words_of_templates(body: Mapping[str, Any]) -> None:
    if words := sorted(name for name in body if folded(name) in _OF_TEMPLATES):
        raise Refusal(
            f"Remove these properties from the body: {', '.join(words)}. Templates can have them, but resources cannot."
        )
    if _copies(body):
        raise Refusal(
            "The body has a list named `copy`, which templates use for loops, so Azure cannot preview the body. Use"
            " deploy_template with a template."
        )


def _copies(value: Any) -> bool:
    """Check whether a value contains a list named `copy`, which a template would interpret as a loop."""
    if isinstance(value, list):
        return any(map(_copies, value))
    if not isinstance(value, Mapping):
        return False
    return any((folded(name) == "copy" and isinstance(one, list)) or _copies(one) for name, one in value.items())


def _place_and_scope(resource: ResourceId) -> tuple[ResourceId, dict[str, str]]:
    """Return the scope of the deployment. For an extension resource, also return the resource that it extends."""
    if not resource.subscription or not resource.namespace:
        raise Refusal("A what-if works only for resources of a resource provider in a subscription.")
    length = 4 if resource.group else 2
    place = ResourceId(resource.segments[:length])
    first = _provider(resource)
    scope = {"scope": "/".join(resource.segments[length + 1 : first])} if first > length else {}
    return place, scope


def _provider(resource: ResourceId) -> int:
    """Return the position of the resource's own provider, which is the last provider in the id."""
    return max(place for place, word in enumerate(resource.segments) if place % 2 == 0 and word.lower() == "providers")


def _literal(value: Any) -> Any:
    """Escape a value for a template, because templates evaluate text in square brackets."""
    if isinstance(value, str):
        return f"[{value}" if value.startswith("[") and value.endswith("]") else value
    if isinstance(value, Mapping):
        return {_literal(name): _literal(one) for name, one in value.items()}
    return [_literal(one) for one in value] if isinstance(value, list) else value
