param vaultName string
param identityPrincipalId string
param operatorPrincipalId string

// https://learn.microsoft.com/azure/role-based-access-control/built-in-roles
var keyVaultSecretsUser = '4633458b-17de-408a-b874-0445c86b69e6'
var keyVaultSecretsOfficer = 'b86a8fe4-44ce-4948-aee5-eccb2c155cd7'

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
var onVault = concat(
  [{ to: app, role: keyVaultSecretsUser }],
  map(operators, operator => { to: operator, role: keyVaultSecretsOfficer })
)

resource vault 'Microsoft.KeyVault/vaults@2024-11-01' existing = {
  name: vaultName
}

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

output vaultUri string = vault.properties.vaultUri
