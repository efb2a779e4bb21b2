"""How people ask for something of Azure that has no tool of its own, and which operations Azure has."""

from __future__ import annotations

from typing import Final

SAYINGS: Final = {
    "find_azure_operation": (
        "which operations does azure have, find an azure operation, which permission do i need to restart a vm, what "
        "is the permission for reading app settings, rbac action for node pools, which rest api lists the firewall "
        "rules, path of an arm resource, which api version does this resource type have, what resource types does "
        "microsoft network have, how do i read a resource type without a tool, data action for reading blobs, list "
        "provider operations, az provider operation show, search the azure rest api, welche berechtigung brauche "
        "ich, quelle permission faut il, arm path template, resource provider operations, what can i read of an api "
        "management, which permission do i need to start a virtual machine, permission to delete a virtual machine"
    ),
    "read_azure": (
        "read this azure path, get an arm path, az rest get, az rest method get, call the azure management api, show "
        "the raw json of the resource at this path, read any resource type, fetch the slots of the web app by path, "
        "get request to resource manager, read the subnets by path, show the diagnostic settings of this resource id,"
        " list what is below this resource id, get the firewall rules of the sql server, read the config of the web "
        "app, lire ce chemin azure, lies diesen azure pfad, management azure com get, read with api version, records "
        "in the dns zone, dns records of the zone, databases on the sql server, list firewall rules of the sql server"
    ),
}
