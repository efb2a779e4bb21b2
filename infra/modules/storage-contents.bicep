param storageName string
param packageContainerName string

// A table and a container are named by what they are for, as the app names them: the updates and the operations of
// Azure, what people agree to, work that outlives requests, what is pinned of extensions, the team's documents as they
// were read, which personal addresses are void, which sign-ins of the bridge have ended, and the watches of Azure updates.
// Further containers are for documents themselves, and for git workspaces.
var dataName = 'updates'
var operationsName = 'operations'
var changesName = 'changes'
var tasksName = 'tasks'
var extensionsName = 'extensions'
var libraryName = 'library'
var furtherContainers = ['documents', 'git-workspaces']
var furtherTables = ['addresses', 'sessions', 'watches']

resource account 'Microsoft.Storage/storageAccounts@2025-01-01' existing = {
  name: storageName

  resource blobs 'blobServices' existing = {
    name: 'default'

    resource dataContainer 'containers' = [
      for data in concat([dataName, operationsName, changesName, tasksName, extensionsName, libraryName], furtherContainers): {
        name: data
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
      for data in [dataName, operationsName, changesName, tasksName, extensionsName, libraryName]: {
        name: data
      }
    ]

    resource furtherTable 'tables' = [
      for table in furtherTables: {
        name: table
      }
    ]
  }
}

output packageContainerUrl string = '${account.properties.primaryEndpoints.blob}${packageContainerName}'
