// The records of the containers that are named, and the metadata by which the SDK finds them; no keys, throughput or network.
param accountName string
param database string
param containers array
param readOnly bool
param identityPrincipalId string

// Roles that each account has of its own: reader and contributor of data.
var role = readOnly ? '00000000-0000-0000-0000-000000000001' : '00000000-0000-0000-0000-000000000002'

resource account 'Microsoft.DocumentDB/databaseAccounts@2026-03-15' existing = {
  name: accountName
}

// One after another, as the account takes them. The role is no part of the name, so that another takes the place of it.
@batchSize(1)
resource rights 'Microsoft.DocumentDB/databaseAccounts/sqlRoleAssignments@2026-03-15' = [
  for container in containers: {
    parent: account
    name: guid(account.id, database, container, identityPrincipalId)
    properties: {
      principalId: identityPrincipalId
      roleDefinitionId: '${account.id}/sqlRoleDefinitions/${role}'
      scope: '${account.id}/dbs/${database}/colls/${container}'
    }
  }
]

// The SDK reads the account before its first record.
resource metadata 'Microsoft.DocumentDB/databaseAccounts/sqlRoleDefinitions@2026-03-15' = {
  parent: account
  name: guid(account.id, 'azure-team-mcp', 'metadata')
  properties: {
    roleName: 'Azure Team MCP: read metadata'
    type: 'CustomRole'
    assignableScopes: [account.id]
    permissions: [{ dataActions: ['Microsoft.DocumentDB/databaseAccounts/readMetadata'] }]
  }
  dependsOn: [rights]
}

resource metadataRights 'Microsoft.DocumentDB/databaseAccounts/sqlRoleAssignments@2026-03-15' = {
  parent: account
  name: guid(account.id, 'metadata', identityPrincipalId)
  properties: {
    principalId: identityPrincipalId
    roleDefinitionId: metadata.id
    scope: account.id
  }
}

output endpoint string = account.properties.documentEndpoint
