// Roles of the app's own identity in the configured scopes: for reading with its own identity instead of the caller's, and
// for removing role assignments that have expired.
targetScope = 'subscription'

@description('Distinguishes the deployments of this app in other subscriptions and groups from those of other apps.')
param unique string
param identityPrincipalId string

@description('Ids of subscriptions and resource groups in which the app gets a role, for each of three roles.')
param readerScopes array
param monitoringReaderScopes array
param costReaderScopes array

@description('Ids of subscriptions and resource groups in which the app removes expired role assignments.')
param endingScopes array

// https://learn.microsoft.com/azure/role-based-access-control/built-in-roles
var reader = 'acdd72a7-3385-48ef-bd42-f606fba81ae7'
var monitoringReader = '43d0d8ad-25c7-4714-9337-8ba259a9fe05'
var costManagementReader = '72fafb9e-0641-4937-9268-a91bfd8191a3'

var roleBasedAccessControlAdministrator = 'f58310d9-a9f6-439a-9e8d-f62e7b41a168'

// Allows removing role assignments, but not adding any: the condition only allows a principal that does not exist.
var onlyTakingAway = '((!(ActionMatches{\'Microsoft.Authorization/roleAssignments/write\'})) OR (@Request[Microsoft.Authorization/roleAssignments:PrincipalId] ForAnyOfAnyValues:GuidEquals {00000000-0000-0000-0000-000000000000}))'
var rights = concat(
  map(readerScopes, id => { id: id, role: reader, condition: '' }),
  map(monitoringReaderScopes, id => { id: id, role: monitoringReader, condition: '' }),
  map(costReaderScopes, id => { id: id, role: costManagementReader, condition: '' }),
  map(endingScopes, id => { id: id, role: roleBasedAccessControlAdministrator, condition: onlyTakingAway })
)
// The hook only allows ids of the forms /subscriptions/2 and /subscriptions/2/resourcegroups/4.
var onSubscriptions = filter(rights, right => length(split(right.id, '/')) == 3)
var onGroups = filter(rights, right => length(split(right.id, '/')) == 5)

module rightsOnSubscriptions 'rights-on-subscription.bicep' = [
  for right in onSubscriptions: {
    name: 'team-mcp-${uniqueString(right.id, right.role, unique)}'
    scope: subscription(split(right.id, '/')[2])
    params: {
      identityPrincipalId: identityPrincipalId
      role: right.role
      condition: right.condition
    }
  }
]

module rightsOnGroups 'rights-on-group.bicep' = [
  for right in onGroups: {
    name: 'team-mcp-${uniqueString(right.id, right.role, unique)}'
    scope: resourceGroup(split(right.id, '/')[2], split(right.id, '/')[4])
    params: {
      identityPrincipalId: identityPrincipalId
      role: right.role
      condition: right.condition
    }
  }
]
