"""Lists azd environments, from tags in Azure and from remote state, and shows what an environment deployed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

from clients.answers import Json, at, present
from clients.azure.client import Azure, Subscription
from clients.azure.graph import GraphRows, ready_made, rows_of, text_of
from clients.azure.ids import ResourceId
from clients.azure.messages import of_id
from clients.azure.named import with_readable_ids
from clients.azure.resource_scopes import VERSION, names_of
from clients.side_by_side import side_by_side
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.azd.state import AzdState, state_in
from tools.azure.shared.answers import answer, every
from tools.azure.shared.compact import shortened
from tools.azure.shared.graph_answers import unseen
from tools.azure.shared.parameters import Subscriptions
from tools.azure.shared.rights import why

part = Part()

_MOST: Final = 500
_MOST_RESOURCES: Final = 200
_MOST_PLACES: Final = 20
_LOOKED_AT: Final = 200
_SHOWN_DEPLOYMENTS: Final = 5
_DEPLOYMENTS: Final = "/providers/Microsoft.Resources/deployments/"
_TAG: Final = "azd-env-name"
_ENVIRONMENT: Final = f"environment = tostring(tags['{_TAG}'])"

EnvironmentName = Annotated[str, Field(pattern=r"^[A-Za-z0-9().-]{1,64}$", description="Its name")]
AnyAccount = Annotated[
    str | None, Field(min_length=3, max_length=2048, description="Storage account with remote state: name or id")
]
AnyContainer = Annotated[
    str | None, Field(max_length=63, description="Usually the name of the azd project; default: all")
]


@part.tool(Access.READ, harmless=("subscription", "account", "container"))
async def list_azd_environments(
    azure: Arm, account: AnyAccount = None, container: AnyContainer = None, subscription: Subscriptions = None
) -> Json:
    """List azd environments: deployed ones (tag azd-env-name) and, with `account`, those in remote state."""
    asked = await azure.asked_subscriptions(subscription)
    if account:
        # A storage account belongs to one subscription. If the caller passes several subscriptions, search for the
        # account in all subscriptions, because it is unknown which of them contains the account.
        where = subscription if isinstance(subscription, str) else None
        kept, unread = await _in_state(await state_in(azure, account, where), container)
    else:
        kept, unread = [], ""
    deployed, more = await _deployed(azure, asked)
    return every([*deployed, *kept], more=more, state_unread=unread, asked=names_of(asked))


@part.tool(Access.READ, harmless=("environment", "subscription"))
async def show_azd_environment(azure: Arm, environment: EnvironmentName, subscription: Subscriptions = None) -> Json:
    """Show what an azd environment deployed: resources, services with their endpoints, last deployments."""
    asked = await azure.asked_subscriptions(subscription)
    question = ready_made(
        [one.id for one in asked],
        "resources",
        f"where tostring(tags['{_TAG}']) =~ {text_of(environment)}",
        "extend host = coalesce(tostring(properties.defaultHostName), tostring(properties.defaultHostname))",
        "extend ingress = tostring(properties.configuration.ingress.fqdn)",
        (
            "project id, location, service = tostring(tags['azd-service-name']),"
            " host = coalesce(tostring(host), ingress), subscriptionId, resourceGroup"
        ),
        "order by id asc",
    )
    rows = await rows_of(azure.send, question, _MOST_RESOURCES)
    if not rows.items:
        raise Refusal(
            f"No resource in {names_of(asked)} has a tag {_TAG} with the name of this environment. Use"
            " list_azd_environments to list environments. Resources created in the last few minutes do not appear yet."
        )
    deployments, unread = await _last_deployments(azure, environment, rows.items)
    short = shortened(({"id": row["id"], "location": row.get("location")} for row in rows.items), "id")
    return answer(
        environment=environment,
        services=[_service(row) for row in rows.items if row.get("service")],
        endpoints=sorted({f"https://{row['host']}" for row in rows.items if row.get("host")}),
        deployments=deployments,
        deployments_unread=unread,
        more=unseen(rows, "look for them with list_resources"),
        idsBeginWith=short.get("idsBeginWith"),
        resources=short["items"],
    )


def _service(row: Mapping[str, Any]) -> Json:
    host = f"https://{row['host']}" if row.get("host") else None
    return present({"name": row["service"], "resource": ResourceId.of(str(row["id"])).name, "endpoint": host})


async def _deployed(azure: Azure, asked: Sequence[Subscription]) -> tuple[list[Json], str | None]:
    """Return the environments that are named in the tags of resources.

    If no resource in a group has a tag, use the tag of the group.
    """
    ids = [one.id for one in asked]
    steps = [f"extend {_ENVIRONMENT}", "where isnotempty(environment)"]
    by = "by environment, resourceGroup, subscriptionId"
    of_resources = ready_made(ids, "resources", *steps, f"summarize number = count() {by}")
    of_groups = ready_made(ids, "resourcecontainers", *steps, f"summarize groups = count() {by}")
    resources = await rows_of(azure.send, of_resources, _MOST)
    groups = await rows_of(azure.send, of_groups, _MOST)
    names = {one.id.lower(): one.name for one in asked}
    found: dict[tuple[str, ...], Json] = {}
    for row in [*resources.items, *groups.items]:
        record = _environment(row, names)
        found.setdefault(tuple(str(record.get(name)).lower() for name in ("environment", "group", "in")), record)
    return list(found.values()), _unseen(resources, groups)


def _unseen(*found: GraphRows) -> str | None:
    return next((more for rows in found if (more := unseen(rows, "pass `subscription`"))), None)


def _environment(row: Mapping[str, Any], names: Mapping[str, str]) -> Json:
    where = str(row.get("subscriptionId"))
    return present(
        {
            "environment": row["environment"],
            "group": row.get("resourceGroup"),
            "in": names.get(where.lower(), where),
            "resources": row.get("number"),
        }
    )


async def _in_state(state: AzdState, container: str | None) -> tuple[list[Json], str]:
    """Return the environments in remote state, or the reason why the state could not be read.

    In both cases, `list_azd_environments` also lists the deployed environments.
    """
    try:
        return [one.summary for one in await state.environments(container)], ""
    except Refusal as refusal:
        return [], why(refusal)


async def _last_deployments(
    azure: Azure, environment: str, rows: Sequence[Mapping[str, Any]]
) -> tuple[list[Json], list[Json]]:
    """Return the newest deployments in each subscription and group that contains resources of an environment.

    Also return the subscriptions and groups that could not be read.
    """
    places = {
        text: ResourceId.of(text)
        for row in rows
        for text in (
            f"/subscriptions/{row['subscriptionId']}",
            f"/subscriptions/{row['subscriptionId']}/resourceGroups/{row['resourceGroup']}",
        )
    }
    found: list[Mapping[str, Any]] = []

    async def ask(place: ResourceId) -> None:
        page = await azure.page(of_id("GET", place, _DEPLOYMENTS, version=VERSION), _LOOKED_AT)
        found.extend(one for one in with_readable_ids(page).items if _is_of(one, environment))

    reading = await side_by_side(dict(list(places.items())[:_MOST_PLACES]), ask)
    newest = sorted(found, key=lambda one: str(at(one, "properties.timestamp")), reverse=True)
    return [_deployment(one) for one in newest[:_SHOWN_DEPLOYMENTS]], reading.said("places").get("notRead", [])


def _is_of(deployment: Mapping[str, Any], environment: str) -> bool:
    tags = deployment.get("tags")
    return isinstance(tags, Mapping) and str(tags.get(_TAG)).lower() == environment.lower()


def _deployment(record: Mapping[str, Any]) -> Json:
    return present(
        {
            "name": record.get("name"),
            "group": ResourceId.of(str(record.get("id"))).group or None,
            "state": at(record, "properties.provisioningState"),
            "ended": at(record, "properties.timestamp"),
            "took": at(record, "properties.duration"),
        }
    )
