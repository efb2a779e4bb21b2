param name string
param location string
param tags object

// It fails where no vault of this name is deleted, so a hook looks before. What comes back has the rules that it had,
// whatever is written here: the usual module sets them after.
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
