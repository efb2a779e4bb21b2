param name string
param location string
param tags object
param addressPrefix string
param dnsServers array

@description('Whether requests of the app leave from a fixed IP address, which firewalls elsewhere can allow.')
param fixedOutgoingAddress bool

var endpointSubnetName = 'endpoints'
var appSubnetName = 'app'

resource outgoingAddress 'Microsoft.Network/publicIPAddresses@2025-09-01' = if (fixedOutgoingAddress) {
  name: '${name}-outgoing'
  location: location
  tags: tags
  // A NAT gateway only supports a static IPv4 address with the SKU Standard.
  sku: { name: 'Standard' }
  properties: {
    publicIPAllocationMethod: 'Static'
    publicIPAddressVersion: 'IPv4'
  }
}

resource gateway 'Microsoft.Network/natGateways@2025-09-01' = if (fixedOutgoingAddress) {
  name: '${name}-nat'
  location: location
  tags: tags
  sku: { name: 'Standard' }
  properties: { publicIpAddresses: [{ id: outgoingAddress.id }] }
}

resource network 'Microsoft.Network/virtualNetworks@2024-07-01' = {
  name: name
  location: location
  tags: tags
  properties: {
    addressSpace: { addressPrefixes: [addressPrefix] }
    dhcpOptions: { dnsServers: dnsServers }
    // As separate resources, every later deployment would delete the subnets and create them again.
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
          natGateway: fixedOutgoingAddress ? { id: gateway.id } : null
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

output appSubnetId string = network::appSubnet.id
output endpointSubnetId string = network::endpointSubnet.id
output outgoingIpAddress string = fixedOutgoingAddress ? outgoingAddress!.properties.ipAddress : ''
