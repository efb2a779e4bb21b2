"""A planned deployment: its parameters, its name, and its what-if result."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from changes.looking import StillLookingError
from changes.preview import Fact, Preview
from changes.undo import by_hand
from clients.azure.client import Azure
from clients.azure.failures import AzureRefusal
from clients.azure.ids import ResourceId
from clients.azure.secret_names import is_secret_name
from clients.azure.secret_texts import without_secrets
from clients.azure.what_if.asking import TemplateDeployment
from clients.azure.what_if.template import ArmTemplate
from refusal import Refusal
from tools.azure.shared.answers import Json, at
from tools.azure.shared.inspecting import inspect
from tools.azure.shared.locks import refuse_locked
from tools.azure.shared.severity import grave_of
from tools.azure.shared.side_effects import side_effects
from tools.azure.shared.what_if import ChangeOutlook, what_it_would_do

# The name of a tag. The tag stores the id of the change that created the deployment.
TAG: Final = "change"
RUNNING: Final = frozenset({"accepted", "running", "creating", "updating", "validating", "canceling"})
_SECONDS_OF_VALIDATING: Final = 15.0
_MARK: Final = 12
_LONGEST_VALUE: Final = 300
_MOST_PARAMETERS: Final = 100
_COMPLETE: Final = "The deployment deletes resources in the group if the template omits them."
_DELETES: Final = "The deployment deletes resources."
# An identity has no permissions by itself: role assignments are separate resources.
_IDENTITY: Final = "microsoft.managedidentity/userassignedidentities"


@dataclass(frozen=True, slots=True)
class PlannedDeployment:
    """A template with its parameters and source."""

    deployment: TemplateDeployment
    template: ArmTemplate
    source: str
    is_named: bool = False

    @property
    def pin(self) -> dict[str, str]:
        return {"template_hash": self.template.hash}

    def refuse_another(self, template_hash: str | None) -> None:
        if template_hash and self.template.hash != template_hash:
            raise Refusal(
                "The template changed since the preview, so nothing was done. Send the same call again for a new"
                " preview."
            )

    async def preview(self, azure: Azure, trail: Mapping[str, Any]) -> Preview:
        """Preview the deployment.

        Raises:
            StillLookingError: The what-if is still running.
            Refusal: The deployment is not possible.
        """
        earlier = await named(azure, self.deployment)
        refuse_running(earlier)
        outlook = await self.outlook(azure, trail)
        place = self.deployment.place
        known = await inspect(azure, place, reached=outlook.affected, reaches_more=outlook.is_partial)
        refuse_locked(known.locks, outlook.changed, "change")
        refuse_locked(known.locks, outlook.deleted, "delete")
        where = f"the group {place.group}" if place.group else "the subscription"
        removes = ", and delete what the template omits" if self.deployment.mode.lower() == "complete" else ""
        return Preview(
            what=f"Deploy a template to {place.text}",
            sentence=f"Deploy the template {self.source} to {where}{removes}{_counted(outlook)}",
            facts={**self._facts, **outlook.facts, "last deployment of this name": _earlier_in_words(earlier)},
            edits=outlook.edits,
            places=known.places,
            grave=self._grave(outlook),
            destroys=bool(outlook.deletes or outlook.missing),
            touches=max(len(outlook.affected), 1),
            effects=side_effects(outlook.edits),
            undo=by_hand("deploy the previous template again; deleted resources are not restored"),
            missing=[*known.missing, *outlook.missing],
            notes=outlook.notes,
            cost=outlook.cost,
            pins=self.pin,
            is_unchanged=outlook.is_unchanged,
        )

    async def outlook(self, azure: Azure, trail: Mapping[str, Any]) -> ChangeOutlook:
        """Run the what-if of the deployment, and raise StillLookingError while it is still running."""
        if azure.is_limited:
            self.template.refuse_reading_elsewhere()
            await azure.refuse_elsewhere(self.template.nested_places(self.deployment.place.text), [])
        is_followed = trail.get("template") == self.template.hash
        if not is_followed:
            await _validate(azure, self.deployment)
        try:
            return await what_it_would_do(azure, trail if is_followed else {}, self.deployment)
        except StillLookingError as still:
            raise StillLookingError({**still.trail, "template": self.template.hash}, still.seconds) from None

    @property
    def _facts(self) -> dict[str, Fact]:
        given = self.deployment.parameters
        plain = {name: given[name] for name in sorted(given) if name not in self.template.secure}
        return {
            "template": f"{self.source} (sha256 {self.template.hash[:_MARK]})",
            "mode": self.deployment.mode,
            "deployment": self.deployment.name,
            **{f"parameter {name}": _value_in_words(name, one) for name, one in [*plain.items()][:_MOST_PARAMETERS]},
            "secure parameters": sorted(given.keys() & self.template.secure),
        }

    def _grave(self, outlook: ChangeOutlook) -> str:
        if self.deployment.mode.lower() == "complete":
            return _COMPLETE
        touched = (*outlook.changed, *outlook.deleted)
        graves = {grave_of(one) for one in touched if one.type.lower() != _IDENTITY} - {""}
        return " ".join([*([_DELETES] if outlook.deletes else []), *sorted(graves)])


def _counted(outlook: ChangeOutlook) -> str:
    """Describe how many resources the deployment deletes, creates and modifies."""
    counts = [f"{word} {outlook.facts[word]}" for word in ("deletes", "creates", "modifies") if outlook.facts.get(word)]
    return f": {', '.join(counts)}" if counts else ""


def planned(
    place: ResourceId, template: ArmTemplate, source: str, *, name: str | None, **how: Any
) -> PlannedDeployment:
    """Plan a deployment. If no name is given, derive the name from the deployment's content."""
    parameters = _checked(template, how.pop("parameters") or {})
    deployment = TemplateDeployment(place, name or "", template.document, parameters, **how)
    if name:
        return PlannedDeployment(deployment, template, source, is_named=True)
    return PlannedDeployment(_with_name(deployment, template), template, source)


