"""How people ask who has access in Azure, and for azd."""

from __future__ import annotations

from typing import Final

SAYINGS: Final = {
    "list_role_assignments": (
        "role assignments, list role assignments, role assignments of the subscription, who has access to this "
        "resource group, who else has access to the resource group, who can delete this web app, who may read the "
        "secrets of the vault, who has owner rights on the subscription, who is contributor here, which groups have "
        "access, people with access to the storage account, az role assignment list, who has which role, rbac of the "
        "resource group, which service principals have rights, access review of the subscription, qui a acces a ce "
        "groupe de ressources, qui peut supprimer la base, wer hat zugriff auf die ressourcengruppe, who could deploy"
        " to production, members of the groups with access, who holds which role assignments on our subscription, who"
        " can get at the resource group, who can get at our data, which people have rights on our storage account, "
        "list the role assignments on resource group 0, list the role assignments on the resource group, role "
        "assignments on the resource group, who can get at the resource group 0, who is owner of the subscription, "
        "who is owner of the production subscription, wer darf auf die ressourcengruppe zugreifen, wer darf auf die "
        "ressourcengruppe, wer darf die datenbank loschen"
    ),
    "show_access": (
        "what may ada do in azure, what can this service principal do, which roles does ada have, roles of a person"
        " on the subscription, does the pipeline have contributor, may linus restart the app, effective permissions"
        " of a user in azure, permissions of a principal, what is this identity allowed to do, what can somebody do"
        " with this object id, access of a colleague on the resource group, quels droits a cette personne, was darf"
        " ada in azure, through which group does she have access, has the managed identity access to the vault, "
        "what is karim allowed to do on the production subscription, what is tom allowed to do in azure, which "
        "rights does this person have on the subscription"
    ),
    "list_role_definitions": (
        "list role definitions, which roles are there, custom roles, our custom roles, built in roles, which role "
        "permits restarting a web app, which role do i need to delete blobs, smallest role for this, az role "
        "definition list, quels roles existent, welche rolle erlaubt das, least privileged role for this"
    ),
    "show_role_definition": (
        "what is in the contributor role, what does the role website contributor permit, what does the role key "
        "vault reader let people do, data rights of a role, definition of a role, what does this role leave out, "
        "where can this role be assigned, que permet ce role, was enthalt diese rolle, show the custom role"
    ),
    "assign_role": (
        "give ada reader on the resource group, assign a role, grant the pipeline contributor, add a role "
        "assignment, make her contributor for a week, az role assignment create, give the managed identity access to "
        "the vault, let linus read the subscription until friday, temporary access, grant blob data reader to the "
        "app, donne le role de lecteur, gib ada die rolle reader, give anna contributor access to the subscription, "
        "make tom owner of the subscription, make me admin of the subscription, make her contributor on rg 0, let "
        "anna read everything in the resource group, donne moi les droits sur l abonnement, donne a anna le role "
        "lecteur sur rg 0, make linus contributor on the resource group, donne a anna le role lecteur"
    ),
    "remove_role_assignment": (
        "take the role away, remove a role assignment, revoke access of a person, az role assignment delete, "
        "remove ada from the resource group, he left so take away his rights, unassign contributor, retire le "
        "role, entziehe ada die rolle, take away his owner role on the subscription, take his contributor role "
        "away, remove the access of anna to the subscription, remove karim s permissions"
    ),
    "create_role_definition": (
        "create a custom role, make a role of our own, az role definition create, define a role that only restarts "
        "web apps, new custom role definition, cree un role personnalise, a custom role that can only restart "
        "apps, create a role with which people can restart apps, a role to restart apps"
    ),
    "update_role_definition": (
        "change a custom role, add an action to our custom role, az role definition update, add restart to the "
        "deployer role, update role definition, modifie le role personnalise"
    ),
    "delete_role_definition": (
        "delete a custom role, az role definition delete, drop the role definition nobody has, supprime le role "
        "personnalise"
    ),
    "list_deny_assignments": (
        "deny assignments, list deny assignments, which deny assignment blocks us, what does the managed application "
        "forbid, denied whatever the role, deny assignment of a deployment stack, who is excluded from the deny "
        "assignment, is there a deny assignment, is there a deny assignment on the resource group, deny assignment on"
        " the subscription"
    ),
    "list_azd_templates": (
        "azd templates, azd template list, template for azd with python and functions, awesome azd, starter "
        "template for container apps, sample project to init with azd, find an azd template, which azd templates "
        "use cosmos db, modele azd pour une api python, azd gallery"
    ),
    "list_azd_environments": (
        "azd environments, azd env list, azd environments in remote state, azd environments that are deployed, "
        "quels environnements azd"
    ),
    "show_azd_environment": (
        "what did azd deploy, azd show, endpoints of the azd environment, azd environment with its endpoints, "
        "resources tagged azd env name, last azd deployment, what did azd up make"
    ),
    "show_azd_environment_values": (
        "azd env get values, azd environment variables, env file of azd in remote state, azd environment values"
    ),
    "write_azd_command": (
        "azd up, azd deploy, azd provision, run azd init, how do i deploy with azd, azd env new, azd env set, azd env"
        " select, azd pipeline config, azd auth login, sign in with azd, azd command line, provision with azd, how do"
        " i azd up the shop, azd down, how do i deploy the app with azd, deploy the project with azd, deploy with azd"
    ),
    "write_az_command": (
        "az command to upload a file to storage, az command that downloads the blob to a file, az command to set a "
        "secret from a file, command line of az, az account set, give me the az command, az befehl fur eine datei, "
        "write the az command, which az command uploads this file"
    ),
}
