"""The explorer over a fake Azure with what real retirements affect, whatever the way in which its people sign in."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from aiohttp import web

from identity.unverified_token import read
from tests.changes.bench import Office, opened
from tests.exploring.bench import ROLES
from tests.fakes.azure.people import NOBODY, OWNER, Principal
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import PRODUCTION
from tests.fakes.issuer import USER
from tests.fakes.retirements import add_affected, announcements
from tests.fakes.sign_in import SECRET
from tests.fakes.updates.api import UpdatesApi
from tests.fakes.upstream_identity import BEARER_GRANT
from tools import TOOLSETS
from tools.azure_updates.access import UPDATES


@dataclass
class Exchange:
    """Exchanges a token of the app for one of Azure. Whoever is not `known` may do nothing there."""

    known: dict[str, Principal] = field(default_factory=lambda: {USER: OWNER})
    # The tokens that were brought.
    brought: list[str] = field(default_factory=list)
    # What is answered instead.
    failure: dict[str, object] = field(default_factory=dict)

    async def __call__(self, form: dict[str, str]) -> web.Response:
        assert form["client_secret"] == SECRET
        self.brought.append(form["assertion"])
        who = self.known.get(str(read(form["assertion"]).claims["oid"]), NOBODY)
        if self.failure:
            return web.json_response(self.failure, status=400)
        return web.json_response({"token_type": "Bearer", "expires_in": 3600, "access_token": who.token})


@dataclass
class Estate:
    office: Office
    azure: FakeAzure
    exchange: Exchange


@asynccontextmanager
async def estate(folder: Path, **settings: str) -> AsyncIterator[Estate]:
    azure, feed = FakeAzure(), UpdatesApi(announcements())
    add_affected(azure)
    async with azure.serving() as cloud, feed.serving() as updates:
        own = {"AZURE_CLOUD": cloud, "AZURE_SUBSCRIPTION_ID": PRODUCTION, "UPDATES_API_URL": updates}
        async with opened(folder, ROLES, TOOLSETS, UPDATES_SAMPLE="false", **own, **settings) as office:
            await (await office.app.providers.get(UPDATES)).library.settled()
            exchange = Exchange()
            office.issuer.grants[BEARER_GRANT] = exchange
            yield Estate(office, azure, exchange)