def _with_name(deployment: TemplateDeployment, template: ArmTemplate) -> TemplateDeployment:
    plain = {name: one for name, one in deployment.parameters.items() if name not in template.secure}
    about = [deployment.place.key, template.hash, plain, deployment.mode, deployment.location]
    mark = sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()[:_MARK]
    return TemplateDeployment(
        deployment.place,
        f"template-{mark}",
        deployment.template,
        deployment.parameters,
        deployment.mode,
        deployment.location,
    )


def _checked(template: ArmTemplate, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters in Azure's format.

    Callers may pass parameters in this format, as a parameters file, or as plain values.
    """
    inner = given.get("parameters")
    entries = inner if "$schema" in given and isinstance(inner, Mapping) else given
    if unknown := sorted(entries.keys() - template.parameters.keys()):
        known = ", ".join(template.parameters) or "none"
        raise Refusal(f"The template has no parameter {', '.join(unknown)}. Its parameters: {known}.")
    return {name: _wrapped(one) for name, one in entries.items()}


def _wrapped(value: Any) -> Any:
    is_wrapped = isinstance(value, Mapping) and value.keys() in ({"value"}, {"reference"})
    return dict(value) if is_wrapped else {"value": value}


def _value_in_words(name: str, given: Mapping[str, Any]) -> str:
    if "reference" in given:
        return "a secret of a key vault"
    if is_secret_name(name):
        return "(not shown)"
    value = given["value"]
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)
    shown = without_secrets(text)
    return shown if len(shown) <= _LONGEST_VALUE else f"{shown[:_LONGEST_VALUE]}… ({_mark(text)})"


def _mark(text: str) -> str:
    return sha256(text.encode(errors="replace")).hexdigest()[:8]


async def named(azure: Azure, deployment: TemplateDeployment) -> Json | None:
    """Return the deployment with this name, or None."""
    try:
        return await azure.json(deployment.request("GET"))
    except AzureRefusal as refusal:
        if refusal.status != 404 or refusal.code not in {"DeploymentNotFound", "NotFound", ""}:
            raise
        return None


def refuse_running(found: Mapping[str, Any] | None) -> None:
    """Refuse to replace a running deployment.

    Raises:
        Refusal: A deployment with this name is running.
    """
    if found and state_of(found) in RUNNING:
        name = found.get("name")
        raise Refusal(
            f"The deployment {name!r} is still running, so nothing was done. show_azure_deployment(name={name!r})"
            " shows its"
            " progress; cancel_azure_deployment cancels it."
        )


def state_of(found: Mapping[str, Any]) -> str:
    return str(at(found, "properties.provisioningState") or "").lower()


def mark_of(found: Mapping[str, Any] | None) -> str:
    """Return the id of the change that created a deployment."""
    return str(at(found, f"tags.{TAG}") or "")


def _earlier_in_words(earlier: Mapping[str, Any] | None) -> str:
    if earlier is None:
        return "none"
    return f"{at(earlier, 'properties.provisioningState')}, {at(earlier, 'properties.timestamp')}"


async def _validate(azure: Azure, deployment: TemplateDeployment) -> None:
    """Refuse an invalid template. A slow validation is skipped, because the what-if reports the same errors."""
    request = deployment.request("POST", "/validate", body=deployment.body(), is_read=True)
    try:
        found = (await azure.outcome(request, _SECONDS_OF_VALIDATING)).document
    except AzureRefusal as refusal:
        if refusal.status == 400:
            raise
        return
    except Refusal:
        return
    if isinstance(found, Mapping) and (error := found.get("error")):
        raise Refusal(f"The template would fail ({error.get('code')}): {error.get('message')}"[:2000])
