param storageName string
param packageContainerName string

// Each purpose has a table and a container, named as the app names it: the updates and the operations of Azure, what
// people agree to, work that outlives requests, what is pinned of extensions, the team's documents as they were read,
// the watches of Azure updates, and who makes which work item for a retirement.
var tasksName = 'tasks'
var purposes = ['updates', 'operations', 'changes', tasksName, 'extensions', 'library', 'watches', 'retirements']
// The documents themselves, and git workspaces.
var furtherContainers = ['documents', 'git-workspaces']
// Which personal addresses are void, and which sign-ins of the bridge have ended.
var furtherTables = ['addresses', 'sessions']

resource account 'Microsoft.Storage/storageAccounts@2025-01-01' existing = {
  name: storageName

  resource blobs 'blobServices' existing = {
    name: 'default'

    resource dataContainer 'containers' = [
      for container in concat(purposes, furtherContainers): {
        name: container
        properties: { publicAccess: 'None' }
      }
    ]

    resource packageContainer 'containers' = {
      name: packageContainerName
      properties: { publicAccess: 'None' }
    }
  }

  resource queues 'queueServices' existing = {
    name: 'default'

    // The second is where the Functions host puts what nobody could do anything with.
    resource taskQueue 'queues' = [
      for queue in [tasksName, '${tasksName}-poison']: {
        name: queue
      }
    ]
  }

  resource tables 'tableServices' existing = {
    name: 'default'

    resource dataTable 'tables' = [
      for table in concat(purposes, furtherTables): {
        name: table
      }
    ]
  }
}

output packageContainerUrl string = '${account.properties.primaryEndpoints.blob}${packageContainerName}'
