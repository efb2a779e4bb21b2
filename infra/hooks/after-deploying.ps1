# Wait until the app answers, start a sync of Azure updates, and say how to connect.
$ErrorActionPreference = 'Stop'
Set-StrictMode -Version Latest

$tries = 30
$secondsBetween = 10

$app = $env:SERVICE_API_URI
for ($tried = 1; ; $tried++) {
    try {
        $health = (Invoke-WebRequest -Uri "$app/health" -TimeoutSec 30).Content
        break
    } catch {
        if ($tried -ge $tries) {
            [Console]::Error.WriteLine("$app/health does not answer. docs/operating.md says what to look at.")
            exit 1
        }
        if ($tried -eq 1) { Write-Output "Waiting for $app/health" }
        Start-Sleep -Seconds $secondsBetween
    }
}
Write-Output "The app answers: $health"

function Start-Sync {
    $key = az functionapp keys list --subscription $env:AZURE_SUBSCRIPTION_ID --resource-group $env:AZURE_RESOURCE_GROUP `
        --name $env:AZURE_FUNCTION_NAME --query masterKey --output tsv
    if ($LASTEXITCODE -ne 0) { return $false }
    try {
        $null = Invoke-WebRequest -Method Post -Uri "$app/admin/functions/sync_updates_delta" -TimeoutSec 30 `
            -Headers @{ 'x-functions-key' = $key } -ContentType 'application/json' -Body '{"input": ""}'
        return $true
    } catch {
        return $false
    }
}
if ($env:APP_SERVICE_AUTH_ENABLED -ne 'true' -and (Start-Sync)) {
    Write-Output 'A sync of Azure updates has begun; the first takes a few minutes.'
} else {
    Write-Output 'The first request, or the timer, starts the sync of Azure updates.'
}

$url = $env:MCP_URL
Write-Output @"

MCP server: $url

Claude Code   claude mcp add --transport http azure-team $url
VS Code       code --add-mcp '{"name": "azure-team", "type": "http", "url": "$url"}'
Cursor        .cursor/mcp.json: {"mcpServers": {"azure-team": {"url": "$url"}}}
Codex         codex mcp add azure-team --url $url
"@
