"""A template as it may be deployed here: bounded, whole in itself, and without secrets that would be shown."""

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
# What reads other resources, and what makes their ids: each with the beginning of what it is given.
_READING: Final = re.compile(r"\b(reference|references|list\w*)\s*\(\s*([^(),]*)(\()?", re.IGNORECASE)
_NAMING: Final = re.compile(r"\b(\w*resourceid)\s*\(\s*([^,)]*)", re.IGNORECASE)
_OF_THE_GROUP: Final = "resourceid"
_OWN_ID: Final = frozenset({"resourceid", "subscriptionresourceid", "extensionresourceid"})
_LISTING: Final = re.compile(r"\blist\w*\s*\(", re.IGNORECASE)
_OF_A_VAULT: Final = re.compile(r"\[\s*resourceid\s*\(\s*'microsoft\.keyvault/vaults'", re.IGNORECASE)
_TYPE: Final = re.compile(r"'[^']*/[^']*'")
_SYMBOL: Final = re.compile(r"'[\w.-]*'")


@dataclass(frozen=True)
class ArmTemplate:
    """`document` is all of it: what it linked to is in it."""

    document: Mapping[str, Any]

    @classmethod
    def of(cls, content: bytes | Mapping[str, Any], where: str) -> Self:
        """Read a template.

        Raises:
            Refusal: It is none, or none that is deployed here.
        """
        size = len(content) if isinstance(content, bytes) else len(_json(content))
        if size > LARGEST:
            raise Refusal(f"{where} has {size} bytes; a template has at most {LARGEST}.")
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
        """The parameters whose values are secrets."""
        return {name for name, one in self.parameters.items() if _is_secure(one)}

    @property
    def resources(self) -> list[Mapping[str, Any]]:
        found = self.document["resources"]
        entries = found.values() if isinstance(found, Mapping) else found
        return [one for one in entries if isinstance(one, Mapping)]

    @property
    def links(self) -> list[str]:
        """The addresses of the templates that it links to.

        Raises:
            Refusal: A link is none that can be followed here, or within something that was linked or nested.
        """
        own = [one["properties"] for one in self.resources if _links_to(one)]
        if len(own) != sum(1 for _ in _named(self.document, _LINKS)) or any(map(_is_made_up, _nested(self.document))):
            raise Refusal(
                "The template links to parameters, or from within a nested template. Only the template itself links,"
                " to templates: put the rest into it."
            )
        return [_address(one["templateLink"]) for one in own]

    def with_linked(self, linked: Mapping[str, ArmTemplate]) -> ArmTemplate:
        """The template, with what it links to in it.

        Raises:
            Refusal: What it links to has links itself.
        """
        if any(one for found in linked.values() for one in _named(found.document, _LINKS)):
            raise Refusal("A linked template contains links, which are not followed. Put everything into one template.")
        found = self.document["resources"]
        made: Any
        if isinstance(found, Mapping):
            made = {name: _inlined(one, linked) for name, one in found.items()}
        else:
            made = [_inlined(one, linked) for one in found]
        whole = ArmTemplate({**self.document, "resources": made})
        if sum(1 for _ in _named(whole.document, frozenset({"apiversion"}))) > _MOST_RESOURCES:
            raise Refusal(f"A template has at most {_MOST_RESOURCES} resources.")
        return whole

    def refuse_reading_elsewhere(self) -> None:
        """Refuse expressions that may read what is not where the template is deployed, where only some is in reach.

        Raises:
            Refusal: There is one.
        """
        for text in _texts(self.document):
            if is_expression(text) and not (_names_own(text) and _reads_own(text)):
                raise Refusal(
                    "Access to Azure is restricted, so a template must not name another group or subscription:"
                    " resourceId() must start with a type, and reference() and list...() need such an id or the name"
                    f" of a resource in the template. Not allowed: {text[:200]}"
                )

        for vault in _named(self.document, frozenset({"keyvault"})):
            where = str(vault.get("id") if isinstance(vault, Mapping) else vault)
            if is_expression(where) and not _OF_A_VAULT.match(where):
                raise Refusal(
                    "Access to Azure is restricted, so a template must name the vault of a secret by its id, or with"
                    " resourceId('Microsoft.KeyVault/vaults', ...)."
                )

    def nested_places(self, place: str) -> list[str]:
        """Where the templates within it go, which is deployed to this place.

        Raises:
            Refusal: One goes to where nobody can tell beforehand.
        """
        return list(_places(self.document, place))

    def _refuse_telling_keys(self) -> None:
        """Refuse outputs that tell keys to everybody who may see the deployment, as also its answer does here."""
        for one in _named(self.document, frozenset({"outputs"})):
            for name, output in one.items() if isinstance(one, Mapping) else ():
                if not _is_secure(output) and any(
                    is_expression(text) and _LISTING.search(text) for text in _texts(output)
                ):
                    raise Refusal(
                        f"The output {name!r} would show the result of a list...() function, such as a key, to"
                        " everyone who can see the deployment. Remove it."
                    )

    def _refuse_secure_defaults(self) -> None:
        for one in _named(self.document, frozenset({"parameters"})):
            for name, parameter in one.items() if isinstance(one, Mapping) else ():
                default = parameter.get("defaultValue") if _is_secure(parameter) else None
                if default not in (None, "", {}) and not is_expression(default):
                    raise Refusal(
                        f"The secure parameter {name!r} has a default value, which everyone who reads the template can"
                        " see. Remove it and pass it as a parameter."
                    )


