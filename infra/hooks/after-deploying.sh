#!/bin/sh
# Wait until the app answers, start a sync of Azure updates, and say how to connect.
set -eu

tries=30
seconds_between=10

tried=0
until health=$(curl --silent --fail --max-time 30 "$SERVICE_API_URI/health"); do
  tried=$((tried + 1))
  if [ "$tried" -ge "$tries" ]; then
    echo "$SERVICE_API_URI/health does not answer. docs/operating.md says what to look at." >&2
    exit 1
  fi
  [ "$tried" -gt 1 ] || echo "Waiting for $SERVICE_API_URI/health"
  sleep "$seconds_between"
done
printf 'The app answers: %s\n' "$health"

# The key goes through pipes, so that no process list and no log has it.
start_sync() {
  az functionapp keys list --subscription "$AZURE_SUBSCRIPTION_ID" --resource-group "$AZURE_RESOURCE_GROUP" \
    --name "$AZURE_FUNCTION_NAME" --query masterKey --output tsv |
    sed 's/^/x-functions-key: /' |
    curl --silent --fail --max-time 30 --header @- --header 'content-type: application/json' --data '{"input": ""}' \
      "$SERVICE_API_URI/admin/functions/sync_updates_delta"
}
if [ "${APP_SERVICE_AUTH_ENABLED:-false}" != true ] && start_sync; then
  echo "A sync of Azure updates has begun; the first takes a few minutes."
else
  echo "The first request, or the timer, starts the sync of Azure updates."
fi

cat <<END

MCP server: $MCP_URL

Claude Code   claude mcp add --transport http azure-team $MCP_URL
VS Code       code --add-mcp '{"name": "azure-team", "type": "http", "url": "$MCP_URL"}'
Cursor        .cursor/mcp.json: {"mcpServers": {"azure-team": {"url": "$MCP_URL"}}}
Codex         codex mcp add azure-team --url $MCP_URL
END
