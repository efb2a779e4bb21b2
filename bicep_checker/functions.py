"""The functions of Bicep. Each function has a minimum and a maximum number of arguments, and a return type."""

from __future__ import annotations

from typing import Final

from bicep_checker.shapes import ANYTHING, ARRAY, NUMBER, OBJECT, TEXT, TRUTH, ListOf, Shape, one_of, record

_MANY: Final = 99
_SUFFIXES: Final = dict.fromkeys(("keyvaultDns", "sqlServerHostname", "storage"), TEXT)

# For each function: the minimum and maximum number of arguments, and the return type.
FUNCTIONS: Final[dict[str, tuple[int, int, Shape]]] = {
    "any": (1, 1, ANYTHING),
    "array": (1, 1, ARRAY),
    "base64": (1, 1, TEXT),
    "base64ToJson": (1, 1, ANYTHING),
    "base64ToString": (1, 1, TEXT),
    "bool": (1, 1, TRUTH),
    "cidrHost": (2, 2, TEXT),
    "buildUri": (1, 1, TEXT),
    "cidrSubnet": (3, 3, TEXT),
    "coalesce": (1, _MANY, ANYTHING),
    "concat": (1, _MANY, ANYTHING),
    "contains": (2, 2, TRUTH),
    "dateTimeAdd": (2, 3, TEXT),
    "dateTimeFromEpoch": (1, 1, TEXT),
    "dateTimeToEpoch": (1, 1, NUMBER),
    "deployer": (0, 0, record("deployer", {"objectId": TEXT, "tenantId": TEXT, "userPrincipalName": TEXT})),
    "deployment": (0, 0, OBJECT),
    "empty": (1, 1, TRUTH),
    "endsWith": (2, 2, TRUTH),
    "environment": (
        0,
        0,
        record(
            "environment",
            {
                "name": TEXT,
                "resourceManager": TEXT,
                "portal": TEXT,
                "authentication": record("authentication", {"loginEndpoint": TEXT, "audiences": ListOf(TEXT)}),
                "suffixes": record("suffixes", _SUFFIXES),
            },
        ),
    ),
    "extensionResourceId": (3, _MANY, TEXT),
    "fail": (1, 1, ANYTHING),
    "filter": (2, 2, ARRAY),
    "first": (1, 1, ANYTHING),
    "flatten": (1, 1, ARRAY),
    "format": (1, _MANY, TEXT),
    "groupBy": (2, 2, OBJECT),
    "guid": (1, _MANY, TEXT),
    "indexOf": (2, 2, NUMBER),
    "int": (1, 1, NUMBER),
    "intersection": (2, _MANY, ANYTHING),
    "items": (1, 1, ARRAY),
    "join": (2, 2, TEXT),
    "json": (1, 1, ANYTHING),
    "last": (1, 1, ANYTHING),
    "length": (1, 1, NUMBER),
    "lastIndexOf": (2, 2, NUMBER),
    "listKeys": (2, 3, ANYTHING),
    "loadDirectoryFileInfo": (1, 2, ARRAY),
    "loadFileAsBase64": (1, 1, TEXT),
    "loadJsonContent": (1, 3, ANYTHING),
    "loadTextContent": (1, 2, TEXT),
    "loadYamlContent": (1, 3, ANYTHING),
    "managementGroup": (0, 1, record("managementGroup", {"id": TEXT, "name": TEXT, "properties": OBJECT})),
    "managementGroupResourceId": (2, _MANY, TEXT),
    "map": (2, 2, ARRAY),
    "mapValues": (2, 2, OBJECT),
    "max": (1, _MANY, NUMBER),
    "min": (1, _MANY, NUMBER),
    "newGuid": (0, 0, TEXT),
    "nameof": (1, 1, TEXT),
    "objectKeys": (1, 1, ListOf(TEXT)),
    "padLeft": (2, 3, TEXT),
    "parseCidr": (1, 1, OBJECT),
    "parseUri": (1, 1, OBJECT),
    "pickZones": (3, 5, ListOf(TEXT)),
    "range": (2, 2, ListOf(NUMBER)),
    "reduce": (3, 3, ANYTHING),
    "reference": (1, 3, ANYTHING),
    "replace": (3, 3, TEXT),
    "resourceGroup": (0, 2, record("resourceGroup", {"id": TEXT, "name": TEXT, "location": TEXT, "tags": OBJECT})),
    "resourceId": (2, _MANY, TEXT),
    "shallowMerge": (1, 1, OBJECT),
    "skip": (2, 2, ANYTHING),
    "sort": (2, 2, ARRAY),
    "split": (2, 2, ListOf(TEXT)),
    "startsWith": (2, 2, TRUTH),
    "string": (1, 1, TEXT),
    "subscription": (
        0,
        1,
        record("subscription", {"id": TEXT, "subscriptionId": TEXT, "displayName": TEXT, "tenantId": TEXT}),
    ),
    "subscriptionResourceId": (2, _MANY, TEXT),
    "substring": (2, 3, TEXT),
    "take": (2, 2, ANYTHING),
    "tenant": (0, 0, record("tenant", {"tenantId": TEXT, "displayName": TEXT, "countryCode": TEXT})),
    "tenantResourceId": (2, _MANY, TEXT),
    "toLower": (1, 1, TEXT),
    "toObject": (2, 3, OBJECT),
    "toUpper": (1, 1, TEXT),
    "trim": (1, 1, TEXT),
    "union": (1, _MANY, ANYTHING),
    "uniqueString": (1, _MANY, TEXT),
    "uri": (2, 2, TEXT),
    "uriComponent": (1, 1, TEXT),
    "utcNow": (0, 1, TEXT),
}

