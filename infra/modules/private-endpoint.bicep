param name string
param location string
param tags object
param subnetId string

@description('Id of the resource behind the endpoint: an account, a vault or an app.')
param targetId string

@description('Part of the resource: blob, queue or table; vault; sites.')
param part string

@description('Id of the DNS zone for the name of the endpoint.')
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
