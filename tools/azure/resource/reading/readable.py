"""Decides which paths can be read: paths to resources and lists, but not paths through a resource to another service.

Some resource types lead to another service: to the host of a function app, the file system of a web app, or the API of
a cluster. Other types return keys in response to a GET request. A type is refused if its name suggests access to
another service or to keys, even if the caller has permission to read it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final
from urllib.parse import urlsplit

from clients.azure.ids import ResourceId
from refusal import Refusal

_NAMESPACE: Final = re.compile(r"[a-z][a-z0-9]*(?:\.[a-z0-9]+)+", re.IGNORECASE | re.ASCII)
_TYPE: Final = re.compile(r"[a-z][a-z0-9_.-]*", re.IGNORECASE | re.ASCII)
# The lists that Resource Manager itself offers in a subscription and in a group.
_OF_SUBSCRIPTION: Final = frozenset({"resourcegroups", "resources", "locations", "tagnames"})
_OF_GROUP: Final = frozenset({"resources"})
_DOORS: Final = re.compile(
    r"hostruntime|.*prox(?:y|ies)|admin|invoke|scm|vfs|kudu|msdeploy|containerlogs", re.IGNORECASE
)
_NAMES_OF_SECRETS: Final = (
    r".*(?:key|secret|credential|password|passwd|token|connectionstring|sas|kubeconfig)s?"
    r"|publish(?:xml|ingprofile|profile).*|accessprofiles?|agentregistrationinformation"
)
_SECRETS: Final = re.compile(rf"list(?!ener).*|(?:get|begin|retrieve)[a-z]*|{_NAMES_OF_SECRETS}", re.IGNORECASE)
# Names of parameters that ask for secrets. Unlike types, parameters may have a name that begins with "list":
# `listViewType`, for example, returns no keys.
_SECRET_PARAMETERS: Final = re.compile(_NAMES_OF_SECRETS, re.IGNORECASE)
# Allowed types whose names resemble refused types. Responses for these types describe secrets or keys, but contain no
# secret values.
_HARMLESS: Final = frozenset(
    {
        "microsoft.compute/sshpublickeys",
        "microsoft.keyvault/vaults/keys",
        "microsoft.keyvault/vaults/keys/versions",
        "microsoft.keyvault/vaults/secrets",
        "microsoft.keyvault/managedhsms/keys",
        "microsoft.managedidentity/userassignedidentities/federatedidentitycredentials",
    }
)
_WEB: Final = "microsoft.web"
# The names of web app configurations that contain secrets.
_SECRET_CONFIGURATIONS: Final = frozenset(
    {
        *{"appsettings", "authsettings", "authsettingsv2", "azurestorageaccounts", "backup", "connectionstrings"},
        *{"metadata", "publishingcredentials", "pushsettings"},
    }
)
_ADMIN: Final = ("functions", "admin")
_QUERY_NAME: Final = re.compile(r"\$?[A-Za-z][A-Za-z0-9._-]{0,60}")
# The top-level lists in Azure: subscriptions, tenants and providers.
_ROOTS: Final = frozenset({"subscriptions", "tenants", "providers"})
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_MOST_PARAMETERS, _LONGEST_VALUE = 12, 4000
_FIND: Final = "Use find_azure_operation to find paths."
_FORM: Final = (
    "A path looks like /subscriptions/<id>/resourceGroups/<group>/providers/<namespace>/<type>/<name>. Without"
    f" the last name, the path returns a list. {_FIND}"
)


@dataclass(frozen=True, slots=True)
class PathPart:
    """The part of a path after a `/providers/` segment: a namespace, types and names."""

    namespace: str
    types: tuple[str, ...]
    names: tuple[str, ...]

    @property
    def type(self) -> str:
        return "/".join([self.namespace, *self.types])


@dataclass(frozen=True, slots=True)
class Readable:
    """A path that may be read. `parts` contains one entry for each `/providers/` segment, from left to right."""

    id: ResourceId
    parts: tuple[PathPart, ...]

    @property
    def is_root(self) -> bool:
        """Whether the path is a top-level list, such as `/subscriptions`."""
        return self.id.segments[0] in _ROOTS and len(self.id.segments) == 1

    @property
    def is_registration(self) -> bool:
        """Whether the path ends with the name of a provider, without a resource type."""
        return bool(self.parts) and not self.parts[-1].types


def readable(path: str) -> Readable:
    """Parse a path.

    Raises:
        Refusal: The path is invalid or must not be read. The message says what to do.
    """
    _refuse_addresses(path)
    if (root := path.strip("/").lower()) in _ROOTS and path.startswith("/"):
        return Readable(ResourceId((root,)), ())
    found = Readable(ResourceId.of(path), _parts(ResourceId.of(path).segments))
    for part in found.parts:
        _refuse_doors(part)
    return found


def query_of(query: Mapping[str, str]) -> dict[str, str]:
    """Return the query parameters, if they are valid and do not ask for secrets."""
    if len(query) > _MOST_PARAMETERS:
        raise Refusal(f"{len(query)} query parameters are too many: at most {_MOST_PARAMETERS} are allowed.")
    for name, value in query.items():
        if name.lower() == "api-version":
            raise Refusal("Pass the version as api_version, or omit it to use the newest.")
        if not _QUERY_NAME.fullmatch(name) or _CONTROL.search(value) or len(value) > _LONGEST_VALUE:
            raise Refusal("A query parameter must have a name such as $filter, and a value without line breaks.")
        if _chooses(name) and _asks_for_secrets(name, value):
            raise Refusal(f"The query parameter {name} could return keys or secrets. Remove the parameter.")
    return dict(query)


def _chooses(name: str) -> bool:
    """Whether a parameter could select fields. This is assumed unless the parameter is known to filter, search, sort or
    page.
    """
    return name.lower().lstrip("$") not in {"filter", "search", "skiptoken", "top", "orderby"}


def _asks_for_secrets(name: str, value: str) -> bool:
    words = re.findall("[A-Za-z]+", value)
    return bool(_SECRET_PARAMETERS.fullmatch(name.lstrip("$"))) or any(map(_SECRETS.fullmatch, words))


def _refuse_addresses(path: str) -> None:
    if "://" in path or path.startswith("//") or urlsplit(path).netloc:
        raise Refusal(f"Pass a path, not a URL: this tool reads Azure Resource Manager only. {_FORM}")
    if "?" in path or "#" in path:
        raise Refusal("The path contains a query string. Pass its parameters as `query`, without api-version.")
    if "{" in path or "}" in path:
        raise Refusal("Replace the placeholders in braces with names. Use list_resources to find ids of resources.")
    if not path.isprintable():
        raise Refusal(_FORM)


def _parts(segments: Sequence[str]) -> tuple[PathPart, ...]:
    """Split a path into the parts after each `/providers/` segment. Refuse paths in any other format."""
    words = [segment.lower() for segment in segments]
    start, own = 0, frozenset[str]()
    if words[0] == "subscriptions":
        start, own = 2, _OF_SUBSCRIPTION
        if words[2:3] == ["resourcegroups"] and len(words) > 3:
            start, own = 4, _OF_GROUP
    if start and (len(words) == start or (len(words) == start + 1 and words[start] in own)):
        return ()
    starts = [place for place in range(start, len(words), 2) if words[place] == "providers"]
    if starts[:1] != [start]:
        raise Refusal(_FORM)
    return tuple(_part(segments[begin + 1 : end]) for begin, end in pairwise([*starts, len(words)]))


def _part(words: Sequence[str]) -> PathPart:
    namespace, below = words[0] if words else "", words[1:]
    types = tuple(below[::2])
    if not _NAMESPACE.fullmatch(namespace) or not all(map(_TYPE.fullmatch, types)):
        raise Refusal(_FORM)
    return PathPart(namespace, types, tuple(below[1::2]))


def _refuse_doors(part: PathPart) -> None:
    namespace = part.namespace.lower()
    for place, word in enumerate(part.types):
        kind = "/".join([namespace, *part.types[: place + 1]]).lower()
        named = (word.lower(), "".join(part.names[place : place + 1]).lower())
        if _DOORS.fullmatch(word) or (namespace == _WEB and (named[0] == "extensions" or named == _ADMIN)):
            raise Refusal(
                f"The path segment {word!r} leads to the workload that runs in the resource, and this tool cannot read"
                f" workloads. Read the resource itself. {_FIND}"
            )
        is_configuration = namespace == _WEB and named[0] == "config" and named[1] in _SECRET_CONFIGURATIONS
        if is_configuration or (_SECRETS.fullmatch(word) and kind not in _HARMLESS):
            raise Refusal(
                f"{'/'.join(filter(None, named))!r} may return keys or secrets, so this tool does not read it. Read"
                " the resource itself."
            )
