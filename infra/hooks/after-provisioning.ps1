# Put each secret that the app needs into the vault, once. What is there stays, and nothing is shown.
$ErrorActionPreference = 'Stop'
Set-StrictMode -Version Latest

# By way of Azure Resource Manager, which reaches a vault behind a private endpoint, too.
$secrets = "$($env:AZURE_KEY_VAULT_ID)/secrets"
$version = 'api-version=2024-11-01'

function Stop-With([string] $message) {
    [Console]::Error.WriteLine($message)
    exit 1
}

function Save-Secret([string] $name, [string] $value) {
    # Through a pipe: an argument could be seen by every process of this machine.
    @{ properties = @{ value = $value } } | ConvertTo-Json -Compress |
        az rest --method put --url "$secrets/${name}?$version" --body '@-' --output none
    if ($LASTEXITCODE -ne 0) { exit 1 }
    Write-Output "Stored the secret $name."
}

function New-Key {
    $bytes = [byte[]]::new(48)
    [Security.Cryptography.RandomNumberGenerator]::Fill($bytes)
    [Convert]::ToBase64String($bytes)
}

$kept = @(az rest --method get --url "${secrets}?$version" --query 'value[].name' --output tsv)
if ($LASTEXITCODE -ne 0) { exit 1 }
foreach ($setting in $env:SETTINGS_IN_VAULT -split ',') {
    if ($setting -cnotmatch '^[A-Z0-9_]+$') {
        Stop-With "SETTINGS_IN_VAULT names $setting, which is not the name of a setting."
    }
    $name = $setting.ToLowerInvariant().Replace('_', '-')
    if ($kept -ccontains $name) { continue }
    $value = if ($setting -ceq 'MCP_REQUEST_STATE_KEY') { New-Key } else { [Environment]::GetEnvironmentVariable($setting) }
    if (-not $value) {
        Stop-With "The vault has no $setting. Run:`n  `$env:$setting = Read-Host -MaskInput; azd hooks run postprovision; Remove-Item env:$setting"
    }
    Save-Secret $name $value
}

# Otherwise the app would look for them in up to a day.
az rest --method post --url "$($env:AZURE_FUNCTION_ID)/config/configreferences/appsettings/refresh?api-version=2022-03-01" --output none
if ($LASTEXITCODE -ne 0) { exit 1 }
