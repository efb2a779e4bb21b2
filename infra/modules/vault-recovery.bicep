param name string
param location string
param tags object

// Fails unless a deleted vault has this name, so a hook checks this before. The recovered vault has its old settings,
// whatever this module contains; the module vault.bicep sets them afterwards.
resource vault 'Microsoft.KeyVault/vaults@2024-11-01' = {
  name: name
  location: location
  tags: tags
  properties: {
    createMode: 'recover'
    tenantId: tenant().tenantId
    sku: {
      family: 'A'
      name: 'standard'
    }
    enableRbacAuthorization: true
    enableSoftDelete: true
    enablePurgeProtection: true
  }
}
