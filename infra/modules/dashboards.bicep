param name string

@description('Name of the app on the dashboards. It is the name of its role in the logs.')
param appName string
param environmentName string
param location string
param tags object
param workspaceId string

resource workbook 'Microsoft.Insights/workbooks@2023-06-01' = {
  name: guid(resourceGroup().id, name)
  location: location
  tags: tags
  kind: 'shared'
  properties: {
    displayName: 'Azure Team MCP (${environmentName})'
    category: 'workbook'
    sourceId: workspaceId
    version: 'Notebook/1.0'
    serializedData: replace(loadTextContent('../observability/workbook.json'), '__APP__', appName)
  }
}

// Dashboards with Grafana in Azure Monitor are free and need no server.
resource dashboard 'Microsoft.Dashboard/dashboards@2025-08-01' = {
  name: name
  location: location
  tags: union(tags, { GrafanaDashboardResourceType: 'microsoft.operationalinsights/workspaces' })
  properties: {}

  resource definition 'dashboardDefinitions@2025-09-01-preview' = {
    name: 'default'
    properties: {
      serializedData: replace(replace(loadTextContent('../observability/grafana.json'), '__WORKSPACE__', workspaceId), '__APP__', appName)
    }
  }
}
