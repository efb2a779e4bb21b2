@description('Names of the DNS zones for private endpoints.')
param names array
param networkId string
param networkName string
param tags object

resource zones 'Microsoft.Network/privateDnsZones@2024-06-01' = [
  for name in names: {
    name: name
    location: 'global'
    tags: tags
  }
]

resource links 'Microsoft.Network/privateDnsZones/virtualNetworkLinks@2024-06-01' = [
  for (name, index) in names: {
    parent: zones[index]
    name: networkName
    location: 'global'
    tags: tags
    properties: {
      registrationEnabled: false
      virtualNetwork: { id: networkId }
    }
  }
]
