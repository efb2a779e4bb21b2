"""Templates as the service understands them, as far as it is needed here: parameters and variables, nested ones too.

Other expressions are known only while it is deployed: a what-if tells them as they are written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tests.fakes.azure.provider_list import type_named
from tests.fakes.azure.routes import AzureError, Json

_GIVEN: Final = re.compile(r"\[(parameters|variables)\('([^']+)'\)\]")
_DEPLOYMENT: Final = "microsoft.resources/deployments"
_GROUPS: Final = "microsoft.resources/resourcegroups"
_KEPT: Final = ("type", "name", "kind", "location", "tags", "sku", "identity", "zones", "properties")


def invalid(message: str, code: str = "InvalidTemplate") -> AzureError:
    return AzureError(400, code, f"Deployment template validation failed: '{message}'.")


@dataclass(frozen=True)
class Wanted:
    """A resource that a template names: its id, and what it would be."""

    id: str
    type: str
    document: Json


@dataclass(frozen=True)
class Template:
    scope: str
    document: Mapping[str, Any]
    given: Mapping[str, Any] = field(default_factory=dict)

    def check(self) -> None:
        """Refuse what the service finds wrong before it does anything."""
        if not isinstance(self.document.get("resources"), list | dict):
            raise invalid("Required property 'resources' not found in JSON", "InvalidTemplate")
        known = self.document.get("parameters", {})
        for name in self.given.keys() - known.keys():
            raise invalid(
                f"The template parameters '{name}' in the parameters file are not valid; they are not present"
            )
        for name, one in known.items():
            if name not in self.given and "defaultValue" not in one:
                raise invalid(
                    f"The value for the template parameter '{name}' at line '1' and column '1' is not provided"
                )
        for wanted in self.wanted(is_secret_known=True):
            if type_named(wanted.type) is None and wanted.type.lower() != _GROUPS:
                raise invalid(f"The resource type '{wanted.type}' could not be found", "InvalidTemplateDeployment")

    def wanted(self, *, is_secret_known: bool) -> Iterator[Wanted]:
        """All that it names; secure parameters stand in what a what-if tells as they are written."""
        found = self.document["resources"]
        for one in found.values() if isinstance(found, dict) else found:
            whole = self._meant(one, is_secret_known)
            if whole["type"].lower() == _DEPLOYMENT:
                yield from self._nested(whole).wanted(is_secret_known=is_secret_known)
            else:
                document = {name: whole[name] for name in _KEPT if name in whole}
                yield Wanted(self._id(whole), whole["type"], {**document, "apiVersion": whole.get("apiVersion")})

    @property
    def outputs(self) -> Json:
        """The outputs; of a secure one no value."""
        found = {}
        for name, one in self.document.get("outputs", {}).items():
            is_secure = "secure" in one["type"].lower()
            found[name] = {"type": one["type"], **({} if is_secure else {"value": self._meant(one["value"], True)})}
        return found

    @property
    def told_parameters(self) -> Json:
        """The parameters as a deployment tells them; of a secure one no value."""
        known = self.document.get("parameters", {})
        found: Json = {}
        for name, one in known.items():
            kind = {"string": "String", "securestring": "SecureString", "int": "Int"}.get(one["type"].lower(), "Object")
            found[name] = {"type": kind} if "Secure" in kind else {"type": kind, "value": self._value(name, True)}
        return found

    def _nested(self, one: Json) -> Template:
        properties = one["properties"]
        scope = self.scope
        if group := one.get("resourceGroup"):
            scope = f"/subscriptions/{one.get('subscriptionId') or self.scope.split('/')[2]}/resourceGroups/{group}"
        inner = properties.get("expressionEvaluationOptions", {}).get("scope") == "inner"
        given = properties.get("parameters", {}) if inner else self.given
        return Template(scope, properties["template"], given)

    def _id(self, one: Json) -> str:
        namespace, *kinds = one["type"].split("/")
        if one["type"].lower() == _GROUPS:
            return f"/subscriptions/{self.scope.split('/')[2]}/resourceGroups/{one['name']}"
        names = one["name"].split("/")
        inner = "".join(f"/{kind}/{name}" for kind, name in zip(kinds, names, strict=True))
        base = f"{self.scope}/providers/{one['scope']}" if one.get("scope") else self.scope
        return f"{base}/providers/{namespace}{inner}"

    def _meant(self, value: Any, is_secret_known: bool) -> Any:
        if isinstance(value, dict):
            # A nested template is evaluated by itself.
            return {
                name: one if name == "template" else self._meant(one, is_secret_known) for name, one in value.items()
            }
        if isinstance(value, list):
            return [self._meant(one, is_secret_known) for one in value]
        if isinstance(value, str) and (found := _GIVEN.fullmatch(value)):
            if found[1] == "variables":
                return self._meant(self.document["variables"][found[2]], is_secret_known)
            return self._value(found[2], is_secret_known)
        if isinstance(value, str) and value == "[resourceGroup().location]":
            return "westeurope"
        return value[1:] if isinstance(value, str) and value.startswith("[[") else value

    def _value(self, name: str, is_secret_known: bool) -> Any:
        known = self.document.get("parameters", {})
        if name not in known:
            raise invalid(f"The template parameter '{name}' is not found")
        if "secure" in known[name]["type"].lower() and not is_secret_known:
            return f"[parameters('{name}')]"
        given = self.given.get(name, {})
        value = given["value"] if "value" in given else known[name].get("defaultValue")
        return self._meant(value, is_secret_known)
