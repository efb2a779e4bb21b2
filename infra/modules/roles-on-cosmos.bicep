// Access to the records of the named containers, and to the metadata that the SDK needs to find them.
param accountName string
param database string
param containers array
param readOnly bool
param identityPrincipalId string

// The built-in roles of each account: Cosmos DB Built-in Data Reader and Data Contributor.
var role = readOnly ? '00000000-0000-0000-0000-000000000001' : '00000000-0000-0000-0000-000000000002'

resource account 'Microsoft.DocumentDB/databaseAccounts@2026-03-15' existing = {
  name: accountName
}

// Assigned one at a time, because the account rejects concurrent assignments. The name does not contain the role, so that
// another role replaces the assignment.
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

// The SDK reads the metadata of the account before it reads a record.
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
