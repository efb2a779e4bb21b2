"""Serves the services of `scripts/serve --demo` until standard input ends. First prints the URLs of these services."""

from __future__ import annotations

import asyncio
import json
import secrets
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from app.build import App
from app.storage import storage_for
from scripts.benchmarks.stories_world import PROJECT, fill, open_pull_requests
from scripts.demo_services import further_services
from settings import OWN_GROUPS, StorageSettings, names_of
from tests.fakes.azure.people import HOME, OWNER
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.stored.contents import fill as fill_accounts
from tests.fakes.azure.stored.service import FakeStorage
from tests.fakes.azure_devops.service import FakeAzureDevOps
from tests.fakes.retirements import add_affected, invented_announcements
from tests.fakes.updates.api import UpdatesApi
from tests.mcp_server.caller import Caller
from tests.offline import app_of, offline
from tests.tools.azure_devops.calling import TOKEN
from tools import PROVIDERS
from tools.azure_updates.opening import store_in, sync_of
from tools.azure_updates.settings import PURPOSE, UpdatesSettings
from updates.reading.sample import records

NOTICE: Final = "Demo: all data is made up. No such team, resource or update exists."
# The default subscription.
_PLACE: Final = {"AZURE_SUBSCRIPTION_ID": "Bakery Production"}
_HOUR_OF_BUILDS: Final = 16
_UPDATES: Final = 1500
_SECONDS_OF_A_TOKEN: Final = 30 * 24 * 3600


async def main() -> None:
    async with _served(Path(sys.argv[1])) as address:
        print(json.dumps(address), flush=True)
        await asyncio.to_thread(sys.stdin.buffer.read)


@asynccontextmanager
async def _served(folder: Path) -> AsyncIterator[dict[str, Any]]:
    azure, azure_devops = FakeAzure(), FakeAzureDevOps()
    updates = UpdatesApi([*records(_UPDATES, today=datetime.now(UTC).date()), *invented_announcements()])
    add_affected(azure)
    azure_devops.projects.clock = _yesterday()
    fill(azure_devops)
    async with (
        azure.serving() as cloud,
        _stored_for(azure),
        azure_devops.serving() as organization,
        updates.serving() as feed,
        further_services(folder) as further,
    ):
        work = {"ADO_ORG_URL": organization, "ADO_PAT": TOKEN, "ADO_PROJECT": PROJECT}
        _app = await _let_the_team_work(folder / "work", work)  # a reference keeps the app's background tasks alive
        kept = await _kept_updates(folder / "storage", feed)
        yield {
            "settings": {**_nothing_real(), **work, **kept, **further, **_own(), "AZURE_CLOUD": cloud, **_PLACE},
            "profile": _profile(azure),
            "token": _token(),
        }


def _yesterday() -> datetime:
    return (datetime.now(UTC) - timedelta(days=1)).replace(hour=_HOUR_OF_BUILDS, minute=20, second=0)


def _own() -> dict[str, str]:
    return {"MCP_NOTICE": NOTICE, "MCP_REQUEST_STATE_KEY": secrets.token_urlsafe(32), "AZURE_READ_DIRECTORY": "true"}


@asynccontextmanager
async def _stored_for(azure: FakeAzure) -> AsyncIterator[None]:
    """Serve the data of all storage accounts that the fake Azure has."""
    storage = FakeStorage()
    fill_accounts(storage, datetime.now(UTC))
    async with storage.serving():
        for name in azure.storage_accounts:
            storage.account(name)
            azure.point_storage_to(name, storage.endpoints(name))
        yield


async def _kept_updates(storage: Path, feed: str) -> dict[str, str]:
    """Store updates before the app starts, so that they are available immediately."""
    settings = StorageSettings(folder=str(storage))
    await sync_of(UpdatesSettings(url=feed), store_in(storage_for(PURPOSE, settings))).reconcile()
    return {"STORAGE_FOLDER": str(storage), "UPDATES_API_URL": feed}


async def _let_the_team_work(folder: Path, settings: dict[str, str]) -> App:
    """Create pull requests with the app's own tools, so that the demo has pull requests to read."""
    app = app_of(offline(folder) | settings)
    await open_pull_requests(Caller(app.endpoint, "devops"))
    await app.close()
    return app


def _nothing_real() -> dict[str, str]:
    """Clear all settings that refer to real services, in case this machine has such settings."""
    groups = [*OWN_GROUPS.values(), *(provider.settings for provider in PROVIDERS)]
    return {**dict.fromkeys(names_of(groups), ""), "AZURE_FUNCTIONS_ENVIRONMENT": "Development"}


def _profile(azure: FakeAzure) -> dict[str, Any]:
    """Return the content of the profile file that `az login` writes."""
    user = {"name": OWNER.name, "type": "user"}
    subscriptions = [one for one in azure.estate.subscriptions.values() if one["tenantId"] == HOME]
    return {
        "installationId": "00000000-0000-4000-8000-00000000000c",
        "subscriptions": [
            {
                "id": one["subscriptionId"],
                "name": one["displayName"],
                "state": one["state"],
                "user": user,
                "isDefault": one is subscriptions[0],
                "tenantId": HOME,
                "environmentName": "AzureCloud",
                "homeTenantId": HOME,
                "managedByTenants": [],
            }
            for one in subscriptions
        ],
    }


def _token() -> dict[str, Any]:
    """Return the output of `az account get-access-token`. The token remains valid for longer than any demo runs."""
    until = int(time.time()) + _SECONDS_OF_A_TOKEN
    return {
        "accessToken": OWNER.token_for(seconds=_SECONDS_OF_A_TOKEN),
        "expiresOn": f"{datetime.fromtimestamp(until, UTC):%Y-%m-%d %H:%M:%S.%f}",
        "expires_on": until,
        "tenant": HOME,
        "tokenType": "Bearer",
    }


if __name__ == "__main__":
    asyncio.run(main())
