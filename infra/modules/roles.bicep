param storageName string
param vaultName string
param applicationInsightsName string
param identityPrincipalId string
param operatorPrincipalId string

// https://learn.microsoft.com/azure/role-based-access-control/built-in-roles
var storageBlobDataOwner = 'b7e6dc6d-f1e8-4753-8033-0f276bb0955b'
var storageBlobDataContributor = 'ba92f5b4-2d11-453d-a403-e96b0029c9fe'
var storageTableDataContributor = '0a9a7e1f-b9d0-4cc4-a60d-0319b160aaa3'
var keyVaultSecretsUser = '4633458b-17de-408a-b874-0445c86b69e6'
var keyVaultSecretsOfficer = 'b86a8fe4-44ce-4948-aee5-eccb2c155cd7'
var monitoringMetricsPublisher = '3913510d-42f4-4e42-8a64-420c390055eb'

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

// The Functions host takes leases and keeps its keys in blobs, which needs the owner's role.
var onStorage = concat(
  [
    { to: app, role: storageBlobDataOwner }
    { to: app, role: storageTableDataContributor }
  ],
  map(operators, operator => { to: operator, role: storageBlobDataContributor }),
  map(operators, operator => { to: operator, role: storageTableDataContributor })
)
var onVault = concat(
  [{ to: app, role: keyVaultSecretsUser }],
  map(operators, operator => { to: operator, role: keyVaultSecretsOfficer })
)

resource account 'Microsoft.Storage/storageAccounts@2025-01-01' existing = {
  name: storageName
}

resource vault 'Microsoft.KeyVault/vaults@2024-11-01' existing = {
  name: vaultName
}

resource applicationInsights 'Microsoft.Insights/components@2020-02-02' existing = {
  name: applicationInsightsName
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

resource vaultRoles 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for assigned in onVault: {
    name: guid(vault.id, assigned.to.id, assigned.role)
    scope: vault
    properties: {
      principalId: assigned.to.id
      principalType: assigned.to.type
      roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', assigned.role)
    }
  }
]

resource telemetryRole 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(applicationInsights.id, identityPrincipalId, monitoringMetricsPublisher)
  scope: applicationInsights
  properties: {
    principalId: identityPrincipalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', monitoringMetricsPublisher)
  }
}
