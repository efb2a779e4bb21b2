"""Parses an ARM template. The template must be small and self-contained, and must not show secrets."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final, Self

from clients.azure.what_if.values import is_expression
from clients.decoding import decoded
from clients.folding import folded
from refusal import Refusal

LARGEST: Final = 1024 * 1024
_DEEPEST: Final = 60
_MOST_RESOURCES: Final = 800
_DEPLOYMENT: Final = "microsoft.resources/deployments"
_LINKS: Final = frozenset({"templatelink", "parameterslink"})
_SECURE: Final = frozenset({"securestring", "secureobject"})
# Matches the start of a call to a function that reads resources. The match includes the first argument.
_READING: Final = re.compile(r"\b(reference|references|list\w*)\s*\(\s*([^(),]*)(\()?", re.IGNORECASE)
# Matches the start of a call to a function that builds resource IDs. The match includes the first argument.
_NAMING: Final = re.compile(r"\b(\w*resourceid)\s*\(\s*([^,)]*)", re.IGNORECASE)
_OF_THE_GROUP: Final = "resourceid"
_OWN_ID: Final = frozenset({"resourceid", "subscriptionresourceid", "extensionresourceid"})
_LISTING: Final = re.compile(r"\blist\w*\s*\(", re.IGNORECASE)
_OF_A_VAULT: Final = re.compile(r"\[\s*resourceid\s*\(\s*'microsoft\.keyvault/vaults'", re.IGNORECASE)
_TYPE: Final = re.compile(r"'[^']*/[^']*'")
_SYMBOL: Final = re.compile(r"'[\w.-]*'")


@dataclass(frozen=True)
class ArmTemplate:
    """An ARM template. `document` includes all linked templates."""

    document: Mapping[str, Any]

    @classmethod
    def of(cls, content: bytes | Mapping[str, Any], where: str) -> Self:
        """Parse a template. Raises Refusal if the template is invalid or not supported."""
        _check_size(content, where)
        document = _parsed(content, where) if isinstance(content, bytes) else content
        _check_depth(document, _DEEPEST, where)
        if not isinstance(document, Mapping) or not isinstance(document.get("resources"), list | Mapping):
            raise Refusal(
                f"{where} is not an ARM template (a JSON object with `resources`). Build Bicep first: az bicep build."
            )
        found = cls(document)
        found._refuse_secure_defaults()
        found._refuse_telling_keys()
        return found

    @property
    def hash(self) -> str:
        return sha256(_json(self.document)).hexdigest()

    @property
    def parameters(self) -> Mapping[str, Any]:
        found = self.document.get("parameters")
        return found if isinstance(found, Mapping) else {}

    @property
    def secure(self) -> set[str]:
        """The names of parameters whose values are secret."""
        return {name for name, one in self.parameters.items() if _is_secure(one)}

    @property
    def resources(self) -> list[Mapping[str, Any]]:
        found = self.document["resources"]
        entries = found.values() if isinstance(found, Mapping) else found
        return [one for one in entries if isinstance(one, Mapping)]

    @property
    def links(self) -> list[str]:
        """The URLs of the linked templates. Raises Refusal if a link is not supported or is in a nested template."""
        own = [one["properties"] for one in self.resources if _links_to(one)]
        if len(own) != sum(1 for _ in _values_named(self.document, _LINKS)) or any(
            map(_is_made_up, _nested(self.document))
        ):
            raise Refusal(
                "The template links to a parameter file, or a nested template contains a link. Only the main template "
                "can contain links, and they must lead to templates. Include everything else in the main template."
            )
        return [_address(one["templateLink"]) for one in own]

    def with_linked(self, linked: Mapping[str, ArmTemplate]) -> ArmTemplate:
        """Return a copy with the linked templates. Raises Refusal if a linked template contains links."""
        if any(one for found in linked.values() for one in _values_named(found.document, _LINKS)):
            raise Refusal("A linked template contains links, which are not followed. Put everything into one template.")
        whole = ArmTemplate({**self.document, "resources": _all_inlined(self.document["resources"], linked)})
        if sum(1 for _ in _values_named(whole.document, frozenset({"apiversion"}))) > _MOST_RESOURCES:
            raise Refusal(f"A template must have at most {_MOST_RESOURCES} resources.")
        return whole

    def refuse_reading_elsewhere(self) -> None:
        """If only some groups are allowed, reject expressions that may read resources outside the target.

        Raises:
            Refusal: The template contains an expression that may read other resources.
        """
        for text in _texts(self.document):
            if is_expression(text) and not (_names_own(text) and _reads_own(text)):
                raise Refusal(
                    "Access to Azure is restricted, so a template must not name another group or subscription. Start"
                    " the arguments of resourceId() with a type. To reference() and list...(), pass an id from"
                    f" resourceId() or the name of a resource in the template. Not allowed: {text[:200]}"
                )

        for vault in _values_named(self.document, frozenset({"keyvault"})):
            where = str(vault.get("id") if isinstance(vault, Mapping) else vault)
            if is_expression(where) and not _OF_A_VAULT.match(where):
                raise Refusal(
                    "Access to Azure is restricted, so a template must refer to a vault by the vault's id or with"
                    " resourceId('Microsoft.KeyVault/vaults', ...)."
                )

    def nested_places(self, place: str) -> list[str]:
        """The targets of the nested templates. `place` is the target of the template itself.

        Raises:
            Refusal: A target will be known only after the deployment.
        """
        return list(_places(self.document, place))

    def _refuse_telling_keys(self) -> None:
        """Reject outputs that contain keys, because everyone who can see the deployment could read the keys."""
        for one in _values_named(self.document, frozenset({"outputs"})):
            for name, output in one.items() if isinstance(one, Mapping) else ():
                if not _is_secure(output) and any(
                    is_expression(text) and _LISTING.search(text) for text in _texts(output)
                ):
                    raise Refusal(
                        f"The output {name!r} would show the result of a list...() function, such as a key, to"
                        " everyone who can see the deployment. Remove the output."
                    )

    def _refuse_secure_defaults(self) -> None:
        for one in _values_named(self.document, frozenset({"parameters"})):
            for name, parameter in one.items() if isinstance(one, Mapping) else ():
                default = parameter.get("defaultValue") if _is_secure(parameter) else None
                if default not in (None, "", {}) and not is_expression(default):
                    raise Refusal(
                        f"The secure parameter {name!r} has a default value, which everyone who reads the template can"
                        " see. Remove the default value, and pass the value as a parameter."
                    )


def _json(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")


def _check_size(content: bytes | Mapping[str, Any], where: str) -> None:
    size = len(content) if isinstance(content, bytes) else len(_json(content))
    if size > LARGEST:
        raise Refusal(f"{where} is too large: {size} bytes. The limit is {LARGEST} bytes.")


def _parsed(content: bytes, where: str) -> Any:
    try:
        return decoded(content.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise Refusal(f"{where} is not JSON. Build Bicep first: az bicep build.") from None


def _check_depth(value: Any, left: int, where: str) -> None:
    level = [value]
    for _ in range(left):
        level = [inner for one in level for inner in _inner(one)]
        if not level:
            return
    raise Refusal(f"{where} is nested more than {left} levels deep.")


def _inner(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        yield from value.values()
    elif isinstance(value, list):
        yield from value


def _values_named(value: Any, names: frozenset[str]) -> Iterator[Any]:
    """Yield all values with one of these names, at any depth."""
    if isinstance(value, Mapping):
        for name, one in value.items():
            if folded(str(name)) in names:
                yield one
    for one in _inner(value):
        yield from _values_named(one, names)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        yield from map(str, value)
    if isinstance(value, str):
        yield value
    for one in _inner(value):
        yield from _texts(one)


def _is_secure(parameter: Any) -> bool:
    return isinstance(parameter, Mapping) and folded(str(parameter.get("type"))) in _SECURE


def _links_to(resource: Mapping[str, Any]) -> bool:
    properties = resource.get("properties")
    is_one = folded(str(resource.get("type"))) == _DEPLOYMENT
    return is_one and isinstance(properties, Mapping) and "templateLink" in properties


def _nested(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the nested deployments at any depth, with names in lowercase."""
    if isinstance(value, Mapping):
        names = {folded(str(name)): one for name, one in value.items()}
        if folded(str(names.get("type"))) == _DEPLOYMENT:
            yield names
    for one in _inner(value):
        yield from _nested(one)


