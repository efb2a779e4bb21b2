"""Parameters that the record tools share."""

from __future__ import annotations

from typing import Annotated, Final

from clients.cosmos_data.partition import Scalar
from mcp_server.declarations.field import Field

TenantId = Annotated[str | None, Field(max_length=200, description="Yours; others require a role")]
ContainerName = Annotated[str, Field(max_length=255, description="From cosmos_db_containers")]
RecordId = Annotated[str, Field(max_length=255, description="Of the record")]
Key = Annotated[
    list[Scalar] | None,
    Field(max_length=3, description="Other partition key levels"),
]
MaxItems = Annotated[int, Field(ge=1, le=100, description="Limit")]
Token = Annotated[str | None, Field(max_length=16384, description="For the next page")]
ETag = Annotated[str, Field(min_length=1, max_length=200, description="The _etag you read")]

USUAL: Final = "prod-data"
OF_A_RECORD: Final = ("tenant_id", "container", "id")
