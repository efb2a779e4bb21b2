"""How people ask for people, what they are told, dashboards and wikis."""

from __future__ import annotations

from typing import Final

SAYINGS: Final = {
    "get_current_user": (
        "who am i, my account, signed in as, which account am i using, my user, whoami, my identity, which user are "
        "you acting as, which account is used here, in whose name do you act, under which identity do you work, who "
        "does devops think i am, what user are you logged in as, what is my user id, avec quel compte suis je "
        "connecte, qui suis je, sous quel compte travailles tu, mon identifiant, wer bin ich, als wer bin ich "
        "angemeldet, quien soy, am i signed in, what is my id, as whom am i talking to devops, which user is this, "
        "whose token is this, tell me my identity, on me connait sous quel nom, are you using my account"
    ),
    "search_users": (
        "find user, user id of person, look up person, find group, search people by name, email of colleague, find "
        "the id of someone, find account of person, identity of person, who is named, what is anna s user id, find "
        "the id of tom, look up anna berg, what is the email of tom, who is called karim here, is there a group for"
        " release managers, find a person by name, trouve l identifiant de karim, cherche un utilisateur, quel est "
        "le mail de anna, suche den benutzer anna, buscar usuario, does somebody named tom exist, find the group "
        "administrators, which account does anna have, descriptor of user, find the account of judith, whats tom s "
        "login, who is j meyer, i need the id of anna, which group is called admins, contact of tom, trouve moi l "
        "id de paul, y a t il un utilisateur paul, what is the id of a person, id of somebody, what is his id, find"
        " the account of a colleague, mail address of somebody, look somebody up, who is he, who is that user"
    ),
    "get_user": (
        "details of user, show user, get group, user by id, profile of user, is the account active, show the profile "
        "of user anna, details of this user id, is this account still active, what group is this, profil de l "
        "utilisateur, infos sur cet utilisateur, whose id is this, which person has this id, benutzer mit dieser id, "
        "user details by descriptor, who is this descriptor, resolve this user id, which person is behind this id"
    ),
    "list_subscriptions": (
        "notifications of person, who gets notifications, email alerts of group, what am i subscribed to, why do i "
        "get these mails, which mails do i get, notification subscriptions, notification settings, why am i being "
        "spammed with devops mails, which alerts do i get, who gets a mail when a build fails, which notifications "
        "does the group get, i get too many emails from devops which ones, what notifications are set up for anna, am"
        " i notified when a build breaks, quelles notifications est ce que je recois, pourquoi je recois tous ces "
        "mails, qui est notifie, welche benachrichtigungen bekomme ich, que notificaciones recibo, does the team get "
        "mails about pull requests, notification settings of a person, which mails does devops send me, am i told "
        "when my pr is approved, why did i get this mail from devops, what does devops notify the team about, quels "
        "mails devops m envoie t il"
    ),
    "list_dashboards": (
        "dashboards, which dashboards are there, dashboards of team, any dashboards for the quality team, which "
        "dashboards do we have, is there a dashboard for the team, quels tableaux de bord avons nous, liste des "
        "tableaux de bord, welche dashboards gibt es, que paneles hay, list all dashboards, which dashboards can i "
        "open, team dashboards"
    ),
    "get_dashboard": (
        "show dashboard, widgets of dashboard, what is on the dashboard, open dashboard, what tiles are on "
        "dashboard ops, what does the team dashboard show, open the ops dashboard, widgets on the wallboard, pull "
        "up the dashboard, que montre le tableau de bord, ouvre le tableau de bord, widgets du tableau de bord, "
        "zeig das dashboard, mostrar el panel, charts on the dashboard, whats on the ops dashboard, numbers on the "
        "dashboard, how does the dashboard look, which widgets are on the dashboard, widgets of the dashboard, what"
        " does the dashboard show, tiles of the dashboard"
    ),
    "list_wikis": (
        "wikis, which wikis are there, wikis of project, is there any wiki in this project, which wikis do we have, "
        "what wikis are there, quels wikis y a t il, welche wikis gibt es, que wikis hay, does the project have a "
        "wiki, list all wikis, which wiki do we use, is there a team wiki"
    ),
    "get_wiki": (
        "wiki details, which repository is the wiki made from, about the wiki, where does the wiki live, from which "
        "repository is the wiki made, what is the wiki based on, is it a code wiki, details of the wiki, de quel "
        "depot vient le wiki, id of the wiki, branch behind the wiki, which repo backs the wiki, technical details of"
        " the wiki"
    ),
    "get_wiki_page": (
        "read wiki page, show wiki page, open wiki page, content of wiki page, what does the wiki say about, show "
        "documentation page, display the docs page, show me the page about on call, open the wiki page home, what is "
        "on the wiki page, read the release checklist in the wiki, display the onboarding page, what does the page "
        "deployment say, print the wiki page, montre la page du wiki, affiche la page accueil, lis la page sur les "
        "astreintes, zeige die wiki seite, mostrar la pagina del wiki, content of page install, show documentation of"
        " our deployment process, read the section setup of the wiki page, open the on call page, read me the page on"
        " deployments, whats on the home page of the wiki, show the runbook for the database, get the text of the "
        "page, ouvre la page sur les sauvegardes, let me read the onboarding page"
    ),
    "create_wiki_page": (
        "create wiki page, new page in wiki, add wiki page, write docs in the wiki, document this in the wiki, add "
        "page to the documentation, write it up on the wiki, start a page, write a wiki page on installation, make a "
        "page about the on call in the wiki, document this, put this in the wiki, start a new wiki page, save these "
        "notes as a wiki page, add a runbook to the wiki, write documentation about the setup, we need a page about "
        "backups, redige une page de wiki, cree une page dans le wiki, documente la procedure dans le wiki, ajoute "
        "une page, nouvelle page wiki, erstelle eine wiki seite, crear una pagina en el wiki, write up meeting notes "
        "in the wiki, put the minutes on the wiki, publish a guide in the wiki, write a how to, start a wiki page for"
        " the migration notes, write down how to restart the service in the wiki, turn this into a wiki page, a page "
        "about incident response is missing create it, we need docs for the api write a page, add meeting minutes to "
        "the wiki as a page, mets ca dans le wiki, cree une page pour le compte rendu, ajoute une page au wiki, "
        "ajoute une page pour les nouveaux, fais une page de doc"
    ),
    "update_wiki_page": (
        "update wiki page, edit wiki page, change wiki page, add section to wiki page, fix typo in wiki page, "
        "rewrite documentation page, append to wiki page, correct the docs, the deployment guide in the wiki is out"
        " of date change step 0, add a paragraph to the wiki page, edit the page about on call, correct the wiki "
        "page, replace the section setup in the wiki page, the wiki still names the old server fix it, bring the "
        "wiki page up to date, add our new colleague to the wiki page, change the phone number on the on call page,"
        " mets a jour la page du wiki, modifie la page du wiki, corrige la documentation, ajoute une section a la "
        "page wiki, change la page d accueil, aktualisiere die wiki seite, actualizar la pagina del wiki, add this "
        "to the onboarding page, append a line to the changelog page of the wiki, the docs are wrong correct them, "
        "update the runbook, the onboarding page lists the wrong phone number correct it, replace the old url in "
        "the wiki page, put the new steps into the runbook, extend the page about backups, rework the page, the "
        "guide is stale refresh it, note the new server on the ops page, complete la page d onboarding, la page est"
        " fausse corrige la, remplace la section de la page, change one paragraph on the page, rename the wiki "
        "page, put a new section into the page, add a section on monitoring to the page, the page needs a complete "
        "rewrite, rewrite the whole page, here is the new text of the page, the page is out of date here is the new"
        " one"
    ),
    "delete_wiki_page": (
        "delete wiki page, remove page from wiki, delete docs page, throw away the wiki page about the old vpn, "
        "remove the outdated page from the wiki, delete page from the documentation, get rid of the wiki page, "
        "supprime la page du wiki, efface cette page wiki, losche die wiki seite, borrar la pagina del wiki, the "
        "runbook is obsolete delete the page, drop the docs page, the page on the old server can go, nobody reads "
        "that wiki page remove it, kill the page in the wiki, vire la page du wiki"
    ),
    "list_wiki_pages": (
        "pages of wiki, which pages are in the wiki, table of contents of wiki, wiki tree, outline of documentation, "
        "what is in the wiki give me an overview, which pages does the wiki have, show the structure of the wiki, "
        "list all wiki pages, what topics does the documentation cover, quelles pages contient le wiki, sommaire du "
        "wiki, arborescence du wiki, welche seiten hat das wiki, paginas del wiki, index of the wiki, subpages of the"
        " page operations, wiki contents, which pages are below operations, what pages do we have in the docs, how is"
        " the wiki organized, tree of wiki pages, whats documented in the wiki"
    ),
    "update_wiki_section": (
        "change one section of the wiki page, rewrite section of the wiki, edit chapter of the docs page, replace "
        "the paragraph below a heading in the wiki, replace only the part installation of the page, remplace juste "
        "la partie prerequis de la page du wiki, put a new text under the heading rollback, the section on backups "
        "in the wiki is outdated rewrite it, swap out just the troubleshooting part of the page, leave the rest of "
        "the wiki page alone and change one heading s text, modifie la section du wiki, update the on call table "
        "section of the wiki page, only that section the rest stays, redo the chapter about deployment in the wiki,"
        " change what stands below the heading, the part contacts of the runbook is stale rewrite it, only the "
        "section contacts of the page, put new numbers into the section, replace the chapter in the guide, replace "
        "the chapter rollback, change one paragraph of the guide, fix the part about backups in the docs, just the "
        "heading contacts in the runbook, update the part on call in the handbook, remplace le chapitre, mets a "
        "jour la partie contacts du runbook, correct a paragraph in the wiki"
    ),
}
