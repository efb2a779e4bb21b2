"""The aliases of tool parameters. Case, hyphens and underscores make no difference.

An alias applies only if it matches exactly one parameter of a tool and is not itself a parameter of that tool. Do not
add words that callers use for the value of a secret.
"""

from __future__ import annotations

from typing import Final

from mcp_server.declarations.parameter_names import ParameterNames

_RESOURCE: Final = "resource, resource id, resource name, resource uri, azure resource"
_APP: Final = "app, app name, web app, site, site name, function app, container app, cluster"
_VAULT: Final = "vault, vault name, key vault, key vault name"
_ACCOUNT: Final = "account, account name, storage account, storage account name, cosmosdb account, cosmos account"
_NAMESPACE: Final = "namespace, namespace name, service bus namespace"
_SOURCE: Final = "source, workspace, log analytics workspace, component, application insights"
_ANY_RESOURCE: Final = f"id, name, scope, {_RESOURCE}, {_APP}, {_VAULT}, {_ACCOUNT}, {_NAMESPACE}, {_SOURCE}"

# Aliases in Azure toolsets. Only monitoring tools have the parameter `source`. A namespace is a resource only in
# Service Bus.
_THINGS: Final = {
    "resource": _ANY_RESOURCE,
    "resource_id": _ANY_RESOURCE,
    "app": f"{_RESOURCE}, {_APP}, source",
    "vault": f"{_RESOURCE}, {_VAULT}",
    "account": f"{_RESOURCE}, {_ACCOUNT}",
    "resource_group": "group, resource group name, rg",
    "container": "container name, blob container, collection",
    "database": "database name, db",
    "blob": "blob name, file, file name",
    "queue": "queue name",
    "table": "table name",
    "entity": "entity name, queue, queue name, topic, topic name",
    "topic": "topic name, entity",
    "topic_subscription": "topic subscription name",
    "rule": "rule name",
    "lock_id": "lock",
    "role": "role name, role definition, role id",
    "policy": "policy name, policy assignment, policy definition",
    "principal": "person, user, principal id, object id, assignee",
    "person": "principal, user, principal id, object id, assignee, name, id",
    "environment": "environment name, env",
    "name": "secret name, key name, certificate name, item, stack, stack name, deployment, deployment name",
}
_OTHERS: Final = {
    "subscription": "subscription id, subscription name, subscriptions, sub",
    "location": "region",
    "since": "from, start, start time, from date",
    "until": "to, end, end time, to date",
    "max_results": "limit, top, max, count",
    "names": "metric, metrics, metric names",
    "query": "kql",
    "resource_ids": "resources, resource, resource id, ids",
    "target_group": "target resource group, to",
}
_AZURE: Final = ParameterNames(things=_THINGS, others=_OTHERS)
_SERVICE_BUS: Final = ParameterNames(things=_THINGS | {"namespace": f"{_RESOURCE}, {_NAMESPACE}"}, others=_OTHERS)
_MONITOR: Final = ParameterNames(
    things=_THINGS | {"source": f"{_RESOURCE}, {_SOURCE}, {_APP}, {_VAULT}, {_ACCOUNT}"}, others=_OTHERS
)

_DEVOPS_OTHERS: Final = {
    "project": "project name, project id",
    "maxResults": "limit, top, max, count",
    "branch": "branch name, ref",
    "sourceBranch": "source, source ref, source ref name",
    "targetBranch": "target, target ref, target ref name",
    "assignedTo": "assignee, assigned",
    "workItemId": "work item",
    "workItemIds": "work items",
    "iterationPath": "iteration, sprint",
    "iterationId": "iteration, sprint",
    "areaPath": "area",
    "searchText": "query, text, search",
    "team": "team name, team id",
}
_DEVOPS_THINGS: Final = {
    "repository": "repo, repository id, repository name, repo name, repo id",
    "pullRequestId": "pull request, pr, pr id, pull request number",
    "buildId": "build",
    "definitionId": "definition, pipeline, pipeline id, build definition",
    "pipelineId": "pipeline, definition, definition id",
    "runId": "run",
    "releaseId": "release",
    "environmentId": "environment, stage",
    "approvalId": "approval",
    "planId": "plan, test plan, test plan id",
    "suiteId": "suite, test suite, test suite id",
    "threadId": "thread",
    "commentId": "comment",
    "wikiId": "wiki, wiki name",
    "dashboardId": "dashboard",
    "feedId": "feed",
    "packageId": "package",
    "groupId": "group, variable group",
    "connectionId": "connection, service connection",
    "backlogId": "backlog",
    "attachmentId": "attachment",
    "commitId": "commit, sha",
    "alertId": "alert",
    "policyId": "policy",
    "userId": "user",
}
_DEVOPS: Final = ParameterNames(things=_DEVOPS_THINGS, others=_DEVOPS_OTHERS)
_WORK_ITEMS: Final = ParameterNames(
    things=_DEVOPS_THINGS | {"id": "work item, work item id, item id"}, others=_DEVOPS_OTHERS
)
# Toolsets without aliases accept only other spellings of a parameter's own name.
_SPELLING: Final = ParameterNames()

_TOOLSETS: Final = {
    _AZURE: "account, resource, resource-changes, resource-any, storage, keyvault, cosmos, apps, cost, advisor, quota,"
    " policy, roles, azd",
    _SERVICE_BUS: "servicebus",
    _MONITOR: "monitor, incidents",
    _DEVOPS: "devops-git, devops-pull-requests, devops-pipelines, devops-builds, devops-releases, devops-project,"
    " devops-wiki, devops-users, devops-artifacts, devops-test-plans, devops-service-connections,"
    " devops-variable-groups, devops-notifications, devops-dashboards, devops-policies, devops-security,"
    " devops-search, devops-sprints, devops-retirements",
    _WORK_ITEMS: "devops-work-items, devops-links, devops-attachments, devops-boards",
    _SPELLING: "azure-updates, watches, firewall, me, tasks, cosmos-data, shelves, metrics, retirements, translation,"
    " extensions, extensions-catalog, workspace, documents",
}
PARAMETERS: Final = {toolset.strip(): names for names, toolsets in _TOOLSETS.items() for toolset in toolsets.split(",")}
