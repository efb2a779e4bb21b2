"""Rejects queries that could read resources outside the allowed scope. Limits Resource Graph queries to this scope."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from clients.azure.confinement.reaching import reaches_elsewhere, reads_one_table
from clients.azure.kql import tokens
from clients.azure.messages import AzureRequest
from clients.azure.reach import GroupBounds
from clients.folding import folded
from refusal import Refusal

_DEEPEST: Final = 20
_MOST_SUBSCRIPTIONS: Final = 1000
_QUERIES: Final = frozenset({"query", "csl", "kql"})
# Fields in the body of a log query that add other workspaces to the query.
_ELSEWHERE: Final = frozenset({"workspaces", "applications", "workspacefilters", "resources", "scopes"})
_LONGEST: Final = 20_000
_OPTIONS: Final = frozenset({"$skiptoken", "$skip", "$top", "allowpartialscopes"})


def refuse_reaching(request: AzureRequest, bounds: GroupBounds, *, is_of_one: bool = False) -> None:
    """Reject queries that could read resources outside the allowed scope.

    If `is_of_one` is set, the URL already limits the query to one resource.

    Raises:
        Refusal: The query could read other resources, or it was written by a caller who can access only certain groups.
    """
    texts = list(_texts(request))
    if any(len(text) > _LONGEST for text in texts):
        raise Refusal(f"A query can be at most {_LONGEST} characters long.")
    if any(reaches_elsewhere(tokens(text)) for text in texts):
        raise Refusal(
            "Access to Azure is restricted, so queries must not use workspace(), app(), resource(), arg(), adx(),"
            " cluster(), database(), graph() or externaldata. Plugins must not send requests or run code. The table"
            " name in table() must not be computed. Function names must not be in brackets, and must not contain"
            " letters other than a to z."
        )
    if texts and bounds.knows_groups and not is_of_one and not request.is_ready_made:
        raise Refusal(
            "Access is restricted to some resource groups, and a custom query cannot be limited to them. Use the tools "
            "whose names start with list_ or show_ instead."
        )


def _texts(request: AzureRequest) -> Iterator[str]:
    """Yield all texts in a request that Azure could interpret as a query.

    Raises:
        Refusal: The request adds other resources to the query.
    """
    for part in (request.query, request.body):
        found = list(_queries(part, _DEEPEST))
        if found and isinstance(part, Mapping) and _ELSEWHERE & {folded(str(name)) for name in part}:
            raise Refusal("Access to Azure is restricted, so a query must not name other data sources.")
        yield from found


def _queries(value: Any, depth: int) -> Iterator[str]:
    if not depth:
        raise Refusal("The request is nested too deeply to be checked against the allowed scope.")
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if folded(str(name)) in _QUERIES and isinstance(inner, str):
                yield inner
            yield from _queries(inner, depth - 1)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _queries(inner, depth - 1)


def narrowed(request: AzureRequest, bounds: GroupBounds) -> AzureRequest:
    """Limit a Resource Graph query to the allowed scope, regardless of the scope that the query names."""
    given = {folded(str(name)): value for name, value in _object(request.body).items()}
    within = _subscriptions(given.get("subscriptions"), bounds)
    query = str(given.get("query") or "")
    options = {name: value for name, value in _object(given.get("options")).items() if folded(str(name)) in _OPTIONS}
    facets = {"facets": given["facets"]} if given.get("facets") else {}
    body = {
        "subscriptions": within,
        "query": _within_groups(query, within, bounds) if bounds.knows_groups else query,
        "options": {**options, "resultFormat": "objectArray"},
    }
    return replace(request, body={**body, **facets})


def _object(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping | None):
        raise Refusal("A Resource Graph query must be an object.")
    return value or {}


def _subscriptions(asked: Any, bounds: GroupBounds) -> list[str]:
    wanted = {folded(str(one)) for one in asked or ()}
    found = [one for one in bounds.subscriptions if not wanted or one in wanted]
    if not found:
        raise Refusal(
            "None of these subscriptions is in the allowed scope. list_azure_subscriptions lists the allowed"
            " subscriptions."
        )
    if len(found) > _MOST_SUBSCRIPTIONS:
        raise Refusal(
            f"A Resource Graph query can read at most {_MOST_SUBSCRIPTIONS} subscriptions. Pass `subscription`."
        )
    return found


def _within_groups(query: str, subscriptions: list[str], bounds: GroupBounds) -> str:
    """Insert a filter for the allowed groups directly after the table of the query.

    Raises:
        Refusal: The query has no table, or has several tables.
    """
    read = tokens(query)
    if not reads_one_table(read):
        raise Refusal("Access is restricted to some resource groups, and this query cannot be limited to them.")
    conditions = " or ".join(_condition(one, bounds.groups[one] or ()) for one in subscriptions)
    return f"{read[0].text} | where {conditions} {query[read[0].end :].lstrip()}".rstrip()


def _condition(subscription: str, groups: Iterable[str]) -> str:
    names = ", ".join(f"'{group}'" for group in sorted(groups))
    return f"(subscriptionId =~ '{subscription}' and resourceGroup in~ ({names}))"