def _json(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")


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


def _named(value: Any, names: frozenset[str]) -> Iterator[Any]:
    """Everything that has one of these names, at whatever depth."""
    if isinstance(value, Mapping):
        for name, one in value.items():
            if folded(str(name)) in names:
                yield one
    for one in _inner(value):
        yield from _named(one, names)


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
    """The deployments within it, at whatever depth, each by names in small letters."""
    if isinstance(value, Mapping):
        names = {folded(str(name)): one for name, one in value.items()}
        if folded(str(names.get("type"))) == _DEPLOYMENT:
            yield names
    for one in _inner(value):
        yield from _nested(one)


def _is_made_up(nested: Mapping[str, Any]) -> bool:
    """Whether only an evaluation tells what it deploys, which may be a link."""
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
    """Where a nested template goes: to the whole subscription, as far as anybody knows, if its group is evaluated."""
    subscription, group = nested.get("subscriptionid"), nested.get("resourcegroup")
    if is_expression(subscription) or nested.get("scope"):
        raise Refusal(
            "Access to Azure is restricted, so a nested template must say where it deploys, with `resourceGroup` and"
            " a literal `subscriptionId`."
        )
    if not subscription and not group:
        return place
    whole = f"/subscriptions/{subscription or place.split('/')[2]}"
    return whole if not group or is_expression(group) else f"{whole}/resourceGroups/{group}"


def _address(link: Any) -> str:
    address = link.get("uri") if isinstance(link, Mapping) else None
    if not isinstance(address, str) or is_expression(address):
        raise Refusal("The template links to something else than an https address that is written out: put it into it.")
    return address


def _inlined(resource: Any, linked: Mapping[str, ArmTemplate]) -> Any:
    if not isinstance(resource, Mapping) or not _links_to(resource):
        return resource
    properties = {name: value for name, value in resource["properties"].items() if name != "templateLink"}
    whole = linked[_address(resource["properties"]["templateLink"])].document
    # What was linked is evaluated by itself.
    inner = {"expressionEvaluationOptions": {"scope": "inner"}, "template": whole}
    return {**resource, "properties": {**properties, **inner}}


def _names_own(expression: str) -> bool:
    return all(
        folded(function) in _OWN_ID
        and (folded(function) == "extensionresourceid" or bool(_TYPE.fullmatch(first.strip())))
        for function, first in _NAMING.findall(expression)
    )


def _reads_own(expression: str) -> bool:
    """Whether all that it reads is named by an id of its own group, or by a name of the template."""
    return all(
        (opened and folded(first.strip()) == _OF_THE_GROUP) or (not opened and bool(_SYMBOL.fullmatch(first.strip())))
        for _, first, opened in _READING.findall(expression)
    )
