"""What a deployment makes where somebody chose these options: the templates, computed, and what Azure would answer."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, Self

from bicep_checker.expressions import If
from bicep_checker.shapes import TRUTH, NumberShape
from bicep_checker.template import Declaration, Template, read
from bicep_checker.values import Values
from tests.infra.deployed import INFRA

APPLICATION: Final = "22222222-2222-2222-2222-222222222222"
IDENTITY: Final = "33333333-3333-3333-3333-333333333333"
PRINCIPAL: Final = "44444444-4444-4444-4444-444444444444"
VAULT: Final = "https://kv-unique.vault.azure.net/"
# What only Azure knows, by file, resource and property.
_ANSWERS: Final = {
    "entra.registration.appId": APPLICATION,
    "identity.identity.properties.clientId": IDENTITY,
    "identity.identity.properties.principalId": PRINCIPAL,
    "monitoring.applicationInsights.properties.ConnectionString": f"InstrumentationKey={APPLICATION}",
    "roles-on-vault.vault.properties.vaultUri": VAULT,
}
_read: Final = cache(read)
_OPTION: Final = re.compile(r"\$\{(\w+)(?:=(.*?))?\}")


@dataclass(frozen=True, slots=True)
class Made:
    """A resource, or a part of one, that only its path tells from others."""

    path: str

    def __getitem__(self, name: str) -> str | Made:
        path = f"{self.path}.{name}"
        return _ANSWERS.get(path) or Made(path)

    def __str__(self) -> str:
        return self.path


@dataclass(frozen=True, slots=True)
class Deployment:
    """One file, with what its parameters are."""

    template: Template
    parameters: Mapping[str, Any]
    _found: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    @classmethod
    def of(cls, options: Mapping[str, str]) -> Self:
        template = _read(INFRA / "main.bicep")
        chosen = {"AZURE_ENV_NAME": "team", "AZURE_LOCATION": "westeurope", **options}
        return cls(template, dict(_parameters(template, chosen)))

    def __getitem__(self, name: str) -> Any:
        outputs = self.template.of_kind(name.removesuffix("s"))
        return {output: self._values.of(found.value) for output, found in outputs.items() if found.value}

    def module(self, name: str) -> Deployment | None:
        """A module, if it is deployed."""
        declared = self.template.of_kind("module")[name]
        if isinstance(declared.value, If) and not self._values.of(declared.value.condition):
            return None
        path = self.template.path.parent / declared.reference
        return type(self)(_read(path), self._part(declared, "params"))

    def resource(self, name: str, part: str) -> Any:
        """What a resource is given."""
        return self._part(self.template.resources[name], part)

    def variable(self, name: str) -> Any:
        return self._look(name)

    @property
    def _values(self) -> Values:
        return Values(self._look, self.template.path.parent)

    def _part(self, declared: Declaration, part: str) -> Any:
        return self._values.of(declared.body.named[part]) if declared.body and part in declared.body.named else {}

    def _look(self, name: str) -> Any:
        # Variables refer to others many times over.
        if name not in self._found:
            self._found[name] = self._find(name)
        return self._found[name]

    def _find(self, name: str) -> Any:
        if name in self.parameters:
            return self.parameters[name]
        declared = self.template.symbols[name]
        if declared.kind == "module":
            return self.module(name)
        if declared.kind == "resource" or declared.value is None:
            return Made(f"{self.template.path.stem}.{name}")
        return self._values.of(declared.value)


def _parameters(template: Template, options: Mapping[str, str]) -> Mapping[str, Any]:
    """As azd reads them: what nobody set and has no default is left to the template."""
    text = (INFRA / "main.parameters.json").read_text(encoding="utf-8")
    found = {name: entry["value"] for name, entry in json.loads(text)["parameters"].items()}
    declared = template.of_kind("parameter")
    filled = {name: _filled(value, options) for name, value in found.items()}
    return {name: _typed(value, declared[name]) for name, value in filled.items() if value != ""}


def _filled(value: Any, options: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {name: _filled(inner, options) for name, inner in value.items()}
    return _OPTION.sub(lambda found: options.get(found[1]) or found[2] or "", value)


def _typed(value: Any, declared: Declaration) -> Any:
    if declared.shape == TRUTH:
        return {"true": True, "false": False}[value]
    return int(value) if isinstance(declared.shape, NumberShape) else value
