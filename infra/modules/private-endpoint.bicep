param name string
param location string
param tags object
param subnetId string

@description('What is reached through it: an account, a vault, an app.')
param targetId string

@description('Which part of it: blob, queue, table; vault; sites.')
param part string

@description('Zone in which its name is entered.')
param zoneId string

resource endpoint 'Microsoft.Network/privateEndpoints@2024-07-01' = {
  name: name
  location: location
  tags: tags
  properties: {
    subnet: { id: subnetId }
    privateLinkServiceConnections: [
      {
        name: part
        properties: {
          privateLinkServiceId: targetId
          groupIds: [part]
        }
      }
    ]
  }
}

resource entry 'Microsoft.Network/privateEndpoints/privateDnsZoneGroups@2024-07-01' = {
  parent: endpoint
  name: 'default'
  properties: {
    privateDnsZoneConfigs: [
      {
        name: part
        properties: { privateDnsZoneId: zoneId }
      }
    ]
  }
}
