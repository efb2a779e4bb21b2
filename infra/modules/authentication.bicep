param functionAppName string
param enabled bool
param issuer string
param clientId string
param identifierUri string
param allowedClients array

@description('Origins of the app. App Service rejects forms with its cookie from other origins.')
param origins array

resource site 'Microsoft.Web/sites@2024-11-01' existing = {
  name: functionAppName
}

resource authentication 'Microsoft.Web/sites/config@2024-11-01' = {
  parent: site
  name: 'authsettingsV2'
  // Explicitly turned off, because a deployment does not change settings that it leaves out.
  properties: enabled
    ? {
        platform: {
          enabled: true
          runtimeVersion: '~1'
        }
        globalValidation: {
          requireAuthentication: true
          unauthenticatedClientAction: 'Return401'
          // These paths need no sign-in: health checks, calendars and feed readers with a personal link, feeds of watches
          // with a URL that cannot be guessed, and the client metadata for issuers of extensions.
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
        // Reset these, too, so that they have no effect if someone turns authentication on again.
        globalValidation: {
          requireAuthentication: false
          unauthenticatedClientAction: 'AllowAnonymous'
        }
        identityProviders: { azureActiveDirectory: { enabled: false } }
      }
}
