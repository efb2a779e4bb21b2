"""What the trade calls things, in English and French; and what is asked of others than this server."""

from __future__ import annotations

from typing import Final

NAMES: Final = {
    # Work
    "workitem": "work item, workitem, work items, ticket, issue, pbi, item, element de travail, card,"
    " elements de travail, demande, carte, ado item, jira",
    "bug": "bug, defect, anomalie, bogue, glitch, defaut, dysfonctionnement",
    "task": "task, todo item, tache, chore, sub task, subtask",
    "story": "user story, story, product backlog item, recit utilisateur, recit, user stories, stories",
    "epic": "epic, epique, epics",
    "feature": "feature, fonctionnalite",
    "comment": "comment, remark, discussion, note, commentaire, remarque, conversation, reply, commenter, said, say,"
    " wrote, reviewers write, people write, they write, feedback, thread, fil, talk",
    "history": "history, revision, audit trail, historique, trail, changelog, log of changes",
    "attachment": "attachment, attached, screenshot, piece jointe, pieces jointes, capture, capture d ecran, picture,"
    " image, photo, fichier joint, attach, joindre",
    "url": "url, http, https, web, website, site web, lien web, address on the web",
    "author": "who changed, who touched, who edited, who modified, who moved, qui a modifie, qui a change, who wrote",
    "ending": "end, se termine, finit, prend fin, days left, fini",
    "link": "link, relation, related, relationship, linked, lien, lier, liaison, tie, connect, relate, depend,"
    " dependency, dependance, associated, belong, unlink, attached to",
    "child": "child, children, sub item, subtask, sous tache, enfant, underneath, under, below, sous element",
    "parent": "parent, above",
    "duplicate": "duplicate, dupe, doublon, duplicates",
    "block": "block, blocked, blocker, blocking, bloque, bloquer, held up, hold up, stuck, coince, stopping",
    "board": "board, kanban, tableau, tableau kanban, taskboard",
    "column": "column, colonne",
    "swimlane": "swimlane, swim lane, lane, couloir, row",
    "iteration": "iteration, sprint, cycle, timebox",
    "backlog": "backlog, carnet, carnet de produit",
    "capacity": "capacity, capacite, availability, available, day off, days off, vacation, holiday, conge,"
    " off work, absent, away, out of office, dispo, disponible, disponibilite, hours, heure, absence",
    "mine": "my, mine, me, assigned to me, on my plate, my plate, mes, mon, ma, moi, my queue, my name, for me",
    "assign": "assign, assigned, reassign, owner, assignee, assigner, affecter, affecte, attribuer, hand over,"
    " unassigned, responsible, owns, charge de",
    "priority": "priority, priorite, severity, urgent, gravite, importance, critical, p1",
    "state": "state, status, etat, statut, progress, avancement",
    "close": "close, closed, done, resolved, resolve, fermer, cloturer, termine, terminer, finish, finished, complete"
    ",completed",
    "area": "area, area path, zone, areas, component area, chemin de zone",
    "project": "project, projet",
    "team": "team, squad, equipe, crew, tribe",
    "member": "member, people in, membre, who belongs, part of, fait partie, roster, people on, colleague, collegue,"
    " who is in, qui est dans, who works in, who is on",
    "user": "user, person, account, identity, profile, utilisateur, compte, identite, personne, people",
    "whoami": "who am i, logged in, signed in, whoami, log in as, qui suis je, connecte, my account, my login, mon"
    " compte, which account, sign in as, acting as, on whose behalf, logged on",
    "group": "group, groupe",
    "notification": "notification, email alert, mail alert, alerts i get, notify, notified, mail i get, mails, avis",
    "dashboard": "dashboard, wallboard, tableau de bord, tableaux de bord, big screen",
    "wiki": "wiki, documentation, docs, runbook, knowledge base, guide, how to guide, playbook, handbook, base de"
    " connaissance, doc, manuel, mode d emploi, written down, documented, onboarding, instructions",
    "page": "page, article",
    "query": "query, saved query, requete, queries, shared query",
    "wiql": "wiql, select from workitems",
    # Code
    "repository": "repository, repo, git repository, depot, referentiel, codebase, depots",
    "branch": "branch, branche, main, master, develop, trunk, branching",
    "commit": "commit, checkin, check in, changeset, landed, land, sha, committed, validation de code",
    "push": "push, pushed, force push, pousser, pousse",
    "file": "file, fichier, source file, readme, dockerfile, config file, script, yaml, yml, json, package json",
    "folder": "folder, directory, dossier, repertoire, tree, arborescence",
    "code": "code, source, source code, codebase, class, method, function, usage, code source, fonction, methode",
    "compare": "compare, difference, differ, between, comparer, versus, vs, comparaison",
    "diff": "diff, lines changed, patch, code changes, hunks, lines, ligne",
    "pullrequest": "pull request, pr, prs, merge request, mr, demande de tirage, demandes de tirage,  pullrequest,"
    " demande d extraction, demande de fusion",
    "review": "review, reviewer, relecture, relecteur, revue, revoir, have a look at, reviewing, look over, relire,"
    " second pair of eyes",
    "approve": "approve, approval, approved, sign off, signoff, thumbs up, green light, lgtm, approbation, approuver,"
    " feu vert, accept, accord, valider, validation, go ahead, waiting on me, vote, bless, gate, rejected, reject,"
    " refuse, decline, denied, rejeter, refuser, deny",
    "merge": "merge, merged, squash, fusionner, fusion, merging, complete pull request",
    "draft": "draft, brouillon, wip pull request",
    "abandon": "abandon, abandoned, abandonner, withdraw",
    "policy": "policy, policies, protection, protected, protect, branch protection, required, regle de branche,"
    " strategie, strategie de branche, check, checks, requirement, enforce",
    "security": "security, vulnerability, vulnerable, cve, secret, leaked, advanced security, securite, vulnerabilite,"
    " faille, exposed, credential, code scanning, dependabot, leak, insecure, exploit",
    "alert": "alert, alerte, finding, warning",
    # Delivery
    "pipeline": "pipeline, ci, ci cd, workflow, continuous integration, integration continue",
    "run": "run, running, execution, rerun, executed, lancer, executer, in progress, job, nightly, relancer",
    "build": "build, compile, compilation, built, nightly build, builder, generation, compiled",
    "fail": "fail, failed, failure, broke, broken, break, red, error, wrong, crash, crashed, failing, echoue, echouer,"
    " echec, casse, fell over, blew up, rouge, erreur, plante, exploded, went wrong, ko, broken down, unhappy,"
    " doesn t work, not working, bombed, died, problem, probleme, en echec, tombe, went bang, kaput",
    "succeed": "succeed, green, pass, passed, passing, success, successful, reussi, reussir, vert, healthy, fine, ok",
    "log": "log, output, console, console output, journal, journaux, trace, printed, sortie, print, logs, stack trace",
    "stage": "stage, etape du pipeline, job",
    "step": "step, etape, steps",
    "artifact": "artifact, artefact, drop, produced, build output, binary, binaries, zip, artifacts",
    "download": "download, telecharger, telecharge, grab, save locally",
    "variable": "variable, parametre",
    "variablegroup": "variable group, variable groups, groupe de variables, groupes de variables, variable library,"
    " library of variables, variables are in the group, variables in the group, variables du groupe",
    "deploy": "deploy, deployment, deployed, ship, shipped, rollout, roll out, promote, go live, deployer, deploie,"
    " deploiement,"
    " livrer, mise en production, livraison, mettre en production, rolled out, rollback, roll back, redeploy, live,"
    " released to, mise en prod, mep, out the door, shipping",
    "release": "release, version livree, released, releases, cut a release, livraisons",
    "environment": "environment, staging, prod, production, uat, test environment, environnement, preprod, qa, recette,"
    " pre production",
    "definition": "definition, definitions, setup",
    "wait": "wait, waiting, pending, attend, en attente, awaiting, attente, sitting with, held",
    "feed": "feed, registry, flux",
    "package": "package, npm, nuget, maven, pypi, library, paquet, bibliotheque, librairie, dependency, python package",
    "version": "version, versions",
    "testplan": "test plan, test plans, plan de test, plans de test, plan",
    "testsuite": "test suite, test suites, suite, suite de tests, suites",
    "testcase": "test case, test cases, cas de test, manual test, case, cases, scenario",
    "testrun": "test run, test runs, campagne de test, campagne",
    "testresult": "test result, test results, outcome, resultat, resultats de test, result, pass rate, flaky",
    "test": "test, testing, tested, smoke test, regression, tests",
    "manual": "by hand, manually, manual, a la main, manuellement",
    "serviceconnection": "service connection, service connections, connexion de service, connexions de service, service"
    " endpoint, service principal, connection to azure, connexion",
    "search": "search, find, look for, grep, chercher, cherche, rechercher, recherche, where is, trouver,"
    " trouve, mention, mentioning, contain, ou est",
    # Azure
    "azure": "azure, microsoft azure, azure service, azure services, microsoft, microsoft cloud",
    "update": "azure update, azure updates, announcement, news, what s new, what is new, roadmap, annonce, nouveaute,"
    " launch, generally available, ga, announced, release notes of azure, actualite, announces, whats new, quoi de"
    " neuf, nouveautes",
    "retirement": "retire, retirement, deprecated, deprecation, deprecate, sunset, end of life, eol, end of"
    " support, out of support, no longer supported,"
    " discontinued, retired, retrait, retire bientot, fin de vie, retires, obsolete, fin de support, phased out,"
    " shut down by, going away, supprime par microsoft, abandonne par microsoft, retraits, discontinue",
    "preview": "preview, public preview, private preview, apercu, preversion",
    "sync": "sync, synchronise, refresh, synchroniser, rafraichir, actualiser, reload, resync",
    "fresh": "fresh, up to date, stale, health, a jour, outdated, frais, how old, freshness",
    "calendar": "calendar, ical, ics, outlook calendar, calendrier, agenda, rss, atom, csv, subscribe, excel,"
    " spreadsheet, abonner",
    "firewall": "firewall, port, traffic, whitelist, allowlist, unblock, outbound, inbound, ip, ip address, pare feu,"
    " network rule, subnet, flux reseau, trafic, egress, ingress, tcp, udp, ip range, network, reseau, nsg, cidr,"
    " adresse ip, white list, reach, talk to",
    "rule": "rule, regle",
}

