param storageName string
param packageContainerName string

// Each of these is the name of a table and a container: Azure updates, operations of Azure's API, changes that need
// approval, tasks, pinned tools of extensions, the index of documents, watches, and work items for retirements.
var tasksName = 'tasks'
var purposes = ['updates', 'operations', 'changes', tasksName, 'extensions', 'library', 'watches', 'retirements']
// Only containers: the documents themselves, and git workspaces.
var furtherContainers = ['documents', 'git-workspaces']
// Only tables: revoked personal links, and sessions of the sign-in bridge.
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

    // The Functions host moves messages that fail repeatedly to the second queue.
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
