"""Which app is meant, on whichever service it runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from clients.azure.apps.sorts import APPS, CLUSTER, CONTAINER_APP
from clients.azure.client import Azure
from clients.azure.graph import ready_made, rows_of, text_of
from clients.azure.ids import ResourceId
from clients.azure.named import Record, Sort, one_called
from refusal import Refusal

_MOST_NAMED: Final = 10


@dataclass(frozen=True, slots=True)
class App:
    """An app of App Service or Functions, or a slot of one; a container app; a cluster."""

    id: ResourceId
    sort: Sort
    record: Record

    @property
    def is_site(self) -> bool:
        return self.sort not in {CONTAINER_APP, CLUSTER}

    @property
    def is_container_app(self) -> bool:
        return self.sort is CONTAINER_APP

    @property
    def kind(self) -> str:
        """In the words of engineers."""
        if not self.is_site:
            return "container app" if self.is_container_app else "AKS cluster"
        kinds = str(self.record.get("kind")).lower().split(",")
        if "workflowapp" in kinds:
            return "logic app"
        return "function app" if "functionapp" in kinds else "web app"

    @property
    def properties(self) -> Mapping[str, Any]:
        found = self.record.get("properties")
        return found if isinstance(found, Mapping) else {}


async def app_called(azure: Azure, named: str, subscription: str | None, *, anew: bool = False) -> App:
    """The app of an id, or the only one that has a name; a slot is called `app/slot`. `anew`, it is read now.

    Raises:
        Refusal: There is none, or there are several; the text says which.
    """
    place = ResourceId.of(named) if named.strip().startswith("/") else await _found(azure, named, subscription)
    sort = next((one for one in APPS if one.has(place)), None)
    if sort is None:
        raise Refusal(f"This is the id of a {place.type}, which is no app. list_apps names the apps.")
    return App(place, sort, await one_called(azure, sort, place.text, None, anew=anew))


async def _found(azure: Azure, name: str, subscription: str | None) -> ResourceId:
    if subscription:
        asked = [await azure.subscription(subscription)]
    else:
        asked = await azure.subscriptions() or [await azure.subscription()]
    types = ", ".join(text_of(one.type) for one in APPS)
    steps = (f"where type in~ ({types}) and name =~ {text_of(name.strip())}", "project id", "order by id asc")
    rows = await rows_of(azure.send, ready_made([one.id for one in asked], "resources", *steps), _MOST_NAMED)
    ids = [str(row.get("id")) for row in rows.items]
    if len(ids) == 1:
        return ResourceId.of(ids[0])
    if ids:
        raise Refusal(f"Several apps have this name. Pass the id of one: {', '.join(ids)}.")
    raise Refusal(
        f"No app is called {name!r}, or it was made some minutes ago: then its id finds it. list_apps names the apps."
    )
