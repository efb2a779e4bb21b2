param translatorName string
param identityPrincipalId string

// https://learn.microsoft.com/azure/role-based-access-control/built-in-roles
var cognitiveServicesUser = 'a97b65f3-24c7-4388-baec-2e87135dc908'

resource translator 'Microsoft.CognitiveServices/accounts@2026-07-01' existing = {
  name: translatorName
}

resource role 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(translator.id, identityPrincipalId, cognitiveServicesUser)
  scope: translator
  properties: {
    principalId: identityPrincipalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', cognitiveServicesUser)
  }
}

// Not the endpoint property of the resource: it may be the global endpoint, which does not support managed identities.
output endpoint string = 'https://${translator.properties.customSubDomainName}.cognitiveservices.azure.com'
