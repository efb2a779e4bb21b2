"""How people ask which Azure they are in, and what they may do there."""

from __future__ import annotations

from typing import Final

SAYINGS: Final = {
    "list_azure_subscriptions": (
        "list subscriptions, which azure subscriptions do we have, what subscriptions can i see, show my "
        "subscriptions, subscription ids, id of the subscription, how many azure subscriptions are there, all "
        "our subscriptions, az account list, which subscription is production, what is the subscription id of "
        "the shop, subscription names, where do we pay for azure, quels abonnements azure avons nous, liste "
        "des abonnements, id de l abonnement, welche azure abonnements haben wir, which tenant does the "
        "subscription belong to, is the subscription disabled"
    ),
    "show_account": (
        "which subscription am i in, what is the default subscription, which subscription is used, az account "
        "show, current subscription, show the subscription, which cloud are we in, details of the "
        "subscription, what kind of subscription is it, has the subscription a spending limit, which "
        "subscription do you use if i say none, quel est l abonnement par defaut, set the default "
        "subscription, switch to another subscription, change subscription, welches abonnement ist "
        "eingestellt"
    ),
    "list_tenants": (
        "list tenants, which tenants am i in, which directories do i belong to, tenant id, what is our tenant "
        "id, entra tenants, azure active directory tenants, in which organizations am i a guest in azure, "
        "quels annuaires, quel est l id du tenant, az account tenant list, domain of the tenant, welche "
        "mandanten"
    ),
    "list_locations": (
        "list locations, which azure regions are there, azure regions in europe, which regions can we deploy "
        "to, what is the paired region of west europe, region names, is there a region in poland, data "
        "centers of azure in france, az account list locations, quelles regions azure, regions disponibles en "
        "france, in welchen regionen, where could we host this in azure, name of the region for the template"
    ),
    "show_user": (
        "who am i in azure, as whom am i signed in, my object id, what is my user id in azure, which account do you "
        "use for azure, az ad signed in user, am i signed in to azure, in whose name do you call azure, qui suis je "
        "dans azure, mon object id, mit welchem konto bin ich bei azure, my principal id, who am i signed in as and "
        "in which tenant, with which account are you signed in to azure"
    ),
    "show_my_access": (
        "what may i do in azure, do i have owner on the resource group, do i have owner on the shop resource group, "
        "do i have reader on this resource group, am i owner of the resource group, do i have contributor on the "
        "resource group, what can i do here, what are my permissions, which roles do i have, my role assignments, am "
        "i owner of the subscription, may i restart the app service, can i delete this resource group, am i allowed "
        "to create a vm, do i have contributor, why am i forbidden in azure, do i have access to this subscription, "
        "can i grant roles, may i assign roles, check my rights on the resource group, my rbac roles, pim eligible "
        "roles, which role could i activate, mes droits sur ce groupe de ressources, quels roles ai je, ai je le "
        "droit de redemarrer la vm, was darf ich in azure, is my role enough to deploy here, can i read the data of "
        "this storage account, may i see secrets here, what am i allowed to do in production, what am i permitted to "
        "do in the subscription, am i contributor on resource group 0, am i owner here, am i contributor, which "
        "permissions do i have in the subscription"
    ),
}
