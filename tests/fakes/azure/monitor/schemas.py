"""Columns of the tables of logs that the bakery fills, as the service has them; those with rows may have more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final


def _columns(text: str) -> dict[str, str]:
    """`name:type`, where a type that is not told is text."""
    return {name: kind or "string" for name, _, kind in (word.partition(":") for word in text.split())}


_OF_ALL: Final = "TenantId TimeGenerated:datetime"
_OF_APP: Final = (
    "OperationName OperationId ParentId AppRoleName AppRoleInstance ClientType ClientIP Properties:dynamic"
    " Measurements:dynamic SeverityLevel:int ItemCount:int"
)
_END: Final = "SourceSystem Type _ResourceId"
SCHEMAS: Final[Mapping[str, Mapping[str, str]]] = {
    name: _columns(f"{_OF_ALL} {own} {_END}")
    for name, own in {
        "AppRequests": f"Id Name Url Success:bool ResultCode DurationMs:real PerformanceBucket {_OF_APP}",
        "AppDependencies": f"Id Target DependencyType Name Data Success:bool ResultCode DurationMs:real {_OF_APP}",
        "AppExceptions": (
            "ProblemId HandledAt ExceptionType Assembly Method OuterType OuterMessage OuterAssembly OuterMethod"
            f" InnermostType InnermostMessage InnermostAssembly InnermostMethod Details:dynamic {_OF_APP}"
        ),
        "AppTraces": f"Message {_OF_APP}",
        "AzureActivity": "OperationNameValue ActivityStatusValue Caller ResourceGroup CorrelationId",
        "ContainerAppConsoleLogs_CL": "ContainerAppName_s RevisionName_s Log_s Stream_s",
        "Heartbeat": "Computer Category OSType Version",
        "Usage": "DataType Solution Quantity:real QuantityUnit IsBillable:bool StartTime:datetime EndTime:datetime",
    }.items()
}
# What the tables of classic components are called, and their columns, by those of a workspace.
CLASSIC: Final[Mapping[str, str]] = {
    "requests": "AppRequests",
    "dependencies": "AppDependencies",
    "exceptions": "AppExceptions",
    "traces": "AppTraces",
}
CLASSIC_COLUMNS: Final[Mapping[str, str]] = {
    "TimeGenerated": "timestamp",
    "Id": "id",
    "Name": "name",
    "Url": "url",
    "Success": "success",
    "ResultCode": "resultCode",
    "DurationMs": "duration",
    "PerformanceBucket": "performanceBucket",
    "Target": "target",
    "DependencyType": "type",
    "Data": "data",
    "ProblemId": "problemId",
    "HandledAt": "handledAt",
    "ExceptionType": "type",
    "Assembly": "assembly",
    "Method": "method",
    "OuterType": "outerType",
    "OuterMessage": "outerMessage",
    "InnermostType": "innermostType",
    "InnermostMessage": "innermostMessage",
    "Details": "details",
    "Message": "message",
    "OperationName": "operation_Name",
    "OperationId": "operation_Id",
    "ParentId": "operation_ParentId",
    "AppRoleName": "cloud_RoleName",
    "AppRoleInstance": "cloud_RoleInstance",
    "ClientType": "client_Type",
    "ClientIP": "client_IP",
    "Properties": "customDimensions",
    "Measurements": "customMeasurements",
    "SeverityLevel": "severityLevel",
    "ItemCount": "itemCount",
    "_ResourceId": "_ResourceId",
}
