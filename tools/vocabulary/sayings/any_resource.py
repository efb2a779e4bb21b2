"""How people ask for something of Azure that has no tool of its own, and which operations Azure has."""

from __future__ import annotations

from typing import Final

SAYINGS: Final = {
    "find_azure_operation": (
        "which azure operations are there, find an azure operation, rbac permission for an operation, which rbac action"
        " restarts a vm, path of an arm resource, arm path template, api version of a resource type, resource provider "
        "operations, az provider operation show, data actions of a resource type, which resource types does a provider "
        "have"
    ),
    "read_azure": (
        "read this arm path, az rest get, az rest method get, read a management path, read a resource type without a "
        "tool of its own, raw get from azure resource manager, read a resource with this api version, read the "
        "subresource at this arm path, read what is below this arm path"
    ),
}