KINDS: Final = {
    **dict.fromkeys(("bug", "task", "story", "epic", "feature"), "workitem"),
    **dict.fromkeys(("child", "parent", "duplicate"), "link"),
    **dict.fromkeys(("testplan", "testsuite", "testcase", "testrun", "testresult"), "test"),
    "variablegroup": "variable",
    "retirement": "update",
    "preview": "update",
}

# Nobody here does these: the updates tell of most Azure services, and no tool does anything with them.
ELSEWHERE: Final = (
    "access, permission, acces, droit, channel, pdf, euro, dollar, jazz, world cup, salle de reunion, "
    "virtual machine, vm, storage account, blob, key vault, keyvault, resource group, app service, web app, function"
    " app, cosmos, sql database, database, kubernetes, cluster, container, server, subscription, bill, invoice, cost,"
    " budget, spend, spent, email, mail, e mail, slack, teams message, teams meeting, calendar invite, meeting,"
    " weather, forecast, restaurant, table for, flight, hotel, translate, traduire, traduis, poem, joke,"
    " song, recipe, picture,"
    " resize,"
    " photo, powerpoint, presentation, word document, salary, payroll, taxi, train, github, gitlab, jenkins,"
    " confluence, servicenow, salesforce, dns record, domain, certificate, password, vpn, laptop, printer, music,"
    " stock,"
    " news article, football, movie, film, lunch, pizza, coffee, machine virtuelle, compte de stockage, groupe de"
    " ressources, facture, reunion, courriel, meteo, base de donnees, blague, traduction, cafe, secret from key vault,"
    " load balancer, queue message, service bus, event hub, cdn, dataset, model, gpu, terraform, helm, docker image,"
    " pod, sms, phone, appointment, holiday request, expense, timesheet, contract, letter, essay, customer, german,"
    " french, spanish, room, desk, gift, ticket to, capital, recipe, redis, snapshot, disk, backup, tenant, license,"
    " licence, mot de passe, serveur, disque, sauvegarde, voyage, vol, billet, train ticket, plane, concert"
)

# These are asked for by words of any kind.
SEARCHES: Final = (
    "search_azure_updates",
    "search_code",
    "search_wiki",
    "search_work_items",
    "search_work_item_text",
)
