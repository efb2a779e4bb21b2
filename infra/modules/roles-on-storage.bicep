param storageName string
param packageContainerName string
param identityPrincipalId string
param packageIdentityPrincipalId string
param operatorPrincipalId string

// https://learn.microsoft.com/azure/role-based-access-control/built-in-roles
var storageBlobDataOwner = 'b7e6dc6d-f1e8-4753-8033-0f276bb0955b'
var storageBlobDataContributor = 'ba92f5b4-2d11-453d-a403-e96b0029c9fe'
var storageQueueDataContributor = '974c5e8b-45b9-4653-ba55-5f855dd0fb88'
var storageTableDataContributor = '0a9a7e1f-b9d0-4cc4-a60d-0319b160aaa3'

var app = {
  id: identityPrincipalId
  type: 'ServicePrincipal'
}
var operators = empty(operatorPrincipalId)
  ? []
  : [
      {
        id: operatorPrincipalId
        type: 'User'
      }
    ]
// The app's identity cannot read or replace the app's package, to which only a separate identity has access.
var blobActions = [
  'read'
  'write'
  'add/action'
  'delete'
  'deleteBlobVersion/action'
  'move/action'
  'runAsSuperUser/action'
]
var otherActions = map(
  blobActions,
  action => '!(ActionMatches{\'Microsoft.Storage/storageAccounts/blobServices/containers/blobs/${action}\'})'
)
var otherContainers = '@Resource[Microsoft.Storage/storageAccounts/blobServices/containers:name] StringNotEquals \'${packageContainerName}\''

var onStorage = concat(
  [{ to: app, role: storageQueueDataContributor }, { to: app, role: storageTableDataContributor }],
  map(operators, operator => { to: operator, role: storageBlobDataContributor }),
  map(operators, operator => { to: operator, role: storageTableDataContributor })
)

resource account 'Microsoft.Storage/storageAccounts@2025-01-01' existing = {
  name: storageName

  resource blobs 'blobServices' existing = {
    name: 'default'

    resource packageContainer 'containers' existing = {
      name: packageContainerName
    }
  }
}

// The Functions host leases blobs and stores its keys in blobs, which requires the role Storage Blob Data Owner.
resource appRole 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(account.id, identityPrincipalId, storageBlobDataOwner)
  scope: account
  properties: {
    principalId: identityPrincipalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', storageBlobDataOwner)
    condition: '((${join(otherActions, ' AND ')}) OR (${otherContainers}))'
    conditionVersion: '2.0'
  }
}

resource storageRoles 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for assigned in onStorage: {
    name: guid(account.id, assigned.to.id, assigned.role)
    scope: account
    properties: {
      principalId: assigned.to.id
      principalType: assigned.to.type
      roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', assigned.role)
    }
  }
]

// With this identity, a deployment uploads the package, and each new instance downloads it.
resource packageRole 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(account::blobs::packageContainer.id, packageIdentityPrincipalId, storageBlobDataContributor)
  scope: account::blobs::packageContainer
  properties: {
    principalId: packageIdentityPrincipalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', storageBlobDataContributor)
  }
}
