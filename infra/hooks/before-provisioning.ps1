# Check what a deployment needs, before anything is made.
$ErrorActionPreference = 'Stop'
Set-StrictMode -Version Latest

$oldestAzd = [version] '1.18.0'
$oldestAz = [version] '2.67.0'

function Stop-With([string] $message) {
    [Console]::Error.WriteLine($message)
    exit 1
}

if (-not (Get-Command az -ErrorAction SilentlyContinue)) { Stop-With 'The Azure CLI is needed: https://aka.ms/azure-cli' }

$told = (azd version) -join ' '
$azd = [version] $(if ($told -match '^azd version ([0-9]+(\.[0-9]+)+)') { $Matches[1] } else { '0.0' })
if ($azd -lt $oldestAzd) { Stop-With "azd $oldestAzd or newer is needed, and this is ${azd}: https://aka.ms/azd" }
$az = [version] (az version --output json | ConvertFrom-Json).'azure-cli'
if ($az -lt $oldestAz) { Stop-With "The Azure CLI $oldestAz or newer is needed, and this is ${az}: run 'az upgrade'." }

az account show --subscription $env:AZURE_SUBSCRIPTION_ID --output none 2>$null
if ($LASTEXITCODE -ne 0) {
    Stop-With "The Azure CLI is not signed in to the subscription $($env:AZURE_SUBSCRIPTION_ID): run 'az login'."
}

if ($env:APP_SERVICE_AUTH_ENABLED -eq 'true' -and $env:ENTRA_APP_ENABLED -ne 'true') {
    Stop-With "App Service authentication needs the registration in Entra ID: run 'azd env set ENTRA_APP_ENABLED true'."
}

$secret = '(ADO_PAT|AUTH_BRIDGE_CLIENT_SECRET|UPSTREAM_CLIENT_SECRET)'
if ($env:SECRETS_IN_VAULT -and $env:SECRETS_IN_VAULT -cnotmatch "^$secret(,$secret)*$") {
    Stop-With 'SECRETS_IN_VAULT takes ADO_PAT, AUTH_BRIDGE_CLIENT_SECRET and UPSTREAM_CLIENT_SECRET, with commas and no spaces between.'
}

# Flex Consumption runs on it. Where it is missing, provisioning ends in an internal server error.
$state = az provider show --namespace Microsoft.App --subscription $env:AZURE_SUBSCRIPTION_ID --query registrationState --output tsv
if ($LASTEXITCODE -ne 0) { exit 1 }
if ($state -ne 'Registered') {
    Write-Output 'Registering Microsoft.App in the subscription; this takes a minute.'
    az provider register --namespace Microsoft.App --subscription $env:AZURE_SUBSCRIPTION_ID --wait
    if ($LASTEXITCODE -ne 0) {
        Stop-With 'Microsoft.App is not registered, and you may not register it: ask an owner of the subscription.'
    }
}
