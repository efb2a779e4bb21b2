"""How people ask for Azure updates and firewall rules."""

from __future__ import annotations

from typing import Final

SAYINGS: Final = {
    "search_azure_updates": (
        "azure announcements, azure news, what changes in azure, azure service retires, azure service deprecated, "
        "retirement date of an azure service, azure launch, azure preview, feature generally available in azure, "
        "which azure services are retired, azure end of life, what s new, azure roadmap, when does azure service "
        "end of support, azure service launched, what has azure announced lately, is azure sql getting anything "
        "new, has microsoft said anything about aks, which features went ga this month, what is coming in azure, "
        "when does this service shut down, is there a deadline to migrate off this azure service, which of our "
        "azure services will stop working, is app service on windows being retired, what do we have to migrate "
        "before next year, did microsoft change anything about functions, is it still in preview, when will it be "
        "generally available, which runtimes lose support, python version no longer supported on functions, when is"
        " tls 0 0 switched off in azure, breaking changes in azure, anything new for cosmos db, quelles sont les "
        "nouveautes azure, quels services azure disparaissent, quand ce service sera t il retire, est ce que "
        "microsoft a annonce quelque chose, date de fin de support de ce service azure, qu est ce qui sort en "
        "preview, what will be switched off in azure, deadline for moving off a classic azure service, azure "
        "changes that affect us, updates about azure storage, nouveautes pour aks, welche azure dienste werden "
        "eingestellt, was ist neu in azure, que hay de nuevo en azure, is this azure service still supported, how "
        "long will this version be supported, what did microsoft release for azure openai, when do we have to be "
        "off the old azure plan, upcoming azure deadlines, any word on the future of this azure service, what is "
        "getting sunset, list everything in azure that goes away, is azure dropping support for node 0, what is the"
        " roadmap for container apps, did anything change for api management, changes announced for our region, "
        "what do we need to prepare for in azure, when do i have to upgrade from the old azure version, has the "
        "preview ended, which azure products are being phased out, tell me about retirements, what azure changes "
        "should we worry about, ce service azure va t il disparaitre, y a t il du nouveau chez azure, anything "
        "coming up in azure that breaks us, upgrade deadline for basic public ips, whats going away in azure, what "
        "is microsoft up to, anything being shut down soon, is it still supported next year, what is about to be "
        "retired"
    ),
    "check_azure_updates_health": (
        "are azure updates up to date, how fresh are azure updates, when was the last sync of azure updates, is the "
        "azure news stale, did the sync work, health of azure updates, when did you last load the azure news, how old"
        " is your azure data, is your knowledge of azure current, how recent are the azure updates, is the azure feed"
        " broken, did the last sync of announcements fail, are the azure announcements stale, can i trust these azure"
        " dates are they current, when were the azure updates refreshed, les annonces azure sont elles a jour, de "
        "quand datent les actualites azure, a quand remonte la derniere synchronisation, is the updates index "
        "healthy, how many azure updates do you have, wie aktuell sind die azure neuigkeiten, is anything wrong with "
        "the azure updates sync, why are azure updates missing, does your copy of the azure news need refreshing, "
        "until when do your azure announcements go, when did you last hear from azure, are we missing azure "
        "announcements"
    ),
    "accept_reading": (
        "accept the reading of the updates feed, believe the feed although it looks wrong, the withdrawals are real, "
        "azure updates are suspicious but correct, accept the suspicious sync, microsoft really removed these updates, "
        "confirm the rejected sync of the updates, trust the feed in spite of the warning, let updates be withdrawn "
        "again, accepter la lecture du flux des mises a jour"
    ),
    "refresh_azure_updates": (
        "sync azure updates, refresh azure news, fetch azure announcements now, reload azure updates, sync now, "
        "update the azure updates index, get the newest announcements from azure now, pull in the latest azure "
        "updates, read the azure feed again, the azure news are old reload them, synchronise les annonces azure, "
        "mets a jour les actualites azure, rafraichis les nouveautes azure, force a sync of azure updates, run the "
        "azure updates sync, fetch new azure announcements, bring the azure updates up to date, do a full resync of"
        " the azure updates, azure neuigkeiten neu laden, go and get the latest azure announcements, make sure the "
        "azure news are current, check azure for news now, see whether microsoft has published anything and pull it"
        " in, pull in what microsoft published, check for new announcements and load them, load what is new"
    ),
    "get_azure_updates_feeds": (
        "azure updates as rss, subscribe to azure updates, azure retirements in my calendar, ical of azure updates, "
        "csv of azure updates, export azure updates, feed of azure news, outlook calendar of retirements, azure "
        "updates for excel, i want the azure retirement dates in my outlook, put azure retirements in my calendar, "
        "give me a link to subscribe to azure news, azure retirements as ics file, how can i follow azure updates in "
        "teams, rss address for azure updates, azure updates in a spreadsheet, mettre les retraits azure dans mon "
        "agenda, flux rss des annonces azure, un fichier excel des annonces azure, m abonner aux nouveautes azure, "
        "azure updates kalender abonnieren, get notified of azure retirements in my calendar, google calendar of "
        "azure deadlines, download azure updates as csv, export the announcements as a table, follow azure "
        "announcements in my feed reader, azure deadlines in my diary, ics link for azure retirements, i want to be "
        "told of azure updates without asking, suivre les annonces azure dans mon lecteur rss, azure news in power bi"
        " or excel"
    ),
    "new_azure_firewall_rules": (
        "open a port, allow traffic from an address, whitelist an ip, add a firewall rule, unblock outbound traffic, "
        "allow network access to a host, firewall rule for port, let subnet talk to subnet, allow connections between"
        " servers, add ip range to firewall, punch a hole in the firewall, firewall yaml, create network rule, let "
        "the app servers reach the sql server on 0, our servers must talk to the database on port 0, the vm can not "
        "reach the proxy open it in the firewall, need a flow from 0 0 0 0 to 0 0 0 0 on 0, allow https from the "
        "subnet to the internet, open tcp 0 between these hosts, unblock port 0, write the firewall yaml for this "
        "flow, permit traffic from a to b, add a network rule for our team, let 0 0 0 0 connect to 0 0 0 0, "
        "connection times out between servers open the port, autoriser le trafic entre deux serveurs, ouvre le port 0"
        " vers ce serveur, il me faut un flux de 0 0 0 0 vers 0 0 0 0, regle de pare feu pour ce flux, debloquer le "
        "port 0, ouverture de flux, firewall regel fur port 0 hinzufugen, regla de cortafuegos, opening a flow to the"
        " partner, whitelist this range, ports to open, allow udp 0 to the dns servers, can you open ssh from the "
        "bastion, the hosts can not get through to the mail relay on port 0, sort out a firewall rule, our job gets "
        "connection refused on port 0, make it possible to reach the api from the subnet, get the traffic from a to b"
        " through, the partner needs access to our sftp on 0, our app can not connect to the smtp server on 0, write "
        "me a rule for 0 0 0 0, fais passer le trafic entre ces deux serveurs, le serveur n arrive pas a joindre la "
        "base sur le port 0, open port 0 from the gateway subnet to a server, open port from one subnet to another, "
        "open port 0 to the partner address, poke a hole so the boxes can talk to each other on 0, let the boxes talk"
        " to the database host"
    ),
}
