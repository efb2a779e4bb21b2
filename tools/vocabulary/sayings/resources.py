"""How people ask what there is in Azure, how it is set, and what became of it."""

from __future__ import annotations

from typing import Final

SAYINGS: Final = {
    "list_resource_groups": (
        "list resource groups, which resource groups do we have, show all resource groups, resource groups in"
        " the subscription, az group list, what groups are there in azure, resource groups tagged env 0, how "
        "many resource groups, name the resource groups of production, which rgs are there, resource groups "
        "without a manager, quels groupes de ressources avons nous, liste des groupes de ressources, welche "
        "ressourcengruppen gibt es, que grupos de recursos hay, find the resource group of the shop, in which"
        " resource groups are we in azure, resource groups in westeurope, all rgs"
    ),
    "show_resource_group": (
        "show the resource group, details of resource group 0, where is the resource group, location of the "
        "resource group, tags of the resource group, az group show, in which region is this resource group, "
        "state of the resource group, montre le groupe de ressources, zeig mir die ressourcengruppe, who "
        "manages the resource group, tell me about resource group 0"
    ),
    "exists_resource_group": (
        "does the resource group exist, is there already a resource group rg 0, does rg 0 exist, is there a "
        "resource group called 0, check whether resource group 0 exists, az group exists, is the resource "
        "group still there, has the resource group been deleted already, le groupe de ressources existe t il,"
        " gibt es die ressourcengruppe 0, existe el grupo de recursos, is the name of the resource group "
        "taken"
    ),
    "list_resources": (
        "list resources, list azure resources, what is in the resource group shop, what is in resource group 0, what "
        "are we running in the resource group, show everything in the resource group, what sits in the resource "
        "group, which things are in the resource group, what do we run in the resource group, what do we have in the "
        "resource group 0, what runs in the resource group 0, show me what is in the resource group, content of the "
        "resource group, everything in the resource group, what belongs to the resource group, what do we run in "
        "group 0, what do we run in azure, what is in the resource group, what runs in this resource group, resources"
        " in resource group 0, az resource list, list all resources of a type, show me all app services, which web "
        "apps do we have in azure, all app service plans, resources with the tag env, find the resource called 0, "
        "resources whose name contains 0, resource inventory, which resources are in the subscription, what is "
        "deployed in the resource group, where is the resource called 0, id of the resource, quelles ressources avons"
        " nous, liste les ressources du groupe, qu est ce qui tourne dans ce groupe de ressources, was lauft in der "
        "ressourcengruppe, welche ressourcen gibt es, que recursos hay en el grupo, what azure things belong to us, "
        "everything in rg 0, what is running in rg 0, what s running in resource group 0, which resources run in rg "
        "0, which resources are of type 0, list network security groups, list virtual networks, all public ip "
        "resources, which function apps are there, what do we run in resource group 0, list virtual machines, which "
        "virtual machines do we have, list sql servers in azure, which databases do we have in azure, databases of "
        "the sql server, which clusters do we have, which aks clusters are there, how many clusters do we run, list "
        "service bus namespaces, list private dns zones in azure, which dns zones are there, list alert rules in "
        "azure, which alert rules do we have, which metric alert rules exist, where does the cluster run, welche "
        "datenbanken haben wir, quelles bases de donnees avons nous, was liegt in der ressourcengruppe, welche "
        "alarmregeln haben wir, which redis caches are there, list load balancers, list private endpoints, list the "
        "postgres servers, which postgres servers do we have, mysql servers we pay for, list the sql servers we pay "
        "for, which event hubs do we have, event hubs of the subscription, what are the event hubs of our production "
        "subscription, which vnets exist in the subscription"
    ),
    "show_resource": (
        "show the resource, show a resource by its id, which settings has the resource, configuration of the app "
        "service, properties of resource 0, what sku is the app service plan, json of the resource, az resource show,"
        " which size has the plan, details of this azure resource, is https only on for the web app, which tls "
        "version does the web app have, tags of this resource, does the app have a managed identity, montre la "
        "ressource, details de la ressource azure, zeig mir die ressource, how is the resource configured, what are "
        "the settings of this network security group, look at this resource id, subscriptions 0 resourcegroups 0 "
        "providers 0, what settings has the app service plan, which settings has the web app, which kubernetes "
        "version does the cluster run, version of the cluster, which image does the container app run, is https "
        "enforced on the web app, minimum tls version of the web app, what settings has the database, in which region"
        " does the web app run, size of the virtual machine, node pools of the cluster, in which region is the "
        "database, runtime of the function app, show me the settings of the app service plan plan 0, show the "
        "settings of the app service plan, sku of the plan, what sku does the plan have, settings of the plan"
    ),
    "list_azure_tags": (
        "list azure tags, which tags do we use in azure, tags in use in the subscription, tag names and "
        "values, az tag list, which values has the tag env, how often is the tag owner used, what cost "
        "centers are tagged, quels tags utilise t on dans azure, welche azure tags gibt es, which tags exist "
        "on our resources, all tag values in azure, tag usage in the subscription"
    ),
    "list_resource_locks": (
        "list locks, resource locks, which resources are locked, is there a lock on the resource group, why "
        "can t i delete the resource group, why can i not delete this resource, delete lock, read only lock, "
        "az lock list, what is protected against deletion, is the database locked against deletion, which "
        "lock blocks the deletion, scope locked error, quels verrous y a t il, la ressource est elle "
        "verrouillee, ist die ressourcengruppe gesperrt, who locked the resource group, locks in the "
        "subscription, can not delete because the scope is locked"
    ),
    "survey_resources": (
        "how many resources do we have, count resources by type, how many of each type do we run, resources by "
        "region, which resources have no owner tag, untagged resources, resources without a tag, which azure "
        "resources have no cost center tag, resources that lack a tag, which azure resources lack the tag 0, azure "
        "resources missing a tag, what is not tagged, public ip addresses, which public ips do we have, what is "
        "reachable from the internet, open ports, which ports are open to the internet, which network rules allow "
        "traffic from anywhere, is ssh open to the world, unused resources, orphaned disks, which disks are not "
        "attached, unattached disks, what costs money and is not used, idle resources, waste in azure, empty app "
        "service plans, failed resources, which resources are in a failed state, which vms are running, list virtual "
        "machines with their state, are any vms stopped, sizes of our vms, which of our resources retire, which of "
        "our resources are affected by a retirement, resources to migrate before they retire, ressources sans "
        "etiquette, ressources sans tag proprietaire, adresses ip publiques, disques orphelins, combien de ressources"
        " avons nous, welche ressourcen haben keinen tag, ungenutzte ressourcen, recursos sin etiqueta, overview of "
        "our azure estate, dangling public ips, resources nobody uses, which resources in azure have no owner, "
        "virtual machines with their power state, which virtual machines are switched off, which virtual machines are"
        " running, welche virtuellen maschinen laufen, welche virtuellen maschinen sind ausgeschaltet, quelles "
        "machines virtuelles sont arretees, public ip addresses in azure, is anything unused lying around in azure, "
        "unused things that cost us money, anything lying around that nobody uses, what do we pay for without using "
        "it, how many machines run in the subscription, combien de machines tournent"
    ),
    "query_resource_graph": (
        "query resource graph, run a resource graph query, kql over all resources, azure resource graph, az graph "
        "query, run this kql query, run this resources where type 0 project name, resources where type like 0 project"
        " id name location, query resources across subscriptions, resources where type is 0, search all subscriptions"
        " for resources, kusto query over our resources, find resources in all subscriptions by a property, requete "
        "resource graph, resource graph abfrage, resources summarize count by type, resources project id name, which "
        "resources across all subscriptions have property 0, role assignments with resource graph, alert rules across"
        " all subscriptions, dns zones across subscriptions, databases across all subscriptions, health of resources "
        "across subscriptions, kusto query over web apps in all subscriptions, show all databases in all "
        "subscriptions with a kusto query"
    ),
    "describe_resource_graph": (
        "which tables has resource graph, columns of the resources table, describe resource graph, schema of "
        "resource graph, which columns can i use in resource graph, which fields can i use in a resource "
        "graph query, which properties can i query for web apps, properties of a type in resource graph, what"
        " can i query in resource graph, which resource types do we have, fields of the resourcechanges "
        "table, tables de resource graph, welche tabellen hat resource graph, help me write a resource graph "
        "query, property names of type 0, what columns does resourcecontainers have"
    ),
    "list_resource_changes": (
        "what changed in azure, what is new in our subscription since monday, what was created in the subscription, "
        "what changed in azure yesterday, who changed the app service plan, who changed the web app, who deleted the "
        "resource, who created this resource, what changed in the resource group, which settings changed since "
        "yesterday, recent changes to resources, what was changed in production in azure last night, change history "
        "of the resource, who deleted the virtual machine, who touched the network rules, who opened the port, when "
        "was the sku changed, from what to what was the setting changed, who scaled the plan, new resources this "
        "week, which resources were deleted lately, resources created in the last 0 days, qui a modifie le plan app "
        "service, qui a supprime la ressource, qui a supprime le serveur, who deleted the sql server, qui a supprime "
        "cette base hier, qu est ce qui a change dans azure hier, wer hat die ressource geandert, was hat sich in "
        "azure geandert, quien cambio el recurso, has anybody changed the firewall of the sql server, changes by anna"
        " in azure, did someone change the configuration of the web app, what has been altered in the subscription, "
        "it worked yesterday what changed in azure, configuration drift in azure, what changed in production since "
        "yesterday, what was changed in resource group 0, changes in the resource group this week, who deleted the "
        "database, who deleted the vm, something deleted the vm who was it, who resized the vm, who changed the "
        "cluster, somebody resized the virtual machine, qui a supprime la base de donnees, wer hat die virtuelle "
        "maschine geloscht, who deleted the redis cache, has anyone touched the load balancer, has anyone touched the"
        " network since friday, who touched the load balancer, has anybody changed the virtual network, did anyone "
        "touch the database, who touched the vm"
    ),
    "list_azure_deployments": (
        "list azure deployments, deployments of the resource group, arm deployments, bicep deployments, which "
        "template deployments failed, deployment history of the resource group, az deployment group list, deployments"
        " to the subscription, which arm deployments ran today, last bicep deployments, failed deployments in azure, "
        "infrastructure deployments, recent template deployments, azd provision history, quels deploiements arm ont "
        "echoue, deploiements du groupe de ressources, welche bereitstellungen sind in azure fehlgeschlagen, when was"
        " the infrastructure last deployed to this resource group, what was deployed into the resource group by "
        "bicep, did the last deployments to the resource group go through, which deployments ran in the resource "
        "group, list deployments of an azure resource group, deployments in resource group 0, which deployments to rg"
        " 0 ran this week, deployments to rg 0 and did they succeed, did the deployments to the resource group "
        "succeed"
    ),
    "show_azure_deployment": (
        "why did yesterday s deployment fail, why did the arm deployment fail, why did the bicep deployment fail, "
        "why did the deployment to the resource group fail, what went wrong in the azure deployment, error of the "
        "template deployment, show the azure deployment, operations of the deployment, az deployment group show, "
        "deployment failed in azure, which resource failed in the deployment, azd provision failed, azd up failed "
        "why, infrastructure deployment failed, details of the bicep deployment, deploymentfailed error, at least "
        "one resource deployment operation failed, what does the failed deployment say, pourquoi le deploiement arm "
        "a t il echoue, erreur du deploiement bicep, warum ist die bereitstellung in azure fehlgeschlagen, por que "
        "fallo el despliegue de la plantilla, explain the failed deployment in resource group 0, what did the "
        "deployment create in azure,my arm template did not go through, why did our last deployment fail, why did "
        "the deployment fail, the bicep deployment went red why"
    ),
    "deploy_template": (
        "deploy this arm template, deploy the bicep template to the resource group, az deployment group create, "
        "az deployment sub create, roll out the template, deploy main json from the repository, deployer le modele "
        "arm, vorlage bereitstellen, desplegar la plantilla, deploy the bicep file, deploy a bicep template to rg 0"
    ),
    "preview_deployment": (
        "what if, dry run, what would it change, what if of this template, dry run of the deployment, dry run of the "
        "template, what would this template change, what would change if i deployed this template, what if of the "
        "bicep template, preview the deployment of the arm template, az deployment group what if, az deployment sub "
        "what if, azd provision preview, would this template delete anything, what would deploying this bicep file "
        "do, test the arm template without deploying it, simulate the deployment, check the template before i deploy "
        "it, que changerait ce modele, simulation du deploiement, was wuerde diese vorlage aendern, probelauf der "
        "bereitstellung, what would complete mode delete in the group, plan of the arm deployment"
    ),
    "cancel_azure_deployment": (
        "cancel the deployment, stop the running deployment, az deployment group cancel, abort the arm deployment, "
        "annuler le deploiement azure, bereitstellung abbrechen"
    ),
    "retry_azure_deployment": (
        "retry the failed deployment, deploy again what failed, redeploy the failed arm deployment, run the "
        "deployment again, relancer le deploiement, bereitstellung wiederholen, run the failed arm deployment "
        "again"
    ),
    "list_deployment_stacks": (
        "list deployment stacks, which deployment stacks are there, az stack group list, az stack sub list, stacks of "
        "the resource group, liste des piles de deploiement, welche bereitstellungsstapel gibt es"
    ),
    "show_deployment_stack": (
        "show the deployment stack, what does the deployment stack manage, resources of the deployment stack, az stack "
        "group show, deny settings of the stack, why did the deployment stack fail, what is in the deployment stack"
    ),
    "delete_deployment_stack": (
        "delete the deployment stack, az stack group delete, remove the deployment stack but keep its resources, "
        "delete the stack with its resources, detach the resources of the stack, bereitstellungsstapel loeschen"
    ),
    "export_resource_group_template": (
        "export the resource group, give me an arm template of everything in rg 0, arm template of rg 0, "
        "export the template of the resource group, arm template of the resource group, az group export, give"
        " me a template of what is there, export resource group as json, generate an arm template from the "
        "existing resources, template for the resource group, exporter le groupe de ressources, modele arm du"
        " groupe de ressources, ressourcengruppe als vorlage exportieren, infrastructure as code from the "
        "existing group, turn the resource group into a template"
    ),
}
