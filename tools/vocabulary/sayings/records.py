"""How people ask for records in Cosmos DB."""

from __future__ import annotations

from typing import Final

SAYINGS: Final = {
    "cosmos_db_query": (
        "query cosmos db records, find documents in cosmos where status is open, search items in the container "
        "prod data, look up records of my tenant, which documents have price over 0"
    ),
    "cosmos_db_select": "run a sql select on cosmos db, select from c where, cosmos sql query with count",
    "cosmos_db_read": "read cosmos document 0, get the record with id 0 from cosmos db, show item 0 of prod data",
    "cosmos_db_containers": (
        "which containers have records of my tenant, what fields do cosmos records have, shape of the documents in "
        "cosmos, partition key and sample of records"
    ),
    "cosmos_db_insert": "insert a document into cosmos db, add a record to prod data, create item in cosmos container",
    "cosmos_db_update": "update cosmos document 0, patch a record in cosmos db, replace the item 0 in prod data",
    "cosmos_db_delete": "delete cosmos document 0, remove the record 0 from cosmos db, delete item 0 of prod data",
}
