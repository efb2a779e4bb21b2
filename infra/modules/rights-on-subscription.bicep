targetScope = 'subscription'

param identityPrincipalId string

@description('Id of a built-in role.')
param role string

@description('Condition that limits the role. Empty: no limit.')
param condition string

resource right 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(subscription().id, identityPrincipalId, role)
  properties: {
    principalId: identityPrincipalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', role)
    condition: empty(condition) ? null : condition
    conditionVersion: empty(condition) ? null : '2.0'
  }
}
