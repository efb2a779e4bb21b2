"""What engineers ask of storage is answered to a model that has only `azure`, in few calls and few tokens."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Final

import pytest

from changes.approval_request import RequiredApprover
from changes.approvals import Approvals
from changes.rule import Rule
from changes.rules import Rules
from clients.azure.cloud import cloud_named
from scripts.benchmarks.model import Model
from tests.fakes.azure.people import OWNER, READER, Principal
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.stored.contents import fill
from tests.fakes.azure.stored.service import FakeStorage
from tests.fakes.transport import HastyTransport
from tests.mcp_server.caller import Caller
from tests.mcp_server.endpoints import approving
from tests.tools.azure.calling import UNASKED, calling
from tools.azure.settings import AzureSettings

SHOP: Final = {"account": "bakeryshop"}
NOW: Final = datetime.now(UTC)


@pytest.fixture
def who() -> Principal:
    return OWNER


@pytest.fixture
def approvals() -> Approvals:
    return UNASKED


@pytest.fixture
async def model(who: Principal, approvals: Approvals) -> AsyncIterator[Model]:
    """Who may read what the accounts hold is the owner, and nobody else."""
    azure, settings = FakeAzure(), AzureSettings(subscription="Bakery Production")

    def permits(token: str, *_: object) -> bool:
        found = azure.people.of(token)
        return found is not None and found[0] == OWNER

    storage = FakeStorage(permits)
    fill(storage, NOW)
    async with (
        azure.serving() as url,
        storage.serving(),
        calling(HastyTransport(), settings, cloud=cloud_named(url), who=who.token, approvals=approvals) as caller,
    ):
        azure.point_storage_to("bakeryshop", storage.endpoints("bakeryshop"))
        found = Model(Caller(caller.endpoint))
        await found.look_around()
        yield found


async def test_what_is_in_container_logs(model: Model) -> None:
    await model.want("what is in container logs")
    found = await model.do("list_blobs", **SHOP, container="logs")
    assert found["folders"][-1] == f"{NOW:%Y}/"
    # Logs of apps may be meant as well, so it reads of two tools.
    assert (model.calls, model.tokens < 700) == (2, True), model.tokens


async def test_the_last_lines_of_yesterdays_log(model: Model) -> None:
    await model.want("which blobs are in container logs")
    await model.want("show me the last lines of yesterday's log blob")
    day = f"{NOW - timedelta(days=1):%Y/%m/%d}"
    listed = await model.do("list_blobs", **SHOP, container="logs", prefix=f"{day}/")
    blob = listed["items"][0]["name"]
    found = await model.do("download_blob", **SHOP, container="logs", blob=blob, last_lines=1)
    assert found["text"].endswith("ERROR the oven did not answer within 30 seconds: order 4711\n")
    # One of the calls learns how blobs are listed.
    assert (model.calls, model.tokens < 1100) == (4, True), model.tokens


async def test_how_many_messages_wait(model: Model) -> None:
    await model.want("how many messages wait in queue orders")
    found = await model.do("peek_storage_queue", **SHOP, queue="orders")
    assert found["waiting_about"] == 3
    assert found["items"][0]["text"] == '{"order": 4711, "product": "bread"}'
    assert (model.calls, model.tokens < 550) == (2, True), model.tokens


async def test_a_link_to_this_file(model: Model) -> None:
    await model.want("give me a link to this file")
    found = await model.do("create_blob_link", **SHOP, container="catalog", blob="pictures/bread.png")
    assert "sig=" in found["link"]
    assert (model.calls, model.tokens < 650) == (2, True), model.tokens


@pytest.mark.parametrize(
    "approvals",
    [
        approving(rules=Rules([Rule(RequiredApprover.ANOTHER, places={place: [name]}), Rule(RequiredApprover.NOBODY)]))
        for place, name in [
            ("subscription", "Bakery Production"),
            ("resource-group", "*shop*"),
            ("tag:environment", "prod*"),
            ("tag:team", "SHOP"),
        ]
    ],
    ids=["subscription", "group", "tag", "value in capitals"],
)
async def test_a_rule_for_its_place_asks_for_a_link(model: Model) -> None:
    await model.want("give me a link to this file")
    with pytest.raises(RuntimeError, match="Another person must approve"):
        await model.do("create_blob_link", **SHOP, container="catalog", blob="pictures/bread.png")


async def test_who_does_not_know_the_account_is_told_which_there_are(model: Model) -> None:
    await model.want("what is in container logs")
    with pytest.raises(RuntimeError, match=r"Available: .*bakeryshop"):
        await model.do("list_blobs", account="shop", container="logs")


@pytest.mark.parametrize("who", [READER])
async def test_who_may_see_an_account_and_not_its_data_is_told_the_role(model: Model) -> None:
    await model.want("what is in container logs")
    with pytest.raises(RuntimeError, match="Storage Blob Data Reader on bakeryshop"):
        await model.do("list_blobs", **SHOP, container="logs")
