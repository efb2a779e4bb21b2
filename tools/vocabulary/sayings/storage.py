"""How people ask for what is in Azure Storage."""

from __future__ import annotations

from typing import Final

SAYINGS: Final = {
    "list_storage_accounts": (
        "list storage accounts, list the storage accounts, which storage accounts do we have, all our storage "
        "accounts, az storage account list, what storage do we have in azure, storage accounts of this resource "
        "group, how many storage accounts are there, quels comptes de stockage avons nous, liste des comptes de "
        "stockage, welche speicherkonten haben wir, in which storage account are our files, storage accounts in the "
        "production subscription"
    ),
    "show_storage_account": (
        "show the storage account, is the storage account public, is this storage account open to the internet, "
        "open to everybody, which networks may reach the storage account, is the firewall of the storage account "
        "on, details of the storage account, redundancy of the storage account, is the storage account geo "
        "redundant, tls version of the storage account, does the storage account allow shared keys, endpoints of "
        "the storage account, which tier has the storage account, montre le compte de stockage, is the storage "
        "account private, does the storage account have a hierarchical namespace"
    ),
    "list_containers": (
        "list containers, which containers are in the storage account, list the blob containers, containers of the "
        "storage account, show me the containers, az storage container list, is "
        "there a public container, quels conteneurs y a t il, liste des conteneurs du compte de stockage, welche "
        "container gibt es im speicherkonto, are there deleted containers"
    ),
    "list_blobs": (
        "list blobs, what is in container logs, what is in the container, list the blobs in the container, which "
        "files are in the blob container, show the folder in the container, what is in the data lake, newest blob, "
        "which blobs begin with, is the file in the storage account, find the blob, az storage blob list, what did "
        "the backup put into blob storage, which blobs were deleted, snapshots of the blob, versions of the blob, "
        "old versions of a blob, how many files are in the container, what is in azure storage, qu y a t il dans le "
        "conteneur, liste des blobs, welche blobs sind im container, contents of the container, what files did the "
        "export write to storage, browse the container, show me what is in blob storage, which files lie in the "
        "container, what is in the container of the storage account, which files lie in the container 0 of 0, what "
        "files are in the container of the storage account, which files lie in the container invoices"
    ),
    "show_blob": (
        "show the blob, how large is the blob, when was the blob changed, properties of the blob, metadata of the "
        "blob, is the blob archived, which tier has the blob, is there a lease on the blob, who holds the lease of "
        "the blob, size of the blob, content type of the blob, when was this file in storage last written, "
        "proprietes du blob, taille du blob, wie gross ist der blob, is there a legal hold on the blob, etag of the "
        "blob"
    ),
    "download_blob": (
        "download the blob, read the blob, show me the last lines of yesterday s log blob, what does the blob say, "
        "content of the blob, open the file in the container, read the file from storage, tail the log in the "
        "container, first lines of the csv in the container, show me the json in blob storage, cat the blob, get the "
        "blob, last lines of the log file in the storage account, what stands in the text file in the container, lis "
        "le blob, contenu du blob, telecharge le blob, zeig mir den inhalt des blobs, head of the csv in blob "
        "storage, read the log from the storage account, show the end of the blob, download the blob from storage, "
        "show the end of the log blob, last lines of the log in the container of the storage account, read me the "
        "json from the container, read me settings json from the container, read the file from the container"
    ),
    "create_blob_link": (
        "give me a link to the blob, link to this file in storage, sas link for the blob, generate a sas for the "
        "blob, generate a sas token for the blob, temporary link to the blob, share the blob with somebody, share "
        "this file from the container, download link for the blob, a url with which others can download the blob, "
        "presigned url, give me a link to this file in the container, link that expires, lien vers le blob, lien "
        "de telechargement du blob, link zum blob, make a link to the export in blob storage, give me a link to "
        "this file, make a sas, they need the blob for an hour, open the blob to somebody for an hour, a link to "
        "download the file that is good for an hour, our customer needs the blob for an hour make a sas"
    ),
    "list_storage_tables": (
        "list storage tables, which tables are in the storage account, list the tables in the storage account, "
        "table storage tables, az storage table list, tables of the storage account, quelles tables dans le compte "
        "de stockage, welche tabellen hat das speicherkonto, what tables does table storage have"
    ),
    "query_storage_table": (
        "query the storage table, rows in the storage table, entities in the table, read table storage, find the "
        "entity with this partition key, which rows have partition key 0, filter the storage table, look up a row "
        "in table storage, az storage entity query, show me the entities of the table, lignes de la table de "
        "stockage, what is in table storage, row key 0 in the table, records in the azure table, eintrage in der "
        "storage tabelle"
    ),
    "list_storage_queues": (
        "list storage queues, which queues are in the storage account, list the queues in the storage account, "
        "queue storage, az storage queue list, queues of the storage account, is there a poison queue, quelles "
        "files d attente y a t il dans le compte de stockage, welche warteschlangen hat das speicherkonto, names of "
        "the storage queues"
    ),
    "peek_storage_queue": (
        "how many messages wait in queue orders, how many messages are in the queue, peek at the queue, peek the "
        "storage queue, what is in the queue, look at the messages in the queue, messages in the storage queue, how "
        "long is the queue, is the queue full, how deep is the queue, is anything stuck in the queue, what is in the "
        "poison queue, messages in the poison queue, is the queue empty, next message in the queue, az storage "
        "message peek, combien de messages attendent dans la file, messages de la file d attente, wie viele "
        "nachrichten sind in der warteschlange, does the queue pile up, backlog of messages in the queue, number of "
        "messages in the queue, how deep is the storage queue, length of the storage queue"
    ),
    "create_storage_account": (
        "create a storage account, make a new storage account, set up blob storage for the shop, az storage account "
        "create, cree un compte de stockage, lege ein speicherkonto an"
    ),
    "delete_storage_account": (
        "delete the storage account, remove the storage account, get rid of this storage account, az storage account "
        "delete, supprime le compte de stockage, losche das speicherkonto"
    ),
    "create_container": (
        "create a container, make a blob container, new container in the storage account, az storage container "
        "create, cree un conteneur de blobs"
    ),
    "delete_container": (
        "delete the container, remove the blob container, delete container with all blobs, az storage container "
        "delete, supprime le conteneur de blobs, losche den container aus dem speicherkonto"
    ),
    "upload_blob": (
        "upload a blob, upload a blob to the container, put this text into blob storage, write this file to the "
        "container, overwrite the blob, az storage blob upload, televerse ce blob, lade den blob hoch, put this "
        "report into the container, save this text as a blob"
    ),
    "delete_blob": (
        "delete the blob, remove the blob, delete this blob from the container, supprime le blob, losche den blob"
    ),
    "undelete_blob": (
        "undelete the blob, restore the deleted blob, bring the blob back, recover a soft deleted blob, restaure"
    ),
    "set_blob_tier": (
        "move the blob to the archive tier, set the tier of the blob, rehydrate the blob, move blob to cool, archive "
        "this blob, change access tier of the blob, az storage blob set tier, send old logs to the archive tier, put "
        "last year s blobs into the cool tier"
    ),
}
