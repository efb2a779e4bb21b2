"""How people ask for what is in key vaults."""

from __future__ import annotations

from typing import Final

SAYINGS: Final = {
    "list_keyvaults": (
        "list key vaults, which key vaults do we have, show all vaults, our keyvaults, az keyvault list, vaults in "
        "this resource group, which vaults use access policies, which key vaults are deleted, vaults that can be "
        "recovered, was a vault deleted, quels coffres de cles avons nous, liste des key vaults, welche key vaults "
        "gibt es, which vault is still on access policies and not rbac"
    ),
    "show_keyvault": (
        "show key vault, details of the vault, who has access to the key vault, access policies of the vault, "
        "is the vault behind a private endpoint, firewall of the key vault, is purge protection on, is soft "
        "delete enabled, vault uri, address of the key vault, why can i not reach the vault, network rules of "
        "the vault, qui a acces au coffre, parametres du key vault, zugriffsrichtlinien des key vaults"
    ),
    "list_secrets": (
        "list secrets, which secrets are in the vault, names of secrets in the key vault, is there a secret for the "
        "mail password, when does this secret expire, versions of a secret, when was the secret last changed, when "
        "was this secret rotated, which secrets are deleted, secrets that were deleted, is the secret disabled, "
        "content type of a secret, az keyvault secret list, quels secrets sont dans le coffre, liste des secrets, "
        "welche geheimnisse sind im key vault, does the vault have an api key for the shop"
    ),
    "show_keyvault_secret": (
        "show the value of a secret, what is the secret, get secret value, read the password from the key "
        "vault, give me the connection string in the vault, az keyvault secret show, reveal the secret, i "
        "need the api key from key vault, quelle est la valeur du secret, donne moi le mot de passe du "
        "coffre, wert des geheimnisses"
    ),
    "list_keyvault_keys": (
        "list keys of the key vault, which keys are in the vault, encryption keys in key vault, when does the key "
        "expire, versions of a key, signing keys in the vault, az keyvault key list, cles du coffre, customer "
        "managed keys in the vault, which keys are deleted, schlussel im key vault"
    ),
    "list_keyvault_certificates": (
        "list certificates, which certificates are in the vault, tls certificates in key vault, ssl certificates, "
        "thumbprint of the certificate, certificates and their expiry, az keyvault certificate list, certificats du "
        "coffre, which certificates are deleted, find the certificate with this thumbprint, zertifikate im key "
        "vault, versions of a certificate"
    ),
    "show_keyvault_certificate": (
        "show certificate, who issued the certificate, issuer of the certificate, which dns names does the "
        "certificate cover, does the certificate renew itself, auto renewal of the certificate, key size of "
        "the certificate, subject alternative names, details of the certificate, emetteur du certificat, "
        "aussteller des zertifikats, is the private key exportable"
    ),
    "list_expiring_secrets": (
        "what expires soon, which secrets expire this month, which certificates expire soon, expired secrets, "
        "expired certificates, keys about to expire, does any certificate run out, certificates to renew, "
        "secrets to rotate, what runs out in our key vaults, expiring in the next 0 days, will a certificate "
        "expire this week, quels certificats expirent bientot, quels secrets vont expirer, was lauft bald ab, "
        "which of our vaults has something expired, is anything in the vaults past its date, que caduca "
        "pronto"
    ),
}
