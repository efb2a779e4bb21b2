param functionAppName string
param enabled bool
param issuer string
param clientId string
param identifierUri string
param allowedClients array

@description('The hosts of the app. From elsewhere, App Service rejects a form that comes with its cookie.')
param origins array

resource site 'Microsoft.Web/sites@2024-11-01' existing = {
  name: functionAppName
}

resource authentication 'Microsoft.Web/sites/config@2024-11-01' = {
  parent: site
  name: 'authsettingsV2'
  // When it is off, that has to be said: what a deployment does not mention stays as it was.
  properties: enabled
    ? {
        platform: {
          enabled: true
          runtimeVersion: '~1'
        }
        globalValidation: {
          requireAuthentication: true
          unauthenticatedClientAction: 'Return401'
          // What waits for a deployment, and what watches over the app, has not signed in; nor have calendars, which the
          // app lets in by personal addresses alone, readers of the feed of a watch, which has an address that nobody can
          // guess, nor issuers that look up what it is as their client.
          excludedPaths: [
            '/health'
            '/updates.csv'
            '/updates.ics'
            '/updates.pdf'
            '/updates.rss'
            '/watches.atom'
            '/extension-client.json'
          ]
        }
        httpSettings: { requireHttps: true }
        identityProviders: {
          azureActiveDirectory: {
            enabled: true
            registration: {
              clientId: clientId
              openIdIssuer: issuer
            }
            validation: {
              allowedAudiences: [clientId, identifierUri]
              defaultAuthorizationPolicy: {
                allowedApplications: union([clientId, 'aebc6443-996d-45c2-90f0-388ff96faa56'], allowedClients)
              }
            }
          }
        }
        login: {
          allowedExternalRedirectUrls: origins
          tokenStore: { enabled: false }
        }
      }
    : {
        platform: { enabled: false }
        // Said, too, so that nothing of it comes back with the switch.
        globalValidation: {
          requireAuthentication: false
          unauthenticatedClientAction: 'AllowAnonymous'
        }
        identityProviders: { azureActiveDirectory: { enabled: false } }
      }
}
