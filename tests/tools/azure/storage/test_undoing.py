"""The call that a preview names undoes the change of a blob: all blobs are as they were before."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tests.changes.exact.undoing import asking as asking_first
from tests.changes.exact.undoing import undone
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.stored.contents import fill
from tests.fakes.azure.stored.service import FakeStorage
from tests.tools.azure.inventing import asking
from tests.tools.azure.undone_calls import OF_BLOBS


@pytest.mark.parametrize("tool", OF_BLOBS)
async def test_a_change_of_a_blob_is_undone_by_the_call_that_it_names(tool: str) -> None:
    azure, storage, approvals = FakeAzure(), FakeStorage(), asking_first()
    fill(storage, datetime.now(UTC))
    azure.stored.keep_deleted("bakeryshop", 7)
    catalog = storage.account("bakeryshop").blob.containers["catalog"]
    catalog.blobs["prices.csv"] = replace(catalog.blobs["prices.csv"], tier="Hot")
    catalog.deleted["gone.csv"] = deepcopy(catalog.blobs["prices.csv"])
    async with storage.serving():
        azure.point_storage_to("bakeryshop", storage.endpoints("bakeryshop"))
        async with asking(azure, approvals=approvals) as caller:
            changed, left = await undone(caller, approvals, tool, OF_BLOBS[tool], catalog.blobs)
    assert changed
    assert left == []
