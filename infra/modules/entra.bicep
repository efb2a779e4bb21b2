extension microsoftGraphV1

param name string

@description('Tag with which hooks find the registration, even after it was deleted.')
param mark string
param issuer string
param redirectUris array

@description('Whether App Service signs browsers in. It then needs ID tokens, because it has no secret.')
param platformSignsIn bool
param identityPrincipalId string
param preAuthorizedClients array

@description('Whether the app can read people, groups and members of groups on behalf of the signed-in user.')
param readsDirectory bool = false

@description('Services that tools call on behalf of the signed-in user, by the names below. Empty: all.')
param services array = []

@description('Id of the permission Data.Read of Application Insights, which a hook reads. Empty: the permission is not requested.')
param applicationInsightsScope string = ''

var visualStudioCode = 'aebc6443-996d-45c2-90f0-388ff96faa56'
// The permissions with which tools call services on behalf of the signed-in user.
var known = concat(
  [
    {
      // Azure Resource Manager
      name: 'azure'
      application: '797f4846-ba00-4fd7-ba43-dac1f8f63013'
      scopes: ['41094075-9dad-400e-a0bd-54e686782033']
    }
    {
      // Azure Key Vault
      name: 'key-vault'
      application: 'cfa8b339-82a2-471a-a3c9-0fc0be7a4093'
      scopes: ['f53da476-18e3-4152-8e01-aec403e6edc0']
    }
    {
      // Azure Storage
      name: 'storage'
      application: 'e406a681-f3d4-42a8-90b6-c2b029497af1'
      scopes: ['03e0da56-190b-40ad-a80c-ea378c433f7f']
    }
    {
      // Log Analytics API
      name: 'logs'
      application: 'ca7f3f0b-7d91-482c-8e09-c5d840d0eac5'
      scopes: ['e8dac03d-d467-4a7e-9293-9cca7df08b31']
    }
    {
      // Azure DevOps
      name: 'azure-devops'
      application: '499b84ac-1321-427f-aa17-267ca6975798'
      scopes: ['ee69721e-6c3a-468f-a9ec-302d16a4c599']
    }
    {
      // Azure Service Bus
      name: 'service-bus'
      application: '80a10ef9-8168-493d-abf9-3297c4ef6e3c'
      scopes: ['40e16207-c5fd-4916-8ca4-64565f2367ca']
    }
  ],
  empty(applicationInsightsScope)
    ? []
    : [
        {
          // Application Insights API
          name: 'application-insights'
          application: 'f5c26e74-f226-4ae8-85f0-b4af0080ac9e'
          scopes: [applicationInsightsScope]
        }
      ]
)
var directory = readsDirectory
    ? [
        {
          // Microsoft Graph: GroupMember.Read.All, User.ReadBasic.All
          application: '00000003-0000-0000-c000-000000000000'
          scopes: ['bc024368-1153-4739-b217-4326f2e966d0', 'b340eb25-3456-403f-be2f-af7a0d370277']
        }
      ]
    : []
var wanted = concat(filter(known, service => empty(services) || contains(services, service.name)), directory)
var scopeName = 'access'
var scopeId = guid(name, 'scope', scopeName)
// Contains the tenant id, because many tenants do not accept other formats for a chosen name.
var identifierUri = 'api://${tenant().tenantId}/${name}'
// These roles have the same names as in roles.yaml.
var roles = [
  { name: 'Reader', description: 'Uses all tools that only read.' }
  { name: 'Developer', description: 'Uses all tools that read or write.' }
  { name: 'Admin', description: 'Uses all tools, including those that delete or overwrite.' }
]

resource registration 'Microsoft.Graph/applications@v1.0' = {
  uniqueName: name
  displayName: name
  tags: [mark]
  signInAudience: 'AzureADMyOrg'
  identifierUris: [identifierUri]
  api: {
    requestedAccessTokenVersion: 2
    oauth2PermissionScopes: [
      {
        id: scopeId
        value: scopeName
        type: 'User'
        isEnabled: true
        adminConsentDisplayName: 'Use the tools of the team'
        adminConsentDescription: 'Allows the client to use the tools on behalf of the signed-in user, within the limits of the user\'s role.'
        userConsentDisplayName: 'Use the tools of your team'
        userConsentDescription: 'Allows the client to use the tools on your behalf, within the limits of your role.'
      }
    ]
    preAuthorizedApplications: [
      for client in union([visualStudioCode], preAuthorizedClients): {
        appId: client
        delegatedPermissionIds: [scopeId]
      }
    ]
  }
  // These claims say who acts (a person, an application or an agent), for whom, when the person signed in, and whether
  // the person is a guest.
  optionalClaims: {
    accessToken: [
      for claim in ['idtyp', 'xms_act_fct', 'xms_sub_fct', 'xms_tnt_fct', 'xms_par_app_azp', 'auth_time', 'acct']: {
        name: claim
      }
    ]
    idToken: [{ name: 'auth_time' }, { name: 'acct' }]
  }
  appRoles: [
    for role in roles: {
      id: guid(name, 'role', role.name)
      value: role.name
      displayName: role.name
      description: role.description
      isEnabled: true
      allowedMemberTypes: ['User', 'Application']
    }
  ]
  requiredResourceAccess: [
    for service in wanted: {
      resourceAppId: service.application
      resourceAccess: map(service.scopes, scope => { id: scope, type: 'Scope' })
    }
  ]
  web: {
    redirectUris: redirectUris
    implicitGrantSettings: { enableIdTokenIssuance: platformSignsIn }
  }

  // The app authenticates with its managed identity, so it needs no secret to act on behalf of a user.
  resource assertion 'federatedIdentityCredentials@v1.0' = {
    name: '${registration.uniqueName}/app-identity'
    issuer: issuer
    subject: identityPrincipalId
    audiences: ['api://AzureADTokenExchange']
  }
}

resource enterpriseApplication 'Microsoft.Graph/servicePrincipals@v1.0' = {
  appId: registration.appId
}

output clientId string = registration.appId
output identifierUri string = identifierUri
output scope string = '${identifierUri}/${scopeName}'
