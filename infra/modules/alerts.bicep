param actionGroupName string

@description('Name of the monitored app. It is the name of its role in the logs.')
param appName string

@description('Name of the environment. It is part of the name of each rule, so that environments can share a resource group.')
param environmentName string
param location string
param tags object
param workspaceId string
param email string

var alerts = [
  {
    name: 'no-sync'
    title: 'Azure updates: no successful sync for 6 hours'
    query: loadTextContent('../observability/alerts/no-sync.kql')
    severity: 2
    every: 'PT30M'
    over: 'PT6H'
    // Read two days, the maximum, because the rule only fires if the first sync began more than 6 hours ago.
    reads: 'P2D'
  }
  {
    name: 'does-not-start'
    title: 'The app does not start'
    query: loadTextContent('../observability/alerts/does-not-start.kql')
    severity: 1
    every: 'PT15M'
    over: 'PT15M'
  }
  {
    name: 'server-errors'
    title: 'The server answers with errors of its own'
    query: loadTextContent('../observability/alerts/server-errors.kql')
    severity: 1
    every: 'PT15M'
    over: 'PT30M'
  }
  {
    name: 'daily-cap'
    title: 'The daily cap of logs is reached: until tomorrow there is no audit'
    query: loadTextContent('../observability/alerts/daily-cap.kql')
    severity: 1
    every: 'PT15M'
    over: 'PT1H'
  }
  {
    name: 'failing-calls'
    title: 'More than 5 % of the calls fail'
    query: loadTextContent('../observability/alerts/failing-calls.kql')
    severity: 1
    every: 'PT5M'
    over: 'PT15M'
  }
  {
    name: 'failing-tasks'
    title: 'Tasks fail for good'
    query: loadTextContent('../observability/alerts/failing-tasks.kql')
    severity: 2
    every: 'PT15M'
    over: 'PT15M'
  }
  {
    name: 'slow-calls'
    title: 'One call in twenty takes longer than 10 seconds'
    query: loadTextContent('../observability/alerts/slow-calls.kql')
    severity: 3
    every: 'PT15M'
    over: 'PT30M'
  }
  {
    name: 'throttling'
    title: 'Callers are refused because they ask too often'
    query: loadTextContent('../observability/alerts/throttling.kql')
    severity: 3
    every: 'PT15M'
    over: 'PT30M'
  }
]

resource people 'Microsoft.Insights/actionGroups@2023-01-01' = if (!empty(email)) {
  name: actionGroupName
  location: 'global'
  tags: tags
  properties: {
    groupShortName: 'team-mcp'
    enabled: true
    emailReceivers: [
      {
        name: 'team'
        emailAddress: email
        useCommonAlertSchema: true
      }
    ]
  }
}

// A query returns rows only if there is a problem.
resource rules 'Microsoft.Insights/scheduledQueryRules@2023-12-01' = [
  for alert in alerts: {
    name: '${alert.name}-${environmentName}'
    location: location
    tags: tags
    kind: 'LogAlert'
    properties: {
      displayName: '${alert.title} (${environmentName})'
      enabled: true
      severity: alert.severity
      evaluationFrequency: alert.every
      windowSize: alert.over
      overrideQueryTimeRange: alert.?reads
      scopes: [workspaceId]
      autoMitigate: true
      // In a new workspace, the tables do not exist yet.
      skipQueryValidation: true
      criteria: {
        allOf: [
          {
            query: replace(alert.query, '__APP__', appName)
            timeAggregation: 'Count'
            operator: 'GreaterThan'
            threshold: 0
            failingPeriods: {
              numberOfEvaluationPeriods: 1
              minFailingPeriodsToAlert: 1
            }
          }
        ]
      }
      actions: { actionGroups: empty(email) ? [] : [people.id] }
    }
  }
]

output actionGroupId string = empty(email) ? '' : people.id
