param name string
param location string
param tags object
param publicAccess bool
param workspaceId string

resource translator 'Microsoft.CognitiveServices/accounts@2026-07-01' = {
  name: name
  location: location
  tags: tags
  kind: 'TextTranslation'
  sku: { name: 'S1' }
  properties: {
    // Managed identities require a custom subdomain. It cannot be changed later.
    customSubDomainName: name
    disableLocalAuth: true
    publicNetworkAccess: publicAccess ? 'Enabled' : 'Disabled'
    networkAcls: {
      defaultAction: publicAccess ? 'Allow' : 'Deny'
    }
  }
}

resource logs 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = {
  name: 'audit'
  scope: translator
  properties: {
    workspaceId: workspaceId
    logs: [
      {
        categoryGroup: 'audit'
        enabled: true
      }
    ]
  }
}
