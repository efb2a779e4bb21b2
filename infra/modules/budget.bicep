param amount int

@description('As 2026-11-01. It cannot be changed later, and for a new budget lies in no month before this.')
param firstDay string
param email string

@description('Empty: nobody but the portal is told.')
param actionGroupId string

var emails = empty(email) ? [] : [email]
var groups = empty(actionGroupId) ? [] : [actionGroupId]

// It warns, hours late, and stops nothing.
resource budget 'Microsoft.Consumption/budgets@2026-06-01' = {
  name: 'azure-team-mcp'
  properties: {
    category: 'Cost'
    amount: amount
    timeGrain: 'Monthly'
    timePeriod: { startDate: '${firstDay}T00:00:00Z' }
    notifications: {
      half: {
        enabled: true
        operator: 'GreaterThanOrEqualTo'
        threshold: 50
        thresholdType: 'Actual'
        contactEmails: emails
        contactGroups: groups
      }
      all: {
        enabled: true
        operator: 'GreaterThanOrEqualTo'
        threshold: 100
        thresholdType: 'Actual'
        contactEmails: emails
        contactGroups: groups
      }
      forecast: {
        enabled: true
        operator: 'GreaterThanOrEqualTo'
        threshold: 100
        thresholdType: 'Forecasted'
        contactEmails: emails
        contactGroups: groups
      }
    }
  }
}
