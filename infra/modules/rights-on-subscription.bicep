targetScope = 'subscription'

param identityPrincipalId string

@description('Id of a built-in role that only reads.')
param role string

resource right 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(subscription().id, identityPrincipalId, role)
  properties: {
    principalId: identityPrincipalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', role)
  }
}
