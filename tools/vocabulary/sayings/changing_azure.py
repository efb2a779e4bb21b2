"""How people ask for resources and groups of Azure to be made, tagged, moved, locked and deleted."""

from __future__ import annotations

from typing import Final

SAYINGS: Final = {
    "create_resource_group": (
        "create a resource group, make a new resource group called 0, new resource group in west europe, az group "
        "create, set up a resource group for the new shop, i need a resource group, add a resource group to the "
        "subscription, cree un groupe de ressources, lege eine ressourcengruppe an, crear un grupo de recursos, "
        "create rg 0 in northeurope, we want another resource group for tests"
    ),
    "delete_resource_group": (
        "delete the resource group, delete a resource group with everything in it, remove the resource group 0, az "
        "group delete, get rid of the resource group, tear down rg 0, drop the whole resource group, supprime le "
        "groupe de ressources, losche die ressourcengruppe, borra el grupo de recursos, throw away the test resource "
        "group, clean up the resource group of the demo, get rid of rg 0 with everything in it"
    ),
    "tag_resources": (
        "tag the resource group, tag these resources, set the tag owner on 0 resources, put a tag on the web app, "
        "add tags to all resources of the group, change the tag env to prod on the resource, remove the tag "
        "costcenter from the resources, delete the tag from the resource group, az tag update, replace the tags of "
        "the subscription, ajoute un tag aux ressources, setze den tag auf den ressourcen, tag everything in the "
        "resource group with owner, correct the tags of these resources, tag 0 and its storage account with "
        "costcenter 0, tag both apps with team 0, tag the storage account with owner 0, tag the key vault and its "
        "storage account"
    ),
    "move_resources": (
        "move the resource to another group, move resources to resource group 0, move the web app to another "
        "subscription, az resource move, move these resources into the shop group, relocate the resource into "
        "another resource group, deplace la ressource dans un autre groupe, verschiebe die ressource in eine "
        "andere gruppe, can this resource be moved to another resource group"
    ),
    "delete_azure_resource": (
        "delete the resource, delete this azure resource, remove the resource with this id, az resource delete, "
        "get rid of the unused disk, delete the public ip, delete the app service plan, delete the virtual "
        "network, delete the network security group, supprime la ressource, losche die ressource, drop the "
        "orphaned nic, remove the load balancer, delete the aks cluster, delete the virtual machine, delete the "
        "sql database, drop the redis cache"
    ),
    "create_resource_lock": (
        "lock the resource group, put a lock on the resource, create a resource lock, add a delete lock, make the "
        "resource group read only, protect the resource against deletion, az lock create, lock it against deletion, "
        "verrouille le groupe de ressources, sperre die ressourcengruppe, set a cannotdelete lock, protect it with a "
        "lock, nobody may delete it so lock it"
    ),
    "delete_resource_lock": (
        "delete the lock, remove the lock from the resource group, lift the lock, unlock the resource group, az lock "
        "delete, take the lock off the resource, enleve le verrou, entferne die sperre, remove the readonly lock, "
        "unlock the resource so that we can delete it"
    ),
    "change_azure": (
        "change this azure path, put to resource manager, patch an arm path, az rest put, az rest patch, az rest "
        "post, call the azure management api with put, patch the resource by its path, change any resource type, "
        "delete by arm path, post an action to the resource id, send a put to this resource id, set this property "
        "of the resource by path, modifie ce chemin azure, change a setting of a resource type without a tool, "
        "create a virtual machine, make a vm with 0 cores, spin up virtual machines, start the vm, stop the "
        "virtual machine, shut down the vms, restart the virtual machine, reboot the vm, reboot the machine, "
        "deallocate the vm, resize the vm, upgrade the aks cluster, scale the node pool up, create a sql database, "
        "set up a redis cache, upgrade the cache, create a virtual network, create a load balancer, add a dns "
        "record, create a snapshot of the disk, create an alert rule, create a budget, enable diagnostics on the "
        "resource, assign a policy, cree une machine virtuelle, starte die virtuelle maschine, change the tier of "
        "the redis cache, upgrade the redis cache, make a new sql database for the shop"
    ),
    "list_deleted_resources": (
        "list deleted resources, which deleted resources can be recovered, what can be undeleted, soft deleted "
        "resources in azure, deleted log analytics workspaces, deleted app configuration stores, which resources "
        "are in the recycle bin of azure, ressources supprimees recuperables, geloschte ressourcen die man "
        "wiederherstellen kann"
    ),
    "undelete_resource": (
        "undelete the resource, recover the deleted resource, bring back the deleted workspace, restore the deleted "
        "app configuration store, recover the deleted openai account, restaure la ressource supprimee, stelle die "
        "geloschte ressource wieder her, get the deleted log analytics workspace back, undo the deletion of "
        "the resource"
    ),
}
