"""KQL, judged by Microsoft's own parser with the columns of the tables that a query may name."""

from __future__ import annotations

import atexit
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import IO, Final

from tests import npm

KUSTO: Final = Path(__file__).parent / "kusto"
_EVERYWHERE: Final = "TimeGenerated:datetime, TenantId:string, Type:string, _ResourceId:string, _BilledSize:real"
_OF_THE_APP: Final = (
    f"{_EVERYWHERE}, AppRoleInstance:string, AppRoleName:string, AppVersion:string, ClientIP:string, IKey:string,"
    " ItemCount:int, Measurements:dynamic, OperationId:string, OperationName:string, ParentId:string,"
    " Properties:dynamic, SDKVersion:string, SessionId:string, UserId:string"
)
_CALL: Final = "Id:string, Name:string, Success:bool, ResultCode:string, DurationMs:real, PerformanceBucket:string"
# The tables of a workspace that Application Insights and Azure write, as far as anybody here asks for them.
TABLES: Final[Mapping[str, str]] = {
    "AppDependencies": f"{_OF_THE_APP}, {_CALL}, Data:string, DependencyType:string, Target:string",
    "AppExceptions": (
        f"{_OF_THE_APP}, Details:dynamic, ExceptionType:string, InnermostMessage:string, Message:string,"
        " Method:string, OuterMessage:string, OuterType:string, ProblemId:string, SeverityLevel:int"
    ),
    "AppMetrics": f"{_OF_THE_APP}, Max:real, Min:real, Name:string, Sum:real",
    "AppRequests": f"{_OF_THE_APP}, {_CALL}, Source:string, Url:string",
    "AppTraces": f"{_OF_THE_APP}, Message:string, SeverityLevel:int",
    "AzureMetrics": (
        f"{_EVERYWHERE}, Average:real, Count:real, Maximum:real, MetricName:string, Minimum:real, ResourceId:string,"
        " Total:real"
    ),
    "FunctionAppLogs": (
        f"{_EVERYWHERE}, AppName:string, Category:string, ExceptionDetails:string, ExceptionMessage:string,"
        " FunctionName:string, HostInstanceId:string, Level:string, Message:string"
    ),
    "StorageBlobLogs": (
        f"{_EVERYWHERE}, AccountName:string, DurationMs:real, OperationName:string, StatusCode:string,"
        " StatusText:string"
    ),
    "Usage": (
        f"{_EVERYWHERE}, DataType:string, EndTime:datetime, IsBillable:bool, Quantity:real, QuantityUnit:string,"
        " Solution:string, StartTime:datetime"
    ),
    "_LogOperation": f"{_EVERYWHERE}, Category:string, Detail:string, Level:string, Operation:string",
}


def problems(queries: Mapping[str, str]) -> dict[str, list[str]]:
    """What is wrong with each query, as `position: message`."""
    tables = {name: f"({columns})" for name, columns in TABLES.items()}
    asked, answers = _parser()
    asked.write(json.dumps({"tables": tables, "queries": queries}) + "\n")
    asked.flush()
    answer: dict[str, list[str]] = json.loads(answers.readline())
    return answer


@cache
def _parser() -> tuple[IO[str], IO[str]]:
    """What the parser reads and writes. Loading it is what takes time."""
    process = npm.installed(KUSTO).started("node", str(KUSTO / "diagnose.cjs"))
    assert process.stdin
    assert process.stdout
    atexit.register(process.communicate)
    return process.stdin, process.stdout