def _is_made_up(nested: Mapping[str, Any]) -> bool:
    """Whether an expression computes a nested template. The result of the expression could be a link."""
    return is_expression(nested.get("properties"))


def _places(value: Any, place: str) -> Iterator[str]:
    if isinstance(value, Mapping):
        names = {folded(str(name)): one for name, one in value.items()}
        if folded(str(names.get("type"))) == _DEPLOYMENT:
            place = _place_of(names, place)
            yield place
    for one in _inner(value):
        yield from _places(one, place)


def _place_of(nested: Mapping[str, Any], place: str) -> str:
    """The target of a nested template: the whole subscription if the template's resource group is an expression."""
    subscription, group = nested.get("subscriptionid"), nested.get("resourcegroup")
    if is_expression(subscription) or nested.get("scope"):
        raise Refusal(
            "Access to Azure is restricted, so a nested template must say where it deploys: set `resourceGroup` and a"
            " literal `subscriptionId`."
        )
    if not subscription and not group:
        return place
    whole = f"/subscriptions/{subscription or place.split('/')[2]}"
    return whole if not group or is_expression(group) else f"{whole}/resourceGroups/{group}"


def _address(link: Any) -> str:
    address = link.get("uri") if isinstance(link, Mapping) else None
    if not isinstance(address, str) or is_expression(address):
        raise Refusal(
            "The template contains a link that is not a literal https URL. Include the linked template instead."
        )
    return address


def _all_inlined(resources: Any, linked: Mapping[str, ArmTemplate]) -> Any:
    if isinstance(resources, Mapping):
        return {name: _inlined(one, linked) for name, one in resources.items()}
    return [_inlined(one, linked) for one in resources]


def _inlined(resource: Any, linked: Mapping[str, ArmTemplate]) -> Any:
    if not isinstance(resource, Mapping) or not _links_to(resource):
        return resource
    properties = {name: value for name, value in resource["properties"].items() if name != "templateLink"}
    whole = linked[_address(resource["properties"]["templateLink"])].document
    # Linked templates are evaluated in their own scope.
    inner = {"expressionEvaluationOptions": {"scope": "inner"}, "template": whole}
    return {**resource, "properties": {**properties, **inner}}


def _names_own(expression: str) -> bool:
    return all(
        folded(function) in _OWN_ID
        and (folded(function) == "extensionresourceid" or bool(_TYPE.fullmatch(first.strip())))
        for function, first in _NAMING.findall(expression)
    )


def _reads_own(expression: str) -> bool:
    """Whether an expression reads only resources in the target group or in the template."""
    return all(
        (opened and folded(first.strip()) == _OF_THE_GROUP) or (not opened and bool(_SYMBOL.fullmatch(first.strip())))
        for _, first, opened in _READING.findall(expression)
    )
