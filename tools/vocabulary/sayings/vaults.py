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
    "create_keyvault": (
        "create a key vault, make a new vault, set up a key vault with purge protection, az keyvault create, cree un "
        "coffre de cles, lege einen key vault an, we need a vault for the shop"
    ),
    "delete_keyvault": (
        "delete the key vault, remove the vault, get rid of this vault, az keyvault delete, supprime le coffre, "
        "losche den key vault"
    ),
    "recover_keyvault": (
        "recover the deleted key vault, bring the vault back, undelete the vault, az keyvault recover, restaure le "
        "coffre supprime, restore the vault that was deleted, restore the deleted key vault"
    ),
    "purge_keyvault": (
        "purge the deleted key vault, remove the deleted vault for good, free the name of the vault, az keyvault purge"
    ),
    "set_keyvault_secret": (
        "set a secret, store this password in the key vault, put the api key into the vault, change "
        "the value of the secret, new version of the secret, update the secret, add a secret, save the connection "
        "string as a secret, az keyvault secret set, mets ce secret dans le coffre, setze das geheimnis"
    ),
    "create_keyvault_key": (
        "create a key in the key vault, make an rsa key, new signing key, rotate the key in the vault, new version "
        "of the key, az keyvault key create, cree une cle dans le coffre, new key in the vault"
    ),
    "enable_keyvault_item": (
        "disable the secret, enable the secret again, switch the key off, disable this certificate, turn the secret "
        "version off, desactive le secret, deaktiviere das geheimnis"
    ),
    "delete_keyvault_item": (
        "delete the secret, remove the secret from the vault, delete the key, delete the certificate from the key "
        "vault, az keyvault secret delete, supprime le secret, losche das geheimnis"
    ),
    "recover_keyvault_item": (
        "recover the deleted secret, undelete the secret, bring the deleted key back, restore the certificate, az "
        "keyvault secret recover, restaure le secret supprime"
    ),
    "purge_keyvault_item": (
        "purge the deleted secret, remove the deleted secret for good, purge the key, az keyvault secret purge"
    ),
}
