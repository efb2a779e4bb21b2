"""Checks that related values match, within a resource and across resources."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from bicep_checker.facts import facts
from bicep_checker.findings import proposal
from bicep_checker.known import Id, Mixed, Thing, Value, said, ways
from bicep_checker.services import Problems
from bicep_checker.walking import Found, at, values

_EVERYWHERE: Final = "global"
_GLOBAL: Final = re.compile(
    r"microsoft\.(network/privatednszones|insights/(actiongroups|metricalerts|activitylogalerts))"
)
_REFERENCE: Final = re.compile(r"@?Microsoft\.KeyVault")
_WHOLE_REFERENCE: Final = re.compile(
    r"@Microsoft\.KeyVault\((SecretUri=(https://.+/|\{[^}]*[uU]r[il]\})secrets/.+|VaultName=[^;]+;SecretName=.+)\)"
)
_USER_ASSIGNED: Final = "userAssignedIdentities"
_AS_IDENTITIES: Final = (
    "keyVaultReferenceIdentity",
    "functionAppConfig.deployment.storage.authentication.userAssignedIdentityResourceId",
)
# The properties that identify list entries.
_NAMES: Final = ("name", "value", "category", "id")


def check(thing: Thing, things: Sequence[Thing]) -> Problems:
    yield from _places(thing)
    yield from _lists(thing)
    match thing.kind.lower():
        case "microsoft.insights/diagnosticsettings":
            yield from _logs(thing)
        case "microsoft.insights/scheduledqueryrules":
            yield from _alert(thing, things)
        case "microsoft.web/sites":
            yield from _identity(thing)
            yield from _has_identities(thing)
            yield from _package(thing, things)
        case "microsoft.web/sites/config" if thing.name == "appsettings":
            yield from _settings(thing)
            yield from _references(thing)
        case "microsoft.graph/applications":
            yield from _scopes(thing)
        case "microsoft.documentdb/databaseaccounts/sqldatabases/containers":
            yield from _throughput(thing)
        case "microsoft.documentdb/databaseaccounts/sqldatabases":
            yield from _throughput(thing)


def _places(thing: Thing) -> Problems:
    """Report regional resources without a region."""
    if thing.body.get("location") == _EVERYWHERE and not _GLOBAL.match(thing.kind.lower()):
        yield thing.body.lines.get("location", thing.line), "service", f"a {thing.kind} needs a location"


def _lists(thing: Thing) -> Problems:
    """Report lists in which several entries have the same name."""
    for path, value, line in _arrays(thing.body, "", thing.line):
        for key in _NAMES:
            names = [said(item[key]) for item in value if isinstance(item, dict) and item.get(key) is not None]
            for name, times in Counter(names).items():
                if times > 1 and len(names) == len(value):
                    yield line, "twice", f"{thing.kind}.{path} has {times} entries with the {key} {name}"


def _arrays(value: Value, path: str, line: int) -> list[tuple[str, list[Value], int]]:
    found: list[tuple[str, list[Value], int]] = []
    if isinstance(value, dict):
        lines = getattr(value, "lines", {})
        for key, inner in value.items():
            found += _arrays(inner, f"{path}.{key}".strip("."), lines.get(key, line))
    elif isinstance(value, list):
        found.append((path, value, line))
        for item in value:
            found += _arrays(item, path, line)
    return found


def _logs(thing: Thing) -> Problems:
    kinds = {kind.lower(): categories for kind, categories in facts()["logs"].items()}
    for scope in ways(thing.scope):
        if not isinstance(scope, Thing):
            continue
        known = kinds.get(scope.kind.lower(), [])
        for path in ("properties.logs[].category", "properties.logs[].categoryGroup"):
            for found in at(thing, path):
                if isinstance(found.value, str) and found.value not in known:
                    text = f"a {scope.kind} has no log category {found.value!r}{proposal(found.value, known)}"
                    yield found.line, "log", text


def _alert(thing: Thing, things: Sequence[Thing]) -> Problems:
    every, over = (_minutes(_one(thing, f"properties.{name}")) for name in ("evaluationFrequency", "windowSize"))
    if every and over and over < every:
        yield thing.line, "service", "the windowSize of an alert must not be shorter than its evaluationFrequency"
    for found in at(thing, "properties.criteria.allOf[].failingPeriods"):
        least, of = (found.value.get(name) for name in ("minFailingPeriodsToAlert", "numberOfEvaluationPeriods"))
        if isinstance(least, int) and isinstance(of, int) and least > of:
            yield found.line, "service", f"only {of} periods are evaluated, so {least} cannot fail"
    query = _one(thing, "properties.criteria.allOf[].query")
    same = [other for other in things if other.kind == thing.kind and other is not thing]
    if isinstance(query, str | Mixed) and any(
        _one(other, "properties.criteria.allOf[].query") == query for other in same
    ):
        yield thing.line, "twice", f"another alert has the same query as {said(thing.name)}"


def _one(thing: Thing, path: str) -> Value:
    return next((found.value for found in at(thing, path)), None)


def _minutes(value: Value) -> int:
    read = re.fullmatch(r"P(?:T(\d+)([MH])|(\d+)D)", value if isinstance(value, str) else "")
    if read is None:
        return 0
    return int(read[3]) * 1440 if read[3] else int(read[1]) * {"M": 1, "H": 60}[read[2]]


def _identity(thing: Thing) -> Problems:
    """Report an `identity` whose type does not match its list of user-assigned identities."""
    given = thing.body.get("identity")
    if not isinstance(given, dict):
        return
    kind, named = given.get("type"), given.get(_USER_ASSIGNED)
    line = thing.body.lines.get("identity", thing.line)
    if isinstance(kind, str) and ("UserAssigned" in kind) != bool(named):
        text = f"an identity of the type {kind!r} {'needs' if not named else 'cannot have'} {_USER_ASSIGNED}"
        yield line, "service", text
    for key in named if isinstance(named, dict) else ():
        if key.startswith("{") or re.search(r"(clientid|principalid)$", key, re.IGNORECASE):
            yield line, "id", f"an identity must be specified by its resource ID, not by {key}"


def _has_identities(thing: Thing) -> Problems:
    """Report apps that use an identity that is not assigned to the app."""
    named = {key for found in at(thing, f"identity.{_USER_ASSIGNED}") for key in found.value or ()}
    for path in _AS_IDENTITIES:
        for found in at(thing, f"properties.{path}"):
            if isinstance(found.value, Id) and str(found.value) not in named:
                yield found.line, "id", f"{path} is not an identity of the app: {found.value}"


def _package(thing: Thing, things: Sequence[Thing]) -> Problems:
    """Report apps if the template does not create the container for their deployment package."""
    made = {said(other.name) for other in things if other.kind.lower().endswith("blobservices/containers")}
    for found in at(thing, "properties.functionAppConfig.deployment.storage.value"):
        last = found.value.parts[-1] if isinstance(found.value, Mixed) else None
        name = last.rpartition("/")[2] if isinstance(last, str) else ""
        if name and made and said(name) not in made:
            yield (
                found.line,
                "service",
                f"container {name!r} does not exist{proposal(name, [one.strip(chr(39)) for one in made])}",
            )


def _settings(thing: Thing) -> Problems:
    for begin, known in facts()["settings"].items():
        for name, line in _named(thing, "properties"):
            if name.startswith(begin) and name not in known:
                text = f"the platform does not support {name} here{proposal(name, known)}"
                yield line, "setting", text
    for name, pattern in facts()["settings_like"].items():
        for found in at(thing, f"properties.{name}"):
            if found.given and not re.search(pattern, str(found.value)):
                yield found.line, "setting", f"{name} must match {pattern}, but is {found.value}"


def _references(thing: Thing) -> Problems:
    """Report references to secrets in a format that the platform does not resolve."""
    for path, found in values(thing):
        text = str(found.value) if isinstance(found.value, str | Mixed) else ""
        if _REFERENCE.match(text) and not _WHOLE_REFERENCE.fullmatch(text):
            yield found.line, "setting", f"{path} is not a valid reference to a secret: {text}"


def _named(thing: Thing, path: str) -> list[tuple[str, int]]:
    found: list[Found] = list(at(thing, path))
    return [(name, one.line) for one in found if isinstance(one.value, dict) for name in one.value]


def _scopes(thing: Thing) -> Problems:
    """Report scopes of preauthorized clients that the app registration does not define."""
    offered = {said(found.value) for found in at(thing, "api.oauth2PermissionScopes[].id")}
    for found in at(thing, "api.preAuthorizedApplications[].delegatedPermissionIds[]"):
        if said(found.value) not in offered:
            yield found.line, "id", f"the registration defines no scope {said(found.value)}"


def _throughput(thing: Thing) -> Problems:
    """Report serverless Cosmos DB accounts with provisioned throughput."""
    account = thing.parent
    while account and account.parent:
        account = account.parent
    capabilities = at(account, "properties.capabilities[].name") if account else ()
    serverless = any(found.value == "EnableServerless" for found in capabilities)
    for path in ("properties.options.throughput", "properties.options.autoscaleSettings"):
        for found in at(thing, path) if serverless else ():
            if found.given:
                yield found.line, "service", f"{thing.kind}.{path} is invalid in a serverless account"
