// Records of the containers that are named, and nothing else of the account: not its keys, its throughput or its network.
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

output endpoint string = account.properties.documentEndpoint
