"""What the accounts of the invented bakery hold."""

from __future__ import annotations

import json
from base64 import b64encode
from datetime import datetime, timedelta
from typing import Final

from tests.fakes.azure.stored.blobs import Blob
from tests.fakes.azure.stored.queues import Message
from tests.fakes.azure.stored.service import FakeStorage

_PRICES: Final = "product,price\nbread,3.20\ncake,18.00\nrolls,0.60\n"
_LOG: Final = "{at} INFO 3 orders were sent\n{at} ERROR the oven did not answer within 30 seconds: order 4711\n"
_VALUES: Final = (
    'AZURE_ENV_NAME="shop-dev"\nSERVICE_WEB_URI="https://shop-dev-web.azurewebsites.net"\nPAYMENT_KEY="invented-4711"\n'
)


def fill(storage: FakeStorage, now: datetime) -> None:
    shop, receipts = storage.account("bakeryshop"), storage.account("bakeryreceipts")
    shop.blob.add("catalog", "prices.csv", Blob(_PRICES.encode(), now - timedelta(days=2), "text/csv"))
    picture = Blob(b"\x89PNG\r\n\x1a\n" + bytes(400), now - timedelta(days=40), "image/png")
    shop.blob.add("catalog", "pictures/bread.png", picture)
    for ago in range(5):
        at = now - timedelta(days=ago)
        text = _LOG.format(at=f"{at:%Y-%m-%dT%H:%M:%SZ}")
        shop.blob.add("logs", f"{at:%Y/%m/%d}/orders.log", Blob(text.encode(), at, "text/plain"))
        receipt = {"order": 4700 + ago, "total": 12.5 + ago, "paid": ago != 1}
        receipts.blob.add("receipts", f"{4700 + ago}.json", Blob(json.dumps(receipt).encode(), at, "application/json"))
        shop.table.add("orders", {"PartitionKey": f"{at:%Y-%m}", "RowKey": str(4700 + ago), **receipt})
    # As azd keeps an environment.
    storage.account("bakeryshopdev").blob.add("shop", "shop-dev/.env", Blob(_VALUES.encode(), now, "text/plain"))
    shop.queue.add("orders", *(Message(_queued(4711 + number), now, dequeued=number) for number in range(3)))
    shop.queue.add("orders-poison", Message(_queued(4711), now - timedelta(hours=4), dequeued=5))


def _queued(order: int) -> str:
    """As the libraries of Functions write it."""
    return b64encode(json.dumps({"order": order, "product": "bread"}).encode()).decode()
