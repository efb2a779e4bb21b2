"""Translates queries between the two schemas of Application Insights: workspace names and classic names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from clients.azure.graph import text_of
from clients.azure.ids import ResourceId

# The table names in a workspace, by classic table name.
CLASSIC: Final = {
    "requests": "AppRequests",
    "dependencies": "AppDependencies",
    "exceptions": "AppExceptions",
    "traces": "AppTraces",
    "customEvents": "AppEvents",
    "customMetrics": "AppMetrics",
    "pageViews": "AppPageViews",
    "availabilityResults": "AppAvailabilityResults",
    "browserTimings": "AppBrowserTimings",
}
_TABLES: Final = {new: old for old, new in CLASSIC.items()}
_SAME: Final = (
    "Id Name Url Success ResultCode PerformanceBucket Target Data ProblemId HandledAt Assembly Method OuterType"
    " OuterMessage OuterAssembly OuterMethod InnermostType InnermostMessage InnermostAssembly InnermostMethod Details"
    " Message SeverityLevel ItemCount Location"
)
# Classic column names, by workspace column name. Columns are omitted if their two names differ only in the case of the
# first letter.
_COLUMNS: Final = {
    "TimeGenerated": "timestamp",
    "DurationMs": "duration",
    "DependencyType": "type",
    "ExceptionType": "type",
    "Properties": "customDimensions",
    "Measurements": "customMeasurements",
    "OperationName": "operation_Name",
    "OperationId": "operation_Id",
    "ParentId": "operation_ParentId",
    "SyntheticSource": "operation_SyntheticSource",
    "SessionId": "session_Id",
    "UserId": "user_Id",
    "UserAuthenticatedId": "user_AuthenticatedId",
    "AppVersion": "application_Version",
    "AppRoleName": "cloud_RoleName",
    "AppRoleInstance": "cloud_RoleInstance",
    "ClientType": "client_Type",
    "ClientModel": "client_Model",
    "ClientOS": "client_OS",
    "ClientIP": "client_IP",
    "ClientCity": "client_City",
    "ClientStateOrProvince": "client_StateOrProvince",
    "ClientCountryOrRegion": "client_CountryOrRegion",
    "ClientBrowser": "client_Browser",
}
_OLD: Final = _TABLES | _COLUMNS | {name: name[0].lower() + name[1:] for name in _SAME.split()}
# Matches strings, comments and words in a query. The group `name` captures words, but not strings or comments.
_WORD: Final = re.compile(
    r"""@"[^"\n]*+"?|@'[^'\n]*+'?|"(?:[^"\\\n]|\\.)*+"?|'(?:[^'\\\n]|\\.)*+'?|//[^\n]*+|(?P<name>[A-Za-z_]\w*+)"""
)
_NOT_NARROWED: Final = re.compile(r"\b(?:search|find)\b|\*")
_ASSIGNED: Final = re.compile(r"\s{0,100}=(?![=~])")


def can_be_narrowed(query: str) -> bool:
    """Check whether a query can be filtered to one app. The query must name all tables from which it reads app data."""
    names = [found for found in _WORD.finditer(query) if found["name"] in _TABLES]
    is_wide = _NOT_NARROWED.search(_WORD.sub(lambda found: found["name"] or "", query))
    return bool(names) and not is_wide and not any(_ASSIGNED.match(query, found.end()) for found in names)


def narrowed(query: str, app: ResourceId) -> str:
    """Return a workspace query that is filtered to the log entries of one app."""
    own = f"where _ResourceId =~ {text_of(app.text)}"
    return _with_names(query, {name: f"({name} | {own})" for name in _TABLES})


def by_classic_names(query: str) -> str:
    """Translate a workspace query to classic names, for a component without a workspace."""
    return _with_names(query, _OLD)


def _with_names(query: str, names: Mapping[str, str]) -> str:
    return _WORD.sub(lambda found: names.get(found["name"] or "", found[0]), query)
