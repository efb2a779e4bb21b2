#!/bin/sh
# Put each secret that the app needs into the vault, once. What is there stays, and nothing is shown.
set -euf

fail() {
  printf '%s\n' "$1" >&2
  exit 1
}

# By way of Azure Resource Manager, which reaches a vault behind a private endpoint, too.
secrets=$AZURE_KEY_VAULT_ID/secrets
version=api-version=2024-11-01

store() {
  escaped=$(printf '%s' "$2" | sed 's/\\/\\\\/g; s/"/\\"/g')
  # Through a pipe: an argument could be seen by every process of this machine.
  printf '{"properties": {"value": "%s"}}' "$escaped" |
    az rest --method put --url "$secrets/$1?$version" --body @- --output none
  echo "Stored the secret $1."
}

kept=$(az rest --method get --url "$secrets?$version" --query 'value[].name' --output tsv)
for setting in $(printf '%s' "$SETTINGS_IN_VAULT" | tr ',' ' '); do
  case $setting in *[!A-Z0-9_]*) fail "SETTINGS_IN_VAULT names $setting, which is not the name of a setting." ;; esac
  name=$(printf '%s' "$setting" | tr 'A-Z_' 'a-z-')
  if printf '%s\n' "$kept" | grep -qx "$name"; then
    continue
  elif [ "$setting" = MCP_REQUEST_STATE_KEY ]; then
    value=$(head -c 48 /dev/urandom | base64 | tr -d '\n')
  else
    eval "value=\${$setting:-}"
  fi
  [ -n "$value" ] || fail "The vault has no $setting. Run:
  read -rs $setting && export $setting && azd hooks run postprovision; unset $setting"
  store "$name" "$value"
done

# Otherwise the app would look for them in up to a day.
az rest --method post --url "$AZURE_FUNCTION_ID/config/configreferences/appsettings/refresh?api-version=2022-03-01" --output none
