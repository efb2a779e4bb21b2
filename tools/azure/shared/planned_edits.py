"""Converts a what-if result to edits.

Where possible, an edit describes a resource in words before it shows the resource's document. For a new resource,
each setting that controls access becomes a separate edit.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from changes.importance import Importance
from changes.preview import Edit
from clients.answers import at
from clients.azure.what_if.outlook import ResourceDifference
from clients.azure.what_if.values import Plain
from tools.azure.shared.access_in_words import AccessNames
from tools.azure.shared.contents_in_words import rule_in_words

_SECURITY_GROUP: Final = "microsoft.network/networksecuritygroups/"
_RULE: Final = re.compile(r"securityrules(?:/[^/]+|\[[^\[\]]*\])$")
_ASSIGNMENT: Final = re.compile(r"/(?:sql)?roleassignments/[^/]+$")
_POLICY: Final = re.compile(r"accesspolicies\[[^\[\]]*\]$", re.IGNORECASE)
# Settings that control access and protection, in lowercase.
_OPENING: Final = frozenset(
    "adminuserenabled allowblobpublicaccess allowsharedkeyaccess anonymouspullenabled defaultaction disablelocalauth"
    " enablenonsslport enablepurgeprotection enablerbacauthorization enablesoftdelete endipaddress external ftpsstate"
    " httpsonly minimumtlsversion mintlsversion publicaccess publicnetworkaccess startipaddress"
    " supportshttpstrafficonly".split()
)
_RULES: Final = "securityrules"
_DEEPEST: Final = 20


def granting_in(differences: Iterable[ResourceDifference]) -> list[Mapping[str, Any]]:
    """Return the role assignments and access policies that would be added or removed.

    They contain ids of principals.
    """
    return [
        document
        for one in differences
        if _ASSIGNMENT.search(one.path) or _POLICY.search(one.path)
        for value in (one.before, one.after)
        if (document := _document(value))
    ]


def edits_of(differences: Iterable[ResourceDifference], names: AccessNames) -> list[Edit]:
    """Return all edits. Edits that show settings of new resources come first."""
    found = list(differences)
    new = [(one.path, _document(one.after)) for one in found if one.before is None and ": " not in one.path]
    openings = [edit for path, document in new for edit in _openings(path, document)]
    return [*openings, *(_edit(one, names) for one in found)]


def _edit(one: ResourceDifference, names: AccessNames) -> Edit:
    return Edit(one.path, _with_words(one.path, one.before, names), _with_words(one.path, one.after, names))


def _document(value: Plain) -> Mapping[str, Any]:
    """Parse a JSON object. Return an empty object if the text is not a JSON object."""
    if not isinstance(value, str) or not value.startswith("{"):
        return {}
    try:
        found = json.loads(value)
    except ValueError:
        return {}
    return found if isinstance(found, Mapping) else {}


def _with_words(path: str, value: Plain, names: AccessNames) -> Plain:
    document = _document(value)
    words = _in_words(path, document, names) if document else ""
    return f"{words}: {value}" if words else value


def _in_words(path: str, document: Mapping[str, Any], names: AccessNames) -> str:
    if _RULE.search(path.partition(_SECURITY_GROUP)[2]):
        return rule_in_words(document)
    if _ASSIGNMENT.search(path):
        return names.assignment(document)
    if _POLICY.search(path):
        return names.policy(document)
    size, notes = at(document, "properties.diskSizeGB"), at(document, "properties.notes")
    details = (f"{size} GB" if size else "", at(document, "properties.level"), notes, at(document, "sku.name"))
    return ", ".join(str(one) for one in (*details, document.get("location")) if one)


def _openings(path: str, document: Mapping[str, Any]) -> Iterator[Edit]:
    """Yield an edit for each setting of a new resource, if approvers must see the setting."""
    for setting, value in _leaves(document, "", _DEEPEST):
        yield Edit(f"{path}: {setting}", None, value, Importance.SECURITY)
    if size := at(document, "sku.name"):
        yield Edit(f"{path}: sku.name", None, str(size), Importance.TAG_OR_SIZE)


def _leaves(document: Mapping[str, Any], above: str, depth: int) -> Iterator[tuple[str, Plain]]:
    for name, value in document.items():
        path = f"{above}.{name}" if above else str(name)
        if isinstance(value, Mapping) and depth:
            yield from _leaves(value, path, depth - 1)
        elif str(name).lower() == _RULES and isinstance(value, list):
            for rule in value:
                if isinstance(rule, Mapping):
                    yield f"{path}[{rule.get('name')}]", rule_in_words(rule)
        elif str(name).lower() in _OPENING and isinstance(value, str | int | bool):
            yield path, value