_SIZED: Final = one_of(TEXT, ARRAY, OBJECT)
# For each function: the types that its first arguments must have.
TAKEN: Final[dict[str, tuple[Shape, ...]]] = {
    "cidrHost": (TEXT, NUMBER),
    "cidrSubnet": (TEXT, NUMBER, NUMBER),
    "contains": (_SIZED,),
    "empty": (_SIZED,),
    "endsWith": (TEXT, TEXT),
    "filter": (ARRAY,),
    "first": (one_of(TEXT, ARRAY),),
    "flatten": (ARRAY,),
    "items": (OBJECT,),
    "join": (ARRAY, TEXT),
    "last": (one_of(TEXT, ARRAY),),
    "length": (_SIZED,),
    "map": (ARRAY,),
    "range": (NUMBER, NUMBER),
    "replace": (TEXT, TEXT, TEXT),
    "skip": (one_of(TEXT, ARRAY), NUMBER),
    "sort": (ARRAY,),
    "split": (TEXT,),
    "startsWith": (TEXT, TEXT),
    "subscriptionResourceId": (TEXT, TEXT),
    "substring": (TEXT, NUMBER, NUMBER),
    "take": (one_of(TEXT, ARRAY), NUMBER),
    "tenantResourceId": (TEXT, TEXT),
    "toLower": (TEXT,),
    "toObject": (ARRAY,),
    "toUpper": (TEXT,),
    "trim": (TEXT,),
}
# Functions, each with the target scopes in which the function can be called without arguments.
OF_A_SCOPE: Final = {
    "resourceGroup": {"resourceGroup"},
    "subscription": {"resourceGroup", "subscription"},
    "managementGroup": {"managementGroup"},
}
# Functions that return a different value each time. Such functions are allowed only in default values of parameters.
EACH_TIME: Final = frozenset({"newGuid", "utcNow"})

DECORATORS: Final = frozenset(
    {
        *("allowed", "batchSize", "description", "discriminator", "export", "maxLength", "maxValue", "metadata"),
        *("minLength", "minValue", "sealed", "secure"),
    }
)
READ_A_FILE: Final = frozenset({"loadFileAsBase64", "loadJsonContent", "loadTextContent", "loadYamlContent"})
