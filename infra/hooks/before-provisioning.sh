#!/bin/sh
# Check what a deployment needs, before anything is made.
set -euf

oldest_azd=1.18.0
oldest_az=2.67.0

fail() {
  printf '%s\n' "$1" >&2
  exit 1
}

# Succeeds when the first version is not older than the second.
at_least() {
  printf '%s|%s\n' "$1" "$2" | awk -F '|' '{
    split($1, have, "."); split($2, want, ".")
    for (part = 1; part <= 3; part++) if (have[part] + 0 != want[part] + 0) exit !(have[part] + 0 > want[part] + 0)
  }'
}

command -v az >/dev/null || fail "The Azure CLI is needed: https://aka.ms/azure-cli"
command -v curl >/dev/null || fail "curl is needed: https://curl.se"

azd_version=$(azd version | sed -n 's/^azd version \([0-9.]*\).*/\1/p')
at_least "$azd_version" "$oldest_azd" || fail "azd $oldest_azd or newer is needed, and this is $azd_version: https://aka.ms/azd"
az_version=$(az version --query '"azure-cli"' --output tsv)
at_least "$az_version" "$oldest_az" || fail "The Azure CLI $oldest_az or newer is needed, and this is $az_version: run 'az upgrade'."

az account show --subscription "$AZURE_SUBSCRIPTION_ID" --output none 2>/dev/null ||
  fail "The Azure CLI is not signed in to the subscription $AZURE_SUBSCRIPTION_ID: run 'az login'."

if [ "${APP_SERVICE_AUTH_ENABLED:-false}" = true ] && [ "${ENTRA_APP_ENABLED:-false}" != true ]; then
  fail "App Service authentication needs the registration in Entra ID: run 'azd env set ENTRA_APP_ENABLED true'."
fi

secret='(ADO_PAT|AUTH_BRIDGE_CLIENT_SECRET|UPSTREAM_CLIENT_SECRET)'
if [ -n "${SECRETS_IN_VAULT:-}" ] && ! printf '%s\n' "$SECRETS_IN_VAULT" | grep -Exq "$secret(,$secret)*"; then
  fail "SECRETS_IN_VAULT takes ADO_PAT, AUTH_BRIDGE_CLIENT_SECRET and UPSTREAM_CLIENT_SECRET, with commas and no spaces between."
fi

# Flex Consumption runs on it. Where it is missing, provisioning ends in an internal server error.
state=$(az provider show --namespace Microsoft.App --subscription "$AZURE_SUBSCRIPTION_ID" --query registrationState --output tsv)
if [ "$state" != Registered ]; then
  echo "Registering Microsoft.App in the subscription; this takes a minute."
  az provider register --namespace Microsoft.App --subscription "$AZURE_SUBSCRIPTION_ID" --wait ||
    fail "Microsoft.App is not registered, and you may not register it: ask an owner of the subscription."
fi
