param name string
param endpointPrefix string
param location string
param tags object
param addressPrefix string
param dnsServers array
param storageId string
param vaultId string

var endpointSubnetName = 'endpoints'
var appSubnetName = 'app'
var blobZone = 'privatelink.blob.${environment().suffixes.storage}'
var tableZone = 'privatelink.table.${environment().suffixes.storage}'
var vaultZone = 'privatelink.vaultcore.azure.net'
var endpoints = [
  { part: 'blob', zone: blobZone }
  { part: 'table', zone: tableZone }
  { part: 'vault', zone: vaultZone }
]

resource network 'Microsoft.Network/virtualNetworks@2024-07-01' = {
  name: name
  location: location
  tags: tags
  properties: {
    addressSpace: { addressPrefixes: [addressPrefix] }
    dhcpOptions: { dnsServers: dnsServers }
    // As resources of their own, they would be taken away and made again by every later deployment.
    subnets: [
      {
        name: endpointSubnetName
        properties: {
          addressPrefix: cidrSubnet(addressPrefix, 24, 0)
          privateEndpointNetworkPolicies: 'Enabled'
        }
      }
      {
        name: appSubnetName
        properties: {
          addressPrefix: cidrSubnet(addressPrefix, 24, 1)
          delegations: [
            {
              name: 'functions'
              properties: { serviceName: 'Microsoft.App/environments' }
            }
          ]
        }
      }
    ]
  }

  resource endpointSubnet 'subnets' existing = {
    name: endpointSubnetName
  }

  resource appSubnet 'subnets' existing = {
    name: appSubnetName
  }
}

resource zones 'Microsoft.Network/privateDnsZones@2024-06-01' = [
  for endpoint in endpoints: {
    name: endpoint.zone
    location: 'global'
    tags: tags
  }
]

resource links 'Microsoft.Network/privateDnsZones/virtualNetworkLinks@2024-06-01' = [
  for (endpoint, index) in endpoints: {
    parent: zones[index]
    name: name
    location: 'global'
    tags: tags
    properties: {
      registrationEnabled: false
      virtualNetwork: { id: network.id }
    }
  }
]

resource privateEndpoints 'Microsoft.Network/privateEndpoints@2024-07-01' = [
  for endpoint in endpoints: {
    name: '${endpointPrefix}-${endpoint.part}'
    location: location
    tags: tags
    properties: {
      subnet: { id: network::endpointSubnet.id }
      privateLinkServiceConnections: [
        {
          name: endpoint.part
          properties: {
            privateLinkServiceId: endpoint.part == 'vault' ? vaultId : storageId
            groupIds: [endpoint.part]
          }
        }
      ]
    }
  }
]

resource names 'Microsoft.Network/privateEndpoints/privateDnsZoneGroups@2024-07-01' = [
  for (endpoint, index) in endpoints: {
    parent: privateEndpoints[index]
    name: 'default'
    properties: {
      privateDnsZoneConfigs: [
        {
          name: endpoint.part
          properties: { privateDnsZoneId: zones[index].id }
        }
      ]
    }
  }
]

output appSubnetId string = network::appSubnet.id
