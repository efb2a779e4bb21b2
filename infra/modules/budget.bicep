param amount int
param name string

@description('First day of the budget, such as 2026-11-01. It cannot be changed later. A new budget cannot start before this month.')
param firstDay string
param email string

param actionGroupId string

// A budget sends a warning some hours late. It does not stop anything.
resource budget 'Microsoft.Consumption/budgets@2026-06-01' = {
  name: name
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
        contactEmails: [email]
        contactGroups: [actionGroupId]
      }
      all: {
        enabled: true
        operator: 'GreaterThanOrEqualTo'
        threshold: 100
        thresholdType: 'Actual'
        contactEmails: [email]
        contactGroups: [actionGroupId]
      }
      forecast: {
        enabled: true
        operator: 'GreaterThanOrEqualTo'
        threshold: 100
        thresholdType: 'Forecasted'
        contactEmails: [email]
        contactGroups: [actionGroupId]
      }
    }
  }
}
